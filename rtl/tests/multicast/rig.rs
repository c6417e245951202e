//! The block between a link, dispatch and the commands.
use crate::bench::{bits, library, Bench};
use crate::header::{Header, PORT_GID, PORT_LID, PORT_LMC, PORT_MAC};
use fastrand::Rng;
use hca_rtl::receive::Multicast;

/// Clocks that a packet or a command takes at most.
const PATIENCE: u32 = 400;

/// Bits of a header that are its destination QP, and those of extended headers and payload that are only passed on.
const DEST_QP: std::ops::Range<usize> = 454..478;
const UNUSED: std::ops::Range<usize> = 583..980;

/// What leaves the block for a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    pub packet: u32,
    pub dest_qp: u32,
    pub fate: Fate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is no packet for a group.
    Plain,
    /// A copy; high if the payload is needed again.
    Copy { keeps: bool },
    /// Dropped for this reason; 0: it vanishes.
    Refused(u8),
}

/// What the table says about a QP and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub elsewhere: bool,
    pub full: bool,
    pub member: bool,
}

pub struct Rig {
    pub bench: Bench,
    rng: Rng,
    /// Packets for a group that have passed and are not decided.
    undecided: u32,
}

impl Rig {
    pub fn native() -> Rig {
        Rig::of(Bench::new(&library::<Multicast<1, 0>>("multicast"), 1))
    }

    pub fn roce() -> Rig {
        Rig::of(Bench::new(&library::<Multicast<0, 1>>("multicast_roce"), 1))
    }

    fn of(mut bench: Bench) -> Rig {
        for input in [
            "header_valid", "passed_ready", "decided", "command_hold", "command_search", "command_attaches",
            "command_detaches", "command_port", "own_under_way", "header_next_dest_qp",
        ] {
            bench.set(input, 0);
        }
        bench.set("port_lid", PORT_LID.into());
        bench.set("port_lmc", PORT_LMC.into());
        bench.set_bytes("port_gid", &PORT_GID.to_le_bytes());
        bench.set("port_mac", PORT_MAC);
        let mut rig = Rig {
            bench,
            rng: Rng::with_seed(7),
            undecided: 0,
        };
        rig.clear();
        rig
    }

    /// Resets the block.
    pub fn reset(&mut self) {
        self.bench.set("reset", 1);
        for _ in 0..16 {
            self.clock();
        }
        self.bench.set("reset", 0);
        self.undecided = 0;
        self.clear();
    }

    /// Waits until the table has cleared its rows.
    fn clear(&mut self) {
        for _ in 0..140 {
            self.clock();
        }
    }

    /// One clock; packets are decided now and then.
    pub fn clock(&mut self) {
        let decides = self.undecided > 0 && self.rng.u8(..6) == 0;
        self.bench.set("decided", decides.into());
        self.undecided -= u32::from(decides);
        self.bench.settle();
        self.bench.tick();
    }

    /// Offers a header until it is taken.
    pub fn pass(&mut self, header: &Header) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut given = header.bytes();
        for bit in UNUSED {
            given[bit / 8] |= u8::from(self.rng.bool()) << (bit % 8);
        }
        self.bench.set_bytes("header", &given);
        self.bench.set("header_valid", 1);
        for _ in 0..PATIENCE {
            let ready = self.rng.u8(..3) > 0;
            self.bench.set("passed_ready", ready.into());
            self.bench.settle();
            if ready && self.bench.is_set("passed_valid") {
                let grouped = self.passed(&given, &mut passed);
                self.undecided += u32::from(grouped);
            }
            let taken = self.bench.is_set("header_ready");
            assert!(!taken || ready);
            self.clock();
            if taken {
                self.bench.set("header_valid", 0);
                self.bench.set("passed_ready", 0);
                return passed;
            }
        }
        panic!("{header:?} is not taken, after {passed:?}");
    }

    /// Whether what is offered was a packet for a group. All of it is as given but for its number and its QP.
    fn passed(&self, given: &[u8], passed: &mut Vec<Passed>) -> bool {
        let (header, mark) = (self.bench.bytes("passed"), self.bench.bytes("mark"));
        for bit in (32..DEST_QP.start).chain(DEST_QP.end..UNUSED.end) {
            assert_eq!(
                bits(&header, bit, 1),
                bits(given, bit, 1),
                "bit {bit} of a header"
            );
        }
        let flag = |at| bits(&mark, at, 1) == 1;
        let fate = match (flag(0), flag(1), flag(3)) {
            (false, false, false) => Fate::Plain,
            (true, true, false) => Fate::Copy { keeps: flag(2) },
            (true, false, true) => Fate::Refused(bits(&mark, 4, 8) as u8),
            other => panic!("grouped, copy, refused: {other:?}"),
        };
        passed.push(Passed {
            packet: bits(&header, 0, 32) as u32,
            // Behind everything up to the P_Key.
            dest_qp: bits(&header, DEST_QP.start, 24) as u32,
            fate: fate.clone(),
        });
        fate != Fate::Plain
    }

    /// Holds the groups, and finds out about a QP and a group.
    fn search(&mut self, qpn: u32, mgid: u128, mlid: u16) -> Facts {
        self.bench.set("command_hold", 1);
        self.bench.set("command_qpn", qpn.into());
        self.bench.set_bytes("command_mgid", &mgid.to_le_bytes());
        self.bench.set("command_mlid", mlid.into());
        for _ in 0..PATIENCE {
            self.bench.settle();
            if self.bench.is_set("command_still") {
                break;
            }
            self.clock();
        }
        assert_eq!(self.undecided, 0);
        self.bench.set("command_search", 1);
        self.clock();
        self.bench.set("command_search", 0);
        for _ in 0..PATIENCE {
            self.bench.settle();
            if self.bench.is_set("command_searched") {
                let facts = self.bench.get("command_facts");
                let flag = |bit: u64| facts >> bit & 1 == 1;
                return Facts {
                    elsewhere: flag(0),
                    full: flag(1),
                    member: flag(2),
                };
            }
            self.clock();
        }
        panic!("the search does not end");
    }

    /// Attaches the QP if that is possible.
    pub fn attach(&mut self, qpn: u32, mgid: u128, mlid: u16) -> Facts {
        let facts = self.search(qpn, mgid, mlid);
        let attaches = !facts.member && !facts.full && !facts.elsewhere;
        self.bench.set("command_attaches", attaches.into());
        self.end();
        facts
    }

    /// Detaches the QP if it is attached.
    pub fn detach(&mut self, qpn: u32, mgid: u128, mlid: u16) -> Facts {
        let facts = self.search(qpn, mgid, mlid);
        self.bench.set("command_detaches", facts.member.into());
        self.end();
        facts
    }

    fn end(&mut self) {
        self.clock();
        self.bench.set("command_attaches", 0);
        self.bench.set("command_detaches", 0);
        self.bench.set("command_hold", 0);
        self.clock();
    }
}
