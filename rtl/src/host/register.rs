//! Register map of the AXI4-Lite port: 32-bit registers, byte offsets, 20-bit addresses.

/// How software may touch a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
    WriteOnly,
    /// Writing ones clears those bits.
    WriteOneToClear,
}

/// One register, or `count` of them `stride` bytes apart.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    pub name: &'static str,
    pub offset: u32,
    pub access: Access,
    pub reset: u32,
    pub count: u32,
    pub stride: u32,
    pub meaning: &'static str,
}

const fn one(name: &'static str, offset: u32, access: Access, reset: u32, meaning: &'static str) -> Register {
    Register {
        name,
        offset,
        access,
        reset,
        count: 1,
        stride: 4,
        meaning,
    }
}

/// Value of `ID`: "OHCA".
pub const ID_VALUE: u32 = 0x4F48_4341;
/// Value of `VERSION`: major, minor.
pub const VERSION_VALUE: u32 = 0x0000_0001;

pub const ID: u32 = 0x0000;
pub const VERSION: u32 = 0x0004;
pub const LIMITS: u32 = 0x0008;
pub const PORT: u32 = 0x0010;
pub const PORT_MAC_HIGH: u32 = 0x0018;
pub const PORT_MAC_LOW: u32 = 0x001C;
pub const PORT_GID: u32 = 0x0030;
pub const IRQ_STATUS: u32 = 0x0020;
pub const IRQ_ENABLE: u32 = 0x0024;
pub const PACKETS_RECEIVED: u32 = 0x0040;
pub const PACKETS_SENT: u32 = 0x0044;
pub const PACKETS_DROPPED: u32 = 0x0048;
pub const PORT_P_KEY: u32 = 0x0060;
pub const PORT_P_KEY_COUNT: u32 = 4;
pub const COMMAND: u32 = 0x0080;
pub const COMMAND_STATUS: u32 = 0x0084;
pub const ARGUMENT: u32 = 0x0100;
pub const ARGUMENT_COUNT: u32 = 24;
pub const DROPPED: u32 = 0x0200;
pub const DROPPED_COUNT: u32 = 32;
pub const SQ_DOORBELL: u32 = 0x1_0000;
pub const RQ_DOORBELL: u32 = 0x1_0004;
pub const QP_STRIDE: u32 = 8;

/// `IRQ_STATUS` and `IRQ_ENABLE` bit: a CQE was written.
pub const IRQ_COMPLETION: u32 = 1;

/// Every register.
pub const MAP: &[Register] = &[
    one("ID", ID, Access::ReadOnly, ID_VALUE, "\"OHCA\""),
    one(
        "VERSION",
        VERSION,
        Access::ReadOnly,
        VERSION_VALUE,
        "interface version: major[31:16], minor[15:0]",
    ),
    one(
        "LIMITS",
        LIMITS,
        Access::ReadOnly,
        0,
        "log2 of QPs [7:0], log2 of CQs [15:8], stream bits / 8 [23:16], log2 of memory regions [31:24]",
    ),
    one("PORT", PORT, Access::ReadWrite, 0, "base LID [15:0], LMC [18:16]"),
    one(
        "PORT_MAC_HIGH",
        PORT_MAC_HIGH,
        Access::ReadWrite,
        0,
        "first two bytes of the port's MAC address [15:0]; RoCEv2 only",
    ),
    one(
        "PORT_MAC_LOW",
        PORT_MAC_LOW,
        Access::ReadWrite,
        0,
        "last four bytes of the port's MAC address; RoCEv2 only",
    ),
    Register {
        name: "PORT_GID",
        offset: PORT_GID,
        access: Access::ReadWrite,
        reset: 0,
        count: 4,
        stride: 4,
        meaning: "the port's GID, first word first; RoCEv2: its IP address, IPv4 as ::ffff:a.b.c.d",
    },
    one(
        "IRQ_STATUS",
        IRQ_STATUS,
        Access::WriteOneToClear,
        0,
        "bit 0: a CQE was written",
    ),
    one(
        "IRQ_ENABLE",
        IRQ_ENABLE,
        Access::ReadWrite,
        0,
        "irq = any of IRQ_STATUS and IRQ_ENABLE",
    ),
    one(
        "PACKETS_RECEIVED",
        PACKETS_RECEIVED,
        Access::ReadOnly,
        0,
        "packets that arrived, dropped ones included",
    ),
    one(
        "PACKETS_SENT",
        PACKETS_SENT,
        Access::ReadOnly,
        0,
        "packets handed to the link",
    ),
    one(
        "PACKETS_DROPPED",
        PACKETS_DROPPED,
        Access::ReadOnly,
        0,
        "packets discarded, for any reason",
    ),
    Register {
        name: "PORT_P_KEY",
        offset: PORT_P_KEY,
        access: Access::ReadWrite,
        reset: 0,
        count: PORT_P_KEY_COUNT,
        stride: 4,
        meaning: "entry n of the port's P_Key table [15:0]; 0: empty",
    },
    one(
        "COMMAND",
        COMMAND,
        Access::WriteOnly,
        0,
        "writing a command code starts it with ARGUMENT as they stand",
    ),
    one(
        "COMMAND_STATUS",
        COMMAND_STATUS,
        Access::ReadOnly,
        0,
        "bit 31: busy; [7:0] result of the last command",
    ),
    Register {
        name: "ARGUMENT",
        offset: ARGUMENT,
        access: Access::ReadWrite,
        reset: 0,
        count: ARGUMENT_COUNT,
        stride: 4,
        meaning: "arguments of the next command",
    },
    Register {
        name: "DROPPED",
        offset: DROPPED,
        access: Access::ReadOnly,
        reset: 0,
        count: DROPPED_COUNT,
        stride: 4,
        meaning: "packets discarded for the reason that the retire port calls n",
    },
    Register {
        name: "SQ_DOORBELL",
        offset: SQ_DOORBELL,
        access: Access::WriteOnly,
        reset: 0,
        count: 4096,
        stride: QP_STRIDE,
        meaning: "of QP index n: producer index [15:0] of its send queue",
    },
    Register {
        name: "RQ_DOORBELL",
        offset: RQ_DOORBELL,
        access: Access::WriteOnly,
        reset: 0,
        count: 4096,
        stride: QP_STRIDE,
        meaning: "of QP index n: producer index [15:0] of its receive queue",
    },
];
