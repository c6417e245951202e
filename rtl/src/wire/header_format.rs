//! Turns a packet's description into header bytes and lengths.
use super::ethernet_header::EthernetHeader;
use super::link_header::LinkHeader;
use super::transport_header::TransportHeader;
use super::tx_header::TxHeader;
use hca_hdl::prelude::*;

/// Words of the short network header: of an LRH; of Ethernet with its two bytes, IPv4 and UDP.
const SHORT: [usize; 2] = [2, 4 + 5 + 2];
/// Words of the long network header, with a GRH or IPv6.
const LONG: [usize; 2] = [2 + 10, 4 + 10 + 2];

/// Lays out all headers of a packet, and counts its words and beats (`protocol/headers.md` sections 1 to 3 and 7).
///
/// Three registers deep: description, fields, lengths. All outputs describe one packet while
/// `formatted_valid`. `ROCE` is 1 for RoCEv2, where a packet starts with two extra zero bytes, 0 for native InfiniBand.
#[derive(LogicBlock, SmartDefault)]
pub struct HeaderFormat<const W: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Descriptions of packets to send.
    pub header: OfferSink<TxHeader>,
    /// High while the headers of a packet are offered.
    pub formatted_valid: Signal<Out, Bit>,
    /// High in a cycle in which the offered headers are taken.
    pub formatted_ready: Signal<In, Bit>,
    /// All header bytes, byte 0 at the most significant end, zeros behind.
    pub flat: Signal<Out, Bits<1024>>,
    /// High if the packet has the longer of the framing's two network headers: a GRH, or IPv6.
    pub long: Signal<Out, Bit>,
    /// Number of beats that hold nothing but headers.
    pub head_beats: Signal<Out, Bits<4>>,
    /// Number of 32-bit header words in the beat after these.
    pub head_rest: Signal<Out, Bits<4>>,
    /// Number of beats of payload, the last one possibly not full.
    pub payload_beats: Signal<Out, Bits<11>>,
    /// Ones over the payload bytes of the last payload beat.
    pub tail: Signal<Out, Bits<W>>,
    /// Number of the packet's last beat, from 0.
    pub final_beat: Signal<Out, Bits<11>>,
    /// Index, in the last beat, of the packet's last word: VCRC (native) or ICRC (RoCEv2).
    pub final_word: Signal<Out, Bits<4>>,
    link: LinkHeader,
    ethernet: EthernetHeader,
    transport: TransportHeader,
    taken: Register<Bit>,
    description: Register<TxHeader>,
    payload_words: Register<Bits<11>>,
    laid: Register<Bit>,
    laid_long: Register<Bit>,
    transport_words: Register<Bits<11>>,
    head_words: Register<Bits<5>>,
    length: Register<Bits<13>>,
    placed: Register<Bit>,
    placed_long: Register<Bit>,
    whole_beats: Register<Bits<4>>,
    rest: Register<Bits<4>>,
    beats: Register<Bits<11>>,
    mask: Register<Bits<W>>,
    end_beat: Register<Bits<11>>,
    end_word: Register<Bits<4>>,
    take: Signal<Local, Bit>,
    lay: Signal<Local, Bit>,
    place: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    network_words: Signal<Local, Bits<5>>,
    unused: Signal<Local, Bits<13>>,
    last: Signal<Local, Bits<11>>,
    network: Signal<Local, Bits<512>>,
    #[default(Constant::new(ROCE == 1))]
    roce: Constant<Bit>,
    #[default(constant(SHORT[ROCE]))]
    short_words: Constant<Bits<5>>,
    #[default(constant(LONG[ROCE]))]
    long_words: Constant<Bits<5>>,
    #[default(constant(1024 - 416 - 32 * SHORT[ROCE]))]
    short_place: Constant<Bits<10>>,
    #[default(constant(1024 - 416 - 32 * LONG[ROCE]))]
    long_place: Constant<Bits<10>>,
    /// Number of the last word, counted from the BTH, without its payload: the ICRC, or behind it the VCRC.
    #[default(constant(SHORT[ROCE] - ROCE))]
    short_last: Constant<Bits<11>>,
    #[default(constant(LONG[ROCE] - ROCE))]
    long_last: Constant<Bits<11>>,
    #[default(constant((W / 32).trailing_zeros()))]
    word_shift: Constant<Bits<3>>,
    #[default(constant((W / 8).trailing_zeros()))]
    byte_shift: Constant<Bits<3>>,
    #[default(constant(W / 32 - 1))]
    word_mask: Constant<Bits<4>>,
    #[default(constant(W / 8 - 1))]
    round_up: Constant<Bits<13>>,
    #[default(Constant::new(!Bits::<W>::default()))]
    ones: Constant<Bits<W>>,
}

#[kernel]
impl<const W: usize, const ROCE: usize> Logic for HeaderFormat<W, ROCE> {
    fn update(&mut self) {
        clock!(self, clock, transport, link, ethernet);
        self.place.next = !self.placed.q.val() || self.formatted_ready.val();
        self.lay.next = !self.laid.q.val() || self.place.val();
        self.take.next = !self.taken.q.val() || self.lay.val();
        self.header.ready.next = self.take.val();
        if self.take.val() {
            self.taken.d.next = self.header.valid.val();
            self.description.d.next = self.header.item.val();
            self.payload_words.d.next = bit_cast::<11, 13>((self.header.item.val().payload + 3) >> 2);
        }

        self.transport.opcode.next = self.header.item.val().opcode;
        inputs!(self.transport, take, lay, place, header: description.q);
        inputs!(self.link, header: description.q, lay, place, transport_words: transport_words.q);
        inputs!(self.ethernet, header: description.q, lay, place, transport_words: transport_words.q);

        if self.roce.val() {
            self.is_long.next = !self.description.q.val().ipv4;
        } else {
            self.is_long.next = self.description.q.val().has_grh;
        }
        self.network_words.next = self.short_words.val();
        if self.is_long.val() {
            self.network_words.next = self.long_words.val();
        }
        if self.lay.val() {
            self.laid.d.next = self.taken.q.val();
            self.laid_long.d.next = self.is_long.val();
            self.transport_words.d.next =
                (self.payload_words.q.val() + 1) + bit_cast::<11, 4>(self.transport.words.val());
            self.head_words.d.next = self.network_words.val() + bit_cast::<5, 4>(self.transport.words.val());
            self.length.d.next = self.description.q.val().payload;
        }

        self.unused.next = (bits::<13>(0) - self.length.q.val()) & self.round_up.val();
        self.last.next = self.transport_words.q.val() + self.short_last.val();
        if self.laid_long.q.val() {
            self.last.next = self.transport_words.q.val() + self.long_last.val();
        }
        if self.place.val() {
            self.placed.d.next = self.laid.q.val();
            self.placed_long.d.next = self.laid_long.q.val();
            self.whole_beats.d.next = bit_cast::<4, 5>(self.head_words.q.val() >> self.word_shift.val());
            self.rest.d.next = bit_cast::<4, 5>(self.head_words.q.val()) & self.word_mask.val();
            self.beats.d.next =
                bit_cast::<11, 13>((self.length.q.val() + self.round_up.val()) >> self.byte_shift.val());
            self.mask.d.next = self.ones.val() << (bit_cast::<10, 13>(self.unused.val()) << 3);
            self.end_beat.d.next = self.last.val() >> self.word_shift.val();
            self.end_word.d.next = bit_cast::<4, 11>(self.last.val()) & self.word_mask.val();
        }
        if self.reset.val() {
            clear!(self, taken, laid, placed);
        }

        if self.roce.val() {
            self.network.next = self.ethernet.flat.val();
        } else {
            self.network.next = self.link.flat.val();
        }
        self.flat.next = (bit_cast::<1024, 512>(self.network.val()) << 512)
            | (bit_cast::<1024, 416>(self.transport.flat.val()) << self.short_place.val());
        if self.placed_long.q.val() {
            self.flat.next = (bit_cast::<1024, 512>(self.network.val()) << 512)
                | (bit_cast::<1024, 416>(self.transport.flat.val()) << self.long_place.val());
        }
        self.formatted_valid.next = self.placed.q.val();
        self.long.next = self.placed_long.q.val();
        self.head_beats.next = self.whole_beats.q.val();
        self.head_rest.next = self.rest.q.val();
        self.payload_beats.next = self.beats.q.val();
        self.tail.next = self.mask.q.val();
        self.final_beat.next = self.end_beat.q.val();
        self.final_word.next = self.end_word.q.val();
    }
}
