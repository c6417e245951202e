//! UC requester (`uc.md` section 2).
use crate::decision::requester::{Action, Context, Gate, Plan};
use crate::verbs::{QpState, Status};

/// Returns the gate that holds the packet back, if one does. Only the state can, because UC has neither credits nor
/// fence (section 1).
pub fn closed(state: QpState, plan: &Plan) -> Option<Gate> {
    (plan.starts && state != QpState::Rts).then_some(Gate::State)
}

/// Applies the hand-over of a packet to the link: the next packet has the PSN after it, and with its last packet the
/// message is complete (section 2, PSN, completion). No message completes here after one whose data host memory failed
/// to return.
pub fn send(mut context: Context, plan: &Plan, gives_data: bool) -> (Context, Vec<Action>) {
    let pmtu = context.limits.pmtu;
    let next = plan.position + 1;
    (context.next, context.cursor, context.unacknowledged) = (next, next, next);
    if !gives_data {
        context.broken.get_or_insert(plan.index);
    }
    let Some(message) = context.messages.iter_mut().find(|m| m.index == plan.index) else {
        return (context, Vec::new());
    };
    message.first.get_or_insert(plan.position);
    if message.end(pmtu) != Some(next) || context.broken.is_some() {
        return (context, Vec::new());
    }
    context.messages.pop_front();
    let complete = Action::Complete {
        index: plan.index,
        status: Status::Success,
        other: None,
    };
    (context, vec![complete])
}

/// Restarts a QP that leaves SQE. Its PSNs continue from where they stood (section 2, PSN after SQE to RTS).
pub fn restart(mut context: Context) -> Context {
    context.messages.clear();
    context.broken = None;
    context
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::requester::{plan, psn_of, Limits, Message};
    use crate::verbs::{SendOperation, Service};

    fn sending(lengths: &[u64]) -> Context {
        let limits = Limits {
            service: Service::Uc,
            pmtu: 256,
            ..Limits::default()
        };
        let mut context = Context::new(limits, 0xFF_FFFF);
        for (index, &length) in (0..).zip(lengths) {
            context.push(Message::new(index, SendOperation::Send, length));
        }
        context
    }

    #[test]
    fn a_message_is_complete_with_its_last_packet() {
        let mut context = sending(&[600, 0]);
        let mut seen = Vec::new();
        while let Some(next) = plan(&context) {
            assert!(!next.ack_req);
            let (after, actions) = send(context, &next, true);
            context = after;
            seen.push((next.opcode, next.psn, actions.len()));
        }
        let expected = [(0x20, 0xFF_FFFF, 0), (0x21, 0, 0), (0x22, 1, 1), (0x24, 2, 1)];
        assert_eq!(seen, expected);
        assert_eq!((psn_of(context.unacknowledged), context.outstanding()), (3, 0));
    }

    #[test]
    fn nothing_succeeds_behind_data_that_is_missing() {
        let mut context = sending(&[300, 0]);
        for (n, gives) in [false, true, true].into_iter().enumerate() {
            let next = plan(&context).expect("three packets");
            let (after, actions) = send(context, &next, gives);
            assert_eq!(actions, [], "packet {n}");
            context = after;
        }
        assert_eq!(context.broken, Some(0));
        let context = restart(context);
        assert_eq!((plan(&context), psn_of(context.next)), (None, 2));
    }
}
