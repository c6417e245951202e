//! UD requester (`ud.md` section 2): the ordered checks of a send WQE, and what follows from them.
use super::{MANAGEMENT_KEY, MESSAGE_BYTES};
use crate::decision::partition::{QP0, QP1};
use crate::decision::requester::{Action, Context, Plan};
use crate::port::P_KEYS;
use crate::verbs::{AddressHandle, SendOperation, Service, Status};
use crate::wire::lrh::PERMISSIVE_LID;

/// A send WQE and the results of its look-ups.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// QPN in packets, 24 bits: 0 for QP0 and 1 for QP1 of any port.
    pub qpn: u32,
    pub operation: SendOperation,
    /// False if host memory failed to return the entry, or its operation or number of SGEs is illegal.
    pub well_formed: bool,
    /// The address handle that the WQE names; `None` if no such handle was created.
    pub handle: Option<AddressHandle>,
    /// Protection domain of the QP.
    pub pd: u32,
    /// Port of the QP.
    pub port: u8,
    /// Index into the P_Key table that the request names; used by QP0 and QP1 only.
    pub p_key_index: u16,
    /// Length of the message in bytes.
    pub length: u64,
    /// Largest payload, in bytes, that the port sends.
    pub active_mtu: usize,
    /// Status of a message whose data may not be read, and a second status that may replace it.
    pub fault_of_sges: Option<(Status, Option<Status>)>,
}

/// What becomes of a send WQE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent,
    /// The WQE sends no packet and makes no error: the message is complete and takes its PSN.
    Discarded,
    /// The WQE ends in error with the first status, or with the second if there is one.
    Failed(Status, Option<Status>),
}

/// A check; `None` if the WQE passes.
type Check = fn(&Work) -> Option<Outcome>;

/// The steps of section 2, in order, with those of QP0 and QP1 (`special_qps.md` section 2); the first that fails
/// decides. Step 5, the answer of host memory, comes after the packet has started.
const CHECKS: [Check; 7] = [
    // Step 1, CF320.
    |w| (!w.well_formed || !Service::Ud.offers(&w.operation)).then_some(IMPOSSIBLE),
    // `special_qps.md` section 2: QP0 and QP1 only carry out Send.
    |w| (is_management(w) && w.operation != SendOperation::Send).then_some(IMPOSSIBLE),
    // Step 2, CF314, CF315.
    |w| {
        let usable = |handle: AddressHandle| handle.pd == w.pd && handle.port == w.port;
        (!w.handle.is_some_and(usable)).then_some(IMPOSSIBLE)
    },
    // `special_qps.md` section 2: the P_Key index is outside the table, or QP1 sends to DLID FFFFh (CF419).
    |w| {
        let outside = usize::from(w.p_key_index) >= P_KEYS;
        let permissive = w.handle.is_some_and(|handle| handle.dlid == PERMISSIVE_LID);
        let refused = is_management(w) && outside || w.qpn == QP1 && permissive;
        refused.then_some(IMPOSSIBLE)
    },
    // `special_qps.md` section 2: the length is not 256; in place of step 3 (CF418).
    |w| {
        let wrong = is_management(w) && w.length != MESSAGE_BYTES as u64;
        wrong.then_some(Outcome::Failed(Status::LocLenErr, None))
    },
    // Step 3, CF225, CF319.
    |w| (w.length > w.active_mtu as u64).then_some(Outcome::Discarded),
    // Step 4, CF323.
    |w| {
        let (status, other) = w.fault_of_sges?;
        Some(Outcome::Failed(status, other))
    },
];

const IMPOSSIBLE: Outcome = Outcome::Failed(Status::LocQpOpErr, None);

fn is_management(work: &Work) -> bool {
    work.qpn <= QP1
}

/// Returns what becomes of a send WQE.
pub fn judge(work: &Work) -> Outcome {
    let decided = CHECKS.iter().find_map(|check| check(work));
    decided.unwrap_or(Outcome::Sent)
}

/// Completes a message that was handed to the link or discarded; either takes one PSN (section 2, PSN, completion). No
/// message completes after one whose data host memory failed to return.
pub fn send(mut context: Context, plan: &Plan, gives_data: bool) -> (Context, Vec<Action>) {
    let next = plan.position + 1;
    (context.next, context.cursor, context.unacknowledged) = (next, next, next);
    context.messages.retain(|m| m.index != plan.index);
    if !gives_data {
        context.broken.get_or_insert(plan.index);
    }
    let complete = Action::Complete {
        index: plan.index,
        status: Status::Success,
        other: None,
    };
    let actions = match context.broken {
        None => vec![complete],
        Some(_) => Vec::new(),
    };
    (context, actions)
}

/// Returns DETH.Q_Key: that of the WQE, or that of the QP if bit 31 of the WQE's is set (CF219). QP0 always sends that
/// of the WQE, and QP1 its own fixed Q_Key (`special_qps.md` section 1).
pub fn q_key(of_wqe: u32, qpn: u32, of_qp: u32) -> u32 {
    const PRIVILEGED: u32 = 1 << 31;
    match (of_wqe & PRIVILEGED, qpn) {
        (0, _) | (_, QP0) => of_wqe,
        (_, QP1) => MANAGEMENT_KEY,
        _ => of_qp,
    }
}

/// Returns the UDP source port of a RoCEv2 packet, which follows from the flow label of the address handle (section 1,
/// CF318).
pub fn source_port(flow_label: u32) -> u16 {
    0xC000 | ((flow_label & 0x3FFF) ^ (flow_label >> 14)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::requester::{plan, psn_of, Limits, Message};

    fn work() -> Work {
        Work {
            qpn: 2,
            operation: SendOperation::Send,
            well_formed: true,
            p_key_index: 9,
            handle: Some(AddressHandle {
                pd: 7,
                port: 1,
                ..AddressHandle::default()
            }),
            pd: 7,
            port: 1,
            length: 4096,
            active_mtu: 4096,
            fault_of_sges: None,
        }
    }

    #[test]
    fn the_first_step_that_fails_decides() {
        let keys = Some((Status::LocProtErr, None));
        let other_pd = AddressHandle {
            pd: 8,
            ..work().handle.unwrap()
        };
        let too_long = Work {
            length: 4097,
            fault_of_sges: keys,
            ..work()
        };
        for (work, outcome) in [
            (work(), Outcome::Sent),
            (
                Work {
                    fault_of_sges: keys,
                    ..work()
                },
                Outcome::Failed(Status::LocProtErr, None),
            ),
            (too_long, Outcome::Discarded),
            (
                Work {
                    handle: None,
                    ..too_long
                },
                IMPOSSIBLE,
            ),
            (
                Work {
                    handle: Some(other_pd),
                    ..too_long
                },
                IMPOSSIBLE,
            ),
            (
                Work {
                    well_formed: false,
                    ..too_long
                },
                IMPOSSIBLE,
            ),
        ] {
            assert_eq!(judge(&work), outcome, "{work:?}");
        }
    }

    #[test]
    fn qp1_sends_messages_of_256_bytes() {
        let mad = Work {
            qpn: 1,
            length: 256,
            p_key_index: 3,
            ..work()
        };
        let immediate = SendOperation::SendWithImmediate { immediate: [0; 4] };
        let permissive = AddressHandle {
            dlid: 0xFFFF,
            ..work().handle.unwrap()
        };
        let wrong_length = Outcome::Failed(Status::LocLenErr, None);
        for (work, outcome) in [
            (mad, Outcome::Sent),
            (Work { length: 255, ..mad }, wrong_length),
            (Work { length: 5000, ..mad }, wrong_length),
            (
                Work {
                    p_key_index: 4,
                    length: 255,
                    ..mad
                },
                IMPOSSIBLE,
            ),
            (
                Work {
                    handle: Some(permissive),
                    ..mad
                },
                IMPOSSIBLE,
            ),
            (
                Work {
                    operation: immediate,
                    ..mad
                },
                IMPOSSIBLE,
            ),
        ] {
            assert_eq!(judge(&work), outcome, "{work:?}");
        }
    }

    /// A packet to DLID FFFFh goes to the neighbour's QP0.
    #[test]
    fn qp0_alone_sends_to_the_permissive_lid() {
        let permissive = AddressHandle {
            dlid: 0xFFFF,
            ..work().handle.unwrap()
        };
        let smp = Work {
            qpn: 0,
            length: 256,
            p_key_index: 3,
            handle: Some(permissive),
            ..work()
        };
        assert_eq!(judge(&smp), Outcome::Sent);
        assert_eq!(judge(&Work { qpn: 1, ..smp }), IMPOSSIBLE);
        assert_eq!(
            judge(&Work {
                p_key_index: 4,
                ..smp
            }),
            IMPOSSIBLE
        );
        let short = Work { length: 255, ..smp };
        assert_eq!(judge(&short), Outcome::Failed(Status::LocLenErr, None));
    }

    /// A discarded message takes its PSN, too.
    #[test]
    fn every_message_takes_one_psn() {
        let limits = Limits {
            service: Service::Ud,
            pmtu: 4096,
            ..Limits::default()
        };
        let mut context = Context::new(limits, 0xFF_FFFF);
        for (index, length) in [(0, 4096), (1, 9000), (2, 0)] {
            context.push(Message::new(index, SendOperation::Send, length));
        }
        let mut psns = Vec::new();
        while let Some(next) = plan(&context) {
            let (after, actions) = send(context, &next, true);
            context = after;
            psns.push((next.index, next.psn, actions.len()));
        }
        assert_eq!(psns, [(0, 0xFF_FFFF, 1), (1, 0, 1), (2, 1, 1)]);
        assert_eq!(psn_of(context.next), 2);
    }

    #[test]
    fn source_ports() {
        let of = [0, 1, 0x1_2345, 0xF_C000, 0xF_FFFF].map(source_port);
        assert_eq!(of, [0xC000, 0xC001, 0xE341, 0xC03F, 0xFFC0]);
    }

    #[test]
    fn bit_31_stands_for_the_key_of_the_qp() {
        assert_eq!(q_key(0x7FFF_FFFF, 2, 5), 0x7FFF_FFFF);
        assert_eq!(q_key(0x8000_0000, 2, 5), 5);
        assert_eq!(q_key(0x8000_0000, 1, 5), 0x8001_0000);
        assert_eq!(q_key(7, 1, 5), 7);
        assert_eq!(q_key(0x8000_0000, 0, 5), 0x8000_0000);
    }
}
