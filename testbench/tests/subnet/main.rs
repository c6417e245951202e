//! Two nodes and their clients, without sockets: which way MADs go, who waits for them, and what control messages say.
mod two_ports;

use hca_sim::subnet::mad::MadBytes;
use hca_sim::subnet::{Capabilities, PortState, Ports, SubnetAgent};
use hca_testbench::subnet::cable::{Cable, MemoryCable, FIRST};
use hca_testbench::subnet::socket::{Control, Data, Kind, TIMED_OUT};
use hca_testbench::subnet::{Node, Nodes, Patience};
use proptest::prelude::*;
use std::time::Duration;

/// Methods and attributes.
const GET: u8 = 0x01;
const SET: u8 = 0x02;
const SEND: u8 = 0x03;
const TRAP: u8 = 0x05;
const TRAP_REPRESS: u8 = 0x07;
const GET_RESP: u8 = 0x81;
const NODE_INFO: u16 = 0x0011;
const PORT_INFO: u16 = 0x0015;
const SM_INFO: u16 = 0x0020;
/// The lower half of all transactions, as clients write them; the agent's number of `libumad2sim` is 3.
const TRANSACTION: [u8; 8] = [0, 0, 0, 3, 0x0A, 0x0B, 0x0C, 0x0D];
/// The same as client 1 gets it back.
const OF_CLIENT_1: [u8; 8] = [0, 1, 0, 3, 0x0A, 0x0B, 0x0C, 0x0D];

const INTERVAL: Duration = Duration::from_millis(200);

struct Net {
    nodes: Nodes<MemoryCable>,
    now: Duration,
}

impl Net {
    fn new() -> Net {
        Net::with_ports(1)
    }

    /// Nodes of so many ports.
    fn with_ports(ports: u8) -> Net {
        let capabilities = |node: Node| Capabilities {
            ports,
            ..node.capabilities()
        };
        let [alpha, beta] = &Node::BOTH.map(capabilities);
        let cable = MemoryCable::new([alpha, beta]);
        let agents = Node::BOTH.map(|node| SubnetAgent::new(capabilities(node), node.name()));
        let patience = Patience {
            interval: INTERVAL,
            repeats: 3,
        };
        Net {
            nodes: Nodes::new(cable, agents, patience),
            now: Duration::from_secs(1),
        }
    }

    fn control(&mut self, request: &Control) -> Control {
        let Ok(reply) = self.nodes.control(request, self.now);
        reply
    }

    /// The number of a new client at this node.
    fn connect(&mut self, node: &str, is_sm: bool) -> usize {
        let reply = self.control(&connect(4711, node, is_sm));
        assert!(!reply.is_refused());
        reply.word(0) as usize
    }

    fn send(&mut self, client: usize, data: &Data) {
        let Ok(()) = self.nodes.from_client(client, data, self.now);
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        let Ok(()) = self.nodes.step(self.now);
    }

    /// What a client is sent, which must be the only message.
    fn message(&mut self) -> (usize, Data) {
        let outbound = self.nodes.outbound().expect("a message");
        assert_eq!(self.nodes.outbound(), None);
        (outbound.client, outbound.data)
    }

    fn state(&mut self, node: Node) -> PortState {
        let Ok(link) = self.nodes.cable().ports(node).link(FIRST);
        link.state
    }

    /// Gives a node a LID and a manager, and makes its port Active.
    fn bring_up(&mut self, node: Node, lid: u8) {
        let client = self.connect(node.name(), false);
        for state in [3, 4] {
            let mut mad = smp(SET, PORT_INFO);
            mad[1] = 0x81;
            mad[32..36].fill(0xFF);
            let data = &mut mad[64..128];
            data[16..20].copy_from_slice(&[0, lid, 0, 1]);
            data[32] = 0x10 | state;
            data[36] = 0x50;
            self.send(client, &directed(mad));
            assert_eq!(self.message().1.mad[4..6], [0x80, 0]);
        }
        self.nodes.disconnect(client);
    }
}

fn connect(pid: u32, node: &str, is_sm: bool) -> Control {
    let mut data = [0; 64];
    data[12..12 + node.len()].copy_from_slice(node.as_bytes());
    let mut request = Control::new(0, Kind::Connect, data);
    request.set_word(0, pid);
    request.set_word(2, is_sm.into());
    request
}

fn smp(method: u8, attribute: u16) -> MadBytes {
    let mut mad = [0; 256];
    mad[..4].copy_from_slice(&[1, 1, 1, method]);
    mad[8..16].copy_from_slice(&TRANSACTION);
    mad[16..18].copy_from_slice(&attribute.to_be_bytes());
    mad
}

/// An SMP to the node at the other end of the link.
fn to_neighbour(method: u8, attribute: u16) -> MadBytes {
    let mut mad = smp(method, attribute);
    mad[1] = 0x81;
    mad[7] = 1;
    mad[32..36].fill(0xFF);
    mad[129] = 1;
    mad
}

fn directed(mad: MadBytes) -> Data {
    Data {
        dlid: 0xFFFF,
        slid: 0xFFFF,
        destination_qpn: 0,
        source_qpn: 0,
        status: 0,
        mad,
    }
}

fn to_lid(dlid: u16, qpn: u32, mad: MadBytes) -> Data {
    Data {
        dlid,
        slid: 0,
        destination_qpn: qpn,
        source_qpn: qpn,
        status: 0,
        mad,
    }
}

#[test]
fn a_directed_get_crosses_the_link_and_comes_back_to_its_client() {
    let mut net = Net::new();
    net.connect("beta", false);
    assert_eq!(net.connect("alpha", false), 1);
    net.send(1, &directed(to_neighbour(GET, NODE_INFO)));
    let (client, data) = net.message();
    assert_eq!((client, data.status), (1, 0));
    assert_eq!(data.mad[..8], [1, 0x81, 1, GET_RESP, 0x80, 0, 0, 1]);
    assert_eq!(data.mad[8..16], OF_CLIENT_1);
    assert_eq!(
        data.mad[68..76],
        [2, 0, 0, 0, 0, 0, 0, 0x20],
        "SystemImageGUID of beta"
    );
    assert_eq!(data.mad[193], 1, "ReturnPath[1]");
    assert_eq!(net.nodes.cable().crossed(), 2);
}

#[test]
fn a_route_without_hops_stays_at_the_node() {
    let mut net = Net::new();
    net.connect("alpha", false);
    let mut mad = to_neighbour(GET, NODE_INFO);
    mad[7] = 0;
    net.send(0, &directed(mad));
    let (_, data) = net.message();
    assert_eq!(data.mad[3..8], [GET_RESP, 0x80, 0, 0, 0]);
    assert_eq!(data.mad[75], 0x10, "SystemImageGUID of alpha");
    assert_eq!(net.nodes.cable().crossed(), 0);
}

#[test]
fn a_request_without_a_response_is_repeated_and_given_back() {
    let mut net = Net::new();
    net.connect("alpha", false);
    let Ok(()) = net.nodes.cable().plug(FIRST, false);
    let request = directed(to_neighbour(GET, NODE_INFO));
    net.send(0, &request);
    for repeated in 1..=3 {
        net.pass(INTERVAL - Duration::from_millis(1));
        assert_eq!(net.nodes.lost().repeated, repeated - 1);
        net.pass(Duration::from_millis(1));
        assert_eq!(net.nodes.lost().repeated, repeated);
        assert_eq!(net.nodes.outbound(), None);
    }
    net.pass(INTERVAL);
    let (client, data) = net.message();
    assert_eq!((client, data.status), (0, TIMED_OUT));
    assert_eq!(data.mad[1..4], [0x81, 1, GET]);
    assert_eq!(net.nodes.wakes(), None);
    // It is not repeated once more.
    net.pass(INTERVAL * 10);
    assert_eq!(net.nodes.outbound(), None);
}

#[test]
fn a_repeat_that_comes_through_is_answered_once() {
    let mut net = Net::new();
    net.connect("alpha", false);
    let Ok(()) = net.nodes.cable().plug(FIRST, false);
    net.send(0, &directed(to_neighbour(GET, NODE_INFO)));
    let Ok(()) = net.nodes.cable().plug(FIRST, true);
    net.pass(Duration::from_millis(50));
    assert_eq!(net.state(Node::Beta), PortState::Init);
    net.pass(INTERVAL);
    assert_eq!(net.message().1.mad[3], GET_RESP);
    net.pass(INTERVAL * 10);
    assert_eq!(net.nodes.outbound(), None);
}

#[test]
fn nothing_is_returned_to_a_client_that_is_gone() {
    let mut net = Net::new();
    net.connect("alpha", false);
    let Ok(()) = net.nodes.cable().plug(FIRST, false);
    net.send(0, &directed(to_neighbour(GET, NODE_INFO)));
    assert!(!net
        .control(&Control::new(0, Kind::Disconnect, [0; 64]))
        .is_refused());
    // Another process gets its number.
    assert_eq!(net.connect("alpha", false), 0);
    net.pass(INTERVAL * 10);
    assert_eq!(net.nodes.outbound(), None);
}

/// A Send has no response, and a response none either.
#[test]
fn only_requests_are_awaited() {
    let mut net = Net::new();
    net.connect("alpha", false);
    let Ok(()) = net.nodes.cable().plug(FIRST, false);
    for method in [SEND, GET_RESP, TRAP_REPRESS] {
        net.send(0, &directed(to_neighbour(method, NODE_INFO)));
        assert_eq!(net.nodes.wakes(), None);
    }
}

#[test]
fn managers_ask_each_other() {
    let mut net = Net::new();
    net.connect("beta", true);
    assert_eq!(net.connect("alpha", true), 1);
    net.send(1, &directed(to_neighbour(GET, SM_INFO)));
    let (client, request) = net.message();
    assert_eq!((client, request.mad[3]), (0, GET));
    assert_eq!(request.mad[6..8], [2, 1], "pointer and count as they arrived");
    let mut response = request.mad;
    response[3] = GET_RESP;
    response[4] = 0x80;
    response[64] = 0x55;
    net.send(0, &directed(response));
    let (client, data) = net.message();
    assert_eq!((client, data.mad[64]), (1, 0x55));
    assert_eq!(data.mad[8..16], OF_CLIENT_1);
    // Without a manager the agent answers.
    net.nodes.disconnect(0);
    net.send(1, &directed(to_neighbour(GET, SM_INFO)));
    assert_eq!(net.message().1.mad[3..6], [GET_RESP, 0x80, 0x0C]);
}

#[test]
fn a_trap_of_a_manager_is_repressed_by_the_other() {
    let mut net = Net::new();
    net.bring_up(Node::Alpha, 1);
    net.bring_up(Node::Beta, 2);
    net.connect("alpha", true);
    assert_eq!(net.connect("beta", true), 1);
    // The traps of the capability masks that changed, which nobody represses here.
    net.pass(Duration::ZERO);
    while net.nodes.outbound().is_some() {}
    net.send(1, &to_lid(1, 0, smp(TRAP, 0x0002)));
    let (client, trap) = net.message();
    assert_eq!((client, trap.slid, trap.dlid), (0, 2, 1));
    assert_eq!(trap.mad[8..16], OF_CLIENT_1);
    let mut repress = trap.mad;
    repress[3] = TRAP_REPRESS;
    // `libumad2sim` writes the number of the represser's agent into it.
    repress[8..12].copy_from_slice(&[0, 0, 0, 7]);
    net.send(0, &to_lid(2, 0, repress));
    let (client, data) = net.message();
    assert_eq!((client, data.mad[3]), (1, TRAP_REPRESS));
    assert_eq!(data.mad[8..16], OF_CLIENT_1, "the transaction of its Trap");
}

#[test]
fn a_class_reaches_the_client_that_serves_it() {
    let mut net = Net::new();
    net.bring_up(Node::Alpha, 1);
    net.bring_up(Node::Beta, 2);
    net.connect("beta", true);
    net.connect("beta", false);
    let asker = net.connect("alpha", false);
    while net.nodes.outbound().is_some() {}
    let mut served_by = |class: u8| {
        let mut mad = smp(GET, 0x0001);
        mad[1] = class;
        net.send(asker, &to_lid(2, 1, mad));
        net.nodes.outbound().map(|outbound| outbound.client)
    };
    assert_eq!(served_by(0x03), Some(0), "subnet administration is the manager's");
    assert_eq!(served_by(0x32), Some(1), "a vendor's class is the other client's");
    assert_eq!(served_by(0x07), None);
    assert_eq!(served_by(0x21), None);
    assert_eq!(net.nodes.lost().unclaimed, 2);
}

#[test]
fn performance_mads_come_to_active_ports_alone() {
    let mut net = Net::new();
    net.bring_up(Node::Beta, 2);
    net.connect("alpha", false);
    let mut mad = smp(GET, 0x0012);
    (mad[1], mad[65]) = (4, 1);
    net.send(0, &to_lid(2, 1, mad));
    assert_eq!(net.nodes.outbound(), None);
    let Ok(counters) = net.nodes.cable().ports(Node::Alpha).counters(FIRST);
    assert_eq!((counters.xmit_discards, counters.xmit_pkts), (1, 0));
    net.nodes.disconnect(0);
    net.bring_up(Node::Alpha, 1);
    net.connect("alpha", false);
    net.send(0, &to_lid(2, 1, mad));
    let (_, data) = net.message();
    assert_eq!(
        (data.slid, data.dlid, data.mad[3], data.mad[5]),
        (2, 1, GET_RESP, 0)
    );
    // It counts the packet that asked: 72 words, 1 packet received.
    assert_eq!(data.mad[64 + 28..64 + 32], [0, 0, 0, 72]);
    assert_eq!(data.mad[64 + 36..64 + 40], [0, 0, 0, 1]);
}

#[test]
fn a_set_to_down_over_the_link_is_answered_first() {
    let mut net = Net::new();
    net.bring_up(Node::Alpha, 1);
    net.bring_up(Node::Beta, 2);
    net.connect("alpha", false);
    let mut mad = to_neighbour(SET, PORT_INFO);
    mad[64 + 16..64 + 20].copy_from_slice(&[0, 2, 0, 1]);
    mad[64 + 32] = 0x11;
    mad[64 + 36] = 0x50;
    net.send(0, &directed(mad));
    let (_, data) = net.message();
    assert_eq!(data.mad[3..6], [GET_RESP, 0x80, 0]);
    assert_eq!(data.mad[64 + 32], 0x14, "still Active");
    assert_eq!(
        [net.state(Node::Alpha), net.state(Node::Beta)],
        [PortState::Down; 2]
    );
    let Ok(counters) = net.nodes.cable().ports(Node::Alpha).counters(FIRST);
    assert_eq!(counters.link_downed, 1, "the neighbour was not told");
    let Ok(counters) = net.nodes.cable().ports(Node::Beta).counters(FIRST);
    assert_eq!(counters.link_downed, 0);
    net.pass(Duration::from_millis(100));
    assert_eq!(
        [net.state(Node::Alpha), net.state(Node::Beta)],
        [PortState::Init; 2]
    );
}

#[test]
fn a_data_packet_activates_an_armed_port() {
    let mut net = Net::new();
    net.bring_up(Node::Alpha, 1);
    net.bring_up(Node::Beta, 2);
    net.nodes
        .cable()
        .ports(Node::Beta)
        .set_state(FIRST, PortState::Armed);
    net.connect("alpha", false);
    net.send(0, &directed(to_neighbour(GET, NODE_INFO)));
    assert_eq!(net.state(Node::Beta), PortState::Armed);
    let mut mad = smp(GET, 0x0001);
    mad[1] = 4;
    net.send(0, &to_lid(2, 1, mad));
    assert_eq!(net.state(Node::Beta), PortState::Active);
}

#[test]
fn control_messages_answer_for_the_clients_node() {
    let mut net = Net::new();
    let number = net.connect("beta:1", false) as u32;
    let mut ask = |kind| net.control(&Control::new(number, kind, [0; 64]));
    assert_eq!(ask(Kind::GetVendor).word(1), 1, "the device");
    let info = ask(Kind::GetNodeInfo).data;
    assert_eq!(info[..4], [1, 1, 1, 1]);
    assert_eq!(
        info[12..28],
        [2, 0, 0, 0, 0, 0, 0, 0x20, 2, 0, 0, 0, 0, 0, 0, 0x21]
    );
    let info = ask(Kind::GetPortInfo).data;
    assert_eq!(info[32..34], [0x12, 0x52], "Init and LinkUp");
    assert_eq!(ask(Kind::GetPKeys).data[..4], [0xFF, 0xFF, 0, 0]);
    let mut is_sm = Control::new(number, Kind::SetIsSm, [0; 64]);
    is_sm.set_word(0, 1);
    assert!(!net.control(&is_sm).is_refused());
    let info = net
        .control(&Control::new(number, Kind::GetPortInfo, [0; 64]))
        .data;
    assert_eq!(info[23] & 2, 2, "IsSM");
    net.control(&Control::new(number, Kind::Disconnect, [0; 64]));
    let number = net.connect("beta", false) as u32;
    let info = net
        .control(&Control::new(number, Kind::GetPortInfo, [0; 64]))
        .data;
    assert_eq!(info[23] & 2, 0, "a client that goes is no manager");
}

#[test]
fn what_nobody_can_have_is_refused() {
    let mut net = Net::new();
    for name in ["gamma", "alpha:2", "alpha:", "ALPHA"] {
        assert!(net.control(&connect(1, name, false)).is_refused(), "{name}");
    }
    for client in [0, 9, 10, u32::MAX] {
        assert!(net
            .control(&Control::new(client, Kind::GetNodeInfo, [0; 64]))
            .is_refused());
    }
    for _ in 0..10 {
        net.connect("", false);
    }
    assert!(net.control(&connect(1, "", false)).is_refused(), "an eleventh");
    net.nodes.disconnect(4);
    assert_eq!(net.connect("", false), 4);
}

proptest! {
    #[test]
    fn any_message_of_a_client_is_survived(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 288), 1..10),
        class in prop_oneof![Just(0x01u8), Just(0x81), Just(0x04), any::<u8>()],
        controls in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..100), 1..4),
    ) {
        let mut net = Net::new();
        net.bring_up(Node::Alpha, 1);
        net.bring_up(Node::Beta, 2);
        let client = net.connect("alpha", true);
        net.connect("beta", true);
        for (n, mut bytes) in messages.into_iter().enumerate() {
            bytes[..2].copy_from_slice(&[0, 1 + (n % 2) as u8]);
            bytes[33] = class;
            if let Some(data) = Data::parse(&bytes) {
                net.send(client, &data);
                net.pass(INTERVAL);
            }
        }
        for mut bytes in controls {
            if bytes.len() > 12 {
                bytes[..4].copy_from_slice(&0xDEAD_BEEF_u32.to_ne_bytes());
                bytes[8..12].copy_from_slice(&1_u32.to_ne_bytes());
            }
            if let Some(request) = Control::parse(&bytes) {
                net.control(&request);
            }
        }
    }
}
