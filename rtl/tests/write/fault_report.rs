//! Errors of host memory against a plain list of the QPs that had one.
use crate::bench::{bits, library, Bench};
use fastrand::Rng;
use hca_host::retire::{kind, memory_fault};
use hca_rtl::memory::FaultReport;
use std::collections::VecDeque;

const QPS: usize = 16;

/// An error of host memory: the port that reports it, its QP and PSN, and whether the oldest send WQE ends with it.
#[derive(Clone, Copy)]
struct Fault {
    port: &'static str,
    qpn: u32,
    psn: u32,
    access: u8,
    requester: bool,
    /// A request of an unreliable service: it fails no QP (`uc.md` section 2).
    unreliable: bool,
}

impl Fault {
    fn any(rng: &mut Rng, port: &'static str) -> Fault {
        let other = rng.bool();
        let (access, requester) = match (port, other) {
            ("data", false) => (memory_fault::REQUEST_DATA, true),
            ("data", true) => (memory_fault::RESPONSE_DATA, false),
            ("responder", false) => (memory_fault::REQUEST_PLACEMENT, false),
            ("responder", true) => (memory_fault::ATOMIC, false),
            _ => (memory_fault::RESPONSE_PLACEMENT, true),
        };
        Fault {
            port,
            qpn: rng.u32(..1 << 24),
            psn: if port == "data" { rng.u32(..1 << 24) } else { 0 },
            access,
            requester,
            unreliable: access == memory_fault::REQUEST_DATA && rng.u8(..4) == 0,
        }
    }

    fn drive(&self, bench: &mut Bench, valid: bool) {
        bench.set(&format!("{}_valid", self.port), valid.into());
        bench.set(&format!("{}_qpn", self.port), self.qpn.into());
        match self.port {
            "data" => {
                bench.set("data_psn", self.psn.into());
                bench.set("data_unreliable", self.unreliable.into());
                bench.set(
                    "data_response",
                    (self.access == memory_fault::RESPONSE_DATA).into(),
                );
            }
            "responder" => bench.set("responder_atomic", (self.access == memory_fault::ATOMIC).into()),
            _ => {}
        }
    }
}

/// In the order in which they are taken.
const PORTS: [&str; 3] = ["data", "responder", "requester"];

#[test]
fn each_fault_is_reported_and_the_first_of_a_qp_fails_it() {
    let mut bench = Bench::new(&library::<FaultReport<4, 16>>("fault_report"), 1);
    let mut rng = Rng::with_seed(0xFA17);
    let (mut broken, mut takes_fault) = (0_u64, 0_u64);
    let mut fails = VecDeque::new();
    let (mut reports, mut firsts) = ([0; 5], 0);
    for clock in 0..30_000 {
        let forgets = rng.u8(..8) == 0;
        let faults = PORTS.map(|port| Fault::any(&mut rng, port));
        let valid = PORTS.map(|_| rng.u8(..6) == 0);
        for (fault, valid) in faults.iter().zip(valid) {
            fault.drive(&mut bench, valid);
        }
        let (forgotten, fault_taken) = (rng.usize(..QPS), rng.usize(..QPS));
        let is_taken = rng.u8(..4) == 0;
        bench.set("forget_valid", forgets.into());
        bench.set("forget_index", forgotten as u64);
        bench.set("fault_taken_valid", is_taken.into());
        bench.set("fault_taken_index", fault_taken as u64);
        bench.set("fail_ready", rng.bool().into());
        bench.settle();

        assert_eq!(bench.get("broken"), broken, "clock {clock}");
        assert_eq!(bench.get("takes_fault"), takes_fault, "clock {clock}");
        let taken: Vec<&Fault> = faults
            .iter()
            .zip(valid)
            .filter(|(fault, valid)| *valid && bench.is_set(&format!("{}_ready", fault.port)))
            .map(|(fault, _)| fault)
            .take(1)
            .collect();
        assert_eq!(bench.is_set("retire_valid"), !taken.is_empty());
        if fails.len() < QPS {
            assert_eq!(
                taken.is_empty(),
                !valid.contains(&true),
                "one is taken each clock"
            );
        }
        if bench.is_set("fail_valid") && bench.is_set("fail_ready") {
            assert_eq!(fails.pop_front(), Some(bench.get("fail")));
        }
        if is_taken {
            takes_fault &= !(1 << fault_taken);
        }
        for fault in taken {
            let record = bench.bytes("retire_record");
            let fields = [(88, 8), (80, 8), (56, 24), (32, 24)].map(|(at, width)| bits(&record, at, width));
            let expected: [u64; 4] = [
                kind::MEMORY_FAULT.into(),
                fault.access.into(),
                fault.qpn.into(),
                fault.psn.into(),
            ];
            assert_eq!(fields, expected, "kind, access, QPN, PSN");
            assert_eq!(bits(&record, 0, 32), 0);
            reports[usize::from(fault.access)] += 1;
            let index = u64::from(fault.qpn) % QPS as u64;
            let first = broken >> index & 1 == 0 && !fault.unreliable;
            assert_eq!(bench.is_set("data_first"), first);
            if first {
                firsts += 1;
                broken |= 1 << index;
                takes_fault |= u64::from(fault.requester) << index;
                fails.push_back(index);
            }
        }
        if forgets {
            broken &= !(1 << forgotten);
            takes_fault &= !(1 << forgotten);
        }
        bench.tick();
    }
    assert!(reports.iter().all(|reports| *reports > 500), "{reports:?}");
    assert!(firsts > 1_000, "{firsts} were the first");
}
