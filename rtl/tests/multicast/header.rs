//! Headers as the link's receive side hands them on.

pub const PORT_LID: u16 = 0x28;
/// Three path bits.
pub const PORT_LMC: u8 = 3;
pub const PORT_GID: u128 = 0xFE80_0000_0000_0000_0000_0000_0000_0042;
pub const PORT_MAC: u64 = 0x0211_2233_4455;

/// The fields that matter for groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub packet: u32,
    pub slid: u16,
    pub dlid: u16,
    pub has_grh: bool,
    pub sgid: u128,
    pub dgid: u128,
    pub source_mac: u64,
    /// Of a frame; 0 else.
    pub dest_mac: u64,
    pub opcode: u8,
    pub dest_qp: u32,
    pub source_qp: u32,
    pub own: bool,
}

impl Header {
    /// From another port to a group, whose MAC address is 0 on a native link.
    pub fn to(mgid: u128, mlid: u16, mac: u64) -> Header {
        Header {
            packet: 5,
            slid: 1,
            dlid: mlid,
            has_grh: true,
            sgid: 7,
            dgid: mgid,
            source_mac: 9,
            dest_mac: mac,
            opcode: 0x64,
            dest_qp: 0xFF_FFFF,
            source_qp: 0xABCD,
            own: false,
        }
    }

    fn group_mac(&self) -> bool {
        self.dest_mac >> 24 == 0x01_005E || self.dest_mac >> 32 == 0x3333
    }

    fn for_group(&self) -> bool {
        let lid = (0xC000..0xFFFF).contains(&self.dlid);
        self.dest_qp == 0xFF_FFFF || lid || self.group_mac()
    }

    /// `RxHeader`.
    pub fn bytes(&self) -> Vec<u8> {
        let fields: [(u128, usize); 23] = [
            (self.packet.into(), 32),
            (self.slid.into(), 16),
            (self.dlid.into(), 16),
            (0, 4),
            (self.has_grh.into(), 1),
            (0, 1 + 8 + 20 + 8),
            (self.sgid, 128),
            (self.dgid, 128),
            (self.source_mac.into(), 48),
            (0, 16),
            (self.opcode.into(), 8),
            (0, 4 + 16),
            (self.dest_qp.into(), 24),
            (0, 1 + 24 + 24 + 32),
            (self.source_qp.into(), 24),
            (0, 64 + 32 + 32 + 64),
            (0, 64 + 8 + 24 + 64 + 32 + 13),
            ((self.dest_mac & 0xFFFF_FFFF).into(), 32),
            ((self.dest_mac >> 41 & 1).into(), 1),
            (self.group_mac().into(), 1),
            (self.for_group().into(), 1),
            (self.own.into(), 1),
            (0, 3),
        ];
        let mut bytes = vec![0; 1019_usize.div_ceil(8)];
        let mut at = 0;
        for (value, width) in fields {
            for bit in (0..width.min(128)).filter(|bit| value >> bit & 1 == 1) {
                bytes[(at + bit) / 8] |= 1 << ((at + bit) % 8);
            }
            at += width;
        }
        assert_eq!(at, 1019);
        bytes
    }
}
