//! Two models over a link with faults, of either framing, every operation, both directions, several QPs, PSNs at the
//! wrap: each message arrives once, memory is equal, completions come in order.
use super::link::{Faults, Net};
use super::pair::*;
use hca_golden::hca::Hca;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;

const QPS: u32 = 3;
const MESSAGES: u32 = 12;
/// Memory of the messages of a side, of a QP of it, and of one of its messages.
const SIDE_BYTES: u64 = 0x10_0000;
const QP_BYTES: u64 = 0x2_0000;
const MESSAGE_BYTES: u64 = 0x2000;
/// Data that leaves, data that comes, counters of atomics.
const SOURCES: u64 = 0x1000_0000;
const TARGETS: u64 = 0x2000_0000;
const COUNTERS: u64 = 0x3000_0000;

/// Port of a side.
fn port(side: usize, link: Link) -> PortConfig {
    let last = side as u8 + 1;
    PortConfig {
        link,
        lid: [X_LID, Y_LID][side],
        gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last],
        mac: [2, 0, 0, 0, 0, last],
        ..PortConfig::default()
    }
}

/// QP `n` of a side, connected to the same QP of the other.
fn attributes(side: usize, n: u32, psns: [u32; 2], link: Link) -> QpAttributes {
    let peer = port(1 - side, link);
    let roce = link == Link::Roce;
    let (flow_label, traffic_class, hop_limit) = (0, 0, 64);
    let global = GlobalRoute {
        dgid: peer.gid,
        flow_label,
        traffic_class,
        hop_limit,
    };
    let ethernet = EthernetRoute {
        dest_mac: peer.mac,
        source_port: 0xC000,
    };
    QpAttributes {
        // One of the native QPs has a GRH.
        global: (roce || n == 1).then_some(global),
        ethernet: roce.then_some(ethernet),
        qpn: 0x10 + n,
        dest_qpn: 0x10 + n,
        dlid: if roce { 0 } else { peer.lid },
        pmtu: [Pmtu::B256, Pmtu::B1024, Pmtu::B512][n as usize % 3],
        sq_psn: psns[side],
        rq_psn: psns[1 - side],
        min_rnr_timer: 1,
        timeout: 4,
        credits: EndToEndCredits {
            supplied: (side as u32 + n).is_multiple_of(2),
            expected: n % 3 != 2,
        },
        ..x_attributes()
    }
}

fn device(side: usize, psns: [u32; 2], link: Link) -> Hca {
    let mut hca = Hca::new(port(side, link));
    hca.create_cq(CQN, 64).unwrap();
    hca.reg_mr(all_memory()).unwrap();
    for n in 0..QPS {
        let attributes = attributes(side, n, psns, link);
        hca.create_qp(&attributes).unwrap();
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            hca.move_qp(&attributes, state).unwrap();
        }
    }
    let data: Vec<u8> = (0..2 * SIDE_BYTES)
        .map(|i| (i * 13 + i / 251 + side as u64) as u8)
        .collect();
    hca.memory_mut().write(SOURCES, &data);
    hca
}

/// Where message `m` of QP `n` of a side lies in either area.
fn place(side: usize, n: u32, m: u64) -> u64 {
    side as u64 * SIDE_BYTES + u64::from(n) * QP_BYTES + m * MESSAGE_BYTES
}

/// A message of the plan.
struct Planned {
    request: SendRequest,
    length: u32,
    /// Receive completion of the peer: bytes and immediate data.
    received: Option<(u32, Option<[u8; 4]>)>,
}

/// Message `m` of a QP; swaps and adds counted so far.
fn planned(net: &mut Net, side: usize, n: u32, m: u32, swaps: &mut u64) -> Planned {
    let at = place(side, n, m.into());
    let length = match net.below(5) {
        0 => 0,
        1 => net.below(64),
        _ => net.below(5000),
    };
    let immediate = (0xD000_0000 | m).to_be_bytes();
    let (va, r_key) = (TARGETS + at, R_KEY);
    let counter = COUNTERS + u64::from(n) * 64;
    let operation = match net.below(8) {
        0 => SendOperation::Send,
        1 => SendOperation::SendWithImmediate { immediate },
        2 => SendOperation::SendWithInvalidate {
            r_key: invalidated(n, m),
        },
        3 => SendOperation::Write { va, r_key },
        4 => SendOperation::WriteWithImmediate { va, r_key, immediate },
        5 => SendOperation::Read {
            va: SOURCES + at,
            r_key,
        },
        6 => SendOperation::FetchAdd {
            va: counter,
            r_key,
            add: 1 << 40,
        },
        _ => {
            *swaps += 1;
            let (compare, swap) = (*swaps - 1, *swaps);
            let va = counter + 8;
            SendOperation::CompareSwap {
                va,
                r_key,
                compare,
                swap,
            }
        }
    };
    let length = if operation.is_atomic() { 8 } else { length };
    let local = if operation.is_read_or_atomic() {
        TARGETS
    } else {
        SOURCES
    };
    // Three pieces, the middle one of no bytes.
    let cut = if operation.is_atomic() {
        8
    } else {
        net.below(length + 1)
    };
    let sges = match operation.is_atomic() {
        true => vec![sge(local + at, 8)],
        false => vec![
            sge(local + at, cut),
            sge(1, 0),
            sge(local + at + u64::from(cut), length - cut),
        ],
    };
    let received = match operation {
        SendOperation::Send | SendOperation::SendWithInvalidate { .. } => Some((length, None)),
        SendOperation::SendWithImmediate { .. } | SendOperation::WriteWithImmediate { .. } => {
            Some((length, Some(immediate)))
        }
        _ => None,
    };
    Planned {
        request: SendRequest {
            wr_id: m.into(),
            operation,
            sges,
            signaled: true,
            solicited: m.is_multiple_of(2),
            fence: net.below(4) == 0,
            inline: operation.carries_data() && length <= 64,
            datagram: None,
        },
        length,
        received,
    }
}

/// A key of no other use than to be invalidated.
fn invalidated(n: u32, m: u32) -> u32 {
    0x100_0000 + n * 0x1000 + m
}

/// Both devices with all that they are to send.
fn planned_net(seed: u64, faults: Faults) -> (Net, [Vec<Vec<Planned>>; 2]) {
    let psns = [0xFF_FFF0 + seed as u32 % 16, 0xFF_FF00 + seed as u32 % 256];
    let link = if seed.is_multiple_of(3) {
        Link::Roce
    } else {
        Link::InfiniBand
    };
    let hcas = [device(0, psns, link), device(1, psns, link)];
    let mut net = Net::new(hcas, faults, seed);
    let mut plans: [Vec<Vec<Planned>>; 2] = Default::default();
    for (side, of_side) in plans.iter_mut().enumerate() {
        for n in 0..QPS {
            let mut swaps = 0;
            let of_qp: Vec<Planned> = (0..MESSAGES)
                .map(|m| planned(&mut net, side, n, m, &mut swaps))
                .collect();
            for plan in &of_qp {
                net.hcas[side].post_send(0x10 + n, plan.request.clone()).unwrap();
                if let SendOperation::SendWithInvalidate { r_key } = plan.request.operation {
                    let (l_key, pd) = (r_key, PD);
                    let region = MemoryRegion {
                        l_key,
                        r_key,
                        pd,
                        ..all_memory()
                    };
                    net.hcas[1 - side].reg_mr(region).unwrap();
                }
            }
            of_side.push(of_qp);
        }
    }
    (net, plans)
}

fn run(seed: u64, faults: Faults) -> Net {
    let (mut net, plans) = planned_net(seed, faults);
    // Receive WQEs come one by one, often too late.
    let mut receives: Vec<(usize, u32, ReceiveRequest)> = Vec::new();
    for (side, of_side) in plans.iter().enumerate() {
        for (n, of_qp) in (0..).zip(of_side) {
            for plan in of_qp.iter().filter(|p| p.received.is_some()) {
                let at = place(side, n, plan.request.wr_id);
                let buffer = sge(TARGETS + at, 5000);
                receives.push((1 - side, 0x10 + n, receive(plan.request.wr_id, &[buffer])));
            }
        }
    }
    receives.reverse();
    net.run(|net| {
        if net.below(40) == 0 {
            if let Some((side, qpn, request)) = receives.pop() {
                net.hcas[side].post_receive(qpn, request).unwrap();
            }
        }
        !receives.is_empty()
    });
    check(&mut net, &plans);
    net
}

fn check(net: &mut Net, plans: &[Vec<Vec<Planned>>; 2]) {
    let mut written: [Vec<Completion>; 2] = Default::default();
    for (side, all) in written.iter_mut().enumerate() {
        all.extend(std::iter::from_fn(|| net.hcas[side].poll_cq(CQN)));
        assert!(all.iter().all(|c| c.status == Status::Success), "{all:?}");
    }
    for (side, of_side) in plans.iter().enumerate() {
        for (n, of_qp) in (0..).zip(of_side) {
            let of = |side: usize, receive: bool| {
                written[side].iter().filter(move |c: &&Completion| {
                    let receives = matches!(
                        c.operation,
                        CompletedOperation::Receive | CompletedOperation::ReceiveWithImmediate
                    );
                    c.qpn == 0x10 + n && receives == receive
                })
            };
            let sent: Vec<u64> = of(side, false).map(|c| c.wr_id).collect();
            assert_eq!(
                sent,
                (0..u64::from(MESSAGES)).collect::<Vec<_>>(),
                "side {side}, QP {n}"
            );
            let received: Vec<_> = of(1 - side, true)
                .map(|c| (c.wr_id, c.byte_count, c.immediate))
                .collect();
            let expected = of_qp.iter().filter_map(|p| {
                p.received
                    .map(|(bytes, immediate)| (p.request.wr_id, bytes, immediate))
            });
            assert_eq!(received, expected.collect::<Vec<_>>());
            check_memory(&net.hcas, side, n, of_qp);
        }
    }
}

/// Every byte where it belongs, and each atomic done once, in order.
fn check_memory(hcas: &[Hca; 2], side: usize, n: u32, of_qp: &[Planned]) {
    let (requester, responder) = (&hcas[side], &hcas[1 - side]);
    let (mut adds, mut swaps) = (0, 0);
    for plan in of_qp {
        let at = place(side, n, plan.request.wr_id);
        let length = plan.length as usize;
        let (source, target) = match plan.request.operation {
            SendOperation::Read { .. } => (responder, requester),
            _ => (requester, responder),
        };
        let original = requester.memory().read_u64(TARGETS + at);
        match plan.request.operation {
            SendOperation::FetchAdd { .. } => {
                assert_eq!(original, adds << 40);
                adds += 1;
            }
            SendOperation::CompareSwap { .. } => {
                assert_eq!(original, swaps);
                swaps += 1;
            }
            _ => assert_eq!(
                target.memory().read(TARGETS + at, length),
                source.memory().read(SOURCES + at, length),
                "{:?}",
                plan.request
            ),
        }
    }
    let counter = COUNTERS + u64::from(n) * 64;
    assert_eq!(responder.memory().read_u64(counter), adds << 40);
    assert_eq!(responder.memory().read_u64(counter + 8), swaps);
}

#[test]
fn without_faults() {
    for seed in 0..4 {
        let net = run(seed, Faults::default());
        assert_eq!(net.seen.get("Rewound SequenceNak"), None);
        assert_eq!(net.seen.get("AckTimerExpired"), None);
    }
}

#[test]
fn packets_are_lost() {
    let mut seen = std::collections::BTreeMap::new();
    for (seed, lost) in (10..).zip([10, 20, 50, 100, 150, 200]) {
        let net = run(
            seed,
            Faults {
                lost,
                ..Faults::default()
            },
        );
        for (name, count) in net.seen {
            *seen.entry(name).or_insert(0) += count;
        }
    }
    for cause in ["SequenceNak", "ImpliedNak", "RnrWaitOver", "AckTimeout"] {
        assert!(
            seen.contains_key(&format!("Rewound {cause}")),
            "{cause}: {seen:?}"
        );
    }
}

/// Seeds of a test; the nightly tier runs more of them.
fn seeds(first: u64, few: u64) -> std::ops::Range<u64> {
    let nightly = std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly");
    first..first + if nightly { 500 } else { few }
}

#[test]
fn packets_are_repeated_delayed_and_corrupted() {
    for seed in seeds(20, 6) {
        let faults = Faults {
            lost: seed as u32 % 5 * 20,
            repeated: 100,
            corrupted: 20,
            delayed: 100,
        };
        run(seed, faults);
    }
}

/// Nothing arrives any more: each QP ends by its retry counter, the oldest WQE with that status, all others flushed, in
/// post order.
#[test]
fn a_dead_link_ends_every_qp() {
    let lost = 1000;
    let mut net = planned_net(
        9,
        Faults {
            lost,
            ..Faults::default()
        },
    )
    .0;
    net.run(|_| false);
    for hca in &mut net.hcas {
        let written: Vec<Completion> = std::iter::from_fn(|| hca.poll_cq(CQN)).collect();
        for n in 0..QPS {
            assert_eq!(hca.query(0x10 + n).unwrap().state, QpState::Error);
            let of_qp: Vec<_> = written
                .iter()
                .filter(|c| c.qpn == 0x10 + n)
                .map(|c| (c.wr_id, c.status))
                .collect();
            let flushed = (1..MESSAGES.into()).map(|wr_id| (wr_id, Status::WrFlushErr));
            let first = (0, Status::RetryExcErr);
            assert_eq!(of_qp, std::iter::once(first).chain(flushed).collect::<Vec<_>>());
        }
    }
    // Eight times each: retry_cnt is 7.
    assert_eq!(net.seen["AckTimerExpired"], 2 * 8 * u64::from(QPS));
}
