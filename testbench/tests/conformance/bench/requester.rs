//! Y as a requester: work of every operation, and its packets as they leave.
use super::{attributes, segment, Bench, BUFFER, SOURCE};
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::{QpAttributes, QpState, RemoteAccess, SendOperation, SendRequest};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;
use hca_testbench::station::Station;

/// Memory of the peer, and its key.
pub const TARGET: u64 = 0x40_0000;
pub const R_KEY: u32 = 0x5A5A_5A5A;
/// Where the results of atomics go, within the buffer.
pub const RESULT: u64 = 0x400;

pub const SEND: SendOperation = SendOperation::Send;
pub const WRITE: SendOperation = SendOperation::Write {
    va: TARGET,
    r_key: R_KEY,
};
pub const READ: SendOperation = SendOperation::Read {
    va: TARGET,
    r_key: R_KEY,
};
pub const FETCH_ADD: SendOperation = SendOperation::FetchAdd {
    va: TARGET,
    r_key: R_KEY,
    add: 3,
};
pub const COMPARE_SWAP: SendOperation = SendOperation::CompareSwap {
    va: TARGET,
    r_key: R_KEY,
    compare: 1,
    swap: 2,
};
pub const IMMEDIATE: [u8; 4] = [0xDE, 0xAD, 0xBE, 0xEF];
pub const WRITE_WITH_IMMEDIATE: SendOperation = SendOperation::WriteWithImmediate {
    va: TARGET,
    r_key: R_KEY,
    immediate: IMMEDIATE,
};

/// Byte `i` of the memory that messages come from.
pub fn source_byte(i: usize) -> u8 {
    (i * 7 + i / 251) as u8
}

/// [`attributes`] of a QP that may do and be asked for everything: 4 Reads and atomics either way, no ack timer.
pub fn all_rights() -> QpAttributes {
    QpAttributes {
        timeout: 0,
        access: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        max_rd_atomic: 4,
        max_dest_rd_atomic: 4,
        ..attributes(100)
    }
}

/// A signaled request: of data at the source's start, into the buffer for a Read, to [`RESULT`] for an atomic.
pub fn work(wr_id: u64, operation: SendOperation, length: u32) -> SendRequest {
    let addr = match operation {
        o if o.is_atomic() => BUFFER + RESULT,
        SendOperation::Read { .. } => BUFFER,
        _ => SOURCE,
    };
    SendRequest {
        wr_id,
        operation,
        sges: segment(addr, length),
        signaled: true,
        ..SendRequest::default()
    }
}

impl Bench {
    /// Takes Y's QP to RTS with [`all_rights`] and this change.
    pub fn connect_with(&mut self, change: impl FnOnce(&mut QpAttributes)) {
        let mut attributes = all_rights();
        change(&mut attributes);
        self.create(&attributes);
        self.enter_rts();
    }

    /// The same with another QP, which the methods speak of from now on.
    pub fn connect_another(&mut self, qpn: u32, change: impl FnOnce(&mut QpAttributes)) {
        let mut attributes = QpAttributes { qpn, ..all_rights() };
        change(&mut attributes);
        self.create_another(&attributes);
        self.enter_rts();
    }

    /// From Reset.
    pub fn enter_rts(&mut self) {
        let qpn = self.qpn;
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            self.submit(Verb::ModifyQp { qpn, state });
        }
        self.settle();
    }

    /// Posts a request; its packets go out while the clock runs.
    pub fn post(&mut self, request: SendRequest) {
        let qpn = self.qpn;
        self.submit(Verb::PostSend { qpn, request });
    }

    /// Software overwrites memory that messages come from.
    pub fn overwrite_source(&mut self, bytes: &[u8]) {
        self.station.write_memory(SOURCE, bytes);
    }

    /// A packet arrives; what comes of it comes while the clock runs.
    pub fn arrive(&mut self, packet: Vec<u8>) {
        self.station.receive(FIRST, packet);
    }

    /// Opcode and PSN of the next packet that goes out, and the clock cycles until it has.
    pub fn next_packet(&mut self, patience: u64) -> ((u8, u32), u64) {
        for cycle in 1..=patience {
            self.step();
            if let [packet] = &self.packets[..] {
                let bth = decoded(packet).bth;
                self.packets.clear();
                return ((bth.opcode, bth.psn), cycle);
            }
        }
        panic!("no packet in {patience} cycles");
    }

    /// Everything that goes out comes; the packets since the last look.
    pub fn sent(&mut self) -> Vec<Packet> {
        self.settle();
        self.packets().iter().map(|bytes| decoded(bytes)).collect()
    }

    /// Opcodes and PSNs of [`sent`](Bench::sent).
    pub fn sent_rows(&mut self) -> Vec<(u8, u32)> {
        self.sent().iter().map(|p| (p.bth.opcode, p.bth.psn)).collect()
    }

    /// [`sent_rows`](Bench::sent_rows) once these responses of the peer came.
    pub fn sent_after(&mut self, responses: &[Packet]) -> Vec<(u8, u32)> {
        for response in responses {
            self.station.receive(FIRST, response.encode().unwrap());
        }
        self.sent_rows()
    }
}

/// A packet that came out of a device behind a native link.
pub fn decoded(bytes: &[u8]) -> Packet {
    Frame::decode(Link::InfiniBand, bytes).unwrap().packet().unwrap()
}
