//! What is in host memory, by packets, against a plain list of them.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_hdl::prelude::*;
use hca_rtl::memory::Written;
use std::collections::VecDeque;

/// What may be under way.
const UNITS: usize = 128;
/// Clocks in which all that is answered is counted, one a clock and two a fault.
const DRAIN: usize = 3 * UNITS;

/// Verilator builds no top with a port of its own name.
#[derive(LogicBlock, Default)]
struct WrittenSide {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub count_valid: Signal<In, Bit>,
    pub count_ready: Signal<Out, Bit>,
    pub count_burst: Signal<In, Bit>,
    pub count_atomic: Signal<In, Bit>,
    pub count_last: Signal<In, Bit>,
    pub acknowledged: Signal<In, Bit>,
    pub acknowledged_error: Signal<In, Bit>,
    pub atomic_done: Signal<In, Bit>,
    pub atomic_error: Signal<In, Bit>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_atomic: Signal<Out, Bit>,
    pub counted: Signal<Out, Bit>,
    pub packets: Signal<Out, Bits<16>>,
    of_side: Written,
}

#[kernel]
impl Logic for WrittenSide {
    fn update(&mut self) {
        inputs!(self.of_side, clock, reset, count_valid, count_burst, count_atomic, count_last, acknowledged);
        inputs!(self.of_side, acknowledged_error, atomic_done, atomic_error, fault_ready);
        outputs!(self.of_side, count_ready, fault_valid, fault_atomic, counted, packets: written);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Burst,
    Atomic,
    Nothing,
}

#[derive(Clone, Copy)]
struct Unit {
    kind: Kind,
    last: bool,
    /// Its answer, when it has come: whether host memory failed it.
    answer: Option<bool>,
}

impl Unit {
    fn packet(rng: &mut Rng) -> Vec<Unit> {
        let unit = |kind, last| Unit {
            kind,
            last,
            answer: (kind == Kind::Nothing).then_some(false),
        };
        match rng.u8(..8) {
            0 => vec![unit(Kind::Nothing, true)],
            1 | 2 => vec![unit(Kind::Atomic, true)],
            _ => {
                let bursts = rng.usize(1..5);
                (1..=bursts).map(|n| unit(Kind::Burst, n == bursts)).collect()
            }
        }
    }
}

/// Packets not counted yet; and what the oldest of them came to, when all of it is answered: `Some(atomic)` is a fault.
#[derive(Default)]
struct Packets {
    under_way: VecDeque<Unit>,
    counted: u64,
}

impl Packets {
    fn answered(&mut self, kind: Kind, error: bool) {
        let unit = self
            .under_way
            .iter_mut()
            .find(|unit| unit.kind == kind && unit.answer.is_none());
        unit.expect("one is under way").answer = Some(error);
    }

    fn waits_for(&self, kind: Kind) -> bool {
        self.under_way
            .iter()
            .any(|unit| unit.kind == kind && unit.answer.is_none())
    }

    fn oldest(&self) -> Option<Option<bool>> {
        let last = self.under_way.iter().position(|unit| unit.last)?;
        let packet = || self.under_way.iter().take(last + 1);
        let failed = packet().try_fold(false, |failed, unit| Some(failed | unit.answer?))?;
        Some(failed.then_some(self.under_way[last].kind == Kind::Atomic))
    }

    fn count(&mut self) {
        let last = self.under_way.iter().position(|unit| unit.last);
        self.under_way.drain(..=last.expect("a packet is under way"));
        self.counted += 1;
    }
}

/// Each packet counts once, when it and all before it are acknowledged; one that host memory failed counts when its
/// fault is reported.
#[test]
fn packets_count_in_their_order_when_all_of_them_is_acknowledged() {
    let library = library::<WrittenSide>("written_side");
    let mut rng = Rng::with_seed(0x317);
    let mut bench = Bench::new(&library, 1);
    let mut packets = Packets::default();
    let mut coming = VecDeque::new();
    let (mut faults, mut filled) = ([0_u32; 2], false);
    for phase in 0..150 {
        let drains = phase % 3 == 2;
        let [counts, bursts, atomics, tells] =
            [(); 4].map(|()| if drains { 100 } else { [3, 30, 100][rng.usize(..3)] });
        for clock in 0..if drains { DRAIN } else { rng.usize(100..300) } {
            if coming.is_empty() && !drains {
                coming.extend(Unit::packet(&mut rng));
            }
            let counts = !coming.is_empty() && rng.u8(..100) < counts;
            let acknowledged = packets.waits_for(Kind::Burst) && rng.u8(..100) < bursts;
            let done = packets.waits_for(Kind::Atomic) && rng.u8(..100) < atomics;
            let [burst_error, atomic_error] = [(); 2].map(|()| rng.u8(..8) == 0);
            let unit = coming.front().copied();
            bench.set("count_valid", counts.into());
            bench.set(
                "count_burst",
                unit.is_some_and(|unit| unit.kind == Kind::Burst).into(),
            );
            bench.set(
                "count_atomic",
                unit.is_some_and(|unit| unit.kind == Kind::Atomic).into(),
            );
            bench.set("count_last", unit.is_some_and(|unit| unit.last).into());
            bench.set("acknowledged", acknowledged.into());
            bench.set("acknowledged_error", burst_error.into());
            bench.set("atomic_done", done.into());
            bench.set("atomic_error", atomic_error.into());
            bench.set("fault_ready", (rng.u8(..100) < tells).into());
            bench.settle();
            let at = format!("phase {phase}, clock {clock}");
            assert_eq!(bench.get("packets"), packets.counted & 0xFFFF, "{at}");
            let told = bench.is_set("fault_valid") && bench.is_set("fault_ready");
            if bench.is_set("fault_valid") {
                let atomic = bench.is_set("fault_atomic");
                assert_eq!(packets.oldest(), Some(Some(atomic)), "{at}: what failed");
                faults[usize::from(atomic)] += u32::from(told);
            }
            if bench.is_set("counted") {
                let fault = packets
                    .oldest()
                    .unwrap_or_else(|| panic!("{at}: not all of it is acknowledged"));
                assert_eq!(fault.is_some(), told, "{at}: whether it failed");
                packets.count();
            }
            if acknowledged {
                packets.answered(Kind::Burst, burst_error);
            }
            if done {
                packets.answered(Kind::Atomic, atomic_error);
            }
            filled |= !bench.is_set("count_ready");
            if counts && bench.is_set("count_ready") {
                packets.under_way.extend(coming.pop_front());
            }
            bench.tick();
        }
        if drains {
            assert!(packets.under_way.is_empty(), "phase {phase}: all is acknowledged");
        }
    }
    assert!(filled, "never were as many under way as may be");
    assert!(faults.iter().all(|&told| told > 100), "{faults:?}");
}
