//! The registers of a port. Those of port 2 stand at a fixed distance.
use super::{port_mtu, Access, Group, Register};
use super::{
    EXCESSIVE_BUFFER_OVERRUN, LINK_DOWNED, LINK_ERROR_RECOVERY, PORT, PORT_GID, PORT_GID_COUNT, PORT_GUID,
    PORT_GUID_COUNT, PORT_MAC_HIGH, PORT_MAC_LOW, PORT_MTU, PORT_P_KEY, PORT_P_KEY_COUNT, PORT_RCV_DATA,
    PORT_RCV_ERRORS, PORT_RCV_PKTS, PORT_RCV_REMOTE_PHYSICAL_ERRORS, PORT_STATE, PORT_VLS, PORT_WIDE,
    PORT_WIDE_COUNT, PORT_XMIT_DATA, PORT_XMIT_DISCARDS, PORT_XMIT_PKTS, PORT_XMIT_WAIT, P_KEY_VIOLATIONS,
    Q_KEY_VIOLATIONS, SL_TO_VL, SL_TO_VL_COUNT, VIOLATION, VIOLATION_DATA, VIOLATION_DATA_COUNT,
    VL15_DROPPED, VL_ARBITRATION, VL_ARBITRATION_COUNT, VL_HIGH_LIMIT,
};
use crate::field::field;
use Access::{ReadOnly, ReadWrite};

/// The addresses of a port.
pub(super) const PORT_GROUP: Group = Group {
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
        Register::at(
            PORT_MTU,
            ReadWrite,
            "PORT_MTU",
            &[field(
                "code",
                3,
                0,
                "1 to 5 for 256, 512, 1024, 2048 and 4096 bytes; another value is ignored",
            )],
            "active MTU: the largest datagram that is sent, and the largest packet that is taken; counts for what is \
             sent, or arrives, after the write",
        )
        .resets_to(Some(port_mtu::MOST)),
    ],
};

/// Packets with a wrong key.
pub(super) const VIOLATIONS_GROUP: Group = Group {
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
};

/// What the agents of a native port read and set.
pub(super) const MANAGEMENT_GROUP: Group = Group {
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
            "packets that were discarded because the port, or the VL of their SL, might not send them, or because they are \
             longer than the active MTU",
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
            "clock cycles in which a packet waited for credits or arbitration, and none was under way",
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
        Register::at(
            PORT_WIDE,
            ReadOnly,
            "PORT_WIDE",
            &[field("word", 31, 0, "low word of counter n / 2 if n is even, else its high word")],
            "counters of 64 bits since reset: 0 words sent, 1 words received, as in `PORT_XMIT_DATA` and \
             `PORT_RCV_DATA`; 2 packets sent, 3 received, as in `PORT_XMIT_PKTS` and `PORT_RCV_PKTS`; 4 multicast \
             packets among those sent, 5 among those received. If the high word is another after the low one was read \
             than before, the count has passed it with a low word of 0",
        )
        .repeated(PORT_WIDE_COUNT, 4),
    ],
};
