//! The connection manager: what its messages look like, and how connections come and go though messages are lost.
use hca_sim::cm::{
    ip_header, tcp_service, BadMad, Event, Ids, Limits, Mad, Manager, Message, Offer, Rep, Req, MAD_BYTES,
};
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    interval: 100,
    repeats: 3,
    connections: 8,
};
const SERVICE: u64 = 0x0000_0000_0106_1C06;

fn req() -> Req {
    Req {
        local_id: 0x0CA0_0001,
        service: SERVICE,
        ca_guid: 0x0200_00FF_FE00_0001,
        qpn: 0x12_3456,
        responder_resources: 4,
        initiator_depth: 3,
        flow_control: true,
        starting_psn: 0xAB_CDEF,
        retry_count: 7,
        rnr_retry_count: 6,
        p_key: 0xFFFF,
        pmtu: 3,
        ack_timeout: 19,
        local_gid: [1; 16],
        remote_gid: [2; 16],
        private_data: vec![0x55; 92],
    }
}

fn rep() -> Rep {
    Rep {
        local_id: 7,
        remote_id: 0x0CA0_0001,
        qpn: 0x65_4321,
        starting_psn: 0x01_0203,
        responder_resources: 3,
        initiator_depth: 4,
        flow_control: true,
        rnr_retry_count: 5,
        ca_guid: 9,
        private_data: vec![0xAA; 196],
    }
}

fn offer() -> Offer {
    Offer {
        qpn: 0x22,
        starting_psn: 0x33,
        responder_resources: 1,
        initiator_depth: 1,
        flow_control: true,
        rnr_retry_count: 7,
        private_data: Vec::new(),
    }
}

fn bytes(message: Message) -> [u8; MAD_BYTES] {
    let transaction = 0x1122_3344_5566_7788;
    Mad { transaction, message }.bytes()
}

#[test]
fn a_request_is_laid_out_field_by_field() {
    let mad = bytes(Message::Req(req()));
    assert_eq!(mad[..8], [1, 7, 2, 3, 0, 0, 0, 0]);
    assert_eq!(mad[8..16], [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]);
    assert_eq!(mad[16..24], [0, 0x10, 0, 0, 0, 0, 0, 0]);
    let fields = &mad[24..];
    assert_eq!(fields[..4], [0x0C, 0xA0, 0, 1]);
    assert_eq!(fields[8..16], [0, 0, 0, 0, 1, 6, 0x1C, 6]);
    assert_eq!(fields[32..36], [0x12, 0x34, 0x56, 4]);
    assert_eq!(fields[36..40], [0, 0, 0, 3]);
    assert_eq!(fields[43], 18 << 3 | 1, "the flow control bit is the lowest");
    assert_eq!(fields[44..48], [0xAB, 0xCD, 0xEF, 18 << 3 | 7]);
    assert_eq!(fields[48..52], [0xFF, 0xFF, 3 << 4 | 6, 0xF0]);
    assert_eq!((fields[56], fields[72], fields[95]), (1, 2, 19 << 3));
    assert_eq!((fields[139], fields[140], fields[231]), (0, 0x55, 0x55));
}

#[test]
fn a_reply_is_laid_out_field_by_field() {
    let mad = bytes(Message::Rep(rep()));
    let fields = &mad[24..];
    assert_eq!(mad[17], 0x13);
    assert_eq!(fields[..8], [0, 0, 0, 7, 0x0C, 0xA0, 0, 1]);
    assert_eq!(fields[12..16], [0x65, 0x43, 0x21, 0]);
    assert_eq!(fields[20..28], [1, 2, 3, 0, 3, 4, 1, 5 << 5]);
    assert_eq!((fields[35], fields[36], fields[231]), (9, 0xAA, 0xAA));
}

#[test]
fn the_other_messages_are_laid_out_field_by_field() {
    let ids = Ids { local: 5, remote: 6 };
    let fields = |message| bytes(message)[24..36].to_vec();
    let both = [0, 0, 0, 5, 0, 0, 0, 6];
    let with = |rest: [u8; 4]| [&both[..], &rest].concat();
    assert_eq!(fields(Message::Rtu { ids }), with([0; 4]));
    assert_eq!(fields(Message::Drep { ids }), with([0; 4]));
    assert_eq!(fields(Message::Rej { ids, reason: 28 }), with([0, 0, 0, 28]));
    assert_eq!(
        fields(Message::Mra { ids, timeout: 20 }),
        with([0, 20 << 3, 0, 0])
    );
    assert_eq!(
        fields(Message::Dreq { ids, qpn: 0xABCDEF }),
        with([0xAB, 0xCD, 0xEF, 0])
    );
}

#[test]
fn the_private_header_and_the_service_name_a_tcp_port() {
    assert_eq!(tcp_service(7174), SERVICE);
    let header = ip_header([10, 0, 0, 1], 40_000, [10, 0, 0, 2]);
    assert_eq!(header[..4], [0, 0x40, 0x9C, 0x40]);
    assert_eq!(header[16..24], [10, 0, 0, 1, 0, 0, 0, 0]);
    assert_eq!(header[32..36], [10, 0, 0, 2]);
}

#[test]
fn bad_mads_are_dropped_and_counted_by_what_is_wrong() {
    let mut manager = Manager::new(1, LIMITS);
    manager.listen(SERVICE);
    let good = bytes(Message::Req(req()));
    let mut wrong = |at: usize, byte: u8| {
        let mut mad = good;
        mad[at] = byte;
        assert_eq!(manager.receive(&mad), None);
    };
    wrong(0, 2);
    wrong(1, 3);
    wrong(3, 0x81);
    wrong(5, 4);
    wrong(17, 0x1F);
    wrong(24 + 43, 2);
    wrong(24 + 50, 0x60);
    assert_eq!(manager.receive(&good[..255]), None);
    let nameless = bytes(Message::Req(Req { local_id: 0, ..req() }));
    assert_eq!(manager.receive(&nameless), None);
    let dropped: Vec<(BadMad, u64)> = manager
        .dropped()
        .iter()
        .map(|(bad, count)| (*bad, *count))
        .collect();
    let once = |bad| (bad, 1);
    assert_eq!(
        dropped,
        [
            once(BadMad::Length),
            (BadMad::Class, 3),
            once(BadMad::Status),
            once(BadMad::Attribute),
            once(BadMad::Id),
            once(BadMad::QueuePair),
            once(BadMad::Pmtu),
        ]
    );
    assert_eq!(manager.outgoing(), None);
}

/// Two managers, and the MADs between them.
struct Pair {
    client: Manager,
    server: Manager,
}

impl Pair {
    fn new() -> Pair {
        let mut server = Manager::new(2, LIMITS);
        server.listen(SERVICE);
        Pair {
            client: Manager::new(1, LIMITS),
            server,
        }
    }

    fn at_server(&mut self) -> Vec<Event> {
        let mads: Vec<_> = std::iter::from_fn(|| self.client.outgoing()).collect();
        mads.iter().filter_map(|mad| self.server.receive(mad)).collect()
    }

    fn at_client(&mut self) -> Vec<Event> {
        let mads: Vec<_> = std::iter::from_fn(|| self.server.outgoing()).collect();
        mads.iter().filter_map(|mad| self.client.receive(mad)).collect()
    }

    /// The ids at the client and at the server, after the request.
    fn asked(&mut self) -> (u32, u32) {
        let id = self.client.connect(0, req());
        match &self.at_server()[..] {
            [Event::Asked {
                id: at_server,
                req: seen,
            }] => {
                assert_eq!((seen.qpn, seen.flow_control), (0x12_3456, true));
                (id, *at_server)
            }
            other => panic!("{other:?}"),
        }
    }

    fn established(&mut self) -> (u32, u32) {
        let (client, server) = self.asked();
        self.server.grant(0, server, offer()).unwrap();
        match &self.at_client()[..] {
            [Event::Granted { id, rep }] => {
                assert_eq!(
                    (*id, rep.qpn, rep.starting_psn, rep.flow_control),
                    (client, 0x22, 0x33, true)
                );
            }
            other => panic!("{other:?}"),
        }
        self.client.ready(client).unwrap();
        assert_eq!(self.at_server(), [Event::Ready { id: server }]);
        (client, server)
    }
}

#[test]
fn a_connection_comes_and_goes() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.end(0, client).unwrap();
    assert_eq!(pair.at_server(), [Event::Ended { id: server }]);
    assert_eq!(pair.at_client(), [Event::Ended { id: client }]);
    assert_eq!(
        (pair.client.tick(10_000), pair.server.tick(10_000)),
        (vec![], vec![])
    );
    assert_eq!((pair.client.outgoing(), pair.server.outgoing()), (None, None));
}

#[test]
fn a_lost_request_is_repeated_and_its_repeat_answered_alike() {
    let mut pair = Pair::new();
    let (client, server) = pair.asked();
    pair.server.grant(0, server, offer()).unwrap();
    let first = pair.server.outgoing().unwrap();
    assert_eq!(pair.client.tick(99), []);
    assert_eq!(pair.client.tick(100), []);
    assert_eq!(pair.at_server(), [], "the repeat is no other request");
    assert_eq!(pair.server.outgoing(), Some(first));
    assert!(matches!(pair.client.receive(&first), Some(Event::Granted { .. })));
    assert_eq!(pair.client.receive(&first), None, "a repeat before it is ready");
    pair.client.ready(client).unwrap();
    let ready = pair.client.outgoing().unwrap();
    assert_eq!(pair.client.receive(&first), None);
    assert_eq!(pair.client.outgoing(), Some(ready), "a repeat after it is ready");
}

#[test]
fn a_lost_end_is_repeated_and_answered_though_the_connection_is_gone() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.end(0, client).unwrap();
    assert_eq!(pair.at_server(), [Event::Ended { id: server }]);
    assert!(pair.server.outgoing().is_some(), "lost");
    pair.client.tick(100);
    assert_eq!(pair.at_server(), []);
    assert_eq!(pair.at_client(), [Event::Ended { id: client }]);
}

#[test]
fn silence_ends_it_after_the_last_repeat() {
    let mut pair = Pair::new();
    let id = pair.client.connect(0, req());
    for time in [100, 200, 300] {
        assert_eq!(pair.client.tick(time), []);
    }
    assert_eq!(pair.client.tick(400), [Event::Lost { id }]);
    assert_eq!(std::iter::from_fn(|| pair.client.outgoing()).count(), 4);
}

#[test]
fn more_time_may_be_asked_for() {
    let mut pair = Pair::new();
    let (client, server) = pair.asked();
    pair.server.delay(server, 20).unwrap();
    pair.client.tick(100);
    pair.client.tick(200);
    pair.client.tick(300);
    assert_eq!(pair.at_client(), [Event::Delayed { id: client }]);
    assert_eq!(pair.client.tick(400), [], "it is patient again");
}

#[test]
fn a_service_without_a_listener_is_refused() {
    let mut pair = Pair::new();
    let other = Req {
        service: tcp_service(1),
        ..req()
    };
    let id = pair.client.connect(0, other);
    assert_eq!(pair.at_server(), []);
    assert_eq!(pair.at_client(), [Event::Rejected { id, reason: 8 }]);
}

#[test]
fn a_request_may_be_refused() {
    let mut pair = Pair::new();
    let (client, server) = pair.asked();
    pair.server.reject(server, 28).unwrap();
    let reason = 28;
    assert_eq!(pair.at_client(), [Event::Rejected { id: client, reason }]);
    assert!(pair.server.grant(0, server, offer()).is_err());
}

#[test]
fn what_fits_no_connection_is_counted() {
    let mut manager = Manager::new(1, LIMITS);
    let ids = Ids { local: 5, remote: 6 };
    for message in [
        Message::Rtu { ids },
        Message::Drep { ids },
        Message::Rej { ids, reason: 1 },
        Message::Mra { ids, timeout: 1 },
        Message::Rep(rep()),
    ] {
        assert_eq!(manager.receive(&bytes(message)), None);
    }
    assert_eq!(manager.unexpected(), 5);
    // Who grants what nobody asked for is refused.
    let refusal = Mad::parse(&manager.outgoing().unwrap()).unwrap().message;
    assert!(matches!(refusal, Message::Rej { reason: 4, .. }));
    assert!(manager.ready(9).is_err() && manager.end(0, 9).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_dropped(mut payload in prop::collection::vec(any::<u8>(), 250..260), attribute in 0x0Eu8..0x19) {
        let mut manager = Manager::new(1, LIMITS);
        manager.listen(SERVICE);
        manager.connect(0, req());
        let _ = Mad::parse(&payload);
        manager.receive(&payload);
        payload.resize(MAD_BYTES, 0);
        payload[..8].copy_from_slice(&[1, 7, 2, 3, 0, 0, 0, 0]);
        payload[16..18].copy_from_slice(&[0, attribute]);
        manager.receive(&payload);
        if let Ok(mad) = Mad::parse(&payload) {
            // A message keeps all but its reserved fields.
            prop_assert_eq!(Mad::parse(&mad.bytes()), Ok(mad));
        }
    }

    /// However MADs are lost, doubled and late, both managers stay in step or give up.
    #[test]
    fn any_order_of_messages_is_survived(picks in prop::collection::vec((any::<bool>(), 0usize..64, any::<bool>()), 0..60)) {
        let mut pair = Pair::new();
        let mut seen: [Vec<[u8; MAD_BYTES]>; 2] = [Vec::new(), Vec::new()];
        pair.client.connect(0, req());
        for (step, (to_server, pick, act)) in picks.into_iter().enumerate() {
            let now = 40 * step as u64;
            seen[0].extend(std::iter::from_fn(|| pair.client.outgoing()));
            seen[1].extend(std::iter::from_fn(|| pair.server.outgoing()));
            let (from, manager) = match to_server {
                true => (&seen[0], &mut pair.server),
                false => (&seen[1], &mut pair.client),
            };
            if let Some(mad) = (!from.is_empty()).then(|| from[pick % from.len()]) {
                match manager.receive(&mad) {
                    Some(Event::Asked { id, .. }) if act => manager.grant(now, id, offer()).unwrap(),
                    Some(Event::Asked { id, .. }) => manager.reject(id, 28).unwrap(),
                    Some(Event::Granted { id, .. }) => manager.ready(id).unwrap(),
                    Some(Event::Ready { id }) if act => manager.end(now, id).unwrap(),
                    _ => {}
                }
            }
            pair.client.tick(now);
            pair.server.tick(now);
        }
    }
}

#[test]
fn a_rejection_by_somebody_else_ends_nothing() {
    let mut pair = Pair::new();
    let (client, server) = pair.asked();
    let by = |local| {
        let ids = Ids {
            local,
            remote: server,
        };
        let message = Message::Rej { ids, reason: 4 };
        Mad {
            transaction: 1,
            message,
        }
        .bytes()
    };
    assert_eq!(pair.server.receive(&by(client + 1)), None);
    assert_eq!(pair.server.unexpected(), 1);
    let rejected = Event::Rejected {
        id: server,
        reason: 4,
    };
    assert_eq!(pair.server.receive(&by(client)), Some(rejected));
}

#[test]
fn a_peer_that_asks_without_end_is_refused() {
    let mut manager = Manager::new(1, LIMITS);
    manager.listen(SERVICE);
    let ask = |transaction, local_id| {
        let message = Message::Req(Req { local_id, ..req() });
        Mad { transaction, message }.bytes()
    };
    for n in 0..8 {
        let asked = manager.receive(&ask(n, n as u32 + 1));
        assert!(matches!(asked, Some(Event::Asked { .. })), "{n}: {asked:?}");
    }
    for n in 8..20 {
        assert_eq!(manager.receive(&ask(n, n as u32 + 1)), None);
        let ids = Ids {
            local: 0,
            remote: n as u32 + 1,
        };
        let refusal = Mad {
            transaction: n,
            message: Message::Rej { ids, reason: 3 },
        };
        assert_eq!(manager.outgoing(), Some(refusal.bytes()));
    }
    manager.reject(1, 28).unwrap();
    let asked = manager.receive(&ask(30, 40));
    assert!(matches!(asked, Some(Event::Asked { .. })), "{asked:?}");
}
