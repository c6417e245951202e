//! From a packet's description to its header bytes and lengths.
use super::record::TxHeader;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// Lays out LRH, BTH, AETH and ImmDt, and counts words and beats (`protocol/headers.md` sections 1 to 3).
///
/// Two registers deep. All outputs describe one packet while `formatted_valid`.
#[derive(LogicBlock)]
pub struct HeaderFormat<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub header: Signal<In, TxHeader>,
    pub header_valid: Signal<In, Bit>,
    pub header_ready: Signal<Out, Bit>,
    pub formatted_valid: Signal<Out, Bit>,
    pub formatted_ready: Signal<In, Bit>,
    /// All header bytes, byte 0 at the most significant end, zeros behind.
    pub flat: Signal<Out, Bits<512>>,
    /// Beats that hold nothing but headers.
    pub head_beats: Signal<Out, Bits<4>>,
    /// Header words in the beat after those.
    pub head_rest: Signal<Out, Bits<4>>,
    pub payload_beats: Signal<Out, Bits<11>>,
    /// Ones over the payload bytes of the last of those.
    pub tail: Signal<Out, Bits<W>>,
    /// Number of the beat that holds the VCRC, the last.
    pub final_beat: Signal<Out, Bits<11>>,
    /// The word of that beat that holds the VCRC.
    pub final_word: Signal<Out, Bits<4>>,
    taken: Register<Bit>,
    description: Register<TxHeader>,
    payload_words: Register<Bits<13>>,
    words: Register<Bits<4>>,
    formatted: Register<Bit>,
    bytes: Register<Bits<512>>,
    whole_beats: Register<Bits<4>>,
    rest: Register<Bits<4>>,
    beats: Register<Bits<11>>,
    mask: Register<Bits<W>>,
    end_beat: Register<Bits<11>>,
    end_word: Register<Bits<4>>,
    advance: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    length: Signal<Local, Bits<13>>,
    pad: Signal<Local, Bits<2>>,
    aeth: Signal<Local, Bits<32>>,
    lrh: Signal<Local, Bits<64>>,
    bth: Signal<Local, Bits<96>>,
    extended: Signal<Local, Bits<64>>,
    payload: Signal<Local, Bits<13>>,
    unused: Signal<Local, Bits<13>>,
    word_shift: Constant<Bits<3>>,
    byte_shift: Constant<Bits<3>>,
    word_mask: Constant<Bits<4>>,
    round_up: Constant<Bits<13>>,
    ones: Constant<Bits<W>>,
}

impl<const W: usize> Default for HeaderFormat<W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            header: Default::default(),
            header_valid: Default::default(),
            header_ready: Default::default(),
            formatted_valid: Default::default(),
            formatted_ready: Default::default(),
            flat: Default::default(),
            head_beats: Default::default(),
            head_rest: Default::default(),
            payload_beats: Default::default(),
            tail: Default::default(),
            final_beat: Default::default(),
            final_word: Default::default(),
            taken: Default::default(),
            description: Default::default(),
            payload_words: Default::default(),
            words: Default::default(),
            formatted: Default::default(),
            bytes: Default::default(),
            whole_beats: Default::default(),
            rest: Default::default(),
            beats: Default::default(),
            mask: Default::default(),
            end_beat: Default::default(),
            end_word: Default::default(),
            advance: Default::default(),
            accept: Default::default(),
            length: Default::default(),
            pad: Default::default(),
            aeth: Default::default(),
            lrh: Default::default(),
            bth: Default::default(),
            extended: Default::default(),
            payload: Default::default(),
            unused: Default::default(),
            word_shift: Constant::new((W / 32).trailing_zeros().to_bits()),
            byte_shift: Constant::new((W / 8).trailing_zeros().to_bits()),
            word_mask: Constant::new((W / 32 - 1).to_bits()),
            round_up: Constant::new((W / 8 - 1).to_bits()),
            ones: Constant::new(!Bits::<W>::default()),
        }
    }
}

impl<const W: usize> Logic for HeaderFormat<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module header_format");
        dff_setup!(
            self,
            clock,
            taken,
            description,
            payload_words,
            words,
            formatted,
            bytes,
            whole_beats,
            rest,
            beats,
            mask,
            end_beat,
            end_word
        );
        self.advance.next = !self.formatted.q.val() || self.formatted_ready.val();
        self.accept.next = !self.taken.q.val() || self.advance.val();
        self.header_ready.next = self.accept.val();
        if self.accept.val() {
            self.taken.d.next = self.header_valid.val();
            self.description.d.next = self.header.val();
            self.payload_words.d.next = (self.header.val().payload + 3) >> 2;
            self.words.d.next = 5.into();
            if self.header.val().has_aeth || self.header.val().has_immediate {
                self.words.d.next = 6.into();
            }
            if self.header.val().has_aeth && self.header.val().has_immediate {
                self.words.d.next = 7.into();
            }
        }

        // PktLen counts from the LRH to the ICRC.
        self.length.next = (self.payload_words.q.val() + 1) + bit_cast::<13, 4>(self.words.q.val());
        self.pad.next = bits::<2>(0) - self.description.q.val().payload.get_bits::<2>(0);
        self.aeth.next = (bit_cast::<32, 8>(self.description.q.val().syndrome) << 24)
            | bit_cast::<32, 24>(self.description.q.val().msn);
        self.lrh.next = (bit_cast::<64, 4>(self.description.q.val().vl) << 60)
            | (bit_cast::<64, 4>(self.description.q.val().sl) << 52)
            | (bits::<64>(2) << 48)
            | (bit_cast::<64, 16>(self.description.q.val().dlid) << 32)
            | (bit_cast::<64, 13>(self.length.val()) << 16)
            | bit_cast::<64, 16>(self.description.q.val().slid);
        self.bth.next = (bit_cast::<96, 8>(self.description.q.val().opcode) << 88)
            | (bit_cast::<96, 1>(self.description.q.val().solicited.into()) << 87)
            | (bit_cast::<96, 2>(self.pad.val()) << 84)
            | (bit_cast::<96, 16>(self.description.q.val().p_key) << 64)
            | (bit_cast::<96, 24>(self.description.q.val().dest_qp) << 32)
            | (bit_cast::<96, 1>(self.description.q.val().ack_req.into()) << 31)
            | bit_cast::<96, 24>(self.description.q.val().psn);
        self.extended.next = 0.into();
        if self.description.q.val().has_immediate {
            self.extended.next = bit_cast::<64, 32>(self.description.q.val().immediate) << 32;
        }
        if self.description.q.val().has_aeth {
            self.extended.next = bit_cast::<64, 32>(self.aeth.val()) << 32;
            if self.description.q.val().has_immediate {
                self.extended.next = (bit_cast::<64, 32>(self.aeth.val()) << 32)
                    | bit_cast::<64, 32>(self.description.q.val().immediate);
            }
        }
        self.payload.next = self.description.q.val().payload;
        self.unused.next = (bits::<13>(0) - self.payload.val()) & self.round_up.val();
        if self.advance.val() {
            self.formatted.d.next = self.taken.q.val();
            self.bytes.d.next = (bit_cast::<512, 64>(self.lrh.val()) << 448)
                | (bit_cast::<512, 96>(self.bth.val()) << 352)
                | (bit_cast::<512, 64>(self.extended.val()) << 288);
            self.whole_beats.d.next = self.words.q.val() >> self.word_shift.val();
            self.rest.d.next = self.words.q.val() & self.word_mask.val();
            self.beats.d.next =
                bit_cast::<11, 13>((self.payload.val() + self.round_up.val()) >> self.byte_shift.val());
            self.mask.d.next = self.ones.val() << (bit_cast::<10, 13>(self.unused.val()) << 3);
            self.end_beat.d.next = bit_cast::<11, 13>(self.length.val() >> self.word_shift.val());
            self.end_word.d.next = bit_cast::<4, 13>(self.length.val()) & self.word_mask.val();
        }
        if self.reset.val() {
            self.taken.d.next = false;
            self.formatted.d.next = false;
        }
        self.formatted_valid.next = self.formatted.q.val();
        self.flat.next = self.bytes.q.val();
        self.head_beats.next = self.whole_beats.q.val();
        self.head_rest.next = self.rest.q.val();
        self.payload_beats.next = self.beats.q.val();
        self.tail.next = self.mask.q.val();
        self.final_beat.next = self.end_beat.q.val();
        self.final_word.next = self.end_word.q.val();
    }
}
