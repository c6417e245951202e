//! Work queue entries: 64 bytes each, in rings in host memory. Entry `i` of a ring is at `base + 64 * (i mod size)`.
//! [`SEND`], [`RECEIVE`] and [`SGE`] give the layouts.
//!
//! If a WQE has more than two SGEs, they are in a separate list: the entry is indirect, and the address of SGE 0 is the
//! address of the list. An inline entry has one SGE, which names a copy of the data. Lists and copies are in the
//! driver's memory and need no key.
use super::field::{code, field, Code, Field};
use super::layout::{member, Layout};

/// Size of an entry in bytes.
pub const BYTES: usize = 64;
/// Size of an SGE in bytes.
pub const SEGMENT_BYTES: usize = 16;
/// Largest number of SGEs of a WQE.
pub const MAX_SGES: usize = 16;
/// Number of SGEs that an entry itself holds.
pub const DIRECT_SGES: usize = 2;
/// Alignment of a list of SGEs in bytes.
pub const LIST_ALIGNMENT: u64 = 64;
/// Largest number of bytes of an inline message.
pub const MAX_INLINE: usize = 256;

/// Offsets of the operation, of the number of SGEs, and of the first byte of the message length.
pub const OPERATION_AT: usize = 0;
pub const COUNT_AT: usize = 2;
pub const LENGTH_AT: usize = 20;

/// Operation codes of a send WQE.
pub const OP_SEND: u8 = 0;
pub const OP_SEND_IMMEDIATE: u8 = 1;
pub const OP_SEND_INVALIDATE: u8 = 2;
pub const OP_WRITE: u8 = 3;
pub const OP_WRITE_IMMEDIATE: u8 = 4;
pub const OP_READ: u8 = 5;
pub const OP_COMPARE_SWAP: u8 = 6;
pub const OP_FETCH_ADD: u8 = 7;

/// Flag: a success writes a CQE, too.
pub const FLAG_SIGNALED: u8 = 1;
/// Flag: the last packet carries SE.
pub const FLAG_SOLICITED: u8 = 2;
/// Flag: the WQE waits for all earlier Reads and atomics.
pub const FLAG_FENCE: u8 = 4;
/// Flag: SGE 0 names a copy of the data, without a key.
pub const FLAG_INLINE: u8 = 8;
/// Flag: SGE 0 holds the address of the list of SGEs.
pub const FLAG_INDIRECT: u8 = 16;

/// Operations of a send WQE, by code.
pub const OPERATIONS: &[Code] = &[
    code("SEND", OP_SEND as u32, "Send"),
    code("SEND_IMMEDIATE", OP_SEND_IMMEDIATE as u32, "Send with immediate"),
    code(
        "SEND_INVALIDATE",
        OP_SEND_INVALIDATE as u32,
        "Send with invalidate",
    ),
    code("WRITE", OP_WRITE as u32, "RDMA Write"),
    code(
        "WRITE_IMMEDIATE",
        OP_WRITE_IMMEDIATE as u32,
        "RDMA Write with immediate",
    ),
    code("READ", OP_READ as u32, "RDMA Read"),
    code("COMPARE_SWAP", OP_COMPARE_SWAP as u32, "CompareSwap"),
    code("FETCH_ADD", OP_FETCH_ADD as u32, "FetchAdd"),
];

/// Flags of a WQE.
pub const FLAGS: &[Field] = &[
    field("signaled", 0, 0, "write a CQE on success"),
    field("solicited", 1, 1, "set SE on the last packet"),
    field("fence", 2, 2, "wait for all earlier reads and atomics"),
    field("inline", 3, 3, "SGE 0 names a copy of the data, without a key"),
    field("indirect", 4, 4, "SGE 0 holds the address of the list of SGEs"),
];

/// A send WQE.
pub const SEND: Layout = Layout {
    name: "SEND_WQE",
    bytes: BYTES,
    meaning: "entry i of a send ring is at base + 64 * (i mod size)",
    members: &[
        member("operation", OPERATION_AT, 1, "operation"),
        member("flags", 1, 1, "flags"),
        member(
            "sges",
            COUNT_AT,
            1,
            "number of SGEs, 0 to 16; more than two are indirect",
        ),
        member("immediate", 4, 4, "immediate data, or the R_Key to invalidate"),
        member("remote_va", 8, 8, "address at the peer"),
        member("r_key", 16, 4, "R_Key"),
        member("length", LENGTH_AT, 4, "bytes of the message"),
        member(
            "sge_0",
            32,
            SEGMENT_BYTES,
            "SGE, or the address of a list or a copy",
        ),
        member(
            "sge_1",
            48,
            SEGMENT_BYTES,
            "SGE; of an atomic compare data 8, swap or add data 8",
        ),
    ],
};

/// A send WQE of UD. It has the other members of [`SEND`], too.
pub const SEND_DATAGRAM: Layout = Layout {
    name: "SEND_DATAGRAM_WQE",
    bytes: BYTES,
    meaning: "a send WQE of UD; members that are not here are those of SEND_WQE, with SEND or SEND_IMMEDIATE",
    members: &[
        member(
            "q_key",
            8,
            4,
            "Q_Key of the receiver; with bit 31, that of the queue pair is sent",
        ),
        member("dest_qpn", 12, 4, "QPN of the receiver"),
        member("address_handle", 16, 4, "address handle"),
        member("p_key_index", 24, 2, "entry of PORT_P_KEY; of QP0 and QP1 only"),
    ],
};

/// A receive WQE.
pub const RECEIVE: Layout = Layout {
    name: "RECEIVE_WQE",
    bytes: BYTES,
    meaning: "entry i of a receive ring is at base + 64 * (i mod size)",
    members: &[
        member("flags", 1, 1, "flags: indirect"),
        member(
            "sges",
            COUNT_AT,
            1,
            "number of SGEs, 0 to 16; more than two are indirect",
        ),
        member("length", LENGTH_AT, 4, "sum of the SGEs' lengths"),
        member("sge_0", 32, SEGMENT_BYTES, "SGE, or the address of a list"),
        member("sge_1", 48, SEGMENT_BYTES, "SGE"),
    ],
};

/// An SGE, in a WQE or in a list.
pub const SGE: Layout = Layout {
    name: "SGE",
    bytes: SEGMENT_BYTES,
    meaning: "a piece of memory; a list of them is 64-byte aligned",
    members: &[
        member("address", 0, 8, "of the first byte"),
        member("length", 8, 4, "bytes"),
        member("l_key", 12, 4, "L_Key"),
    ],
};

/// A scatter/gather element of an entry or a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Virtual address of the first byte.
    pub addr: u64,
    /// Number of bytes.
    pub length: u32,
    /// L_Key of the region.
    pub l_key: u32,
}

impl Segment {
    /// Returns the element as bytes.
    pub fn to_bytes(self) -> [u8; SEGMENT_BYTES] {
        let mut b = [0; SEGMENT_BYTES];
        b[..8].copy_from_slice(&self.addr.to_be_bytes());
        b[8..12].copy_from_slice(&self.length.to_be_bytes());
        b[12..].copy_from_slice(&self.l_key.to_be_bytes());
        b
    }
}

/// The location of the message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// The bytes are in zero, one or two SGEs of the entry.
    Direct([Option<Segment>; DIRECT_SGES]),
    /// The bytes are in this many SGEs of the list at this address.
    Indirect { list: u64, count: u8 },
    /// The bytes are in a copy at this address, as long as the message.
    Inline { copy: u64 },
    /// An atomic: the SGE for its result, and its operands. FetchAdd has its addend in `swap_add`.
    Atomic {
        target: Segment,
        compare: u64,
        swap_add: u64,
    },
}

impl Default for Data {
    fn default() -> Data {
        Data::Direct([None; DIRECT_SGES])
    }
}

/// The receiver of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Datagram {
    /// Q_Key of the receiver. With bit 31 set, the Q_Key of the sender's queue pair is sent instead.
    pub q_key: u32,
    /// QPN of the receiver, 24 bits.
    pub dest_qpn: u32,
    /// Address handle, 24 bits.
    pub handle: u32,
    /// Entry of the port's P_Key table; counts for QP0 and QP1 only.
    pub p_key_index: u16,
}

/// A work queue entry, send or receive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wqe {
    /// Operation code.
    pub operation: u8,
    /// Flags, without those that `data` implies.
    pub flags: u8,
    /// Immediate data, or the R_Key to invalidate.
    pub immediate: [u8; 4],
    /// Address in the peer's memory.
    pub remote_va: u64,
    /// R_Key of the peer's region.
    pub r_key: u32,
    /// Length of the message in bytes.
    pub length: u32,
    /// Where the payload is.
    pub data: Data,
    /// Receiver of a datagram, in the place of `remote_va` and `r_key`; none for other services.
    pub datagram: Option<Datagram>,
}

impl Wqe {
    /// The entry as bytes.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut b = [0; BYTES];
        b[OPERATION_AT] = self.operation;
        b[1] = self.flags;
        b[4..8].copy_from_slice(&self.immediate);
        b[8..16].copy_from_slice(&self.remote_va.to_be_bytes());
        b[16..20].copy_from_slice(&self.r_key.to_be_bytes());
        b[LENGTH_AT..LENGTH_AT + 4].copy_from_slice(&self.length.to_be_bytes());
        if let Some(datagram) = self.datagram {
            b[8..12].copy_from_slice(&datagram.q_key.to_be_bytes());
            b[12..16].copy_from_slice(&datagram.dest_qpn.to_be_bytes());
            b[16..20].copy_from_slice(&datagram.handle.to_be_bytes());
            b[24..26].copy_from_slice(&datagram.p_key_index.to_be_bytes());
        }
        match self.data {
            Data::Direct(segments) => {
                for (slot, segment) in b[32..].chunks_exact_mut(SEGMENT_BYTES).zip(segments) {
                    slot.copy_from_slice(&segment.unwrap_or_default().to_bytes());
                }
                b[COUNT_AT] = segments.iter().flatten().count() as u8;
            }
            Data::Indirect { list, count } => {
                b[1] |= FLAG_INDIRECT;
                b[COUNT_AT] = count;
                b[32..40].copy_from_slice(&list.to_be_bytes());
            }
            Data::Inline { copy } => {
                let (addr, length, l_key) = (copy, self.length, 0);
                b[1] |= FLAG_INLINE;
                b[COUNT_AT] = 1;
                b[32..48].copy_from_slice(&Segment { addr, length, l_key }.to_bytes());
            }
            Data::Atomic {
                target,
                compare,
                swap_add,
            } => {
                b[COUNT_AT] = 1;
                b[32..48].copy_from_slice(&target.to_bytes());
                b[48..56].copy_from_slice(&compare.to_be_bytes());
                b[56..].copy_from_slice(&swap_add.to_be_bytes());
            }
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(n: u8) -> Segment {
        Segment {
            addr: 0x1112_1314_1516_1700 + u64::from(n),
            length: 0x2122_2300 + u32::from(n),
            l_key: 0x3132_3300 + u32::from(n),
        }
    }

    const SEGMENT_1: [u8; 16] = [
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 1, 0x21, 0x22, 0x23, 1, 0x31, 0x32, 0x33, 1,
    ];

    #[test]
    fn a_write_with_immediate_of_two_segments() {
        let b = Wqe {
            operation: OP_WRITE_IMMEDIATE,
            flags: FLAG_SIGNALED | FLAG_SOLICITED | FLAG_FENCE,
            immediate: [1, 2, 3, 4],
            remote_va: 0x4142_4344_4546_4748,
            r_key: 0x5152_5354,
            length: 0x6162_6364,
            data: Data::Direct([Some(segment(1)), Some(segment(2))]),
            datagram: None,
        }
        .to_bytes();
        assert_eq!(b[..8], [4, 7, 2, 0, 1, 2, 3, 4]);
        let remote = [
            0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x51, 0x52, 0x53, 0x54,
        ];
        assert_eq!(b[8..20], remote);
        assert_eq!(b[20..32], [0x61, 0x62, 0x63, 0x64, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(b[32..48], SEGMENT_1);
        assert_eq!((b[55], b[59], b[63]), (2, 2, 2));
    }

    #[test]
    fn a_datagram() {
        let b = Wqe {
            length: 0x6162_6364,
            datagram: Some(Datagram {
                q_key: 0x0102_0304,
                dest_qpn: 0x0A_0B0C,
                handle: 0x11_1213,
                p_key_index: 0x2122,
            }),
            ..Wqe::default()
        }
        .to_bytes();
        let named = [1, 2, 3, 4, 0, 0x0A, 0x0B, 0x0C, 0, 0x11, 0x12, 0x13];
        assert_eq!(b[8..20], named);
        assert_eq!(b[20..32], [0x61, 0x62, 0x63, 0x64, 0x21, 0x22, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_list_an_inline_copy_and_an_atomic() {
        let of = |data| {
            Wqe {
                length: 9,
                data,
                ..Wqe::default()
            }
            .to_bytes()
        };
        let b = of(Data::Indirect {
            list: 0x1240,
            count: 16,
        });
        assert_eq!(b[1..3], [16, 16]);
        assert_eq!(b[32..48], [0, 0, 0, 0, 0, 0, 0x12, 0x40, 0, 0, 0, 0, 0, 0, 0, 0]);
        let b = of(Data::Inline { copy: 0x1240 });
        assert_eq!(b[1..3], [8, 1]);
        assert_eq!(b[32..48], [0, 0, 0, 0, 0, 0, 0x12, 0x40, 0, 0, 0, 9, 0, 0, 0, 0]);
        let b = of(Data::Atomic {
            target: segment(1),
            compare: 0xC1,
            swap_add: 0xA1 << 56,
        });
        assert_eq!(b[1..3], [0, 1]);
        assert_eq!(b[32..48], SEGMENT_1);
        assert_eq!(b[48..], [0, 0, 0, 0, 0, 0, 0, 0xC1, 0xA1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
