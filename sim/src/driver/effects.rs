//! Applies the effects of successful commands to the driver's state.
use super::effect::Effect;
use super::qp::Qp;
use super::state::{QpState, Side};
use super::Driver;
use crate::memory::Memory;

impl Driver {
    /// Undoes a refused command: the rings that were allocated for it are freed.
    pub(super) fn take_back(&mut self, effect: Effect) {
        match effect {
            Effect::CqMade(cq) => cq.places().for_each(|place| self.rings.release(place.base)),
            Effect::CqMoved { place, .. } => self.rings.release(place.base),
            Effect::QpMade { qp, .. } => self.release(&qp),
            _ => {}
        }
    }

    /// Applies the effect of a command; `answer` holds the words that the command returned.
    pub(super) fn take_effect(&mut self, effect: Effect, answer: &[u32], memory: &Memory) {
        match effect {
            Effect::Nothing => {}
            Effect::CqMade(cq) => {
                self.cqs.insert(cq.number(), *cq);
            }
            Effect::CqMoved { cqn, place } => {
                let producer = answer.first().copied().unwrap_or(0) as u16;
                if let Some(cq) = self.cqs.get_mut(&cqn) {
                    cq.move_to(place, producer);
                }
            }
            Effect::CqGone { cqn } => {
                if let Some(cq) = self.cqs.remove(&cqn) {
                    cq.places().for_each(|place| self.rings.release(place.base));
                }
            }
            Effect::QpMade { index, qp } => {
                self.qps.insert(index, *qp);
            }
            Effect::QpMoved {
                index,
                state,
                max_rd_atomic,
                port,
            } => {
                if state == QpState::Reset {
                    self.forget_work(memory, index);
                }
                if let Some(qp) = self.qps.get_mut(&index) {
                    qp.state = state;
                    let depth = (state == QpState::Reset).then_some(0);
                    qp.port = port.unwrap_or(qp.port);
                    qp.max_rd_atomic = depth.or(max_rd_atomic).unwrap_or(qp.max_rd_atomic);
                }
            }
            Effect::QpGone { index } => {
                self.forget_work(memory, index);
                if let Some(qp) = self.qps.remove(&index) {
                    self.release(&qp);
                }
            }
        }
    }

    fn release(&mut self, qp: &Qp) {
        for side in [Side::Send, Side::Receive] {
            let place = qp.ring(side).place;
            self.rings.release(place.entries.base);
            self.rings.release(place.areas.base);
        }
    }

    /// A reset removes a QP's work and its unpolled completions (`protocol/qp_cq.md` section 1).
    fn forget_work(&mut self, memory: &Memory, index: u32) {
        let Driver { qps, cqs, rings, .. } = self;
        for cq in cqs.values_mut() {
            for place in cq.collect(memory, qps) {
                rings.release(place.base);
            }
            cq.forget(|completion| qps.get(&index).is_some_and(|qp| qp.qpn == completion.qpn));
        }
        if let Some(qp) = qps.get_mut(&index) {
            for side in [Side::Send, Side::Receive] {
                if let Some(cq) = cqs.get_mut(&qp.cqn(side)) {
                    cq.release(qp.ring(side).outstanding());
                }
                qp.ring_mut(side).clear();
            }
        }
    }
}
