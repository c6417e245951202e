//! The checks of the BTH and of what must fit behind it.
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

/// Judges the transport layer of a packet (`protocol/responder.md` section 1 step 4), and computes the length of its
/// payload.
///
/// `transport` belongs to the first cycle, `known`, `start` and `words` to the third; `passes` follows in the fourth,
/// the other outputs in the fifth. They are meaningful only for a packet whose lengths are correct.
#[derive(LogicBlock, SmartDefault)]
pub struct TransportCheck<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// BTH and the ten words behind it.
    pub transport: Signal<In, Bits<416>>,
    /// High if the opcode is known.
    pub known: Signal<In, Bit>,
    /// Number of 32-bit words before the payload, from the packet's first.
    pub start: Signal<In, Bits<5>>,
    /// Number of 32-bit words of the packet, the ICRC being the last.
    pub words: Signal<In, Bits<11>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub port_mtu: Signal<In, Bits<3>>,
    /// High if no check fails, so that `reason` is 0 in the next cycle.
    pub passes: Signal<Out, Bit>,
    /// 0, or the reason to drop the packet, numbered as on the retire port.
    pub reason: Signal<Out, Bits<8>>,
    /// Bytes of payload, pad not counted.
    pub payload: Signal<Out, Bits<13>>,
    /// Number of beats of `W` bits that hold the payload.
    pub beats: Signal<Out, Bits<10>>,
    // Fields.
    version: Register<Bits<4>>,
    pad: Register<Bits<2>>,
    is_datagram: Register<Bit>,
    // Comparisons.
    wrong_version: Register<Bit>,
    pad_known: Register<Bits<2>>,
    /// Largest payload in words.
    most_known: Register<Bits<12>>,
    // Arithmetic.
    wrong_transport: Register<Bit>,
    wrong_opcode: Register<Bit>,
    pad_left: Register<Bits<2>>,
    most: Register<Bits<12>>,
    left: Register<Bits<12>>,
    // Verdict.
    verdict: Register<Bits<8>>,
    bytes: Register<Bits<13>>,
    payload_beats: Register<Bits<10>>,
    #[default(constant((W / 32).trailing_zeros()))]
    word_shift: Constant<Bits<3>>,
    #[default(constant(W / 32 - 1))]
    round_up: Constant<Bits<12>>,
    why: DropReasons,
}

#[kernel]
impl<const W: usize> Logic for TransportCheck<W> {
    fn update(&mut self) {
        // Fields.
        self.version.d.next = self.transport.val().get_bits::<4>(400);
        self.is_datagram.d.next = self.transport.val().get_bits::<3>(413) == 3;
        self.pad.d.next = self.transport.val().get_bits::<2>(404);

        // Comparisons.
        self.wrong_version.d.next = self.version.q.val() != 0;
        self.pad_known.d.next = self.pad.q.val();
        // The payload of a connection is measured by the PMTU of its QP.
        self.most_known.d.next = bits::<12>(1024);
        if self.is_datagram.q.val() {
            // Code 1 is 256 bytes.
            self.most_known.d.next = bits::<12>(32) << self.port_mtu.val();
        }

        // Arithmetic. Words of payload and pad; the sign bit says that not even the headers fit.
        self.wrong_transport.d.next = self.wrong_version.q.val();
        self.wrong_opcode.d.next = !self.known.val();
        self.pad_left.d.next = self.pad_known.q.val();
        self.most.d.next = self.most_known.q.val();
        self.left.d.next = (bit_cast::<12, 11>(self.words.val()) - 1) - bit_cast::<12, 5>(self.start.val());

        self.passes.next = !self.wrong_transport.q.val()
            && !self.wrong_opcode.q.val()
            && !self.left.q.val().get_bit(11)
            && ((self.left.q.val() != 0) || (self.pad_left.q.val() == 0))
            && (self.left.q.val() <= self.most.q.val());

        // Verdict: the first check that fails.
        self.verdict.d.next = 0.into();
        if self.wrong_transport.q.val() {
            // headers.md section 5
            self.verdict.d.next = self.why.transport_version.val();
        } else if self.wrong_opcode.q.val() {
            // headers.md section 6; unassigned RC opcodes pass, the responder answers them (CF073)
            self.verdict.d.next = self.why.opcode.val();
        } else if self.left.q.val().get_bit(11) {
            // responder.md section 1 step 4: header complete
            self.verdict.d.next = self.why.header_incomplete.val();
        } else if (self.left.q.val() == 0) && (self.pad_left.q.val() != 0) {
            // headers.md section 4
            self.verdict.d.next = self.why.pad_count.val();
        } else if self.left.q.val() > self.most.q.val() {
            // ud.md section 3.1 step 11, pmtu.csv; a pad is not a word
            self.verdict.d.next = self.why.payload_length.val();
        }
        self.bytes.d.next =
            (bit_cast::<13, 12>(self.left.q.val()) << 2) - bit_cast::<13, 2>(self.pad_left.q.val());
        self.payload_beats.d.next =
            bit_cast::<10, 12>((self.left.q.val() + self.round_up.val()) >> self.word_shift.val());
        self.reason.next = self.verdict.q.val();
        self.payload.next = self.bytes.q.val();
        self.beats.next = self.payload_beats.q.val();
    }
}
