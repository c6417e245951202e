//! Register map of the AXI4-Lite port: 32-bit registers, byte offsets, 20-bit addresses.
mod map;
mod port_map;

use super::command::{MAX_LOG_SIZE, MAX_RD_ATOMIC, MAX_SQ_LOG_SIZE};
use super::field::Field;
use super::wqe;

/// Kinds of access to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
    WriteOnly,
    /// Writing a one clears its bit.
    WriteOneToClear,
}

/// One register, or `count` of them `stride` bytes apart.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name in upper case.
    pub name: &'static str,
    /// Byte offset of the register, or of the first register.
    pub offset: u32,
    /// What software may do with it.
    pub access: Access,
    /// Value after reset; `None` if it depends on the profile.
    pub reset: Option<u32>,
    /// Number of registers.
    pub count: u32,
    /// Distance of two registers in bytes.
    pub stride: u32,
    /// Fields, by ascending bits. Bits that belong to no field read 0.
    pub fields: &'static [Field],
    /// Text for the documentation.
    pub meaning: &'static str,
}

impl Register {
    /// Makes one register at this byte offset.
    const fn at(
        offset: u32,
        access: Access,
        name: &'static str,
        fields: &'static [Field],
        meaning: &'static str,
    ) -> Register {
        Register {
            name,
            offset,
            access,
            reset: Some(0),
            count: 1,
            stride: 4,
            fields,
            meaning,
        }
    }

    const fn resets_to(self, reset: Option<u32>) -> Register {
        Register { reset, ..self }
    }

    const fn repeated(self, count: u32, stride: u32) -> Register {
        Register {
            count,
            stride,
            ..self
        }
    }

    /// Returns a word with ones in the bits of all fields.
    pub fn mask(&self) -> u32 {
        self.fields.iter().fold(0, |mask, field| mask | field.mask())
    }
}

/// Registers with a common purpose.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Name in upper case.
    pub name: &'static str,
    /// Its registers.
    pub registers: &'static [Register],
    /// Text for the documentation.
    pub meaning: &'static str,
}

/// Value of `ID`: "OHCA".
pub const ID_VALUE: u32 = 0x4F48_4341;
/// Value of `VERSION`: major and minor version.
pub const VERSION_VALUE: u32 = 0x0000_0003;

/// Value of `QUEUE_LIMITS`.
pub const QUEUE_LIMITS_VALUE: u32 =
    MAX_LOG_SIZE | MAX_SQ_LOG_SIZE << 8 | MAX_LOG_SIZE << 16 | MAX_RD_ATOMIC << 24;
/// Value of `WORK_LIMITS`, without the bit for the link and the number of ports.
pub const WORK_LIMITS_VALUE: u32 = wqe::MAX_SGES as u32 | (wqe::MAX_INLINE as u32) << 8;

/// Value of `CAPABILITIES`, without the number of ports: RC, UC and UD, CQ resize, end-to-end credits.
pub const CAPABILITIES_VALUE: u32 = 1 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 9;
/// Lowest bit of the number of ports in `WORK_LIMITS` and in `CAPABILITIES`.
pub const PORTS_SHIFT: u32 = 28;
/// Distance in bytes from a register of the groups `PORT`, `VIOLATIONS` and `MANAGEMENT`, which are those of port 1, to
/// the same register of port 2.
pub const PORT_STRIDE: u32 = 0x0400;
/// Number of multicast groups, and number of members of each.
pub const GROUPS: u32 = 8;
pub const GROUP_MEMBERS: u32 = 16;
/// Entries of the GID table of a native port; a RoCEv2 port has one.
pub const GIDS: u32 = 4;
/// Number of entries of each arbitration table of a native port.
pub const VL_ARBITRATION_ENTRIES: u32 = 8;
/// Value of `DATAGRAM_LIMITS`, without the numbers of address handles and of GIDs: groups, members.
pub const DATAGRAM_LIMITS_VALUE: u32 = GROUPS << 8 | GROUP_MEMBERS << 16;

/// Values of the fields of [`PORT_STATE`].
pub mod port_state {
    pub const DOWN: u32 = 1;
    pub const INIT: u32 = 2;
    pub const ARMED: u32 = 3;
    pub const ACTIVE: u32 = 4;
    pub const ACTIVE_DEFER: u32 = 5;
    /// Mask of field `state`.
    pub const STATE: u32 = 7;
    /// Mask of field `changing`.
    pub const CHANGING: u32 = 1 << 3;
    /// Mask of field `disabled`.
    pub const DISABLED: u32 = 1 << 4;
    /// Mask of field `link_up`.
    pub const LINK_UP: u32 = 1 << 5;
}

/// Values of the fields of [`VIOLATION`].
pub mod violation {
    /// Mask of field `held`.
    pub const HELD: u32 = 1;
    /// Mask of field `q_key`.
    pub const Q_KEY: u32 = 1 << 1;
}

/// Values of the fields of [`PORT_VLS`].
pub mod port_vls {
    /// Mask of field `operational`.
    pub const OPERATIONAL: u32 = 0xF;
    /// Lowest bit of field `cap`.
    pub const CAP_SHIFT: u32 = 4;
    /// Mask of field `flow_control`.
    pub const FLOW_CONTROL: u32 = 1 << 8;
}

/// Codes of the active MTU in register [`PORT_MTU`] (`protocol/pmtu.csv`), which are those of the PMTU of a queue pair.
pub mod port_mtu {
    /// Lowest code: 256 bytes.
    pub const LEAST: u32 = 1;
    /// Highest code, 4096 bytes, and value after reset.
    pub const MOST: u32 = 5;
}

pub const ID: u32 = 0x0000;
pub const VERSION: u32 = 0x0004;
pub const LIMITS: u32 = 0x0008;
pub const QUEUE_LIMITS: u32 = 0x000C;
pub const PORT: u32 = 0x0010;
pub const WORK_LIMITS: u32 = 0x0014;
pub const PORT_MAC_HIGH: u32 = 0x0018;
pub const PORT_MAC_LOW: u32 = 0x001C;
pub const PORT_GID: u32 = 0x0030;
pub const PORT_GID_COUNT: u32 = 4;
pub const IRQ_STATUS: u32 = 0x0020;
pub const IRQ_ENABLE: u32 = 0x0024;
pub const PACKETS_RECEIVED: u32 = 0x0040;
pub const PACKETS_SENT: u32 = 0x0044;
pub const PACKETS_DROPPED: u32 = 0x0048;
pub const CAPABILITIES: u32 = 0x0050;
pub const DATAGRAM_LIMITS: u32 = 0x0054;
pub const P_KEY_VIOLATIONS: u32 = 0x0058;
pub const Q_KEY_VIOLATIONS: u32 = 0x005C;
pub const PORT_P_KEY: u32 = 0x0060;
pub const PORT_P_KEY_COUNT: u32 = 4;
pub const VL15_DROPPED: u32 = 0x0070;
pub const PORT_STATE: u32 = 0x0074;
pub const PORT_XMIT_DISCARDS: u32 = 0x0078;
pub const COMMAND: u32 = 0x0080;
pub const COMMAND_STATUS: u32 = 0x0084;
pub const EQ_BASE_HIGH: u32 = 0x0090;
pub const EQ_BASE_LOW: u32 = 0x0094;
pub const EQ_CONTROL: u32 = 0x0098;
pub const EQ_CONSUMER: u32 = 0x009C;
pub const LINK_ERROR_RECOVERY: u32 = 0x00A0;
pub const LINK_DOWNED: u32 = 0x00A4;
pub const PORT_VLS: u32 = 0x00A8;
pub const SL_TO_VL: u32 = 0x00B0;
pub const SL_TO_VL_COUNT: u32 = 2;
pub const PORT_RCV_ERRORS: u32 = 0x00B8;
pub const PORT_RCV_REMOTE_PHYSICAL_ERRORS: u32 = 0x00BC;
pub const PORT_XMIT_DATA: u32 = 0x00C0;
pub const PORT_RCV_DATA: u32 = 0x00C4;
pub const PORT_XMIT_PKTS: u32 = 0x00C8;
pub const PORT_RCV_PKTS: u32 = 0x00CC;
pub const EXCESSIVE_BUFFER_OVERRUN: u32 = 0x00D0;
pub const PORT_XMIT_WAIT: u32 = 0x00D4;
pub const VL_HIGH_LIMIT: u32 = 0x00D8;
pub const PORT_GUID: u32 = 0x00E0;
pub const PORT_GUID_COUNT: u32 = 2 * (GIDS - 1);
pub const ARGUMENT: u32 = 0x0100;
pub const ARGUMENT_COUNT: u32 = 26;
pub const VL_ARBITRATION: u32 = 0x0180;
pub const VL_ARBITRATION_COUNT: u32 = VL_ARBITRATION_ENTRIES;
pub const VIOLATION_DATA: u32 = 0x01C0;
pub const VIOLATION_DATA_COUNT: u32 = 12;
pub const VIOLATION: u32 = 0x01F0;
pub const PORT_WIDE: u32 = 0x0300;
pub const PORT_WIDE_COUNT: u32 = 12;
pub const DROPPED: u32 = 0x0200;
pub const DROPPED_COUNT: u32 = 64;
pub const PORT_MTU: u32 = 0x03F0;
pub const SQ_DOORBELL: u32 = 0x1_0000;
pub const RQ_DOORBELL: u32 = 0x1_0004;
pub const DOORBELL_COUNT: u32 = 4096;
pub const QP_STRIDE: u32 = 8;
pub const CQ_CONSUMER: u32 = 0x1_8000;
pub const CQ_ARM: u32 = 0x1_8004;
pub const CQ_STRIDE: u32 = 8;

/// `EQ_CONTROL` bit: events are written.
pub const EQ_ENABLE: u32 = 1 << 31;
/// `CQ_ARM` bit: the arming is for solicited completions only.
pub const CQ_ARM_SOLICITED: u32 = 1;

/// `IRQ_STATUS` and `IRQ_ENABLE` bit: an EQE was written.
pub const IRQ_EVENT: u32 = 1;
/// `IRQ_STATUS` and `IRQ_ENABLE` bit: host memory answered the write of a CQE or of an EQE with an error.
pub const IRQ_HOST_MEMORY: u32 = 2;

pub use map::MAP;

/// Returns every register, group by group.
pub fn all() -> impl Iterator<Item = &'static Register> {
    MAP.iter().flat_map(|group| group.registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_stand_at_one_place() {
        let mut places: Vec<u32> = all()
            .flat_map(|r| (0..r.count).map(|n| r.offset + n * r.stride))
            .collect();
        let registers = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), registers);
        assert!(places.iter().all(|place| place % 4 == 0 && *place < 1 << 20));
    }

    #[test]
    fn fields_ascend_without_overlap_and_hold_the_reset_value() {
        for register in all() {
            assert!(
                register.fields.windows(2).all(|f| f[0].high < f[1].low),
                "{}",
                register.name
            );
            assert!(
                register.fields.iter().all(|f| f.low <= f.high && f.high < 32),
                "{}",
                register.name
            );
            assert_eq!(
                register.reset.unwrap_or(0) & !register.mask(),
                0,
                "{}",
                register.name
            );
        }
    }
}
