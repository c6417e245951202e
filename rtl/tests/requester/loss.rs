//! All operations on many QPs, with and without loss: every packet is the one that the protocol asks for, every WQE
//! completes once and in order.
use crate::message::{Message, OPERATIONS};
use crate::rig::{Rig, Setup, QPS};
use fastrand::Rng;

pub fn message(rng: &mut Rng, pmtu: u32) -> Message {
    let operation = OPERATIONS[rng.usize(0..8)];
    let length = match rng.u32(0..8) {
        0 => 0,
        1 => pmtu * rng.u32(1..5),
        2 => rng.u32(0..20 * pmtu),
        _ => rng.u32(0..2 * pmtu),
    };
    let atomic = operation as u8 >= 6;
    Message {
        operation,
        signaled: rng.bool(),
        solicited: rng.bool(),
        fence: rng.u32(0..8) == 0,
        immediate: rng.u32(..),
        va: rng.u64(..) >> 1,
        r_key: rng.u32(..),
        length: if atomic { 8 } else { length },
        address: rng.u64(..) & !7,
        l_key: 1,
        compare: rng.u64(..),
        swap_add: rng.u64(..),
    }
}

fn setup(loss: u32, start: u32, timeout: u32) -> Setup {
    Setup {
        pmtu_code: 1,
        start,
        reads: 4,
        retries: 7,
        rnr_retries: 7,
        timeout,
        loss,
        latency: 20,
    }
}

fn run(setup: Setup, seed: u64, count: u32, clocks: u64) -> Rig {
    run_in(Rig::new(setup, seed), seed, count, clocks)
}

fn run_in(mut rig: Rig, seed: u64, count: u32, clocks: u64) -> Rig {
    let mut rng = Rng::with_seed(seed ^ 0x5A5A);
    let pmtu = rig.pmtu();
    for qp in 0..QPS {
        for _ in 0..count {
            rig.post(qp, message(&mut rng, pmtu));
        }
    }
    rig.run(clocks);
    for (qp, q) in rig.qps.iter().enumerate() {
        let signaled: Vec<_> = q
            .messages
            .iter()
            .enumerate()
            .filter(|(_, m)| m.signaled)
            .map(|(index, _)| (index as u16, 0))
            .collect();
        assert_eq!(q.completed, signaled, "QP {qp}");
    }
    assert_eq!(rig.commits, rig.responses, "one commit for each arrival");
    rig
}

/// CF155 to CF165, CF168 to CF176, CF192, CF193: no packet is sent twice where none is lost.
#[test]
fn nothing_is_lost() {
    for seed in 0..4 {
        let rig = run(setup(0, 0xFF_FFF0, 8), seed, 100, 400_000);
        for (qp, q) in rig.qps.iter().enumerate() {
            assert!(
                q.sent.windows(2).all(|pair| pair[0] < pair[1]),
                "QP {qp} goes back"
            );
        }
    }
}

/// CF175, CF177, CF186, CF190, CF191: whatever is lost is sent again.
#[test]
fn packets_are_lost_both_ways() {
    for (seed, loss) in [(1, 10), (2, 30), (3, 50)] {
        run(setup(loss, 0x12_3456, 1), seed, 60, 3_000_000);
    }
}

/// CF449: no packet is made while its VL has no room for it, and each that is made leaves or gives its room back.
#[test]
fn packets_wait_for_room_on_their_vl() {
    for (seed, pmtu_code) in [(4, 1), (5, 4)] {
        let setup = Setup {
            pmtu_code,
            ..setup(20, 0x12_3456, 1)
        };
        let mut rig = Rig::new(setup, seed);
        rig.holds = true;
        let rig = run_in(rig, seed, 40, 3_000_000);
        assert_eq!(rig.shares, rig.packets + rig.backs);
        assert!(rig.shares > 1_000, "{} packets", rig.shares);
    }
}
