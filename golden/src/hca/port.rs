//! Verbs of the port. Their settings apply to the packets that are judged, or leave, from then on.
use super::Hca;

impl Hca {
    /// Sets the base LID of a native port, whose low `lmc` bits are 0, and its LMC (`link.md` section 2).
    pub fn set_lid(&mut self, lid: u16, lmc: u8) {
        (self.port.lid, self.port.lmc) = (lid, lmc);
    }
}
