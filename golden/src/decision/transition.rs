//! The legal transitions of a QP, with their attributes (`qp_cq.md` section 1, `services.md` section 2, CF233, CF234).
use crate::decision::special_qps;
use crate::modification::{Attribute, Attributes, QpChanges};
use crate::port::FIRST;
use crate::verbs::{QpState, Service};
use enumset::enum_set;

/// A legal transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    from: QpState,
    to: QpState,
    /// Required attributes.
    pub required: Attributes,
    /// Optional attributes.
    pub optional: Attributes,
}

/// Why a modification is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Transition,
    Missing(Attribute),
    Forbidden(Attribute),
    /// An illegal value: the attribute, the value, and the legal values in words.
    Value(&'static str, u64, &'static str),
}

const fn transition(from: QpState, to: QpState, required: Attributes, optional: Attributes) -> Transition {
    Transition {
        from,
        to,
        required,
        optional,
    }
}

use Attribute::*;
use QpState::{Error, Init, Reset, Rtr, Rts, Sqd, Sqe};

/// Largest number of Reads and atomics that a QP can have under way, in each direction.
pub const MAX_RD_ATOMIC: u8 = 16;

const NONE: Attributes = Attributes::empty();

/// All transitions of an RC QP except those to Reset and to Error. AD: the optional attributes, which the page does not
/// list, are those of Linux's verbs; credits can be agreed on as late as the move to RTS.
const RC: [Transition; 8] = [
    transition(Reset, Init, enum_set!(PKeyIndex | Port | Access), NONE),
    transition(Init, Init, NONE, enum_set!(PKeyIndex | Port | Access)),
    transition(
        Init,
        Rtr,
        enum_set!(Address | Pmtu | DestQpn | RqPsn | MaxDestRdAtomic | MinRnrTimer),
        enum_set!(PKeyIndex | Access | Credits),
    ),
    transition(
        Rtr,
        Rts,
        enum_set!(SqPsn | Timeout | RetryCnt | RnrRetry | MaxRdAtomic),
        enum_set!(Access | MinRnrTimer | Credits),
    ),
    transition(Rts, Rts, NONE, enum_set!(Access | MinRnrTimer)),
    transition(Rts, Sqd, NONE, enum_set!(DrainedEvent)),
    transition(Sqd, Rts, NONE, enum_set!(Access | MinRnrTimer)),
    transition(
        Sqd,
        Sqd,
        NONE,
        enum_set!(
            PKeyIndex
                | Port
                | Access
                | Address
                | MaxDestRdAtomic
                | MinRnrTimer
                | Timeout
                | RetryCnt
                | RnrRetry
                | MaxRdAtomic
        ),
    ),
];

/// All transitions of a UC QP except those to Reset and to Error (`services.md` section 2).
const UC: [Transition; 9] = [
    transition(Reset, Init, enum_set!(PKeyIndex | Port | Access), NONE),
    transition(Init, Init, NONE, enum_set!(PKeyIndex | Port | Access)),
    transition(
        Init,
        Rtr,
        enum_set!(Address | Pmtu | DestQpn | RqPsn),
        enum_set!(PKeyIndex | Access),
    ),
    transition(Rtr, Rts, enum_set!(SqPsn), enum_set!(Access)),
    transition(Rts, Rts, NONE, enum_set!(Access)),
    transition(Rts, Sqd, NONE, enum_set!(DrainedEvent)),
    transition(Sqd, Rts, NONE, enum_set!(Access)),
    transition(Sqd, Sqd, NONE, enum_set!(PKeyIndex | Access | Address)),
    transition(Sqe, Rts, NONE, enum_set!(Access)),
];

/// All transitions of a UD QP except those to Reset and to Error (`services.md` section 2, CF324).
const UD: [Transition; 9] = [
    transition(Reset, Init, enum_set!(PKeyIndex | Port | QKey), NONE),
    transition(Init, Init, NONE, enum_set!(PKeyIndex | Port | QKey)),
    transition(Init, Rtr, NONE, enum_set!(PKeyIndex | QKey)),
    transition(Rtr, Rts, enum_set!(SqPsn), enum_set!(QKey)),
    transition(Rts, Rts, NONE, enum_set!(QKey)),
    transition(Rts, Sqd, NONE, enum_set!(DrainedEvent)),
    transition(Sqd, Rts, NONE, enum_set!(QKey)),
    transition(Sqd, Sqd, NONE, enum_set!(PKeyIndex | QKey)),
    transition(Sqe, Rts, NONE, enum_set!(QKey)),
];

/// All transitions of QP0 and QP1 except those to Reset and to Error (`special_qps.md` section 5). The port is not
/// among the attributes, because it is part of the QP's identity.
const MANAGEMENT: [Transition; 9] = [
    transition(Reset, Init, enum_set!(PKeyIndex | QKey), NONE),
    transition(Init, Init, NONE, enum_set!(PKeyIndex | QKey)),
    transition(Init, Rtr, NONE, enum_set!(PKeyIndex | QKey)),
    transition(Rtr, Rts, enum_set!(SqPsn), enum_set!(QKey)),
    transition(Rts, Rts, NONE, enum_set!(QKey)),
    transition(Rts, Sqd, NONE, enum_set!(DrainedEvent)),
    transition(Sqd, Rts, NONE, enum_set!(QKey)),
    transition(Sqd, Sqd, NONE, enum_set!(PKeyIndex | QKey)),
    transition(Sqe, Rts, NONE, enum_set!(QKey)),
];

/// The kind of a QP, which decides its transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub service: Service,
    /// QPN, 24 bits. QP0 and QP1 have transitions of their own.
    pub qpn: u32,
    /// Number of ports of the device.
    pub ports: u8,
}

/// Returns the transitions of a QP, except those to Reset and to Error.
fn of(kind: Kind) -> &'static [Transition] {
    match kind.service {
        Service::Uc => &UC,
        Service::Ud if special_qps::is_special(kind.ports, kind.qpn) => &MANAGEMENT,
        Service::Ud => &UD,
        _ => &RC,
    }
}

/// Returns the transition of a QP of this kind between these states, if it is legal.
pub fn between(kind: Kind, from: QpState, to: QpState) -> Option<Transition> {
    match to {
        Reset | Error => Some(transition(from, to, NONE, NONE)),
        _ => of(kind).iter().copied().find(|t| (t.from, t.to) == (from, to)),
    }
}

fn first(attributes: Attributes) -> Option<Attribute> {
    attributes.iter().next()
}

/// Returns the first fault of a modification; `None` if it is legal.
pub fn fault(kind: Kind, from: QpState, to: QpState, changes: &QpChanges) -> Option<Fault> {
    let Some(transition) = between(kind, from, to) else {
        return Some(Fault::Transition);
    };
    let given = changes.given();
    if let Some(missing) = first(transition.required - given) {
        return Some(Fault::Missing(missing));
    }
    let legal = transition.required | transition.optional;
    if let Some(forbidden) = first(given - legal) {
        return Some(Fault::Forbidden(forbidden));
    }
    value_fault(kind, changes)
}

/// Returns the first value that no device accepts for a QP of this kind.
fn value_fault(kind: Kind, changes: &QpChanges) -> Option<Fault> {
    let entries = crate::port::P_KEYS as u16;
    let checks = [
        (
            "p_key_index",
            changes.p_key_index.filter(|&i| i >= entries).map(u64::from),
            "an entry of the port's table, 0 to 3",
        ),
        (
            "port",
            changes
                .port
                .filter(|p| !(FIRST..=kind.ports).contains(p))
                .map(u64::from),
            "a port of the device, from 1 on",
        ),
        (
            "max_dest_rd_atomic",
            changes
                .max_dest_rd_atomic
                .filter(|&n| n > MAX_RD_ATOMIC)
                .map(u64::from),
            "at most 16",
        ),
        (
            "max_rd_atomic",
            changes
                .max_rd_atomic
                .filter(|&n| n > MAX_RD_ATOMIC)
                .map(u64::from),
            "at most 16",
        ),
    ];
    let wrong = |(name, value, legal): (&'static str, Option<u64>, &'static str)| {
        value.map(|value| Fault::Value(name, value, legal))
    };
    checks.into_iter().find_map(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QPN: u32 = 2;
    const RC: Kind = of_service(Service::Rc);
    const UC: Kind = of_service(Service::Uc);
    const UD: Kind = of_service(Service::Ud);
    const GSI: Kind = Kind { qpn: 1, ..UD };

    const fn of_service(service: Service) -> Kind {
        let (qpn, ports) = (QPN, 1);
        Kind { service, qpn, ports }
    }

    #[test]
    fn what_a_transition_requires_and_no_more_is_taken() {
        for kind in [RC, UC, UD, GSI] {
            for t in of(kind) {
                let all = QpChanges {
                    port: Some(1),
                    pmtu: Some(crate::verbs::Pmtu::B256),
                    drained_event: true,
                    ..QpChanges::unset()
                };
                let legal = t.required | t.optional;
                let forbidden = first(all.given() - legal);
                assert_eq!(
                    fault(kind, t.from, t.to, &all),
                    forbidden.map(Fault::Forbidden),
                    "{t:?}"
                );
                let none = fault(kind, t.from, t.to, &QpChanges::default());
                let missing = first(t.required);
                assert_eq!(none, missing.map(Fault::Missing), "{t:?}");
            }
        }
    }

    #[test]
    fn a_port_is_one_of_the_device() {
        let to = |port| QpChanges {
            port: Some(port),
            ..QpChanges::default()
        };
        for (ports, legal) in [(1, vec![1]), (2, vec![1, 2])] {
            let kind = Kind { ports, qpn: 9, ..UD };
            let of = |port| fault(kind, Init, Init, &to(port)).is_none();
            assert_eq!((0..4).filter(|&port| of(port)).collect::<Vec<u8>>(), legal);
        }
        // The port of QP0 and QP1 is not an attribute: it follows from the QPN.
        let ports = 2;
        for (qpn, refused) in [
            (1, Some(Fault::Forbidden(Port))),
            (3, Some(Fault::Forbidden(Port))),
            (4, None),
        ] {
            assert_eq!(fault(Kind { qpn, ports, ..UD }, Init, Init, &to(2)), refused);
        }
    }

    #[test]
    fn only_an_unreliable_service_leaves_sqe() {
        let none = QpChanges::default();
        assert_eq!(fault(UC, Sqe, Rts, &none), None);
        assert_eq!(fault(UD, Sqe, Rts, &none), None);
        assert_eq!(fault(RC, Sqe, Rts, &none), Some(Fault::Transition));
        for kind in [RC, UC, UD, GSI] {
            assert_eq!(fault(kind, Sqe, Sqd, &none), Some(Fault::Transition));
            assert_eq!(fault(kind, Rts, Sqe, &none), Some(Fault::Transition));
        }
    }

    #[test]
    fn reset_and_error_take_no_attribute() {
        let changes = QpChanges {
            timeout: Some(1),
            ..QpChanges::default()
        };
        for to in [Reset, Error] {
            assert_eq!(fault(RC, Init, to, &changes), Some(Fault::Forbidden(Timeout)));
            assert_eq!(fault(UC, Sqe, to, &QpChanges::default()), None);
        }
    }
}
