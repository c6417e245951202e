//! Rows of the area `mad` (`mad.md`): Y with its management agents before its registers. SMPs come and go by QP0 of a
//! port, MADs of performance management by its QP1.
mod arbitration;
mod directed_route;
mod m_key;
mod performance;
mod port_info;
mod registers;
mod tables;
mod traps;
mod two_ports;
mod violations;
mod whole_node;

use crate::bench::peer::to;
use crate::bench::requester::{work, SEND};
use crate::bench::{request, Bench};
use crate::ud::qp0::{connect, qp0};
use crate::ud::{peer, success, with_q_key, HANDLE};
use hca_golden::port::PortConfig;
use hca_golden::verbs::{AddressHandle, Datagram, QpAttributes, SendRequest};
use hca_golden::wire::packet::Packet;
use hca_sim::subnet::directed_route::PERMISSIVE_LID;
use hca_sim::subnet::mad::{MadBytes, Smp};
use hca_sim::subnet::{Arrival, Capabilities, Handled, MemoryPorts, Ports, Record, Settings, SubnetAgent};
use hca_testbench::device::Verb;
use registers::Registers;
use std::time::Duration;

/// Methods.
const GET: u8 = 0x01;
const SET: u8 = 0x02;
const TRAP_REPRESS: u8 = 0x07;
const GET_RESP: u8 = 0x81;
/// Attributes.
const NODE_DESCRIPTION: u16 = 0x0010;
const NODE_INFO: u16 = 0x0011;
const GUID_INFO: u16 = 0x0014;
const PORT_INFO: u16 = 0x0015;
const P_KEY_TABLE: u16 = 0x0016;
const SL_TO_VL: u16 = 0x0017;
const VL_ARBITRATION: u16 = 0x0018;
/// Where the data of an SMP stands.
const DATA: usize = 64;
/// The port of Y, and the first of two.
const PORT: u8 = 1;
/// LID from which all SMPs come that come by LID.
const ASKER: u16 = 0x33;
/// Q_Key of QP1.
const QP1_KEY: u32 = 0x8001_0000;
/// A datagram of 256 bytes with the area before it.
const ROOM: u32 = 296;
const AREA: u64 = 40;

fn capabilities() -> Capabilities {
    Capabilities {
        system_image_guid: 0x1111_2222_3333_4444,
        node_guid: 0x5555_6666_7777_8880,
        vendor_id: 0x00AB_CDEF,
        device_id: 0x1234,
        revision: 0x0000_0105,
        ports: 1,
        // One VL, 4096 bytes.
        vl_cap: 1,
        mtu_cap: 5,
        vl_arb_high_cap: 0,
        vl_arb_low_cap: 0,
        p_key_cap: 4,
        guid_cap: 4,
        link_width_supported: 3,
        link_speed_supported: 1,
    }
}

/// The same with two VLs, and arbitration tables of eight entries.
fn two_vls() -> Capabilities {
    Capabilities {
        vl_cap: 2,
        vl_arb_high_cap: 8,
        vl_arb_low_cap: 8,
        ..capabilities()
    }
}

/// LIDs 10h to 13h, and the default partition.
fn managed() -> PortConfig {
    PortConfig {
        lid: 0x10,
        lmc: 2,
        ..crate::bench::port()
    }
}

/// As before a manager has found it.
fn unmanaged() -> PortConfig {
    PortConfig {
        lid: 0,
        ..crate::bench::port()
    }
}

/// Y with its agents.
struct Node<'a> {
    y: &'a mut Bench,
    agent: SubnetAgent,
    kept: MemoryPorts,
    /// The port by which all MADs come and go.
    port: u8,
    now: Duration,
}

impl<'a> Node<'a> {
    /// Y behind [`managed`], which its port is Active for.
    fn new(y: &'a mut Bench) -> Node<'a> {
        Node::at(y, 0x10, 2)
    }

    /// Y at these LIDs, with QP0 and QP1 in RTS.
    fn at(y: &'a mut Bench, lid: u16, lmc: u8) -> Node<'a> {
        Node::with(y, lid, lmc, capabilities())
    }

    /// The same with other capabilities.
    fn with(y: &'a mut Bench, lid: u16, lmc: u8, capabilities: Capabilities) -> Node<'a> {
        connect(y, peer(), 0);
        for qpn in 1..2 * u32::from(capabilities.ports) {
            y.create_another(&QpAttributes {
                qpn,
                q_key: if qpn % 2 == 1 { QP1_KEY } else { 0 },
                ..qp0()
            });
            y.enter_rts();
        }
        let mut kept = MemoryPorts::new(&capabilities);
        for port in 1..=capabilities.ports {
            kept.link_up(port);
        }
        let Ok(settings) = kept.settings(PORT);
        let Ok(()) = kept.set_settings(PORT, &Settings { lid, lmc, ..settings });
        Node {
            y,
            agent: SubnetAgent::new(capabilities, "a node"),
            kept,
            port: PORT,
            now: Duration::from_secs(1000),
        }
    }

    /// The base LID of the port.
    fn lid(&mut self) -> u16 {
        let Ok(settings) = self.kept.settings(self.port);
        settings.lid
    }

    /// QPN of QP0 or QP1 of the port in verbs and completions.
    fn qpn(&self, qpn: u32) -> u32 {
        2 * u32::from(self.port - 1) + qpn
    }

    fn registers(&mut self) -> Registers<'_> {
        Registers {
            y: self.y,
            kept: &mut self.kept,
        }
    }

    /// A MAD for this QP of Y.
    fn packet(qpn: u32, slid: u16, dlid: u16, mad: &MadBytes) -> Packet {
        let q_key = if qpn == 0 { 0 } else { QP1_KEY };
        let mut packet = with_q_key(q_key, to(qpn, request(0x64, 7, mad)));
        let lrh = packet.lrh_mut().unwrap();
        (lrh.vl, lrh.slid, lrh.dlid) = (if qpn == 0 { 15 } else { 0 }, slid, dlid);
        packet
    }

    /// A packet arrives at this QP: the SLID and the MAD that its completion brings.
    fn arrive(&mut self, qpn: u32, packet: Packet) -> (u16, MadBytes) {
        self.y.turn_to(self.qpn(qpn));
        self.y.post_receive(1, 0, ROOM);
        self.y.arrive_at(self.port, &[packet]);
        let taken = self.y.taken();
        assert_eq!(taken.len(), 1);
        let datagram = taken[0].datagram.as_ref().unwrap();
        assert_eq!(datagram.port, self.port);
        let slid = datagram.slid;
        (slid, self.y.buffer(AREA, 256).try_into().unwrap())
    }

    /// Sends a MAD from QP0 or QP1 to the peer's QP of the same number. Returns SLID, DLID and MAD of the packet that
    /// left.
    fn send(&mut self, qpn: u32, dlid: u16, mad: &MadBytes) -> (u16, u16, MadBytes) {
        let sent = self.send_to(qpn, AddressHandle { dlid, ..peer() }, mad);
        assert_eq!(sent.len(), 1);
        let lrh = sent[0].lrh().unwrap();
        assert_eq!(lrh.vl, if qpn == 0 { 15 } else { 0 });
        (lrh.slid, lrh.dlid, sent[0].payload.clone().try_into().unwrap())
    }

    /// The same to this address: what left.
    fn send_to(&mut self, qpn: u32, attributes: AddressHandle, mad: &MadBytes) -> Vec<Packet> {
        self.y.turn_to(self.qpn(qpn));
        let handle = HANDLE;
        let attributes = AddressHandle {
            port: self.port,
            ..attributes
        };
        self.y.submit(Verb::ModifyAh { handle, attributes });
        self.y.settle();
        self.y.overwrite_source(mad);
        self.y.post(SendRequest {
            datagram: Some(Datagram {
                handle,
                dest_qpn: qpn,
                q_key: if qpn == 0 { 0 } else { QP1_KEY },
                p_key_index: 0,
            }),
            ..work(2, SEND, 256)
        });
        self.y.settle();
        assert_eq!(self.y.completions(), [success(2, 0)]);
        let mut sent = self.y.left();
        let by_the_port = std::mem::take(&mut sent[usize::from(self.port) - 1]);
        assert_eq!(sent, [vec![], vec![]], "by the other port");
        by_the_port
    }

    /// What becomes of an SMP that came; `slid`: from where.
    fn handle(&mut self, slid: u16, mad: &MadBytes) -> Handled {
        let (now, smp) = (self.now, Smp::decode(mad));
        let arrival = Arrival {
            port: self.port,
            slid,
            smp: &smp,
            now,
        };
        let mut registers = Registers {
            y: self.y,
            kept: &mut self.kept,
        };
        let Ok(handled) = self.agent.receive(&mut registers, &arrival);
        handled
    }

    /// The reply has left: what it asked of the link is done.
    fn reply_left(&mut self) {
        let mut registers = Registers {
            y: self.y,
            kept: &mut self.kept,
        };
        let Ok(()) = self.agent.reply_left(&mut registers, self.port);
    }

    /// The reply to an SMP by LID, as it leaves.
    fn ask(&mut self, mad: &MadBytes) -> Option<MadBytes> {
        let packet = Node::packet(0, ASKER, self.lid(), mad);
        let (slid, mad) = self.arrive(0, packet);
        assert_eq!(slid, ASKER);
        match self.handle(slid, &mad) {
            Handled::Reply(reply) => {
                let (_, dlid, sent) = self.send(0, slid, &reply.encode());
                assert_eq!(dlid, ASKER);
                self.reply_left();
                Some(sent)
            }
            Handled::ForManager(_) => panic!("it is for a manager"),
            Handled::Consumed => None,
        }
    }

    /// The data of a reply, which must have status 0.
    fn data(&mut self, mad: &MadBytes) -> [u8; 64] {
        let reply = self.ask(mad).expect("a reply");
        assert_eq!(reply[3..6], [GET_RESP, 0, 0], "method and status");
        reply[DATA..DATA + 64].try_into().unwrap()
    }

    /// The status of the reply.
    fn status(&mut self, mad: &MadBytes) -> u16 {
        let reply = self.ask(mad).expect("a reply");
        u16::from_be_bytes([reply[4], reply[5]])
    }

    /// The Trap that is due, as it leaves: SLID, DLID, MAD.
    fn trap(&mut self) -> Option<(u16, u16, MadBytes)> {
        let now = self.now;
        let mut registers = Registers {
            y: self.y,
            kept: &mut self.kept,
        };
        let Ok(trap) = self.agent.outgoing(&mut registers, now);
        let trap = trap?;
        assert_eq!(trap.port, self.port);
        Some(self.send(0, trap.dlid, &trap.smp.encode()))
    }
}

/// An SMP by LID.
fn smp(method: u8, attribute: u16, modifier: u32, data: &[u8]) -> MadBytes {
    let mut mad = [0; 256];
    mad[..4].copy_from_slice(&[1, 1, 1, method]);
    mad[8..16].copy_from_slice(&[0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7]);
    mad[16..18].copy_from_slice(&attribute.to_be_bytes());
    mad[20..24].copy_from_slice(&modifier.to_be_bytes());
    mad[DATA..DATA + data.len()].copy_from_slice(data);
    mad
}

/// The same by a directed route of one hop that has arrived.
fn directed(mut mad: MadBytes) -> MadBytes {
    mad[1] = 0x81;
    (mad[6], mad[7]) = (1, 1);
    mad[32..36].fill(0xFF);
    mad[129] = 1;
    mad
}

/// The same with an M_Key.
fn with_key(mut mad: MadBytes, m_key: u64) -> MadBytes {
    mad[24..32].copy_from_slice(&m_key.to_be_bytes());
    mad
}

/// What a manager writes: LID 14h, LMC 2, its LID 1, MTU 4096, one VL, SubnetTimeOut 18, thresholds 8; no change of
/// state. Each byte at its offset in `portinfo.csv`.
fn written() -> [u8; 64] {
    let mut data = [0; 64];
    data[8..10].copy_from_slice(&[0xFE, 0x80]);
    data[16..20].copy_from_slice(&[0x00, 0x14, 0x00, 0x01]);
    data[29] = 0x03;
    data[32..38].copy_from_slice(&[0x10, 0x02, 0x02, 0x01, 0x50, 0x00]);
    data[43] = 0x10;
    data[51] = 0x12;
    data[53] = 0x88;
    data
}

/// The DLID and SLID of a directed route.
const NEIGHBOUR: u16 = PERMISSIVE_LID;
