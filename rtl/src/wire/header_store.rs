//! Stores headers between the arrival of a packet and the engine that takes it.
use super::accepted_header::AcceptedHeader;
use super::header_decode::HeaderDecode;
use super::raw_header::RawHeader;
use super::rx_header::RxHeader;
use crate::bundle::HeaderSource;
use hca_hdl::prelude::*;

/// Keeps the headers of up to 16 packets from the end of the packet, before its verdict, until an engine takes them;
/// headers of refused packets are skipped.
///
/// While no header waits, the next one moves to the front before its verdict and becomes valid together with it.
#[derive(LogicBlock, Default)]
pub struct HeaderStore<const SP: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet has ended; `raw` holds its headers.
    pub ended: Signal<In, Bit>,
    /// With `ended`: headers of that packet.
    pub raw: Signal<In, RawHeader>,
    /// High for one cycle, in the cycle before a packet's `judged`.
    pub checked: Signal<In, Bit>,
    /// Extended headers of that packet, as in `HeaderDecode::has`.
    pub checked_has: Signal<In, Bits<8>>,
    /// High for one cycle with the verdict on the oldest packet that has none yet.
    pub judged: Signal<In, Bit>,
    /// With `judged`: high if the packet is accepted.
    pub accept: Signal<In, Bit>,
    /// With `judged`: arrival number of the packet.
    pub packet: Signal<In, Bits<32>>,
    /// With `judged`: bytes of payload of the packet, pad not counted.
    pub payload: Signal<In, Bits<13>>,
    /// With `judged`: extended headers of the packet, as in `HeaderDecode::has`.
    pub has: Signal<In, Bits<8>>,
    /// Headers of the accepted packets.
    pub header: HeaderSource,
    /// High while there is room for 5 more packets; registered.
    pub open: Signal<Out, Bit>,
    memory: LutRam<RawHeader, 4>,
    accepted: Fifo<AcceptedHeader, 4>,
    decode: HeaderDecode<SP, IB, ROCE>,
    /// Slot of the next packet to end.
    tail: Register<Bits<4>>,
    /// Slot of the next packet to be judged.
    judging: Register<Bits<4>>,
    /// Slot of the packet behind the one that is judged in this cycle. It follows from `judging`, but has a register of
    /// its own because it addresses 810 bits, which should not wait for a sum.
    candidate: Register<Bits<4>>,
    roomy: Register<Bit>,
    named: Register<AcceptedHeader>,
    named_valid: Register<Bit>,
    front: Register<RxHeader>,
    front_valid: Register<Bit>,
    /// High while the front holds the header of the packet that is judged in this cycle, before its verdict.
    early_front: Register<Bit>,
    shown: Signal<Local, RxHeader>,
    shows: Signal<Local, Bit>,
    fronts_early: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    name: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<4>>,
    used: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const SP: usize, const IB: usize, const ROCE: usize> Logic for HeaderStore<SP, IB, ROCE> {
    fn update(&mut self) {
        clock!(self, clock, memory, accepted);
        self.accepted.reset.next = self.reset.val();

        inputs!(self.memory, write_enable: ended, write_address: tail.q, write_data: raw);
        if self.ended.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.accepted.write.item.next.slot = self.judging.q.val();
        self.accepted.write.item.next.has = self.has.val();
        self.accepted.write.item.next.payload = self.payload.val();
        self.accepted.write.item.next.packet = self.packet.val();
        self.enters.next = self.judged.val() && self.accept.val() && !self.early_front.q.val();
        self.accepted.write.valid.next = self.enters.val();
        if self.judged.val() {
            self.judging.d.next = self.judging.q.val() + 1;
        }

        // Accepted, then named, then decoded to the front; or decoded to the front as it is checked.
        self.shows.next = self.front_valid.q.val() || (self.early_front.q.val() && self.accept.val());
        self.advance.next = !self.shows.val() || self.header.ready.val();
        self.name.next = !self.named_valid.q.val() || self.advance.val();
        self.accepted.read.ready.next = self.name.val();
        if self.name.val() {
            self.named.d.next = self.accepted.read.item.val();
            self.named_valid.d.next = self.accepted.read.valid.val();
        }
        self.fronts_early.next = self.checked.val()
            && self.advance.val()
            && !self.named_valid.q.val()
            && !self.accepted.read.valid.val()
            && !self.enters.val();
        if self.checked.val() {
            self.candidate.d.next = self.candidate.q.val() + 1;
        }
        inputs!(self.memory, read_address_a: candidate.q, read_address_b: candidate.q);
        self.decode.has.next = self.checked_has.val();
        if self.named_valid.q.val() {
            self.memory.read_address_a.next = self.named.q.val().slot;
            self.memory.read_address_b.next = self.named.q.val().slot;
            self.decode.has.next = self.named.q.val().has;
        }
        self.decode.raw.next = self.memory.read_data_a.val().into();
        self.decode.payload.next = self.named.q.val().payload;
        self.decode.packet.next = self.named.q.val().packet;
        self.shown.next = self.front.q.val();
        if self.early_front.q.val() {
            self.shown.next.payload = self.payload.val();
            self.shown.next.packet = self.packet.val();
        }
        self.header.item.next = self.shown.val();
        self.front.d.next = self.shown.val();
        self.header.next_dest_qp.next = self.shown.val().dest_qp;
        self.header.valid.next = self.shows.val();
        self.front_valid.d.next = self.shows.val();
        self.early_front.d.next = false;
        if self.advance.val() {
            self.front.d.next = self.decode.header.val();
            self.header.next_dest_qp.next = self.decode.header.val().dest_qp;
            self.front_valid.d.next = self.named_valid.q.val();
            self.early_front.d.next = self.fronts_early.val();
        }

        // A slot is free again when its packet is refused or at the front.
        self.oldest.next = self.judging.q.val();
        if self.named_valid.q.val() {
            self.oldest.next = self.named.q.val().slot;
        } else if self.accepted.read.valid.val() {
            self.oldest.next = self.accepted.read.item.val().slot;
        }
        self.used.next = self.tail.q.val() - self.oldest.val();
        self.roomy.d.next = self.used.val() < 11;
        self.open.next = self.roomy.q.val();
        if self.reset.val() {
            self.tail.d.next = 0.into();
            self.judging.d.next = 0.into();
            self.candidate.d.next = 0.into();
            clear!(self, roomy, named_valid, front_valid, early_front);
        }
    }
}
