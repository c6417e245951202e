//! Verbs of memory regions, and queries (`protocol/qp_cq.md`). A refused verb changes nothing.
use super::{Hca, QpStatus};
use crate::refusal::VerbError;
use crate::verbs::{MemoryRegion, QpState};

impl Hca {
    /// Registers a memory region; neither of its keys may be in use.
    pub fn reg_mr(&mut self, region: MemoryRegion) -> Result<(), VerbError> {
        self.regions.register(region)
    }

    /// The verb that registered the region with this L_Key has ended: every request that comes now finds it.
    pub fn region_stands(&mut self, l_key: u32) {
        self.regions.stands(l_key, self.arrived);
    }

    /// Removes the memory region with this L_Key.
    pub fn dereg_mr(&mut self, l_key: u32) -> Result<(), VerbError> {
        self.regions.deregister(l_key)
    }

    /// The verb that deregistered or invalidated a region has ended: no access may find it any more.
    pub fn region_is_gone(&mut self) {
        self.regions.settle();
    }

    /// Invalidates both keys of the memory region with this R_Key, as the peer can by Send with Invalidate.
    pub fn invalidate(&mut self, r_key: u32) {
        self.regions.invalidate(r_key);
    }

    /// State and sequence numbers of a QP.
    pub fn query(&self, qpn: u32) -> Result<QpStatus, VerbError> {
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(qp.status())
    }

    /// True if the QP is in Error, or has to move there and the device has not reported that yet.
    pub fn has_failed(&self, qpn: u32) -> bool {
        let qp = self.qps.get(&qpn);
        qp.is_some_and(|qp| qp.state == QpState::Error || qp.has_to_fail())
    }
}
