//! Work requests, and the packets that they are made of (`protocol/requester.md` section 2, `opcodes.csv`).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Send,
    SendImmediate,
    SendInvalidate,
    Write,
    WriteImmediate,
    Read,
    CompareSwap,
    FetchAdd,
}

pub const OPERATIONS: [Operation; 8] = [
    Operation::Send,
    Operation::SendImmediate,
    Operation::SendInvalidate,
    Operation::Write,
    Operation::WriteImmediate,
    Operation::Read,
    Operation::CompareSwap,
    Operation::FetchAdd,
];

#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub operation: Operation,
    pub signaled: bool,
    pub solicited: bool,
    pub fence: bool,
    pub immediate: u32,
    pub va: u64,
    pub r_key: u32,
    pub length: u32,
    pub address: u64,
    pub l_key: u32,
    pub compare: u64,
    pub swap_add: u64,
}

/// A request packet as it has to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    pub opcode: u8,
    pub ack_req: bool,
    pub solicited: bool,
    pub payload: u32,
    pub reth: Option<(u64, u32, u32)>,
    pub atomic: Option<(u64, u32, u64, u64)>,
    pub immediate: Option<u32>,
    pub invalidate: Option<u32>,
}

impl Message {
    pub fn answered(&self) -> bool {
        matches!(
            self.operation,
            Operation::Read | Operation::CompareSwap | Operation::FetchAdd
        )
    }

    /// PSNs that it takes.
    pub fn psns(&self, pmtu: u32) -> u32 {
        match self.operation {
            Operation::CompareSwap | Operation::FetchAdd => 1,
            _ => self.length.div_ceil(pmtu).max(1),
        }
    }

    /// The packet `number` of it; of a Read the one that asks for what is left from there.
    pub fn packet(&self, number: u32, pmtu: u32) -> Expected {
        let count = self.psns(pmtu);
        let (first, last) = (number == 0, number + 1 == count);
        let offset = number * pmtu;
        let mut packet = Expected {
            opcode: 0,
            ack_req: first || last || (number + 1).is_multiple_of(64),
            solicited: false,
            payload: if last { self.length - offset } else { pmtu },
            reth: None,
            atomic: None,
            immediate: None,
            invalidate: None,
        };
        let sends = matches!(
            self.operation,
            Operation::Send | Operation::SendImmediate | Operation::SendInvalidate
        );
        match self.operation {
            Operation::Read => {
                packet.opcode = 0x0C;
                packet.payload = 0;
                packet.ack_req = true;
                packet.reth = Some((self.va + u64::from(offset), self.r_key, self.length - offset));
                return packet;
            }
            Operation::CompareSwap | Operation::FetchAdd => {
                packet.opcode = if self.operation == Operation::CompareSwap {
                    0x13
                } else {
                    0x14
                };
                packet.payload = 0;
                packet.atomic = Some((self.va, self.r_key, self.swap_add, self.compare));
                return packet;
            }
            _ => {}
        }
        packet.opcode = match (sends, first, last) {
            (true, true, false) => 0x00,
            (true, false, false) => 0x01,
            (false, true, false) => 0x06,
            (false, false, false) => 0x07,
            (_, only, true) => match (self.operation, only) {
                (Operation::Send, false) => 0x02,
                (Operation::SendImmediate, false) => 0x03,
                (Operation::Send, true) => 0x04,
                (Operation::SendImmediate, true) => 0x05,
                (Operation::Write, false) => 0x08,
                (Operation::WriteImmediate, false) => 0x09,
                (Operation::Write, true) => 0x0A,
                (Operation::WriteImmediate, true) => 0x0B,
                (_, false) => 0x16,
                (_, true) => 0x17,
            },
        };
        if !sends && first {
            packet.reth = Some((self.va, self.r_key, self.length));
        }
        if last {
            packet.solicited = self.solicited && self.operation != Operation::Write;
            match self.operation {
                Operation::SendImmediate | Operation::WriteImmediate => {
                    packet.immediate = Some(self.immediate)
                }
                Operation::SendInvalidate => packet.invalidate = Some(self.immediate),
                _ => {}
            }
        }
        packet
    }

    /// The WQE, byte 0 first (`host::wqe`).
    pub fn wqe(&self) -> [u8; 64] {
        let mut b = [0; 64];
        b[0] = self.operation as u8;
        b[1] = u8::from(self.signaled) | u8::from(self.solicited) << 1 | u8::from(self.fence) << 2;
        b[2] = 1;
        b[4..8].copy_from_slice(&self.immediate.to_be_bytes());
        b[8..16].copy_from_slice(&self.va.to_be_bytes());
        b[16..20].copy_from_slice(&self.r_key.to_be_bytes());
        b[20..24].copy_from_slice(&self.length.to_be_bytes());
        b[32..40].copy_from_slice(&self.address.to_be_bytes());
        b[40..44].copy_from_slice(&self.length.to_be_bytes());
        b[44..48].copy_from_slice(&self.l_key.to_be_bytes());
        if matches!(self.operation, Operation::CompareSwap | Operation::FetchAdd) {
            b[48..56].copy_from_slice(&self.compare.to_be_bytes());
            b[56..64].copy_from_slice(&self.swap_add.to_be_bytes());
        }
        b
    }
}
