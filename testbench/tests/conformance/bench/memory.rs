//! Host memory that fails, and what comes of it.
use super::requester::work;
use super::{segment, Bench, BUFFER, SOURCE};
use hca_golden::port::Link;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{QueueSide, SendOperation, SendRequest, Sge};
use hca_golden::wire::frame::Frame;
use hca_testbench::station::Station;

impl Bench {
    /// From now on these bytes that Sends come from, whole lines of 64, answer the device with errors.
    pub fn fail_source(&mut self, offset: u64, length: u64) {
        self.station.fail_memory(SOURCE + offset, length);
    }

    /// The same of the buffer.
    pub fn fail_buffer(&mut self, offset: u64, length: u64) {
        self.station.fail_memory(BUFFER + offset, length);
    }

    /// From now on WQE `index` of this queue of the QP cannot be read by the device.
    pub fn lose_wqe(&mut self, side: QueueSide, index: u16) {
        let qpn = self.qpn;
        self.station.lose(RingPart::Wqe { qpn, side, index });
    }

    /// From now on SGE `first`, a multiple of 4, and the three behind it of the list of WQE 0 of this queue cannot be
    /// read.
    pub fn lose_sges(&mut self, side: QueueSide, first: u8) {
        let (qpn, index) = (self.qpn, 0);
        let part = RingPart::Sges {
            qpn,
            side,
            index,
            first,
        };
        self.station.lose(part);
    }

    /// From now on 64 bytes from `offset` on, a multiple of 64, of the inline data of send WQE 0 cannot be read.
    pub fn lose_inline(&mut self, offset: u16) {
        let (qpn, index) = (self.qpn, 0);
        self.station.lose(RingPart::Inline { qpn, index, offset });
    }

    /// From now on the write of this CQE is answered with an error, and that of the one beside it.
    pub fn lose_cqe(&mut self, cqn: u32, index: u32) {
        self.station.lose(RingPart::Cqe { cqn, index });
    }

    /// Posts a signaled request of so many bytes, from so many bytes into the source, or for a Read into the buffer,
    /// and lets its packets go out.
    pub fn post_from(&mut self, wr_id: u64, operation: SendOperation, offset: u64, length: u32) {
        let request = work(wr_id, operation, length);
        let sges = segment(request.sges[0].addr + offset, length);
        self.post(SendRequest { sges, ..request });
        self.settle();
    }

    /// Takes out the packets that end with a wrong CRC; how many they were.
    pub fn drop_spoiled(&mut self) -> usize {
        let before = self.packets.len();
        self.packets
            .retain(|bytes| Frame::decode(Link::InfiniBand, bytes).is_ok());
        before - self.packets.len()
    }

    /// The packets that came out since the last look: opcode and PSN, none of one that ends with a wrong CRC.
    pub fn sound_packets(&mut self) -> Vec<Option<(u8, u32)>> {
        let sound = |bytes: &Vec<u8>| {
            let frame = Frame::decode(Link::InfiniBand, bytes).ok()?;
            let bth = frame.packet()?.bth;
            Some((bth.opcode, bth.psn))
        };
        self.packets().iter().map(sound).collect()
    }
}

/// So many SGEs of `bytes` each, one behind the other.
pub fn list(addr: u64, count: u64, bytes: u32) -> Vec<Sge> {
    (0..count)
        .flat_map(|n| segment(addr + n * u64::from(bytes), bytes))
        .collect()
}
