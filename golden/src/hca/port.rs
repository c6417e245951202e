//! Verbs of the port. Their settings apply to the packets that are judged, or leave, from then on.
use super::Hca;
use crate::port::GIDS;

impl Hca {
    /// Sets the base LID of a native port, whose low `lmc` bits are 0, and its LMC (`link.md` section 2).
    pub fn set_lid(&mut self, lid: u16, lmc: u8) {
        (self.port.lid, self.port.lmc) = (lid, lmc);
    }

    /// Sets the GID table of a native port: entry 0, and the GUIDs of the others, 0 for an empty one (`link.md`
    /// section 2).
    pub fn set_gids(&mut self, gid: [u8; 16], guids: [u64; GIDS - 1]) {
        (self.port.gid, self.port.guids) = (gid, guids);
    }
}
