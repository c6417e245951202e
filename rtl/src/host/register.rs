//! Register map of the AXI4-Lite port: 32-bit registers, byte offsets, 20-bit addresses.
use super::field::{field, Field};

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
    /// None: the profile says.
    pub reset: Option<u32>,
    pub count: u32,
    pub stride: u32,
    /// By ascending bits; the others read 0.
    pub fields: &'static [Field],
    pub meaning: &'static str,
}

impl Register {
    /// The register, or the first of them.
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

    /// Ones where a field stands.
    pub fn mask(&self) -> u32 {
        self.fields.iter().fold(0, |mask, field| mask | field.mask())
    }
}

/// Registers that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Upper case.
    pub name: &'static str,
    pub registers: &'static [Register],
    pub meaning: &'static str,
}

/// Value of `ID`: "OHCA".
pub const ID_VALUE: u32 = 0x4F48_4341;
/// Value of `VERSION`: major, minor.
pub const VERSION_VALUE: u32 = 0x0000_0001;

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
pub const PORT_P_KEY: u32 = 0x0060;
pub const PORT_P_KEY_COUNT: u32 = 4;
pub const COMMAND: u32 = 0x0080;
pub const COMMAND_STATUS: u32 = 0x0084;
pub const EQ_BASE_HIGH: u32 = 0x0090;
pub const EQ_BASE_LOW: u32 = 0x0094;
pub const EQ_CONTROL: u32 = 0x0098;
pub const EQ_CONSUMER: u32 = 0x009C;
pub const ARGUMENT: u32 = 0x0100;
pub const ARGUMENT_COUNT: u32 = 24;
pub const DROPPED: u32 = 0x0200;
pub const DROPPED_COUNT: u32 = 32;
pub const SQ_DOORBELL: u32 = 0x1_0000;
pub const RQ_DOORBELL: u32 = 0x1_0004;
pub const DOORBELL_COUNT: u32 = 4096;
pub const QP_STRIDE: u32 = 8;
pub const CQ_CONSUMER: u32 = 0x1_8000;
pub const CQ_ARM: u32 = 0x1_8004;
pub const CQ_STRIDE: u32 = 8;

/// `EQ_CONTROL` bit: events are written.
pub const EQ_ENABLE: u32 = 1 << 31;
/// `CQ_ARM` bit: for solicited completions only.
pub const CQ_ARM_SOLICITED: u32 = 1;

/// `IRQ_STATUS` and `IRQ_ENABLE` bit: a CQE was written.
pub const IRQ_COMPLETION: u32 = 1;
/// The same: an EQE was written.
pub const IRQ_EVENT: u32 = 1;
/// The same: host memory answered the write of a CQE or of an EQE with an error.
pub const IRQ_HOST_MEMORY: u32 = 2;

use Access::{ReadOnly, ReadWrite, WriteOneToClear, WriteOnly};

/// Every register. What is not here reads 0, and takes no write.
pub const MAP: &[Group] = &[
    Group {
        name: "IDENTITY",
        meaning: "What this is, and how large",
        registers: &[
            Register::at(
                ID,
                ReadOnly,
                "ID",
                &[field(
                    "letters",
                    31,
                    0,
                    "\"OHCA\" in ASCII, the first letter on top",
                )],
                "that it is this adapter",
            )
            .resets_to(Some(ID_VALUE)),
            Register::at(
                VERSION,
                ReadOnly,
                "VERSION",
                &[
                    field("minor", 15, 0, "grows with what is added"),
                    field("major", 31, 16, "grows with what is not as before"),
                ],
                "version of this interface",
            )
            .resets_to(Some(VERSION_VALUE)),
            Register::at(
                LIMITS,
                ReadOnly,
                "LIMITS",
                &[
                    field("log_qps", 7, 0, "log2 of queue pairs"),
                    field("log_cqs", 15, 8, "log2 of completion queues"),
                    field("stream_bytes", 23, 16, "width of the packet streams in bytes"),
                    field("log_regions", 31, 24, "log2 of memory regions"),
                ],
                "sizes of the profile",
            )
            .resets_to(None),
        ],
    },
    Group {
        name: "PORT",
        meaning: "The port's addresses and partitions",
        registers: &[
            Register::at(
                PORT,
                ReadWrite,
                "PORT",
                &[
                    field("lid", 15, 0, "base LID"),
                    field("lmc", 18, 16, "low bits of a LID that are path bits"),
                ],
                "local address; native InfiniBand only",
            ),
            Register::at(
                PORT_MAC_HIGH,
                ReadWrite,
                "PORT_MAC_HIGH",
                &[field("bytes", 15, 0, "first two bytes")],
                "MAC address; RoCEv2 only",
            ),
            Register::at(
                PORT_MAC_LOW,
                ReadWrite,
                "PORT_MAC_LOW",
                &[field("bytes", 31, 0, "last four bytes")],
                "MAC address; RoCEv2 only",
            ),
            Register::at(
                PORT_GID,
                ReadWrite,
                "PORT_GID",
                &[field("word", 31, 0, "word n, the first on top")],
                "GID; RoCEv2: IP address, IPv4 as ::ffff:a.b.c.d",
            )
            .repeated(PORT_GID_COUNT, 4),
            Register::at(
                PORT_P_KEY,
                ReadWrite,
                "PORT_P_KEY",
                &[field("p_key", 15, 0, "0: the entry is empty")],
                "entry n of the P_Key table",
            )
            .repeated(PORT_P_KEY_COUNT, 4),
        ],
    },
    Group {
        name: "INTERRUPT",
        meaning: "The interrupt line, level, up while an enabled cause stands",
        registers: &[
            Register::at(
                IRQ_STATUS,
                WriteOneToClear,
                "IRQ_STATUS",
                &[field("completion", 0, 0, "a CQE was written")],
                "causes",
            ),
            Register::at(
                IRQ_ENABLE,
                ReadWrite,
                "IRQ_ENABLE",
                &[field("completion", 0, 0, "a CQE raises the line")],
                "causes that raise the line",
            ),
        ],
    },
    Group {
        name: "COUNTERS",
        meaning: "Since reset, modulo 2^32",
        registers: &[
            Register::at(
                PACKETS_RECEIVED,
                ReadOnly,
                "PACKETS_RECEIVED",
                &[field("packets", 31, 0, "dropped ones included")],
                "packets that arrived",
            ),
            Register::at(
                PACKETS_SENT,
                ReadOnly,
                "PACKETS_SENT",
                &[field("packets", 31, 0, "of all queue pairs")],
                "packets handed to the link",
            ),
            Register::at(
                PACKETS_DROPPED,
                ReadOnly,
                "PACKETS_DROPPED",
                &[field("packets", 31, 0, "for any reason")],
                "packets discarded",
            ),
            Register::at(
                DROPPED,
                ReadOnly,
                "DROPPED",
                &[field("packets", 31, 0, "for reason n")],
                "packets discarded, by the reasons that the retire port numbers",
            )
            .repeated(DROPPED_COUNT, 4),
        ],
    },
    Group {
        name: "COMMANDS",
        meaning: "One command at a time",
        registers: &[
            Register::at(
                COMMAND,
                WriteOnly,
                "COMMAND",
                &[field("code", 31, 0, "starts with the arguments as they stand")],
                "the command; ignored while one is under way",
            ),
            Register::at(
                COMMAND_STATUS,
                ReadOnly,
                "COMMAND_STATUS",
                &[
                    field("result", 7, 0, "of the last command"),
                    field("busy", 31, 31, "one is under way"),
                ],
                "how it went",
            ),
            Register::at(
                ARGUMENT,
                ReadWrite,
                "ARGUMENT",
                &[field("word", 31, 0, "word n")],
                "arguments of the next command",
            )
            .repeated(ARGUMENT_COUNT, 4),
        ],
    },
    Group {
        name: "DOORBELLS",
        meaning: "One pair for each queue pair, by the low bits of its QPN",
        registers: &[
            Register::at(
                SQ_DOORBELL,
                WriteOnly,
                "SQ_DOORBELL",
                &[field("producer", 15, 0, "WQEs posted so far, modulo 2^16")],
                "the send queue holds more",
            )
            .repeated(DOORBELL_COUNT, QP_STRIDE),
            Register::at(
                RQ_DOORBELL,
                WriteOnly,
                "RQ_DOORBELL",
                &[field("producer", 15, 0, "WQEs posted so far, modulo 2^16")],
                "the receive queue holds more",
            )
            .repeated(DOORBELL_COUNT, QP_STRIDE),
        ],
    },
];

/// Every register, group by group.
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
