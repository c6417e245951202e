//! The checks of a packet before any engine sees it.
use super::opcode_table::OpcodeTable;
use super::record::RxHeader;
use crate::host::retire::drop;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// Judges a packet in three clocks: fields, arithmetic, verdict (`protocol/responder.md` section 1 steps 1 to 4).
///
/// `arrived_whole` strobes while `flat`, `beats` and `count` describe the whole packet. The CRC results belong to the packet
/// that ended two clocks before. `done` strobes three clocks after `arrived_whole`, with the verdict.
#[derive(LogicBlock)]
pub struct PacketCheck<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub arrived_whole: Signal<In, Bit>,
    /// The first 48 bytes.
    pub flat: Signal<In, Bits<384>>,
    /// Number of the last beat, from 0.
    pub beats: Signal<In, Bits<11>>,
    /// Bytes of the last beat.
    pub count: Signal<In, Bits<6>>,
    pub vcrc_ok: Signal<In, Bit>,
    pub icrc_ok: Signal<In, Bit>,
    pub port_lid: Signal<In, Bits<16>>,
    pub port_lmc: Signal<In, Bits<3>>,
    pub done: Signal<Out, Bit>,
    /// 0: accepted; else the reason of the drop, as the retire port numbers it.
    pub reason: Signal<Out, Bits<8>>,
    pub header: Signal<Out, RxHeader>,
    /// 32-bit words before the payload.
    pub header_words: Signal<Out, Bits<4>>,
    opcodes: OpcodeTable,
    lid_mask: Register<Bits<16>>,
    arrived: Register<Bits<32>>,
    // Fields.
    ended: Register<Bit>,
    fields: Register<RxHeader>,
    odd: Register<Bit>,
    words: Register<Bits<16>>,
    link_version: Register<Bits<4>>,
    length: Register<Bits<11>>,
    network: Register<Bits<2>>,
    lid_ok: Register<Bit>,
    transport_version: Register<Bits<4>>,
    pad: Register<Bits<2>>,
    opcode_words: Register<Bits<4>>,
    // Arithmetic.
    reckoned: Register<Bit>,
    kept: Register<RxHeader>,
    runt: Register<Bit>,
    wrong_version: Register<Bit>,
    wrong_length: Register<Bit>,
    wrong_lid: Register<Bit>,
    wrong_network: Register<Bit>,
    wrong_transport: Register<Bit>,
    rest: Register<Bits<12>>,
    kept_pad: Register<Bits<2>>,
    kept_words: Register<Bits<4>>,
    // Verdict.
    judged: Register<Bit>,
    verdict: Register<Bits<8>>,
    result: Register<RxHeader>,
    result_words: Register<Bits<4>>,
    dlid: Signal<Local, Bits<16>>,
    word_5: Signal<Local, Bits<32>>,
    incomplete: Signal<Local, Bit>,
    words_shift: Constant<Bits<3>>,
    drop_vcrc: Constant<Bits<8>>,
    drop_icrc: Constant<Bits<8>>,
    drop_link_version: Constant<Bits<8>>,
    drop_length: Constant<Bits<8>>,
    drop_network_header: Constant<Bits<8>>,
    drop_transport_version: Constant<Bits<8>>,
    drop_header_incomplete: Constant<Bits<8>>,
    drop_dlid: Constant<Bits<8>>,
}

impl<const W: usize> Default for PacketCheck<W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            arrived_whole: Default::default(),
            flat: Default::default(),
            beats: Default::default(),
            count: Default::default(),
            vcrc_ok: Default::default(),
            icrc_ok: Default::default(),
            port_lid: Default::default(),
            port_lmc: Default::default(),
            done: Default::default(),
            reason: Default::default(),
            header: Default::default(),
            header_words: Default::default(),
            opcodes: Default::default(),
            lid_mask: Default::default(),
            arrived: Default::default(),
            ended: Default::default(),
            fields: Default::default(),
            odd: Default::default(),
            words: Default::default(),
            link_version: Default::default(),
            length: Default::default(),
            network: Default::default(),
            lid_ok: Default::default(),
            transport_version: Default::default(),
            pad: Default::default(),
            opcode_words: Default::default(),
            reckoned: Default::default(),
            kept: Default::default(),
            runt: Default::default(),
            wrong_version: Default::default(),
            wrong_length: Default::default(),
            wrong_lid: Default::default(),
            wrong_network: Default::default(),
            wrong_transport: Default::default(),
            rest: Default::default(),
            kept_pad: Default::default(),
            kept_words: Default::default(),
            judged: Default::default(),
            verdict: Default::default(),
            result: Default::default(),
            result_words: Default::default(),
            dlid: Default::default(),
            word_5: Default::default(),
            incomplete: Default::default(),
            words_shift: Constant::new((W / 32).trailing_zeros().to_bits()),
            drop_vcrc: Constant::new(drop::VCRC.to_bits()),
            drop_icrc: Constant::new(drop::ICRC.to_bits()),
            drop_link_version: Constant::new(drop::LINK_VERSION.to_bits()),
            drop_length: Constant::new(drop::LENGTH.to_bits()),
            drop_network_header: Constant::new(drop::NETWORK_HEADER.to_bits()),
            drop_transport_version: Constant::new(drop::TRANSPORT_VERSION.to_bits()),
            drop_header_incomplete: Constant::new(drop::HEADER_INCOMPLETE.to_bits()),
            drop_dlid: Constant::new(drop::DLID.to_bits()),
        }
    }
}

impl<const W: usize> Logic for PacketCheck<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module packet_check");
        dff_setup!(
            self,
            clock,
            lid_mask,
            arrived,
            ended,
            fields,
            odd,
            words,
            link_version,
            length,
            network,
            lid_ok,
            transport_version,
            pad,
            opcode_words,
            reckoned,
            kept,
            runt,
            wrong_version,
            wrong_length,
            wrong_lid,
            wrong_network,
            wrong_transport,
            rest,
            kept_pad,
            kept_words,
            judged,
            verdict,
            result,
            result_words
        );
        self.lid_mask.d.next = bits::<16>(0xFFFF) << self.port_lmc.val();

        // Fields: LRH from bit 383 down, BTH from 319, what follows from 223.
        self.ended.d.next = self.arrived_whole.val();
        self.fields.d.next.packet = self.arrived.q.val();
        if self.arrived_whole.val() {
            self.arrived.d.next = self.arrived.q.val() + 1;
        }
        self.dlid.next = self.flat.val().get_bits::<16>(352);
        self.word_5.next = self.flat.val().get_bits::<32>(192);
        self.opcodes.opcode.next = self.flat.val().get_bits::<8>(312);
        self.link_version.d.next = self.flat.val().get_bits::<4>(376);
        self.network.d.next = self.flat.val().get_bits::<2>(368);
        self.length.d.next = self.flat.val().get_bits::<11>(336);
        self.pad.d.next = self.flat.val().get_bits::<2>(308);
        self.transport_version.d.next = self.flat.val().get_bits::<4>(304);
        self.opcode_words.d.next = self.opcodes.words.val();
        self.fields.d.next.slid = self.flat.val().get_bits::<16>(320);
        self.fields.d.next.dlid = self.dlid.val();
        self.fields.d.next.sl = self.flat.val().get_bits::<4>(372);
        self.fields.d.next.opcode = self.flat.val().get_bits::<8>(312);
        self.fields.d.next.solicited = self.flat.val().get_bit(311);
        self.fields.d.next.p_key = self.flat.val().get_bits::<16>(288);
        self.fields.d.next.dest_qp = self.flat.val().get_bits::<24>(256);
        self.fields.d.next.ack_req = self.flat.val().get_bit(255);
        self.fields.d.next.psn = self.flat.val().get_bits::<24>(224);
        self.fields.d.next.syndrome = 0.into();
        self.fields.d.next.msn = 0.into();
        if self.opcodes.aeth.val() {
            self.fields.d.next.syndrome = self.word_5.val().get_bits::<8>(24);
            self.fields.d.next.msn = self.word_5.val().get_bits::<24>(0);
        }
        self.fields.d.next.immediate = 0.into();
        if self.opcodes.immdt.val() && !self.opcodes.reth.val() {
            self.fields.d.next.immediate = self.word_5.val();
        }
        if self.opcodes.immdt.val() && self.opcodes.reth.val() {
            self.fields.d.next.immediate = self.flat.val().get_bits::<32>(64);
        }
        self.fields.d.next.payload = 0.into();
        // Unicast, and ours but for the path bits (linklayer.md).
        self.lid_ok.d.next = ((self.dlid.val() & self.lid_mask.q.val()) == self.port_lid.val())
            && (self.dlid.val() != 0)
            && (self.dlid.val() < 0xC000);
        // The VCRC must follow whole words.
        self.odd.d.next = self.count.val().get_bits::<2>(0) != 2;
        self.words.d.next = (bit_cast::<16, 11>(self.beats.val()) << self.words_shift.val())
            + bit_cast::<16, 4>(self.count.val().get_bits::<4>(2));

        // Arithmetic.
        self.reckoned.d.next = self.ended.q.val();
        self.kept.d.next = self.fields.q.val();
        self.kept_pad.d.next = self.pad.q.val();
        self.kept_words.d.next = self.opcode_words.q.val() + 2;
        self.runt.d.next = self.odd.q.val() || (self.words.q.val() < 6);
        self.wrong_version.d.next = self.link_version.q.val() != 0;
        self.wrong_length.d.next =
            (bit_cast::<16, 11>(self.length.q.val()) != self.words.q.val()) || (self.length.q.val() > 1055);
        self.wrong_lid.d.next = !self.lid_ok.q.val();
        self.wrong_network.d.next = self.network.q.val() != 2;
        self.wrong_transport.d.next = self.transport_version.q.val() != 0;
        // Payload and pad, in words; the sign bit says that not even the headers fit.
        self.rest.d.next =
            (bit_cast::<12, 11>(self.length.q.val()) - 3) - bit_cast::<12, 4>(self.opcode_words.q.val());

        // Verdict: the first check that fails.
        self.judged.d.next = self.reckoned.q.val();
        self.incomplete.next =
            self.rest.q.val().get_bit(11) || ((self.rest.q.val() == 0) && (self.kept_pad.q.val() != 0));
        self.verdict.d.next = 0.into();
        if self.runt.q.val() {
            self.verdict.d.next = self.drop_length.val();
        } else if !self.vcrc_ok.val() {
            self.verdict.d.next = self.drop_vcrc.val();
        } else if self.wrong_version.q.val() {
            self.verdict.d.next = self.drop_link_version.val();
        } else if self.wrong_length.q.val() {
            self.verdict.d.next = self.drop_length.val();
        } else if self.wrong_lid.q.val() {
            self.verdict.d.next = self.drop_dlid.val();
        } else if self.wrong_network.q.val() {
            self.verdict.d.next = self.drop_network_header.val();
        } else if !self.icrc_ok.val() {
            self.verdict.d.next = self.drop_icrc.val();
        } else if self.wrong_transport.q.val() {
            self.verdict.d.next = self.drop_transport_version.val();
        } else if self.incomplete.val() {
            self.verdict.d.next = self.drop_header_incomplete.val();
        }
        self.result.d.next = self.kept.q.val();
        self.result.d.next.payload =
            (bit_cast::<13, 12>(self.rest.q.val()) << 2) - bit_cast::<13, 2>(self.kept_pad.q.val());
        self.result_words.d.next = self.kept_words.q.val();
        if self.reset.val() {
            self.arrived.d.next = 0.into();
            self.ended.d.next = false;
            self.reckoned.d.next = false;
            self.judged.d.next = false;
        }
        self.done.next = self.judged.q.val();
        self.reason.next = self.verdict.q.val();
        self.header.next = self.result.q.val();
        self.header_words.next = self.result_words.q.val();
    }
}
