//! Verbs of memory regions, and queries (`protocol/qp_cq.md`). A refused verb changes nothing.
use super::{Hca, QpStatus};
use crate::refusal::VerbError;
use crate::verbs::{MemoryRegion, QpState};

impl Hca {
    /// Registers a memory region; neither of its keys may be in use.
    pub fn reg_mr(&mut self, region: MemoryRegion) -> Result<(), VerbError> {
        self.regions.register(region)
    }

    /// Notes that the verb that registered the region with this L_Key has ended: every request that arrives, and every
    /// send request that is posted, from now on finds it.
    pub fn region_stands(&mut self, l_key: u32) {
        self.regions.stands(l_key, self.moment());
    }

    /// Removes the memory region with this L_Key.
    pub fn dereg_mr(&mut self, l_key: u32) -> Result<(), VerbError> {
        self.regions.deregister(l_key)
    }

    /// Notes that the verb that deregistered or invalidated a region has ended: no access may find it any more.
    pub fn region_is_gone(&mut self) {
        self.regions.settle();
    }

    /// Invalidates both keys of the memory region with this R_Key, as a peer does by Send with Invalidate.
    pub fn invalidate(&mut self, r_key: u32) {
        self.regions.invalidate(r_key);
    }

    /// Returns the state and the sequence numbers of a QP.
    pub fn query(&self, qpn: u32) -> Result<QpStatus, VerbError> {
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(qp.status())
    }

    /// Returns true if the QP is in Error, or has to move there and the device has not reported it.
    pub fn has_failed(&self, qpn: u32) -> bool {
        let qp = self.qps.get(&qpn);
        qp.is_some_and(|qp| qp.state == QpState::Error || qp.has_to_fail())
    }
}
