//! Datagrams between two of the project's HCAs (`protocol/ud.md`).
use hca_host::command;
use hca_host::cqe::Datagram;
use hca_host::profile::{Link, Profile, MID, SMALL};
use hca_host::wqe::Segment;
use hca_sim::driver::{
    AddressHandle, DriverError, GlobalRoute, Group, Operation, QpState, ReceiveWork, SendWork, Service,
};
use hca_sim::verbs::{Ah, Cq, Error, Mr, MrAttributes, Pair, Qp, QpInitAttributes};
use hca_sim::SimConfig;

const BUFFER: u64 = 0x2000_0000;
const SOURCE: u64 = 0x1000_0000;
const Q_KEY: u32 = 0x1122_3344;
/// Addresses of X and Y.
const GIDS: [[u8; 16]; 2] = [
    [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
];

/// X sends to Y.
struct Datagrams {
    pair: Pair,
    cqs: [Cq; 2],
    qps: [Qp; 2],
    mrs: [Mr; 2],
}

fn datagrams(profile: Profile) -> Datagrams {
    let library = hca_sim::design::library(&hca_rtl::export::hca(&profile).unwrap()).unwrap();
    let config = SimConfig {
        profile,
        ..SimConfig::default()
    };
    let mut pair = Pair::new(&library, &config).unwrap();
    let region = MrAttributes::shared(SOURCE, 1 << 32);
    let mut made = |side: usize| {
        let mut host = if side == 0 { pair.x() } else { pair.y() };
        if profile.link == Link::InfiniBand {
            host.hca().driver().set_gid(&GIDS[side]);
        }
        let (mr, (cq, _)) = (host.reg_mr(&region).unwrap(), host.create_cq(64).unwrap());
        let attributes = QpInitAttributes {
            service: Service::Ud,
            ..QpInitAttributes::new(cq, cq)
        };
        let qp = host.create_qp(&attributes).unwrap();
        host.open(qp, Q_KEY, 0xFF_FFFE).unwrap();
        (cq, qp, mr)
    };
    let (x, y) = (made(0), made(1));
    Datagrams {
        pair,
        cqs: [x.0, y.0],
        qps: [x.1, y.1],
        mrs: [x.2, y.2],
    }
}

fn local() -> AddressHandle {
    AddressHandle {
        port: 1,
        dlid: 2,
        sl: 3,
        ..AddressHandle::default()
    }
}

fn global() -> AddressHandle {
    AddressHandle {
        global: Some(GlobalRoute {
            dgid: GIDS[1],
            flow_label: 0xA_BCDE,
            traffic_class: 0x5A,
            hop_limit: 0x3F,
        }),
        ..local()
    }
}

impl Datagrams {
    fn address(&mut self, address: &AddressHandle) -> Ah {
        self.pair.x().create_ah(address).unwrap()
    }

    fn receive(&mut self, wr_id: u64, segments: Vec<Segment>) {
        let work = ReceiveWork { wr_id, segments };
        let qp = self.qps[1];
        self.pair.y().post_recv(qp, &work).unwrap();
    }

    fn buffer(&self, offset: u64, length: usize) -> Segment {
        self.mrs[1].sge(BUFFER + offset, length)
    }

    fn send(&mut self, wr_id: u64, ah: Ah, operation: Operation, bytes: &[u8]) {
        self.pair.x().write(SOURCE, bytes);
        let segments = match bytes.len() {
            0 => vec![],
            length => vec![self.mrs[0].sge(SOURCE, length)],
        };
        let work = SendWork {
            datagram: Some(ah.to(self.qps[1], Q_KEY)),
            ..SendWork::signaled(wr_id, operation, segments)
        };
        let qp = self.qps[0];
        self.pair.x().post_send(qp, &work).unwrap();
        let cq = self.cqs[0];
        let sent = self.pair.x().next_completion(cq).unwrap();
        assert_eq!((sent.wr_id, sent.status), (Some(wr_id), 0));
    }

    /// WR id, status and byte count of what came, and its sender.
    fn came(&mut self) -> (Option<u64>, u8, u32, Option<Datagram>) {
        let cq = self.cqs[1];
        let came = self.pair.y().next_completion(cq).unwrap();
        assert!(came.receive);
        (came.wr_id, came.status, came.byte_count, came.datagram)
    }

    fn memory(&mut self, offset: u64, length: usize) -> Vec<u8> {
        self.pair.y().read(BUFFER + offset, length)
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + 1) as u8).collect()
}

/// The GRH of a datagram of so many bytes, without immediate data, behind [`global`].
fn grh(bytes: usize) -> Vec<u8> {
    let length = (12 + 8 + bytes.next_multiple_of(4) + 4) as u16;
    let mut grh = vec![0x65, 0xAA, 0xBC, 0xDE];
    grh.extend(length.to_be_bytes());
    grh.extend([0x1B, 0x3F]);
    grh.extend(GIDS[0]);
    grh.extend(GIDS[1]);
    grh
}

fn with_and_without_a_network_header(profile: Profile) {
    let mut d = datagrams(profile);
    let (local, global) = (d.address(&local()), d.address(&global()));
    for (n, length) in [0, 1, 5, 24, 256, 1000, 4096].into_iter().enumerate() {
        for (ah, has_grh) in [(local, false), (global, true)] {
            let at = 3 + n as u64;
            d.pair.y().write(BUFFER, &[0xA5; 4300]);
            d.receive(9, vec![d.buffer(at, 4136)]);
            d.send(8, ah, Operation::Send, &pattern(length));
            let (wr_id, status, bytes, source) = d.came();
            assert_eq!(
                (wr_id, status, bytes),
                (Some(9), 0, length as u32 + 40),
                "{length}"
            );
            let expected = Datagram {
                slid: 1,
                sl: 3,
                source_qpn: d.qps[0].qpn,
                sender: [0, 2, 0, 0, 0, 0],
                path_bits: 0,
                port: 1,
                grh: has_grh,
            };
            assert_eq!(source, Some(expected));
            let head = if has_grh { grh(length) } else { vec![0xA5; 40] };
            assert_eq!(d.memory(at, 40), head, "{length}");
            assert_eq!(d.memory(at + 40, length), pattern(length));
            assert_eq!(d.memory(at + 40 + length as u64, 8), [0xA5; 8]);
            assert_eq!(d.memory(0, at as usize), vec![0xA5; at as usize]);
        }
    }
}

#[test]
fn small_with_and_without_a_network_header() {
    with_and_without_a_network_header(SMALL);
}

#[test]
fn mid_with_and_without_a_network_header() {
    with_and_without_a_network_header(MID);
}

/// The 40 bytes end within an SGE, at the end of one, or take several.
#[test]
fn a_network_header_spans_the_list() {
    let mut d = datagrams(SMALL);
    let ah = d.address(&global());
    for lengths in [
        vec![40, 100],
        vec![20, 15, 105],
        vec![41, 99],
        vec![1, 39, 60, 40],
    ] {
        d.pair.y().write(BUFFER, &[0xA5; 2000]);
        let list: Vec<_> = (0u64..)
            .zip(&lengths)
            .map(|(n, length)| d.buffer(n * 301, *length))
            .collect();
        d.receive(9, list);
        d.send(
            8,
            ah,
            Operation::SendWithImmediate {
                immediate: [1, 2, 3, 4],
            },
            &pattern(100),
        );
        assert_eq!(d.came().2, 140);
        let mut came = Vec::new();
        for (n, length) in (0u64..).zip(&lengths) {
            came.extend(d.memory(n * 301, *length));
            assert_eq!(d.memory(n * 301 + *length as u64, 4), [0xA5; 4]);
        }
        let mut grh = grh(104);
        grh.truncate(40);
        assert_eq!(came[..40], grh, "{lengths:?}");
        assert_eq!(came[40..], pattern(100));
    }
}

/// Of a wrong key, to a buffer that is too small, without a buffer: nothing comes of them, and the next one comes.
#[test]
fn what_is_dropped_leaves_no_trace() {
    let mut d = datagrams(SMALL);
    let ah = d.address(&local());
    d.send(1, ah, Operation::Send, &pattern(64));
    d.pair.y().settle().unwrap();
    d.receive(9, vec![d.buffer(0, 100)]);
    d.send(2, ah, Operation::Send, &pattern(61));
    d.pair.y().settle().unwrap();
    let (cq, qp) = (d.cqs[1], d.qps[1]);
    assert_eq!(d.pair.y().poll_cq(cq).unwrap(), None);
    assert_eq!(d.pair.y().query_qp(qp).unwrap().state, QpState::Rts);
    d.send(3, ah, Operation::Send, &pattern(60));
    assert_eq!(d.came().2, 100);
    assert_eq!(d.memory(40, 60), pattern(60));
}

/// `ud.md` section 2 steps 1 to 3.
#[test]
fn a_request_is_judged_before_its_bytes_are_read() {
    let mut d = datagrams(SMALL);
    let ah = d.address(&local());
    // Longer than the port's MTU, and of memory that nobody registered: neither sent nor an error.
    let unknown = Segment {
        addr: 0x10,
        length: 4097,
        l_key: 0x7777_7777,
    };
    let (qp, cq) = (d.qps[0], d.cqs[0]);
    let to = ah.to(d.qps[1], Q_KEY);
    let work = |wr_id, operation, segments: Vec<Segment>, datagram| SendWork {
        datagram: Some(datagram),
        ..SendWork::signaled(wr_id, operation, segments)
    };
    let long = work(1, Operation::Send, vec![unknown], to);
    d.pair.x().post_send(qp, &long).unwrap();
    let sent = d.pair.x().next_completion(cq).unwrap();
    assert_eq!((sent.wr_id, sent.status), (Some(1), 0));
    // No such handle; afterwards the send queue flushes, and the receive queue works.
    let nowhere = hca_host::wqe::Datagram { handle: 9, ..to };
    d.pair
        .x()
        .post_send(qp, &work(2, Operation::Send, vec![], nowhere))
        .unwrap();
    let failed = d.pair.x().next_completion(cq).unwrap();
    assert_eq!(
        (failed.wr_id, failed.status),
        (Some(2), hca_host::cqe::LOC_QP_OP_ERR)
    );
    assert_eq!(d.pair.x().query_qp(qp).unwrap().state, QpState::Sqe);
    d.pair
        .x()
        .modify_qp(qp, QpState::Rts, &Default::default())
        .unwrap();
    d.receive(9, vec![d.buffer(0, 64)]);
    d.send(3, ah, Operation::Send, &pattern(24));
    assert_eq!(d.came().2, 64);
}

#[test]
fn a_handle_answers_what_was_set() {
    let mut d = datagrams(SMALL);
    let mut x = d.pair.x();
    let refusal = |result: Result<(), Error>| match result {
        Err(Error::Refused(DriverError::Refused(code))) => code,
        other => panic!("{other:?}"),
    };
    let address = AddressHandle {
        pd: 0xAB_CDEF,
        source_path_bits: 0x7F,
        static_rate: 10,
        ..global()
    };
    let ah = x.create_ah(&address).unwrap();
    assert_eq!(x.query_ah(ah).unwrap(), address);
    x.modify_ah(
        ah,
        &AddressHandle {
            dlid: 7,
            pd: 1,
            ..address.clone()
        },
    )
    .unwrap();
    assert_eq!(
        x.query_ah(ah).unwrap(),
        AddressHandle {
            dlid: 7,
            ..address.clone()
        }
    );
    for bad in [
        AddressHandle {
            port: 0,
            ..address.clone()
        },
        AddressHandle {
            port: 2,
            ..address.clone()
        },
        AddressHandle {
            sgid_index: 4,
            ..address.clone()
        },
        AddressHandle {
            static_rate: 1,
            ..address.clone()
        },
        AddressHandle {
            static_rate: 11,
            ..address.clone()
        },
        AddressHandle {
            dlid: 0,
            ..address.clone()
        },
        AddressHandle {
            dlid: 0xC000,
            ..local()
        },
    ] {
        assert_eq!(
            refusal(x.create_ah(&bad).map(drop)),
            command::BAD_ATTRIBUTE,
            "{bad:?}"
        );
        assert_eq!(refusal(x.modify_ah(ah, &bad)), command::BAD_ATTRIBUTE, "{bad:?}");
    }
    let far = Ah { handle: 64 };
    assert_eq!(refusal(x.query_ah(far).map(drop)), command::BAD_INDEX);
    assert_eq!(refusal(x.destroy_ah(Ah { handle: 63 })), command::NOT_FOUND);
    x.destroy_ah(ah).unwrap();
    assert_eq!(refusal(x.query_ah(ah).map(drop)), command::NOT_FOUND);
}

/// From X, whose queue pair is a member, too, and gets no copy of what it sends; the largest packet in both profiles.
#[test]
fn a_group_gets_what_is_sent_to_it() {
    for profile in [SMALL, MID] {
        let mut d = datagrams(profile);
        let mgid = [0xFF, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9];
        let group = Group { mgid, mlid: 0xC001 };
        let mut address = AddressHandle {
            dlid: group.mlid,
            ..global()
        };
        address.global.as_mut().expect("it is global").dgid = mgid;
        let ah = d.address(&address);
        let qps = d.qps;
        d.pair.x().attach(qps[0], &group).unwrap();
        d.pair.y().attach(qps[1], &group).unwrap();
        for (wr_id, length) in [(1, 4096), (2, 0), (3, 77)] {
            d.pair.x().write(SOURCE, &pattern(length));
            d.receive(wr_id, vec![d.buffer(0, 4136)]);
            let segments = if length == 0 {
                vec![]
            } else {
                vec![d.mrs[0].sge(SOURCE, length)]
            };
            let work = SendWork {
                datagram: Some(hca_host::wqe::Datagram {
                    dest_qpn: 0xFF_FFFF,
                    ..ah.to(qps[1], Q_KEY)
                }),
                ..SendWork::signaled(9, Operation::Send, segments)
            };
            d.pair.x().post_send(qps[0], &work).unwrap();
            let cq = d.cqs[0];
            let sent = d.pair.x().next_completion(cq).unwrap();
            assert_eq!((sent.wr_id, sent.status, sent.receive), (Some(9), 0, false));
            let (came, status, bytes, _) = d.came();
            assert_eq!((came, status, bytes), (Some(wr_id), 0, length as u32 + 40));
            assert_eq!(d.memory(40, length), pattern(length));
        }
        let refused = d.pair.y().destroy_qp(qps[1]);
        let in_use = DriverError::Refused(command::IN_USE);
        assert!(matches!(refused, Err(Error::Refused(why)) if why == in_use));
        d.pair.y().detach(qps[1], &group).unwrap();
        d.pair.y().destroy_qp(qps[1]).unwrap();
    }
}
