//! The moment at which a modification of a QP takes effect: on the receive side first, then on the send side
//! (`protocol/qp_cq.md` section 1).
use super::paces::Holder;
use super::queue_pair::QueuePair;
use super::{Hca, Output, Rule, Violation};
use crate::verbs::{QpState, QueueSide};

impl QueuePair {
    /// Returns the side on which a modification has to take effect next, and the new state.
    pub fn modification_due(&self) -> Option<(QueueSide, QpState)> {
        let m = self.modification.as_ref()?;
        let side = match m.received {
            true => QueueSide::Send,
            false => QueueSide::Receive,
        };
        Some((side, m.state))
    }
}

impl Hca {
    /// Follows the event that this side uses the new context. For a QP that goes to Reset, the event of the send side
    /// says that nothing of the QP is under way any more.
    pub(super) fn modified(
        &mut self,
        qpn: u32,
        side: QueueSide,
        state: QpState,
    ) -> Result<Vec<Output>, Violation> {
        let now = self.moment();
        let qp = self.qp(qpn)?;
        let says = format!("moved the {side:?} side to {state:?}");
        if qp.modification_due() != Some((side, state)) {
            let expected = match qp.modification_due() {
                Some((side, state)) => format!("the {side:?} side to move to {state:?}"),
                None => "no modification, for software asked for none".into(),
            };
            return Err(Rule::Modification.broken(qpn, expected, says));
        }
        let Some(mut qp) = self.qps.remove(&qpn) else {
            return Ok(Vec::new());
        };
        let Some(mut m) = qp.modification.take() else {
            return Ok(Vec::new());
        };
        if m.state == QpState::Reset {
            self.paces.renew(Holder::QueuePair(qpn));
        }
        match side {
            QueueSide::Receive => {
                if qp.state == QpState::Reset {
                    qp.known_from = now;
                }
                qp.earlier = Some((qp.attributes.clone(), qp.state, now));
                qp.modify_receive_side(&m);
                m.received = true;
                qp.modification = Some(m);
            }
            QueueSide::Send => {
                if m.state == QpState::Reset {
                    self.events.forget(qpn);
                }
                if m.destroys {
                    return Ok(Vec::new());
                }
                qp.modify_send_side(&m);
                self.report_drained(&mut qp);
            }
        }
        self.qps.insert(qpn, qp);
        Ok(Vec::new())
    }

    /// Lets a modification that has a result take effect on both sides at once.
    pub(super) fn finish_modification(&mut self, qpn: u32) {
        while let Some((side, state)) = self.qps.get(&qpn).and_then(QueuePair::modification_due) {
            if self.modified(qpn, side, state).is_err() {
                return;
            }
        }
    }
}
