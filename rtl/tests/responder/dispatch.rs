//! `MODIFY_QP` and what fails the QP meanwhile, in the state that dispatch goes by.
use crate::bench::{bits, library, Bench};
use crate::packet::{Fields, Packet};
use hca_rtl::receive::Dispatch;
use hca_sim::verilated::Library;

const INDEX: u64 = 3;
const QPN: u32 = 0x4433;
const P_KEY: u16 = 0xFFFF;
const OTHER: u64 = 5;
const RESET: u32 = 0;
const RTR: u32 = 2;
const RTS: u32 = 3;
const DEST_QP: u64 = 10;
const WRONG_P_KEY: u64 = 13;
const QP_STATE: u64 = 11;

struct Rig(Bench);

impl Rig {
    /// The QP is in RTR.
    fn new(library: &Library) -> Rig {
        let mut bench = Bench::new(library, 1);
        for input in [
            "modify_valid", "modify_done", "requester_error_valid", "responder_error_valid", "header_valid",
            "request_ready", "header_next_dest_qp", "mark", "latched", "request_key_decided",
            "response_key_decided",
        ] {
            bench.set(input, 0);
        }
        bench.set("port_p_keys", P_KEY.into());
        bench.set("response_ready", 1);
        bench.set("order_ready", 1);
        bench.set_bytes("modify_route", &[0; 32]);
        let mut rig = Rig(bench);
        rig.modify(INDEX, RTR);
        rig.clock();
        rig
    }

    /// Counts in the next clock.
    fn modify(&mut self, index: u64, state: u32) {
        let row = Fields::default().put(0, 96).put(0, 288).put(state.into(), 32);
        self.0.set("modify_done", 1);
        self.0.set("modify_index", index);
        self.0.set_bytes("modify_row", &row.put(QPN.into(), 32).bytes());
    }

    fn fail(&mut self, side: &str, index: u64) {
        self.0.set(&format!("{side}_error_valid"), 1);
        self.0.set(&format!("{side}_error_index"), index);
    }

    fn clock(&mut self) {
        self.0.settle();
        self.0.tick();
        for pulse in ["modify_done", "requester_error_valid", "responder_error_valid"] {
            self.0.set(pulse, 0);
        }
    }

    /// Admits a Send with this P_Key; if `error` is not 0, its QP fails so many clocks later. Returns its drop reason
    /// and the number of words for the violation latch; `None` if the Send does not go.
    fn offer(&mut self, p_key: u16, error: u64) -> Option<(Option<u64>, u64)> {
        let packet = Packet {
            opcode: 0x04,
            p_key,
            dest_qp: QPN,
            ..Packet::default()
        };
        self.0.set_bytes("header", &packet.header());
        self.0.set("header_next_dest_qp", QPN.into());
        self.clock();
        self.0.set("header_valid", 1);
        let mut words = 0;
        let mut goes = false;
        for clock in 1..40 {
            if clock == error {
                self.fail("requester", INDEX);
            }
            self.0.settle();
            words += u64::from(self.0.is_set("violation_valid"));
            goes = self.0.is_set("header_ready");
            self.clock();
            if goes {
                break;
            }
        }
        if !goes {
            return None;
        }
        self.0.set("header_valid", 0);
        for _ in 0..4 {
            self.0.settle();
            words += u64::from(self.0.is_set("violation_valid"));
            self.0.tick();
        }
        self.0.settle();
        let request = self.0.bytes("request");
        self.0.set("request_ready", 1);
        self.clock();
        self.0.set("request_ready", 0);
        let why = (bits(&request, 416, 1) == 1).then(|| bits(&request, 417, 8));
        Some((why, words))
    }

    /// A packet with a wrong key is decided.
    fn decide(&mut self, side: &str) {
        self.0.set(&format!("{side}_key_decided"), 1);
        self.clock();
        self.0.set(&format!("{side}_key_decided"), 0);
    }

    /// Why a Send is dropped.
    fn drop(&mut self) -> Option<u64> {
        let packet = Packet {
            opcode: 0x04,
            p_key: P_KEY,
            dest_qp: QPN,
            ..Packet::default()
        };
        self.0.set_bytes("header", &packet.header());
        self.0.set("header_next_dest_qp", QPN.into());
        self.clock();
        self.0.set("header_valid", 1);
        for _ in 0..20 {
            self.0.settle();
            if self.0.is_set("header_ready") {
                break;
            }
            self.0.tick();
        }
        assert!(self.0.is_set("header_ready"), "the packet is not taken");
        self.0.tick();
        self.0.set("header_valid", 0);
        for _ in 0..20 {
            self.0.settle();
            if self.0.is_set("request_valid") {
                break;
            }
            self.0.tick();
        }
        assert!(self.0.is_set("request_valid"), "the packet does not come out");
        let request = self.0.bytes("request");
        self.0.set("request_ready", 1);
        self.clock();
        self.0.set("request_ready", 0);
        (bits(&request, 416, 1) == 1).then(|| bits(&request, 417, 8))
    }
}

/// What the replicator has refused is dropped for its reason, in whatever state the QP of that index is, and goes to
/// the responder.
#[test]
fn what_is_refused_for_its_group_is_dropped() {
    let library = library::<Dispatch<4, 1>>("dispatch");
    let mut rig = Rig::new(&library);
    for reason in [0, 7, 30] {
        // Grouped, refused, reason.
        rig.0.set("mark", 1 | 1 << 3 | reason << 4);
        assert_eq!(rig.drop(), Some(reason));
    }
    rig.0.set("mark", 0);
    assert_eq!(rig.drop(), None);
}

/// The requester's error from one clock before the modification to three behind it.
fn around(library: &Library, state: u32) -> [Option<u64>; 5] {
    [0, 1, 2, 3, 4].map(|error| {
        let mut rig = Rig::new(library);
        assert_eq!(rig.drop(), None);
        for clock in 0..8 {
            if clock == 1 {
                rig.modify(INDEX, state);
            }
            if clock == error {
                rig.fail("requester", INDEX);
            }
            rig.clock();
        }
        rig.drop()
    })
}

#[test]
fn a_qp_in_reset_does_not_fail() {
    assert_eq!(
        around(&library::<Dispatch<4, 1>>("dispatch"), RESET),
        [Some(DEST_QP); 5]
    );
}

#[test]
fn any_other_state_gives_way_to_error() {
    assert_eq!(
        around(&library::<Dispatch<4, 1>>("dispatch"), RTS),
        [Some(QP_STATE); 5]
    );
}

/// The port is taken for two clocks: by the responder, and by a modification.
#[test]
fn an_error_waits_for_the_other_queue_pairs() {
    let library = library::<Dispatch<4, 1>>("dispatch");
    let mut rig = Rig::new(&library);
    rig.fail("requester", INDEX);
    rig.clock();
    rig.fail("responder", OTHER);
    rig.clock();
    rig.modify(OTHER, RESET);
    rig.clock();
    rig.clock();
    assert_eq!(rig.drop(), Some(QP_STATE));
}

/// It is Reset no more: what befalls it from then on counts.
#[test]
fn a_qp_that_left_reset_fails() {
    let library = library::<Dispatch<4, 1>>("dispatch");
    for side in ["requester", "responder"] {
        let mut rig = Rig::new(&library);
        rig.modify(INDEX, RESET);
        rig.clock();
        rig.fail("requester", INDEX);
        rig.clock();
        rig.clock();
        rig.modify(INDEX, RTR);
        rig.clock();
        assert_eq!(rig.drop(), None);
        rig.fail(side, INDEX);
        rig.clock();
        rig.clock();
        assert_eq!(rig.drop(), Some(QP_STATE), "{side}");
    }
}

/// Packets with a P_Key of no entry, behind a latch that is free and one that is not: whether words come before the
/// packet goes.
#[test]
fn words_of_a_wrong_key_come_before_it_goes() {
    let mut rig = Rig::new(&library::<Dispatch<4, 1>>("dispatch"));
    assert_eq!(rig.offer(P_KEY, 0), Some((None, 0)));
    for (latched, words) in [(0, 12), (1, 0), (2, 12)] {
        rig.0.set("latched", latched);
        rig.clock();
        rig.clock();
        assert_eq!(rig.offer(P_KEY ^ 1, 0), Some((Some(WRONG_P_KEY), words)));
        rig.decide("request");
    }
    // Only that of the packet's port counts.
    rig.0.set("latched", 0);
    assert_eq!(rig.offer(P_KEY, 0), Some((None, 0)));
}

/// The next one does not go before the first is decided, and others do not wait for it, nor it for them.
#[test]
fn a_wrong_key_waits_for_the_one_before() {
    let mut rig = Rig::new(&library::<Dispatch<4, 1>>("dispatch"));
    for side in ["request", "response"] {
        assert_eq!(rig.offer(P_KEY ^ 1, 0), Some((Some(WRONG_P_KEY), 12)));
        assert_eq!(rig.offer(P_KEY, 0), Some((None, 0)));
        assert_eq!(rig.offer(P_KEY ^ 1, 0), None);
        rig.decide(side);
        // The header still waits.
        assert_eq!(rig.offer(P_KEY ^ 1, 0), Some((Some(WRONG_P_KEY), 12)));
        rig.decide(side);
    }
}

/// A packet whose QP fails while its words are copied goes as it was admitted; the engine looks at the state again.
#[test]
fn what_admission_said_stays() {
    let mut rig = Rig::new(&library::<Dispatch<4, 1>>("dispatch"));
    assert_eq!(rig.offer(P_KEY ^ 1, 6), Some((Some(WRONG_P_KEY), 12)));
    rig.decide("request");
    assert_eq!(rig.drop(), Some(QP_STATE));
}
