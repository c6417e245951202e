//! What becomes of an arriving link packet (`link.md` section 4.1): named checks in their order, each with its source.
use crate::port::PortState;
use crate::wire::flow_control::{Defect, FlowControl, Op};

/// What the port does with an arriving link packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The port ignores the packet, or does not look at it.
    Ignored,
    /// The port discards the packet and counts it in PortRcvErrors.
    Error,
    /// The neighbour has restarted, and the port restarts, too.
    Restart,
    /// The port takes the credits that the packet brings.
    Taken,
}

/// An arriving link packet, and the port that receives it.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub packet: Result<FlowControl, Defect>,
    pub state: PortState,
    /// Number of data VLs that the port has.
    pub supported: u8,
    /// Number of those data VLs that are operational.
    pub operational: u8,
}

/// A check, and the fate of a packet that fails it.
struct Check {
    finds: fn(&Facts) -> bool,
    fate: Fate,
    citation: &'static str,
}

const CHECKS: [Check; 7] = [
    Check {
        finds: |f| matches!(f.state, PortState::Down | PortState::ActiveDefer),
        fate: Fate::Ignored,
        citation: "link.md sections 1 and 4.1, CF431",
    },
    Check {
        finds: |f| matches!(f.packet, Err(Defect::Lpcrc { .. })),
        fate: Fate::Error,
        citation: "link.md section 4.1 row 1, CF440",
    },
    Check {
        finds: |f| matches!(f.packet, Err(Defect::Op(_))),
        fate: Fate::Error,
        citation: "link.md section 4.1 row 2, CF441",
    },
    Check {
        finds: |f| matches!(f.packet, Err(Defect::Length(_))),
        fate: Fate::Error,
        citation: "link.md section 4.1 row 3",
    },
    Check {
        finds: |f| f.packet.is_ok_and(|packet| packet.vl >= f.supported),
        fate: Fate::Error,
        citation: "link.md section 4.1 row 4, CF442",
    },
    Check {
        finds: |f| f.is_not_operational() && f.state != PortState::Init,
        fate: Fate::Error,
        citation: "link.md section 4.1 row 4, CF442",
    },
    Check {
        finds: Facts::is_not_operational,
        fate: Fate::Ignored,
        citation: "link.md section 4.1 row 4, CF442",
    },
];

impl Facts {
    fn is_not_operational(&self) -> bool {
        self.packet.is_ok_and(|packet| packet.vl >= self.operational)
    }
}

/// Returns the fate of the packet, and the source of that rule.
pub fn judge(facts: &Facts) -> (Fate, &'static str) {
    let found = CHECKS.iter().find(|check| (check.finds)(facts));
    let initialises = facts
        .packet
        .is_ok_and(|packet| packet.op() == Some(Op::Initialise));
    match found {
        Some(check) => (check.fate, check.citation),
        None if initialises && facts.state == PortState::Active => {
            (Fate::Restart, "link.md section 1, CF436")
        }
        None => (Fate::Taken, "link.md section 4.1 row 5"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PortState::*;

    const STATES: [PortState; 5] = [Down, Init, Armed, Active, ActiveDefer];

    /// The fate of the packet in each of [`STATES`]. The port has four data VLs, and VL 0 and VL 1 are operational.
    fn fates(packet: Result<FlowControl, Defect>) -> [Fate; 5] {
        STATES.map(|state| {
            let facts = Facts {
                packet,
                state,
                supported: 4,
                operational: 2,
            };
            judge(&facts).0
        })
    }

    fn on(op: Op, vl: u8) -> Result<FlowControl, Defect> {
        let op = op as u8;
        Ok(FlowControl {
            op,
            vl,
            ..FlowControl::default()
        })
    }

    #[test]
    fn each_state_has_its_fate() {
        use Fate::*;
        for defect in [Defect::Op(2), Defect::Length(7)] {
            assert_eq!(fates(Err(defect)), [Ignored, Error, Error, Error, Ignored]);
        }
        for (vl, expected) in [
            (1, [Ignored, Taken, Taken, Taken, Ignored]),
            (2, [Ignored, Ignored, Error, Error, Ignored]),
            (4, [Ignored, Error, Error, Error, Ignored]),
            (15, [Ignored, Error, Error, Error, Ignored]),
        ] {
            assert_eq!(fates(on(Op::Normal, vl)), expected, "VL {vl}");
        }
        let restart = [Ignored, Taken, Taken, Restart, Ignored];
        assert_eq!(fates(on(Op::Initialise, 1)), restart);
    }
}
