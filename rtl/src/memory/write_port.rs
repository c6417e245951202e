//! The write channels of the memory bus.
use super::{EntryAddress, PlacedEntry, PlacedWord, WriteBurst};
use crate::bundle::RingEntrySink;
use hca_hdl::prelude::*;
use hca_host::{cqe, eqe};

/// Write ID of the responder's bursts; the responses of one ID come in the order of its bursts.
pub const ID_RESPONDER: usize = 0;
/// Write ID of the requester's bursts.
pub const ID_REQUESTER: usize = 1;
/// Write ID of CQEs and EQEs.
pub const ID_CQE: usize = 2;
/// Write ID of the words of atomics.
pub const ID_ATOMIC: usize = 3;

/// Puts payload bursts, entries of completion and event rings, and the words of atomics on the bus in turn, whole
/// bursts at a time.
///
/// Each of the three waits in a queue of its own, so that none depends on the bus. At most three other bursts go before
/// the CQE at the head of its queue. Data never leaves before its address. `M`: bus bits, 64 to 512; `K` = `M` / 8.
#[derive(LogicBlock, SmartDefault)]
pub struct WritePort<const M: usize, const K: usize> {
    #[default(provided(
        M == 8 * K && (64..=512).contains(&M),
        &format!("a memory bus of {M} bits and {K} lanes")
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Bursts of payload.
    pub burst: OfferSink<WriteBurst>,
    /// A beat of the bursts, byte 0 at the most significant end.
    pub beat: Signal<In, Bits<M>>,
    /// Bit `i` is high if byte `i` is written.
    pub beat_strobe: Signal<In, Bits<K>>,
    /// High with the last beat of a burst.
    pub beat_last: Signal<In, Bit>,
    /// High while a beat is offered.
    pub beat_valid: Signal<In, Bit>,
    /// High in a cycle in which the beat is taken.
    pub beat_ready: Signal<Out, Bit>,

    /// Entries of rings; they are written in their order.
    pub cqe: RingEntrySink,

    /// High while the word of an atomic is offered.
    pub atomic_valid: Signal<In, Bit>,
    /// High in a cycle in which the word is taken.
    pub atomic_ready: Signal<Out, Bit>,
    /// Byte address of the word, a multiple of 8.
    pub atomic_address: Signal<In, Bits<64>>,
    /// The word, byte 0 at the most significant end.
    pub atomic_word: Signal<In, Bits<64>>,

    /// High for one cycle for each burst of the responder that is answered.
    pub responder_acknowledged: Signal<Out, Bit>,
    /// High for one cycle for each burst of the requester that is answered.
    pub requester_acknowledged: Signal<Out, Bit>,
    /// High for one cycle for each CQE or EQE that is answered.
    pub cqe_written: Signal<Out, Bit>,
    /// High for one cycle for each word of an atomic that is answered.
    pub atomic_acknowledged: Signal<Out, Bit>,
    /// With one of these: high if memory answered with SLVERR or DECERR.
    pub acknowledged_error: Signal<Out, Bit>,

    /// Write channels of host memory.
    pub axi: AxiWriteSource<M, K>,

    /// Word of an atomic 1 | CQE or EQE 1, of each burst whose address has left. The queue is short, since its bursts
    /// go before the next CQE.
    order: Fifo<Bits<2>, 1>,
    bursts: Fifo<WriteBurst, 1>,
    entry_addresses: Fifo<EntryAddress, 1>,
    word_addresses: Fifo<Bits<64>, 1>,
    entries: Fifo<PlacedEntry, 1>,
    words: Fifo<PlacedWord, 1>,
    lanes: ByteReverse<M>,

    offered: Register<Bit>,
    offered_cqe: Register<Bit>,
    offered_id: Register<Bits<4>>,
    offered_address: Register<Bits<64>>,
    offered_beats: Register<Bits<8>>,
    offered_word: Register<Bit>,
    cqe_was_last: Register<Bit>,
    word_was_last: Register<Bit>,
    /// Number of bits of the entry that have left.
    sent: Register<Bits<9>>,

    leaves: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    picks_cqe: Signal<Local, Bit>,
    picks_word: Signal<Local, Bit>,
    picks_burst: Signal<Local, Bit>,
    wants_cqe: Signal<Local, Bit>,
    wants_word: Signal<Local, Bit>,
    wants_burst: Signal<Local, Bit>,
    cqe_enters: Signal<Local, Bit>,
    word_enters: Signal<Local, Bit>,
    sends_word: Signal<Local, Bit>,
    word_at: Signal<Local, Bits<10>>,
    place: Signal<Local, Bits<2>>,
    sends_cqe: Signal<Local, Bit>,
    entry: Signal<Local, Bits<512>>,
    entry_upper: Signal<Local, Bit>,
    entry_odd: Signal<Local, Bit>,
    entry_strobe: Signal<Local, Bits<K>>,
    sends_event: Signal<Local, Bit>,
    word: Signal<Local, Bits<M>>,
    strobe: Signal<Local, Bits<K>>,
    last: Signal<Local, Bit>,
    entry_last: Signal<Local, Bit>,
    burst_ends: Signal<Local, Bit>,
    available: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,

    #[default(constant(ID_RESPONDER))]
    id_responder: Constant<Bits<4>>,
    #[default(constant(ID_REQUESTER))]
    id_requester: Constant<Bits<4>>,
    #[default(constant(ID_CQE))]
    id_cqe: Constant<Bits<4>>,
    #[default(constant(ID_ATOMIC))]
    id_atomic: Constant<Bits<4>>,
    #[default(constant(cqe::BYTES.div_ceil(K) - 1))]
    cqe_beats: Constant<Bits<8>>,
    #[default(Constant::new(!Bits::<K>::default() >> ((K - K.min(cqe::BYTES)) as u64)))]
    cqe_strobe: Constant<Bits<K>>,
    #[default(constant(eqe::BYTES.div_ceil(K) - 1))]
    eqe_beats: Constant<Bits<8>>,
    #[default(Constant::new(!Bits::<K>::default() >> ((K - K.min(eqe::BYTES)) as u64)))]
    eqe_strobe: Constant<Bits<K>>,
    /// Those of bits 5 and 4 of an address that select a place in a beat.
    #[default(Constant::new( (usize::from(K > cqe::BYTES) << 1 | usize::from(K > eqe::BYTES)).to_bits(), ))]
    place_mask: Constant<Bits<2>>,
    #[default(constant(8 * eqe::BYTES - (8 * eqe::BYTES).min(M)))]
    last_step_of_event: Constant<Bits<9>>,
    #[default(constant(M % 512))]
    step: Constant<Bits<9>>,
    #[default(constant(8 * cqe::BYTES - (8 * cqe::BYTES).min(M)))]
    last_step: Constant<Bits<9>>,
    #[default(constant(512 - M))]
    top: Constant<Bits<10>>,
    #[default(Constant::new(!Bits::<64>::from((K - 1) as u64)))]
    align_mask: Constant<Bits<64>>,
    #[default(constant(K - 1))]
    offset_mask: Constant<Bits<7>>,
    /// Bits of a beat below its first word.
    #[default(constant(M - 64))]
    below_word: Constant<Bits<10>>,
    #[default(Constant::new(!Bits::<K>::default() >> ((K - 8) as u64)))]
    word_strobe: Constant<Bits<K>>,
}

#[kernel]
impl<const M: usize, const K: usize> Logic for WritePort<M, K> {
    fn update(&mut self) {
        clock_and_reset!(self, order, bursts, entry_addresses, word_addresses, entries, words);

        // Queues. An entry and its address are taken together.
        OfferSink::<WriteBurst>::link(&mut self.burst, &mut self.bursts.write);
        self.cqe.ready.next = self.entries.write.ready.val() && self.entry_addresses.write.ready.val();
        self.cqe_enters.next =
            self.cqe.valid.val() && self.entries.write.ready.val() && self.entry_addresses.write.ready.val();
        self.place.next = self.cqe.address.val().get_bits::<2>(4) & self.place_mask.val();
        self.entries.write.valid.next = self.cqe_enters.val();
        self.entries.write.item.next.is_event = self.cqe.is_event.val();
        self.entries.write.item.next.upper = self.place.val().get_bit(1);
        self.entries.write.item.next.odd = self.place.val().get_bit(0);
        self.entries.write.item.next.entry = self.cqe.item.val();
        self.entry_addresses.write.valid.next = self.cqe_enters.val();
        self.entry_addresses.write.item.next.is_event = self.cqe.is_event.val();
        self.entry_addresses.write.item.next.address = self.cqe.address.val() & self.align_mask.val();
        self.atomic_ready.next = self.words.write.ready.val() && self.word_addresses.write.ready.val();
        self.word_enters.next =
            self.atomic_valid.val() && self.words.write.ready.val() && self.word_addresses.write.ready.val();
        self.words.write.valid.next = self.word_enters.val();
        self.words.write.item.next.at = self.atomic_address.val().get_bits::<7>(0) & self.offset_mask.val();
        self.words.write.item.next.word = self.atomic_word.val();
        self.word_addresses.write.valid.next = self.word_enters.val();
        self.word_addresses.write.item.next = self.atomic_address.val() & self.align_mask.val();

        // Addresses.
        self.axi.awvalid.next = self.offered.q.val() && self.order.write.ready.val();
        inputs!(self.axi, awid: offered_id.q, awaddr: offered_address.q, awlen: offered_beats.q);
        self.leaves.next = self.offered.q.val() && self.order.write.ready.val() && self.axi.awready.val();
        self.order.write.valid.next = self.leaves.val();
        self.order.write.item.next = bit_cast::<2, 1>(self.offered_cqe.q.val().into())
            | (bit_cast::<2, 1>(self.offered_word.q.val().into()) << 1);
        self.free.next = !self.offered.q.val() || self.leaves.val();
        // In turn: payload, a CQE, a word.
        self.wants_cqe.next = self.entry_addresses.read.valid.val();
        self.wants_word.next = self.word_addresses.read.valid.val();
        self.wants_burst.next = self.bursts.read.valid.val();
        self.picks_cqe.next = self.wants_cqe.val()
            && (!self.wants_burst.val() || (!self.cqe_was_last.q.val() && !self.word_was_last.q.val()))
            && (!self.wants_word.val() || !self.cqe_was_last.q.val());
        self.picks_word.next = self.wants_word.val()
            && !self.picks_cqe.val()
            && (!self.wants_burst.val() || !self.word_was_last.q.val());
        self.picks_burst.next = self.wants_burst.val() && !self.picks_cqe.val() && !self.picks_word.val();
        self.entry_addresses.read.ready.next = self.free.val() && self.picks_cqe.val();
        self.word_addresses.read.ready.next = self.free.val() && self.picks_word.val();
        self.bursts.read.ready.next = self.free.val() && self.picks_burst.val();
        // The offer does not count unless something waits; that there is room settles late in the clock.
        if self.free.val() {
            self.offered.d.next = self.picks_cqe.val() || self.picks_word.val() || self.picks_burst.val();
            if self.picks_cqe.val() || self.picks_word.val() || self.picks_burst.val() {
                self.cqe_was_last.d.next = self.picks_cqe.val();
                self.word_was_last.d.next = self.picks_word.val();
            }
            self.offered_cqe.d.next = self.picks_cqe.val();
            self.offered_word.d.next = self.picks_word.val();
            self.offered_id.d.next = self.id_responder.val();
            if self.bursts.read.item.val().requester {
                self.offered_id.d.next = self.id_requester.val();
            }
            self.offered_address.d.next = self.bursts.read.item.val().address;
            self.offered_beats.d.next = self.bursts.read.item.val().beats;
            if self.picks_cqe.val() {
                self.offered_id.d.next = self.id_cqe.val();
                self.offered_address.d.next = self.entry_addresses.read.item.val().address;
                self.offered_beats.d.next = self.cqe_beats.val();
                if self.entry_addresses.read.item.val().is_event {
                    self.offered_beats.d.next = self.eqe_beats.val();
                }
            }
            if self.picks_word.val() {
                self.offered_id.d.next = self.id_atomic.val();
                self.offered_address.d.next = self.word_addresses.read.item.val();
                self.offered_beats.d.next = 0.into();
            }
        }

        // Data.
        self.sends_cqe.next = self.order.read.item.val().get_bit(0);
        self.entry_odd.next = self.entries.read.item.val().odd;
        self.entry_upper.next = self.entries.read.item.val().upper;
        self.sends_event.next = self.entries.read.item.val().is_event;
        self.entry.next = bit_cast::<512, 256>(self.entries.read.item.val().entry);
        if !self.entry_upper.val() {
            self.entry.next = bit_cast::<512, 256>(self.entries.read.item.val().entry) << 256;
        }
        self.word.next = self.beat.val();
        self.strobe.next = self.beat_strobe.val();
        self.last.next = self.beat_last.val();
        self.available.next = self.beat_valid.val();
        self.entry_strobe.next = self.cqe_strobe.val();
        self.entry_last.next = self.sent.q.val() == self.last_step.val();
        if self.sends_event.val() {
            self.entry_last.next = self.sent.q.val() == self.last_step_of_event.val();
        }
        if self.sends_cqe.val() {
            self.word.next = bit_cast::<M, 512>((self.entry.val() << self.sent.q.val()) >> self.top.val());
            self.last.next = self.entry_last.val();
            if self.sends_event.val() {
                self.entry_strobe.next = self.eqe_strobe.val();
                if self.entry_odd.val() {
                    self.entry_strobe.next = self.eqe_strobe.val() << 16;
                }
            }
            self.strobe.next = self.entry_strobe.val();
            if self.entry_upper.val() {
                self.strobe.next = self.entry_strobe.val() << 32;
            }
            self.available.next = self.entries.read.valid.val();
        }
        self.sends_word.next = self.order.read.item.val().get_bit(1);
        self.word_at.next = bit_cast::<10, 7>(self.words.read.item.val().at) << 3;
        if self.sends_word.val() {
            self.word.next = (bit_cast::<M, 64>(self.words.read.item.val().word) << self.below_word.val())
                >> self.word_at.val();
            self.strobe.next = self.word_strobe.val() << bit_cast::<10, 7>(self.words.read.item.val().at);
            self.last.next = true;
            self.available.next = self.words.read.valid.val();
        }
        self.lanes.i.next = self.word.val();
        inputs!(self.axi, wdata: lanes.o, wstrb: strobe, wlast: last);
        self.axi.wvalid.next = self.order.read.valid.val() && self.available.val();
        self.moves.next = self.order.read.valid.val() && self.available.val() && self.axi.wready.val();
        self.beat_ready.next = self.order.read.valid.val()
            && !self.sends_cqe.val()
            && !self.sends_word.val()
            && self.axi.wready.val();
        // Computed apart from the written data, which takes longer to choose.
        self.burst_ends.next = self.beat_valid.val() && self.beat_last.val();
        if self.sends_cqe.val() {
            self.burst_ends.next = self.entries.read.valid.val() && self.entry_last.val();
        }
        if self.sends_word.val() {
            self.burst_ends.next = self.words.read.valid.val();
        }
        self.order.read.ready.next = self.axi.wready.val() && self.burst_ends.val();
        self.words.read.ready.next = self.moves.val() && self.sends_word.val();
        self.entries.read.ready.next = self.order.read.valid.val()
            && self.axi.wready.val()
            && self.sends_cqe.val()
            && self.entry_last.val();
        if self.moves.val() && self.sends_cqe.val() {
            self.sent.d.next = self.sent.q.val() + self.step.val();
            if self.last.val() {
                self.sent.d.next = bits::<9>(0);
            }
        }

        // Responses.
        self.axi.bready.next = true;
        self.responder_acknowledged.next =
            self.axi.bvalid.val() && (self.axi.bid.val() == self.id_responder.val());
        self.requester_acknowledged.next =
            self.axi.bvalid.val() && (self.axi.bid.val() == self.id_requester.val());
        self.acknowledged_error.next = self.axi.bresp.val().get_bit(1);
        self.atomic_acknowledged.next = self.axi.bvalid.val() && (self.axi.bid.val() == self.id_atomic.val());
        self.cqe_written.next = self.axi.bvalid.val() && (self.axi.bid.val() == self.id_cqe.val());

        if self.reset.val() {
            clear!(self, offered, sent);
        }
    }
}
