//! Nodes of two ports: a client is at one of them, and each has a cable of its own.
use super::*;

/// The same request by the first hop of this port.
fn by_port(port: u8, mut mad: MadBytes) -> MadBytes {
    mad[129] = port;
    mad
}

fn info(net: &mut Net, client: usize, kind: Kind) -> [u8; 64] {
    net.control(&Control::new(client as u32, kind, [0; 64])).data
}

#[test]
fn control_messages_answer_for_the_clients_port() {
    let mut net = Net::with_ports(2);
    for (name, port) in [("beta", 1), ("beta:1", 1), ("beta:2", 2)] {
        let client = net.connect(name, false);
        let node = info(&mut net, client, Kind::GetNodeInfo);
        assert_eq!(node[..4], [1, 1, 1, 2], "{name}: two ports");
        assert_eq!(
            node[12..28],
            [2, 0, 0, 0, 0, 0, 0, 0x20, 2, 0, 0, 0, 0, 0, 0, 0x20 + port]
        );
        assert_eq!(node[36], port);
        assert_eq!(
            info(&mut net, client, Kind::GetPortInfo)[28],
            port,
            "LocalPortNum"
        );
    }
    for name in ["beta:0", "beta:3", "beta:22", "beta:2:", "beta:x"] {
        assert!(net.control(&connect(1, name, false)).is_refused(), "{name}");
    }
}

#[test]
fn a_directed_get_leaves_by_the_clients_port_alone() {
    let mut net = Net::with_ports(2);
    for (client, (name, port)) in [("alpha", 1), ("alpha:2", 2)].into_iter().enumerate() {
        assert_eq!(net.connect(name, false), client);
        net.send(client, &directed(by_port(port, to_neighbour(GET, NODE_INFO))));
        let (to, data) = net.message();
        assert_eq!((to, data.mad[3]), (client, GET_RESP));
        assert_eq!((data.mad[75], data.mad[64 + 36]), (0x20, port), "beta's port");
        assert_eq!(data.mad[193], port, "ReturnPath[1]");
        net.send(client, &directed(by_port(3 - port, to_neighbour(GET, NODE_INFO))));
        assert_eq!(net.nodes.outbound(), None);
        assert_eq!(net.nodes.lost().route, u64::from(port));
        net.nodes.disconnect(client);
        net.connect("beta", false);
    }
}

#[test]
fn a_manager_is_on_its_port_alone() {
    let mut net = Net::with_ports(2);
    let manager = net.connect("beta:2", true);
    let other = net.connect("beta", false);
    assert_eq!(info(&mut net, manager, Kind::GetPortInfo)[23] & 2, 2, "IsSM");
    assert_eq!(info(&mut net, other, Kind::GetPortInfo)[23] & 2, 0);
    for (name, port) in [("alpha", 1), ("alpha:2", 2)] {
        let client = net.connect(name, false);
        net.send(client, &directed(by_port(port, to_neighbour(GET, SM_INFO))));
        let (to, data) = net.message();
        match port {
            1 => assert_eq!(
                (to, data.mad[3..6].to_vec()),
                (client, vec![GET_RESP, 0x80, 0x0C])
            ),
            _ => assert_eq!((to, data.mad[3]), (manager, GET)),
        }
    }
}

#[test]
fn each_port_has_a_cable_of_its_own() {
    let mut net = Net::with_ports(2);
    let states = |net: &mut Net| {
        [1, 2].map(|port| {
            let Ok(link) = net.nodes.cable().ports(Node::Beta).link(port);
            link.state
        })
    };
    let Ok(()) = net.nodes.cable().plug(2, false);
    assert_eq!(states(&mut net), [PortState::Init, PortState::Down]);
    let client = net.connect("alpha", false);
    net.send(client, &directed(to_neighbour(GET, NODE_INFO)));
    assert_eq!(net.message().1.mad[3], GET_RESP);
    let Ok(()) = net.nodes.cable().plug(2, true);
    net.pass(Duration::from_millis(100));
    assert_eq!(states(&mut net), [PortState::Init; 2]);
}
