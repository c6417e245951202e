//! The command block between registers, a CQE writer and engines that take what they are given.
use crate::bench::{library, Bench};
use hca_host::command;
use hca_host::retire::Record;
use hca_rtl::control::Commands;
use std::collections::BTreeSet;

/// Clocks after reset in which all rows are cleared.
const CLEARING: u32 = 400;

/// State of every CQ, as the CQE writer reports it.
#[derive(Clone, Copy, Default)]
pub struct Ring {
    pub base: u64,
    pub log_size: u8,
    pub producer: u16,
    pub consumer: u16,
    pub armed: u8,
    pub failed: bool,
    /// High if a resize is refused.
    pub refused: bool,
}

/// An output of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Operation, index, base, log size.
    Cq(u8, u8, u64, u8),
    /// A context for the receive side: the first two words of the row.
    Receive(u32, u32),
    /// A context for the response engine.
    Response,
    /// A context for the requester.
    Requester,
    DrainStart,
    Forget,
    Region,
    Invalidate,
    /// A handle, and whether it exists from now on.
    Handle(u8, bool),
    /// A QP and whether it is attached from now on; LID and last byte of the group.
    Group(u32, bool, u16, u8),
    /// A QP of a CQ that failed.
    Fail(u8),
    /// This CQ fails.
    CqFails(u8),
    /// Kind, code, QPN, index.
    Retired(u8, u8, u32, u32),
}

pub struct Rig {
    pub bench: Bench,
    pub arguments: [u32; 26],
    pub ring: Ring,
    pub seen: Vec<Seen>,
    /// Outputs before the first command.
    pub since_reset: Vec<Seen>,
    /// Regions that were cleared before the first command.
    pub regions_gone: BTreeSet<u64>,
    /// Row and route of the last handle that changed.
    pub handle: (Vec<u8>, Vec<u8>),
    /// MGID of the last group that a QP was attached to or detached from.
    pub mgid: u128,
    /// Facts about the group of a command: known with another LID 0, full 1, the QP is a member 2.
    pub group: u64,
    clears: bool,
    /// Clocks that a side keeps a context waiting, and that a drain takes.
    pub delay: u32,
    waited: u32,
    /// Cycle after the command in which a QP is reported in Error, and index of the QP.
    pub fails: Option<(u32, u8)>,
    /// Cycle after the command in which a CQ fails, and index of the CQ.
    pub cq_fails: Option<(u32, u8)>,
}

impl Rig {
    pub fn new() -> Rig {
        Rig::of(
            Bench::new(&library::<Commands<4, 16, 9, 4, 6, 6, 10, 0>>("commands"), 1),
            CLEARING,
        )
    }

    /// Makes the rig of a command block of any size, which clears its rows in `clearing` clocks after reset.
    pub fn of(mut bench: Bench, clearing: u32) -> Rig {
        for input in [
            "command_valid", "command", "argument", "cq_ready", "cq_failed_valid", "fail_ready",
            "responder_failed_valid", "requester_failed_valid", "to_receive_ready", "to_response_ready",
            "to_requester_ready", "drained", "placement_still", "roce", "group_still", "group_searched",
            "group_facts",
        ] {
            bench.set(input, 0);
        }
        let mut rig = Rig {
            bench,
            // Software may write them as soon as the reset is over.
            arguments: [u32::MAX; 26],
            ring: Ring::default(),
            seen: Vec::new(),
            since_reset: Vec::new(),
            regions_gone: BTreeSet::new(),
            handle: Default::default(),
            mgid: 0,
            group: 0,
            clears: true,
            delay: 2,
            waited: 0,
            fails: None,
            cq_fails: None,
        };
        for _ in 0..clearing {
            rig.clock();
        }
        rig.since_reset = std::mem::take(&mut rig.seen);
        rig.arguments = [0; 26];
        rig.clears = false;
        rig
    }

    /// One clock.
    pub fn clock(&mut self) {
        let bench = &mut self.bench;
        let mut row = [0; 96];
        for (n, word) in self.arguments[..24].iter().enumerate() {
            row[4 * (23 - n)..][..4].copy_from_slice(&word.to_le_bytes());
        }
        bench.set_bytes("arguments", &row);
        bench.set("q_key", self.arguments[25].into());
        bench.settle();
        let index = bench.get("argument_index") as usize;
        bench.set("argument", self.arguments.get(index).copied().unwrap_or(0).into());
        let offers = [
            "to_receive_valid", "to_response_valid", "to_requester_valid", "cq_valid",
        ];
        let offered = offers.iter().any(|valid| bench.is_set(valid));
        self.waited = if offered { self.waited + 1 } else { 0 };
        let ready = self.waited > self.delay;
        if ready {
            self.waited = 0;
        }
        let ring = self.ring;
        for (name, value) in [
            ("cq_answer_base", ring.base),
            ("cq_answer_log_size", ring.log_size.into()),
            ("cq_answer_producer", ring.producer.into()),
            ("cq_answer_consumer", ring.consumer.into()),
            ("cq_answer_armed", ring.armed.into()),
            ("cq_answer_failed", ring.failed.into()),
            ("cq_refused", ring.refused.into()),
            ("fail_ready", 1),
        ] {
            bench.set(name, value);
        }
        for (valid, ready_port) in offers.iter().zip([
            "to_receive_ready", "to_response_ready", "to_requester_ready", "cq_ready",
        ]) {
            let ready = ready && bench.is_set(valid);
            bench.set(ready_port, ready.into());
        }
        bench.settle();
        if bench.is_set("cq_valid") && ready {
            self.seen.push(Seen::Cq(
                bench.get("cq_operation") as u8,
                bench.get("cq_index") as u8,
                bench.get("cq_base"),
                bench.get("cq_log_size") as u8,
            ));
        }
        if bench.is_set("to_receive_valid") && ready {
            let row = bench.bytes("qp_row");
            let word = |n: usize| u32::from_le_bytes(row[4 * (13 - n)..][..4].try_into().unwrap());
            self.seen.push(Seen::Receive(word(0) & 0xFF_FFFF, word(1)));
        }
        for (port, seen) in [
            ("to_response_valid", Seen::Response),
            ("to_requester_valid", Seen::Requester),
        ] {
            if bench.is_set(port) && ready {
                self.seen.push(seen);
            }
        }
        for (port, seen) in [
            ("drain_start", Seen::DrainStart),
            ("forget_valid", Seen::Forget),
            ("region_update_valid", Seen::Region),
            ("region_invalidate_valid", Seen::Invalidate),
        ] {
            if bench.is_set(port) {
                let changes_regions = matches!(seen, Seen::Region | Seen::Invalidate) && !self.clears;
                assert!(!changes_regions || bench.is_set("placement_hold"), "{seen:?}");
                self.seen.push(seen);
            }
        }
        if self.clears && bench.is_set("region_update_valid") && bench.bytes("region")[0] & 1 == 0 {
            self.regions_gone.insert(bench.get("region_index"));
        }
        if bench.is_set("handle_valid") {
            let exists = bench.bytes("handle_row")[0] & 1 == 1;
            self.seen
                .push(Seen::Handle(bench.get("handle_index") as u8, exists));
            self.handle = (bench.bytes("handle_row"), bench.bytes("handle_route"));
        }
        for (port, attached) in [("group_attaches", true), ("group_detaches", false)] {
            if bench.is_set(port) {
                assert!(bench.is_set("group_hold"));
                let (qpn, mlid) = (bench.get("group_qpn") as u32, bench.get("group_mlid") as u16);
                let mgid = bench.bytes("group_mgid");
                self.seen.push(Seen::Group(qpn, attached, mlid, mgid[0]));
                self.mgid = u128::from_le_bytes(mgid[..16].try_into().unwrap());
            }
        }
        if bench.is_set("fail_valid") {
            self.seen.push(Seen::Fail(bench.get("fail") as u8));
        }
        if bench.is_set("retire_valid") {
            let mut bits = [0; 16];
            bits[..12].copy_from_slice(&bench.bytes("retire_record")[..12]);
            let record = Record::from_bits(0, u128::from_le_bytes(bits));
            self.seen
                .push(Seen::Retired(record.kind, record.code, record.qpn, record.index));
        }
        let answer = bench
            .is_set("answer_valid")
            .then(|| (bench.get("answer_index") as usize, bench.get("answer") as u32));
        let started = bench.is_set("drain_start");
        let held = bench.is_set("placement_hold");
        let holds_groups = bench.is_set("group_hold");
        let searches = bench.is_set("group_search");
        assert!(!searches || holds_groups);
        bench.tick();
        if let Some((index, word)) = answer {
            self.arguments[index] = word;
        }
        // A drain is over a clock later; so is what had been looked up.
        self.bench.set("placement_still", held.into());
        self.bench.set("drained", started.into());
        self.bench.set("group_still", holds_groups.into());
        self.bench.set("group_searched", searches.into());
        self.bench.set("group_facts", self.group);
    }

    /// Carries a command out with these words: its result.
    pub fn run(&mut self, code: u32, arguments: &[(usize, u32)]) -> u32 {
        for &(n, word) in arguments {
            self.arguments[n] = word;
        }
        self.seen.clear();
        self.bench.set("command", code.into());
        self.bench.set("command_valid", 1);
        for clock in 0..2000 {
            for (valid, index, event) in [
                ("responder_failed_valid", "responder_failed_index", self.fails),
                ("cq_failed_valid", "cq_failed_index", self.cq_fails),
            ] {
                let now = event.filter(|(at, _)| *at == clock);
                self.bench.set(valid, now.is_some().into());
                self.bench.set(index, now.map_or(0, |(_, index)| index.into()));
            }
            if let Some((_, cq)) = self.cq_fails.filter(|(at, _)| *at == clock) {
                self.seen.push(Seen::CqFails(cq));
                self.ring.failed = true;
            }
            self.bench.settle();
            let done = self.bench.is_set("command_done");
            let result = self.bench.get("command_result") as u32;
            self.clock();
            if done {
                self.bench.set("command_valid", 0);
                self.bench.set("responder_failed_valid", 0);
                self.bench.set("cq_failed_valid", 0);
                self.fails = None;
                self.cq_fails = None;
                self.clock();
                return result;
            }
        }
        panic!("command {code} does not end: {:?}", self.seen);
    }

    /// CQ `cqn` of 2^4 entries.
    pub fn create_cq(&mut self, cqn: u32) {
        let ring = [(0, cqn), (1, 0), (2, 0x1000), (3, 4)];
        assert_eq!(self.run(command::CREATE_CQ, &ring), command::OK);
    }

    /// Creates a QP of RC. Returns the result of the command.
    pub fn create_qp(&mut self, qpn: u32, send: u32, receive: u32) -> u32 {
        self.create_qp_of(0, qpn, send, receive)
    }

    /// Creates a QP of this transport service. Returns the result of the command.
    pub fn create_qp_of(&mut self, service: u32, qpn: u32, send: u32, receive: u32) -> u32 {
        self.run(
            command::CREATE_QP,
            &[
                (0, qpn),
                (1, service << 4),
                (2, 0x0A06),
                (3, 0x11),
                (4, 0x2200_0040),
                (5, 0x33),
                (6, 0x4400_0080),
                (7, receive << 16 | send),
                (23, 0x00C0_FFEE),
            ],
        )
    }

    /// Moves a QP to a state with these attributes. Returns the result of the command.
    pub fn modify(&mut self, qpn: u32, state: u32, given: u32, arguments: &[(usize, u32)]) -> u32 {
        let mut words = vec![(0, qpn), (1, state | 3 << 8), (24, given)];
        words.extend_from_slice(arguments);
        self.run(command::MODIFY_QP, &words)
    }

    /// Moves a QP of RC from Reset to this state, with values that all differ.
    pub fn bring_to(&mut self, qpn: u32, state: u32) {
        self.bring_giving(qpn, state, [0x0007, 0x01F8, 0x3E00]);
    }

    /// Moves a QP of UC from Reset to this state.
    pub fn bring_uc_to(&mut self, qpn: u32, state: u32) {
        self.bring_giving(qpn, state, [0x0007, 0x0078, 0x0200]);
    }

    /// Moves a QP of UD from Reset to this state.
    pub fn bring_ud_to(&mut self, qpn: u32, state: u32) {
        self.bring_giving(qpn, state, [0x1_0003, 0, 0x0200]);
    }

    /// Moves QP1 from Reset to this state.
    pub fn bring_qp1_to(&mut self, qpn: u32, state: u32) {
        self.bring_giving(qpn, state, [0x1_0001, 0, 0x0200]);
    }

    /// Moves a QP from Reset to this state, with these attributes for Init, RTR and RTS.
    fn bring_giving(&mut self, qpn: u32, state: u32, attributes: [u32; 3]) {
        let path: &[u32] = match state {
            0 => &[],
            1 => &[1],
            2 => &[1, 2],
            3 => &[1, 2, 3],
            4 => &[1, 2, 3, 4],
            _ => &[6],
        };
        for &to in path {
            let given = match to {
                1..=3 => attributes[to as usize - 1],
                _ => 0,
            };
            assert_eq!(self.modify(qpn, to, given, &self.values()), command::OK);
        }
    }

    /// Moves a QP from RTR to RTS.
    pub fn bring_to_rts(&mut self, qpn: u32) {
        assert_eq!(self.modify(qpn, 3, 0x3E00, &self.values()), command::OK);
    }

    /// Returns legal values of the attributes.
    pub fn values(&self) -> Vec<(usize, u32)> {
        let mut values = vec![
            (8, 0x00AA_0808),
            (9, 0x0102_0909),
            (10, 0x0001_0002),
            (11, 0x00BB_1111),
            (12, 0x00CC_1212),
            (13, 0x0706_0504),
            (22, 0x0305_0403),
        ];
        values.extend((14..22).map(|n| (n, 0x1000_0000 + n as u32)));
        values
    }
}
