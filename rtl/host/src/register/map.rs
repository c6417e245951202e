//! The registers, group by group.
use super::{Access, Group, Register};
use super::{ARGUMENT, ARGUMENT_COUNT, COMMAND, COMMAND_STATUS};
use super::{CAPABILITIES, DATAGRAM_LIMITS};
use super::{CQ_ARM, CQ_CONSUMER, CQ_STRIDE, DOORBELL_COUNT, QP_STRIDE, RQ_DOORBELL, SQ_DOORBELL};
use super::{DROPPED, DROPPED_COUNT, PACKETS_DROPPED, PACKETS_RECEIVED, PACKETS_SENT};
use super::{EQ_BASE_HIGH, EQ_BASE_LOW, EQ_CONSUMER, EQ_CONTROL, IRQ_ENABLE, IRQ_STATUS};
use super::{EXCESSIVE_BUFFER_OVERRUN, PORT_RCV_DATA, PORT_RCV_ERRORS, PORT_RCV_PKTS, PORT_VLS};
use super::{ID, ID_VALUE, LIMITS, QUEUE_LIMITS, QUEUE_LIMITS_VALUE, VERSION, VERSION_VALUE, WORK_LIMITS};
use super::{
    LINK_DOWNED, LINK_ERROR_RECOVERY, PORT_RCV_REMOTE_PHYSICAL_ERRORS, PORT_STATE, PORT_XMIT_DISCARDS,
    P_KEY_VIOLATIONS, Q_KEY_VIOLATIONS, VIOLATION, VIOLATION_DATA, VIOLATION_DATA_COUNT, VL15_DROPPED,
};
use super::{
    PORT, PORT_GID, PORT_GID_COUNT, PORT_GUID, PORT_GUID_COUNT, PORT_MAC_HIGH, PORT_MAC_LOW, PORT_P_KEY,
    PORT_P_KEY_COUNT,
};
use super::{PORT_XMIT_DATA, PORT_XMIT_PKTS, PORT_XMIT_WAIT, SL_TO_VL, SL_TO_VL_COUNT};
use super::{VL_ARBITRATION, VL_ARBITRATION_COUNT, VL_HIGH_LIMIT};
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
    Group {
        name: "PORT",
        meaning: "The addresses and partitions of port 1; those of port 2 stand 400h further",
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
                "entry 0 of the GID table; RoCEv2: IP address, IPv4 as ::ffff:a.b.c.d",
            )
            .repeated(PORT_GID_COUNT, 4),
            Register::at(
                PORT_GUID,
                ReadWrite,
                "PORT_GUID",
                &[field("word", 31, 0, "word n, the first of each GUID on top")],
                "GUIDs of the entries of the GID table from 1 on, two words each, behind the prefix of entry 0; 0: the \
                 entry is empty; native InfiniBand only",
            )
            .repeated(PORT_GUID_COUNT, 4),
            Register::at(
                PORT_P_KEY,
                ReadWrite,
                "PORT_P_KEY",
                &[field("p_key", 15, 0, "0: the entry is empty")],
                "entry n of the P_Key table; counts for the next packet that is checked, or leaves",
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
    Group {
        name: "VIOLATIONS",
        meaning: "Packets with a key that does not match, as PortInfo counts them; software may set both; those of port 2 stand 400h further",
        registers: &[
            Register::at(
                P_KEY_VIOLATIONS,
                ReadWrite,
                "P_KEY_VIOLATIONS",
                &[field("count", 15, 0, "stays at FFFFh")],
                "packets, and copies for members of a group, dropped for their P_Key",
            ),
            Register::at(
                Q_KEY_VIOLATIONS,
                ReadWrite,
                "Q_KEY_VIOLATIONS",
                &[field("count", 15, 0, "stays at FFFFh")],
                "the same for the Q_Key of datagrams",
            ),
            Register::at(
                VIOLATION_DATA,
                ReadOnly,
                "VIOLATION_DATA",
                &[field("word", 31, 0, "word n")],
                "of a native port, while `held`: 0 SLID in bits 31:16, DLID; 1 P_Key or Q_Key; 2 SL in bits 31:28, QPN of a \
                 datagram's sender; 3 QPN it was for; 4 to 7 SGID, 8 to 11 DGID, 0 without a GRH",
            )
            .repeated(VIOLATION_DATA_COUNT, 4),
            Register::at(
                VIOLATION,
                ReadWrite,
                "VIOLATION",
                &[
                    field(
                        "held",
                        0,
                        0,
                        "a violation is latched, and those that follow are only counted; writing 1 frees the latch",
                    ),
                    field("q_key", 1, 1, "it is one of the Q_Key; writing has no effect"),
                ],
                "violation latch of a native port: the first packet that is counted above while it is free",
            ),
        ],
    },
    Group {
        name: "MANAGEMENT",
        meaning: "What the agents of a native port read and set; over Ethernet 0, but for a state that is Active; those of port 2 stand 400h further",
        registers: &[
            Register::at(
                VL15_DROPPED,
                ReadWrite,
                "VL15_DROPPED",
                &[field("count", 15, 0, "stays at FFFFh")],
                "packets for QP0 dropped for want of a receive WQE, of a queue pair that receives, or of room in the buffer of VL 15",
            ),
            Register::at(
                PORT_STATE,
                ReadWrite,
                "PORT_STATE",
                &[
                    field(
                        "state",
                        2,
                        0,
                        "1 Down, 2 Init, 3 Armed, 4 Active, 5 ActiveDefer; written: 1, 3 or 4 asks for that state, and \
                         an illegal step changes nothing",
                    ),
                    field(
                        "changing",
                        3,
                        3,
                        "a step is not carried out yet; software asks for the next one once it reads 0",
                    ),
                    field(
                        "disabled",
                        4,
                        4,
                        "the port stays Down; written with state 1, and without effect with another",
                    ),
                    field("link_up", 5, 5, "the physical link is up; writing has no effect"),
                ],
                "state of the port, which decides what it sends and takes",
            )
            .resets_to(None),
            Register::at(
                PORT_XMIT_DISCARDS,
                ReadWrite,
                "PORT_XMIT_DISCARDS",
                &[field("count", 15, 0, "stays at FFFFh")],
                "packets that were discarded because the port, or the VL of their SL, might not send them",
            ),
            Register::at(
                LINK_ERROR_RECOVERY,
                ReadWrite,
                "LINK_ERROR_RECOVERY",
                &[field("count", 7, 0, "stays at FFh")],
                "times that an Active port lost the physical link and had it back in time",
            ),
            Register::at(
                LINK_DOWNED,
                ReadWrite,
                "LINK_DOWNED",
                &[field("count", 7, 0, "stays at FFh")],
                "times that the port went Down because the physical link was lost",
            ),
            Register::at(
                PORT_VLS,
                ReadWrite,
                "PORT_VLS",
                &[
                    field(
                        "operational",
                        3,
                        0,
                        "data VLs in use, from VL 0 on: 1, 2, 3, 4 for 1, 2, 4, 8; writing 0 or more than `cap` leaves it",
                    ),
                    field("cap", 7, 4, "data VLs that there are, in the same code; writing has no effect"),
                    field(
                        "flow_control",
                        8,
                        8,
                        "data packets need credits, and link packets carry them; 0 after reset, when the streams of the \
                         link hold back by themselves and arriving link packets are ignored",
                    ),
                ],
                "data VLs of the port; after reset all of them are in use",
            )
            .resets_to(None),
            Register::at(
                SL_TO_VL,
                ReadWrite,
                "SL_TO_VL",
                &[
                    field("vl_0", 3, 0, "VL of SL 8 n"),
                    field("vl_1", 7, 4, "of SL 8 n + 1"),
                    field("vl_2", 11, 8, "of SL 8 n + 2"),
                    field("vl_3", 15, 12, "of SL 8 n + 3"),
                    field("vl_4", 19, 16, "of SL 8 n + 4"),
                    field("vl_5", 23, 20, "of SL 8 n + 5"),
                    field("vl_6", 27, 24, "of SL 8 n + 6"),
                    field("vl_7", 31, 28, "of SL 8 n + 7"),
                ],
                "VLs that packets leave on, but for those of QP0; where the VL is not in use the packet is discarded",
            )
            .repeated(SL_TO_VL_COUNT, 4),
            Register::at(
                VL_HIGH_LIMIT,
                ReadWrite,
                "VL_HIGH_LIMIT",
                &[
                    field(
                        "limit",
                        7,
                        0,
                        "units of 4096 bytes that the high table may send before the low table sends a packet; 0: one \
                         packet; 255: no limit",
                    ),
                    field("entries", 15, 8, "entries of each arbitration table; writing has no effect"),
                ],
                "how long the high arbitration table goes before the low one, while data packets need credits",
            )
            .resets_to(None),
            Register::at(
                VL_ARBITRATION,
                ReadWrite,
                "VL_ARBITRATION",
                &[
                    field("weight_0", 7, 0, "blocks of 64 bytes that entry 2 n sends in its turn; 0: the entry is skipped"),
                    field("vl_0", 11, 8, "VL of entry 2 n; an entry of a VL that is not in use is skipped"),
                    field("weight_1", 23, 16, "of entry 2 n + 1"),
                    field("vl_1", 27, 24, "of entry 2 n + 1"),
                ],
                "arbitration between data VLs, while data packets need credits: words 0 to 3 are the high table, words 4 \
                 to 7 the low one; a VL without an entry sends nothing. After reset the high table is empty, and the low \
                 one has an entry of weight 64 for each data VL. Writing a word begins the turns of both tables anew",
            )
            .repeated(VL_ARBITRATION_COUNT, 4)
            .resets_to(None),
            Register::at(
                PORT_XMIT_DATA,
                ReadWrite,
                "PORT_XMIT_DATA",
                &[field("words", 31, 0, "stays at FFFFFFFFh")],
                "words of 32 bits, from the LRH to the ICRC, of the packets that have left",
            ),
            Register::at(
                PORT_XMIT_PKTS,
                ReadWrite,
                "PORT_XMIT_PKTS",
                &[field("packets", 31, 0, "stays at FFFFFFFFh")],
                "packets that have left, link packets not counted",
            ),
            Register::at(
                PORT_XMIT_WAIT,
                ReadWrite,
                "PORT_XMIT_WAIT",
                &[field("clocks", 31, 0, "stays at FFFFFFFFh")],
                "clock cycles in which a packet waited for credits",
            ),
            Register::at(
                PORT_RCV_ERRORS,
                ReadWrite,
                "PORT_RCV_ERRORS",
                &[field("count", 15, 0, "stays at FFFFh")],
                "packets and link packets that were discarded for an error of the link, and packets without room",
            ),
            Register::at(
                PORT_RCV_REMOTE_PHYSICAL_ERRORS,
                ReadWrite,
                "PORT_RCV_REMOTE_PHYSICAL_ERRORS",
                &[field("count", 15, 0, "stays at FFFFh")],
                "packets that ended as bad",
            ),
            Register::at(
                PORT_RCV_DATA,
                ReadWrite,
                "PORT_RCV_DATA",
                &[field("words", 31, 0, "stays at FFFFFFFFh")],
                "32-bit words, from LRH to ICRC, of the packets in `PORT_RCV_PKTS`",
            ),
            Register::at(
                PORT_RCV_PKTS,
                ReadWrite,
                "PORT_RCV_PKTS",
                &[field("count", 31, 0, "stays at FFFFFFFFh")],
                "packets that arrived without an error of the link, for whatever port; link packets are not counted",
            ),
            Register::at(
                EXCESSIVE_BUFFER_OVERRUN,
                ReadWrite,
                "EXCESSIVE_BUFFER_OVERRUN",
                &[field("count", 3, 0, "stays at Fh")],
                "packets on data VLs that found no room in the buffer of their VL",
            ),
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
