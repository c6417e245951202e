//! How a QP ends: local faults, fatal NAKs, counters at zero.
use crate::loss::message;
use crate::message::{Message, Operation};
use crate::peer::Response;
use crate::rig::{Rig, Setup, BAD_KEY, QPS};
use fastrand::Rng;
use std::cmp::Ordering;

fn setup() -> Setup {
    Setup {
        pmtu_code: 1,
        start: 100,
        reads: 4,
        retries: 2,
        rnr_retries: 2,
        timeout: 1,
        loss: 0,
        latency: 10,
    }
}

fn send(length: u32) -> Message {
    let mut message = message(&mut Rng::with_seed(1), 256);
    message.operation = Operation::Send;
    message.length = length;
    message.fence = false;
    message.signaled = true;
    message
}

/// `requester.md` section 8: the WQEs before it succeed, the one that names a bad key fails, the rest are flushed.
#[test]
fn a_bad_l_key() {
    let mut rig = Rig::new(setup(), 5);
    for number in 0..6 {
        let mut message = send(700);
        if number == 3 {
            message.l_key = BAD_KEY;
        }
        rig.post(2, message);
    }
    rig.run(20_000);
    assert_eq!(
        rig.qps[2].completed,
        [(0, 0), (1, 0), (2, 0), (3, 4), (4, 5), (5, 5)]
    );
    assert!(rig.qps[2].refused && rig.qps[2].failed);
    assert_eq!(rig.qps[2].sent.len(), 9, "nothing of it was sent");
}

/// `requester.md` section 8: a Read or atomic whose memory may not be written fails, whatever responses of other queue
/// pairs are looked up beside it.
#[test]
fn bad_l_keys_of_reads_beside_others() {
    let (mut most, mut aborts) = (0, 0);
    for seed in 0..6 {
        let mut rig = Rig::new(setup(), seed);
        let mut rng = Rng::with_seed(seed);
        let bad: Vec<u16> = (0..QPS).map(|_| rng.u16(2..12)).collect();
        for (qp, bad) in bad.iter().enumerate() {
            for number in 0..12 {
                let mut message = message(&mut rng, 256);
                message.operation = [Operation::Read, Operation::Read, Operation::FetchAdd][rng.usize(0..3)];
                message.length = match message.operation {
                    Operation::Read => rng.u32(1..600),
                    _ => 8,
                };
                message.signaled = true;
                if number == *bad {
                    message.l_key = BAD_KEY;
                }
                rig.post(qp, message);
            }
        }
        rig.run(60_000);
        for (qp, bad) in bad.iter().enumerate() {
            let status = |number: u16| match number.cmp(bad) {
                Ordering::Less => 0,
                Ordering::Equal => 4,
                Ordering::Greater => 5,
            };
            let expected: Vec<_> = (0..12).map(|number| (number, status(number))).collect();
            assert_eq!(rig.qps[qp].completed, expected, "QP {qp}");
        }
        assert_eq!(rig.commits, rig.responses, "one commit for each arrival");
        (most, aborts) = (most.max(rig.scatter.most), aborts + rig.scatter.aborts);
    }
    assert!(most == 2 && aborts >= 50, "{most} walks at once, {aborts} aborts");
}

/// `requester.md` section 7: a WQE that is sent again, and whose first copy is acknowledged, is not complete before the
/// second copy has left, also if the packet behind it was given up meanwhile.
#[test]
fn a_packet_given_up_behind_one_sent_again() {
    let mut rig = Rig::new(
        Setup {
            latency: 300,
            ..setup()
        },
        11,
    );
    rig.setup.loss = 1000;
    rig.post(2, send(200));
    rig.post(
        2,
        Message {
            l_key: BAD_KEY,
            ..send(10)
        },
    );
    while rig.qps[2].sent.is_empty() || rig.under_way() == 0 {
        rig.clock();
    }
    // The second WQE is fetched, and found bad again.
    for _ in 0..100 {
        rig.clock();
    }
    rig.inject(Response {
        qp: 2,
        opcode: 0x11,
        psn: 0,
        syndrome: 0x1F,
        original: 0,
        payload: 0,
    });
    for _ in 0..100 {
        rig.clock();
    }
    assert!(rig.qps[2].completed.is_empty() && rig.under_way() == 1);
    rig.run(2_000);
    assert_eq!(rig.qps[2].completed, [(0, 0), (1, 4)]);
    assert_eq!(rig.qps[2].sent, [0, 0]);
}

/// `requester.md` section 8, CF244: too long a message, an unknown operation, more SGEs than a WQE may have, an
/// atomic with too short an SGE.
#[test]
fn bad_wqes() {
    let mut unknown = send(10).wqe();
    unknown[0] = 8;
    let mut many = send(10).wqe();
    many[2] = 17;
    let mut short = Message {
        operation: Operation::FetchAdd,
        length: 8,
        ..send(8)
    }
    .wqe();
    short[43] = 7;
    for (wqe, status) in [(send(0x8000_0001).wqe(), 1), (unknown, 2), (many, 2), (short, 2)] {
        let mut rig = Rig::new(setup(), 6);
        rig.post(0, send(10));
        rig.post_bytes(0, send(10), wqe);
        rig.post(0, send(10));
        rig.run(20_000);
        assert_eq!(rig.qps[0].completed, [(0, 0), (1, status), (2, 5)]);
    }
}

/// CF178 to CF182.
#[test]
fn fatal_naks() {
    for (syndrome, status) in [(0x61, 9), (0x62, 10), (0x63, 11)] {
        let mut rig = Rig::new(
            Setup {
                timeout: 0,
                ..setup()
            },
            7,
        );
        rig.setup.loss = 1000;
        for _ in 0..4 {
            rig.post(1, send(300));
        }
        // PSNs 0 to 7 are sent and nothing comes back but this.
        for _ in 0..2000 {
            rig.clock();
        }
        assert_eq!(rig.qps[1].sent.len(), 8);
        rig.inject(Response {
            qp: 1,
            opcode: 0x11,
            psn: 5,
            syndrome,
            original: 0,
            payload: 0,
        });
        rig.run(10_000);
        assert_eq!(rig.qps[1].completed, [(0, 0), (1, 0), (2, status), (3, 5)]);
    }
}

/// CF189: with two retries the request is sent three times.
#[test]
fn retries_end() {
    let mut rig = Rig::new(setup(), 8);
    rig.setup.loss = 1000;
    rig.post(3, send(10));
    rig.post(3, send(10));
    rig.run(50_000);
    assert_eq!(rig.qps[3].completed, [(0, 12), (1, 5)]);
    assert_eq!(rig.qps[3].sent, [0, 1, 0, 1, 0, 1]);
}

/// CF112 to CF114: after two RNR retries the third RNR NAK ends the WQE; code 1 waits at least 10 us.
#[test]
fn rnr_retries_end() {
    let mut rig = Rig::new(setup(), 9);
    rig.qps[4].peer.not_ready = 100;
    rig.post(4, send(10));
    let start = rig.bench.cycle;
    rig.run(50_000);
    assert_eq!(rig.qps[4].completed, [(0, 13)]);
    assert_eq!(rig.qps[4].sent, [0, 0, 0]);
    assert!(
        rig.bench.cycle - start >= 2 * 1250,
        "two delays of 10 us at 125 MHz"
    );
}

/// CF115: an RNR retry count of 7 never ends.
#[test]
fn rnr_retries_without_end() {
    let mut rig = Rig::new(
        Setup {
            rnr_retries: 7,
            ..setup()
        },
        10,
    );
    rig.qps[4].peer.not_ready = 10;
    rig.post(4, send(10));
    rig.run(80_000);
    assert_eq!(rig.qps[4].completed, [(0, 0)]);
    assert_eq!(rig.qps[4].sent.len(), 11);
}

/// `aeth.md` section 6: the delay that an RNR NAK began goes on, whatever NAKs come during it; they use up no retry.
#[test]
fn naks_during_an_rnr_delay() {
    let mut rig = Rig::new(
        Setup {
            timeout: 0,
            ..setup()
        },
        11,
    );
    rig.setup.loss = 1000;
    rig.post(5, send(10));
    rig.post(5, send(10));
    let clocks = |rig: &mut Rig, count| {
        for _ in 0..count {
            rig.clock();
        }
    };
    clocks(&mut rig, 1000);
    // Code 1: 10 us, 1250 clocks.
    for (psn, syndrome) in [(0, 0x21), (0, 0x21), (0, 0x21), (0, 0x60), (1, 0x21), (1, 0x60)] {
        rig.inject(Response {
            qp: 5,
            opcode: 0x11,
            psn,
            syndrome,
            original: 0,
            payload: 0,
        });
        clocks(&mut rig, 150);
    }
    assert_eq!(rig.qps[5].sent, [0, 1], "nothing is sent before it is over");
    clocks(&mut rig, 2000);
    assert_eq!(rig.qps[5].sent, [0, 1, 1]);
    assert_eq!(rig.qps[5].completed, [(0, 0)]);
    assert!(!rig.qps[5].failed);
}
