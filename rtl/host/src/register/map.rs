//! The registers, group by group.
use super::port_map::{MANAGEMENT_GROUP, PORT_GROUP, VIOLATIONS_GROUP};
use super::{Access, Group, Register};
use super::{
    ARGUMENT, ARGUMENT_COUNT, CAPABILITIES, COMMAND, COMMAND_STATUS, CQ_ARM, CQ_CONSUMER, CQ_STRIDE,
    DATAGRAM_LIMITS, DOORBELL_COUNT, DROPPED, DROPPED_COUNT, EQ_BASE_HIGH, EQ_BASE_LOW, EQ_CONSUMER,
    EQ_CONTROL, ID, ID_VALUE, IRQ_ENABLE, IRQ_STATUS, LIMITS, PACKETS_DROPPED, PACKETS_RECEIVED,
    PACKETS_SENT, QP_STRIDE, QUEUE_LIMITS, QUEUE_LIMITS_VALUE, RQ_DOORBELL, SQ_DOORBELL, VERSION,
    VERSION_VALUE, WORK_LIMITS,
};
use crate::field::field;
use Access::{ReadOnly, ReadWrite, WriteOneToClear, WriteOnly};

/// Every register. Other addresses read 0, and writes to them have no effect.
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
            Register::at(
                QUEUE_LIMITS,
                ReadOnly,
                "QUEUE_LIMITS",
                &[
                    field(
                        "log_cqes",
                        3,
                        0,
                        "log2 of the entries of a completion ring, at most",
                    ),
                    field("log_send_wqes", 11, 8, "the same of a send ring"),
                    field("log_receive_wqes", 19, 16, "the same of a receive ring"),
                    field(
                        "max_rd_atomic",
                        28,
                        24,
                        "reads and atomics under way of a QP, each way",
                    ),
                ],
                "sizes that the profiles share",
            )
            .resets_to(Some(QUEUE_LIMITS_VALUE)),
            Register::at(
                WORK_LIMITS,
                ReadOnly,
                "WORK_LIMITS",
                &[
                    field("max_sges", 7, 0, "SGEs of a WQE"),
                    field("max_inline", 23, 8, "bytes of inline data"),
                    field("roce", 24, 24, "the link is RoCEv2"),
                    field("ports", 31, 28, "number of ports"),
                ],
                "sizes of work, and what the link is",
            )
            .resets_to(None),
            Register::at(
                CAPABILITIES,
                ReadOnly,
                "CAPABILITIES",
                &[
                    field("rc", 0, 0, "Reliable Connection"),
                    field("uc", 1, 1, "Unreliable Connection"),
                    field("ud", 2, 2, "Unreliable Datagram"),
                    field("rd", 3, 3, "Reliable Datagram"),
                    field("raw", 4, 4, "raw packets"),
                    field("resize_cq", 8, 8, "a CQ can be resized"),
                    field("credits", 9, 9, "end-to-end credits"),
                    field("windows", 10, 10, "memory windows"),
                    field("ports", 31, 28, "number of ports"),
                ],
                "what the adapter can do",
            )
            .resets_to(None),
            Register::at(
                DATAGRAM_LIMITS,
                ReadOnly,
                "DATAGRAM_LIMITS",
                &[
                    field("log_handles", 7, 0, "log2 of address handles"),
                    field("groups", 15, 8, "multicast groups"),
                    field("members", 23, 16, "members of a group"),
                    field("gids", 31, 24, "entries of the GID table"),
                ],
                "sizes of what UD uses",
            )
            .resets_to(None),
        ],
    },
    PORT_GROUP,
    Group {
        name: "INTERRUPT",
        meaning: "The interrupt line, level, up while an enabled cause stands",
        registers: &[
            Register::at(
                IRQ_STATUS,
                WriteOneToClear,
                "IRQ_STATUS",
                &[
                    field("event", 0, 0, "an EQE was written"),
                    field(
                        "host_memory",
                        1,
                        1,
                        "the write of a CQE or EQE was answered with an error",
                    ),
                ],
                "causes",
            ),
            Register::at(
                IRQ_ENABLE,
                ReadWrite,
                "IRQ_ENABLE",
                &[
                    field("event", 0, 0, "an EQE raises the line"),
                    field("host_memory", 1, 1, "so does such an error"),
                ],
                "causes that raise the line",
            ),
        ],
    },
    Group {
        name: "EVENTS",
        meaning: "The event queue; what happens while it is full or off waits, and nothing is lost",
        registers: &[
            Register::at(
                EQ_BASE_HIGH,
                ReadWrite,
                "EQ_BASE_HIGH",
                &[field("address", 31, 0, "upper half")],
                "ring, 64-byte aligned",
            ),
            Register::at(
                EQ_BASE_LOW,
                ReadWrite,
                "EQ_BASE_LOW",
                &[field("address", 31, 0, "lower half")],
                "the same",
            ),
            Register::at(
                EQ_CONTROL,
                ReadWrite,
                "EQ_CONTROL",
                &[
                    field("log_size", 3, 0, "log2 of EQEs"),
                    field(
                        "enable",
                        31,
                        31,
                        "written as 1: the queue starts, empty; as 0: it stops; an EQE that is on the bus by then still goes to the ring before",
                    ),
                ],
                "size, and whether events are written",
            ),
            Register::at(
                EQ_CONSUMER,
                ReadWrite,
                "EQ_CONSUMER",
                &[field("consumer", 15, 0, "EQEs taken, modulo 2^16")],
                "0 when the queue starts",
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
    VIOLATIONS_GROUP,
    MANAGEMENT_GROUP,
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
    Group {
        name: "CQ_DOORBELLS",
        meaning: "One pair for each completion queue",
        registers: &[
            Register::at(
                CQ_CONSUMER,
                WriteOnly,
                "CQ_CONSUMER",
                &[field("consumer", 15, 0, "CQEs polled so far, modulo 2^16")],
                "their places are free",
            )
            .repeated(DOORBELL_COUNT, CQ_STRIDE),
            Register::at(
                CQ_ARM,
                WriteOnly,
                "CQ_ARM",
                &[field("solicited", 0, 0, "for solicited completions only")],
                "the next completion makes an event; armed both ways, any does",
            )
            .repeated(DOORBELL_COUNT, CQ_STRIDE),
        ],
    },
];
