//! Traps that a channel adapter sends.
use super::super::mad::Smp;
use super::Notice;

/// Type of an urgent, generic notice.
const URGENT: u8 = 0x81;
const SECURITY: u8 = 0x82;
const INFORMATION: u8 = 0x84;
/// ProducerType of a channel adapter.
const CHANNEL_ADAPTER: u32 = 1;
/// Number of entries of the return path for which a notice has room.
const PATH_ENTRIES: usize = 30;

/// What changed in an adapter without its manager. A change of the capability mask is not listed, because the mask
/// itself shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalChange {
    pub node_description: bool,
    pub link_width: bool,
    pub link_speed: bool,
}

impl LocalChange {
    /// Returns the ChangeFlags.
    fn flags(self) -> u16 {
        u16::from(self.node_description) | u16::from(self.link_width) << 1 | u16::from(self.link_speed) << 2
    }
}

/// An SMP whose M_Key was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedSmp {
    /// Source LID; FFFFh if the SMP came by a directed route from its requester.
    pub slid: u16,
    pub method: u8,
    pub attribute: u16,
    pub modifier: u32,
    pub m_key: u64,
    /// The directed route of the SMP, if it has one.
    pub route: Option<RefusedRoute>,
}

/// The directed route of a refused SMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedRoute {
    pub dr_slid: u16,
    pub hop_count: u8,
    /// The first entries of the return path.
    pub return_path: [u8; PATH_ENTRIES],
}

impl RefusedSmp {
    /// Makes the record of an SMP that came from this LID.
    pub fn of(slid: u16, smp: &Smp) -> RefusedSmp {
        let mut return_path = [0; PATH_ENTRIES];
        return_path.copy_from_slice(&smp.return_path[..PATH_ENTRIES]);
        RefusedSmp {
            slid,
            method: smp.header.method,
            attribute: smp.header.attribute,
            modifier: smp.header.modifier,
            m_key: smp.m_key,
            route: smp.is_directed().then_some(RefusedRoute {
                dr_slid: smp.dr_slid,
                hop_count: smp.header.hop_count,
                return_path,
            }),
        }
    }
}

/// A packet whose P_Key or Q_Key did not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BadKey {
    pub slid: u16,
    pub dlid: u16,
    pub key: u32,
    /// Service level, 4 bits.
    pub sl: u8,
    /// QPN of the sender, 24 bits; 0 if the packet does not carry it.
    pub source_qpn: u32,
    /// QPN of the destination, 24 bits.
    pub destination_qpn: u32,
    /// GIDs of the GRH, or 0 if the packet has none.
    pub sgid: [u8; 16],
    pub dgid: [u8; 16],
}

/// The cause of a trap (`protocol/mad.md` section 6). The traps 128 and 259 are a switch's and do not exist here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    LocalLinkIntegrity,
    ExcessiveBufferOverrun,
    FlowControlWatchdog,
    /// The capability mask or something else at the adapter changed. The mask is the one in force.
    LocalChange {
        capability_mask: u32,
        change: LocalChange,
    },
    SystemImageGuid(u64),
    BadMKey(RefusedSmp),
    BadPKey(BadKey),
    BadQKey(BadKey),
}

impl Trap {
    /// Returns the number of the trap.
    pub fn number(&self) -> u16 {
        match self {
            Trap::LocalLinkIntegrity => 129,
            Trap::ExcessiveBufferOverrun => 130,
            Trap::FlowControlWatchdog => 131,
            Trap::LocalChange { .. } => 144,
            Trap::SystemImageGuid(_) => 145,
            Trap::BadMKey(_) => 256,
            Trap::BadPKey(_) => 257,
            Trap::BadQKey(_) => 258,
        }
    }

    fn notice_type(&self) -> u8 {
        match self.number() {
            129..=131 => URGENT,
            144 | 145 => INFORMATION,
            _ => SECURITY,
        }
    }

    /// Returns the notice that the port with this number and LID sends.
    pub fn notice(&self, port: u8, lid: u16) -> Notice {
        Notice {
            notice_type: self.notice_type(),
            producer: CHANNEL_ADAPTER,
            number: self.number(),
            issuer_lid: lid,
            toggle_and_count: 0,
            details: self.details(port, lid),
        }
    }

    fn details(&self, port: u8, lid: u16) -> [u8; 54] {
        let mut details = [0; 54];
        let mut put = |at: usize, bytes: &[u8]| details[at..at + bytes.len()].copy_from_slice(bytes);
        match self {
            Trap::LocalLinkIntegrity | Trap::ExcessiveBufferOverrun | Trap::FlowControlWatchdog => {
                put(2, &lid.to_be_bytes());
                put(4, &[port]);
            }
            Trap::LocalChange {
                capability_mask,
                change,
            } => {
                put(2, &lid.to_be_bytes());
                put(5, &[u8::from(change.flags() != 0)]);
                put(6, &capability_mask.to_be_bytes());
                put(10, &change.flags().to_be_bytes());
            }
            Trap::SystemImageGuid(guid) => {
                put(2, &lid.to_be_bytes());
                put(6, &guid.to_be_bytes());
            }
            Trap::BadMKey(refused) => {
                put(2, &refused.slid.to_be_bytes());
                put(6, &[refused.method]);
                put(8, &refused.attribute.to_be_bytes());
                put(10, &refused.modifier.to_be_bytes());
                put(14, &refused.m_key.to_be_bytes());
                if let Some(route) = &refused.route {
                    let hops = usize::from(route.hop_count);
                    let is_cut = hops > PATH_ENTRIES;
                    put(4, &route.dr_slid.to_be_bytes());
                    put(23, &[0x80 | u8::from(is_cut) << 6 | hops.min(PATH_ENTRIES) as u8]);
                    put(24, &route.return_path);
                }
            }
            Trap::BadPKey(bad) | Trap::BadQKey(bad) => {
                put(2, &bad.slid.to_be_bytes());
                put(4, &bad.dlid.to_be_bytes());
                put(6, &bad.key.to_be_bytes());
                put(
                    10,
                    &(u32::from(bad.sl) << 28 | bad.source_qpn & 0xFF_FFFF).to_be_bytes(),
                );
                put(14, &(bad.destination_qpn & 0xFF_FFFF).to_be_bytes());
                put(18, &bad.sgid);
                put(34, &bad.dgid);
            }
        }
        details
    }
}
