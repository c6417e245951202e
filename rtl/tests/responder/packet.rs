//! Packets and answers as the tests speak of them.

/// A packet behind the link's receive side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    pub number: u32,
    pub slid: u16,
    pub opcode: u8,
    pub p_key: u16,
    pub dest_qp: u32,
    pub psn: u32,
    pub va: u64,
    pub r_key: u32,
    pub dma_len: u32,
    pub swap_add: u64,
    pub compare: u64,
    pub immediate: u32,
    pub payload: u32,
    /// PSNs that it takes.
    pub psns: u32,
}

/// Of every packet: the port's own address.
pub const DLID: u16 = 0x21;
pub const SL: u8 = 5;

/// Fields into a vector, the first at the least significant end.
#[derive(Default)]
pub struct Fields {
    bytes: Vec<u8>,
    at: usize,
}

impl Fields {
    pub fn put(mut self, value: u128, width: usize) -> Fields {
        self.bytes.resize((self.at + width).div_ceil(8), 0);
        for bit in (0..width.min(128)).filter(|bit| value >> bit & 1 == 1) {
            self.bytes[(self.at + bit) / 8] |= 1 << ((self.at + bit) % 8);
        }
        self.at += width;
        self
    }

    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Packet {
    /// `RxHeader`, 1019 bits.
    pub fn header(&self) -> Vec<u8> {
        Fields::default()
            .put(self.number.into(), 32)
            .put(self.slid.into(), 16)
            .put(DLID.into(), 16)
            .put(SL.into(), 4)
            .put(0, 1 + 1 + 8 + 20 + 8)
            .put(0, 128)
            .put(0, 128)
            .put(0, 48 + 16)
            .put(self.opcode.into(), 8)
            .put(0, 4)
            .put(self.p_key.into(), 16)
            .put(self.dest_qp.into(), 24)
            .put(1, 1)
            .put(self.psn.into(), 24)
            .put(0, 24 + 32 + 24)
            .put(self.va.into(), 64)
            .put(self.r_key.into(), 32)
            .put(self.dma_len.into(), 32)
            .put(self.swap_add.into(), 64)
            .put(self.compare.into(), 64)
            .put(0x1F, 8)
            .put(0, 24)
            .put(0x1234_5678, 64)
            .put(self.immediate.into(), 32)
            .put(self.payload.into(), 13)
            .put(0, 33 + 1 + 1 + 1 + 1)
            .put((self.dest_qp == 0).into(), 1)
            .put((self.dest_qp == 1).into(), 1)
            .bytes()
    }
}

/// An answer that the responder hands on.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub kind: u8,
    pub qpn: u32,
    pub psn: u32,
    pub syndrome: u8,
    pub msn: u32,
    /// Of Reads: address, key, length; of atomics a length alone, 0 for a replay.
    pub va: u64,
    pub r_key: u32,
    pub length: u32,
    pub slot: u8,
}

/// A receive WQE's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub qpn: u32,
    pub index: u16,
    pub status: u8,
    pub operation: u8,
    pub byte_count: u32,
    pub immediate: Option<u32>,
    pub invalidated: Option<u32>,
}

/// All that a decision brings about in its clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Kind and code of the report, its PSN.
    pub report: (u8, u8, u32),
    pub wqe_fetched: Option<u16>,
    pub job: Option<Job>,
    pub completion: Option<Completion>,
    /// Where the payload goes: address, length; of an atomic its eight bytes.
    pub pieces: Vec<(u64, u32)>,
    /// FetchAdd, compare, swap or add, slot.
    pub atomic: Option<(bool, u64, u64, u32)>,
    pub invalidated: Option<u32>,
    /// The other side hears that the QP has failed.
    pub fails: bool,
}

/// An inbound receive WQE of one SGE.
#[derive(Clone, Debug, Default)]
pub struct Wqe {
    pub address: u64,
    pub length: u32,
    pub l_key: u32,
    /// As the WQE says; more than `length` where it lies.
    pub total: u32,
}

impl Wqe {
    /// 64 bytes, byte 0 at the most significant end.
    pub fn bytes(&self) -> Vec<u8> {
        let mut b = vec![0; 64];
        b[2] = 1;
        b[20..24].copy_from_slice(&self.total.to_be_bytes());
        b[32..40].copy_from_slice(&self.address.to_be_bytes());
        b[40..44].copy_from_slice(&self.length.to_be_bytes());
        b[44..48].copy_from_slice(&self.l_key.to_be_bytes());
        b.reverse();
        b
    }
}
