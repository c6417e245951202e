//! A MAD on its way between two queue pairs.
use super::mad::MadBytes;

/// QPN in packets of the queue pair that carries SMPs.
pub const QP0: u32 = 0;

/// A MAD with the addresses of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadPacket {
    /// Number of the port by which it leaves, or to which it came.
    pub port: u8,
    pub slid: u16,
    pub dlid: u16,
    pub sl: u8,
    pub source_qpn: u32,
    pub destination_qpn: u32,
    pub mad: MadBytes,
}

impl MadPacket {
    /// Returns the packet that answers this one, by the same port, with `mad` (`protocol/mad.md` section 2).
    pub fn answer(&self, mad: MadBytes) -> MadPacket {
        MadPacket {
            port: self.port,
            slid: self.dlid,
            dlid: self.slid,
            sl: self.sl,
            source_qpn: self.destination_qpn,
            destination_qpn: self.source_qpn,
            mad,
        }
    }
}
