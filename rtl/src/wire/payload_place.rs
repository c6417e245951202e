//! Finds where a packet's payload begins.
use super::opcode_table::OpcodeTable;
use hca_hdl::prelude::*;

/// Words before the BTH (`protocol/headers.md` section 1) without the long network header: LRH; Ethernet as 4 words,
/// IPv4 and UDP.
const SHORT: [usize; 2] = [2, 11];
/// Words before the BTH with a GRH or IPv6.
const LONG: [usize; 2] = [12, 16];

/// Reads the opcode as it passes and delays the beats by three clocks, until it is known which of them carry payload.
///
/// `known`, `headers` and `start` describe the packet of the beat of two clocks ago; the outputs `placed_*` the beat of
/// three clocks ago. `ROCE` is 0 for native packets, 1 for Ethernet frames.
#[derive(LogicBlock, SmartDefault)]
pub struct PayloadPlace<const W: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle that brings a beat of the packet.
    pub valid: Signal<In, Bit>,
    /// High with the packet's last beat.
    pub last: Signal<In, Bit>,
    /// Number of the beat in its packet, from 0.
    pub beat: Signal<In, Bits<11>>,
    /// The whole 32-bit words of the packet in this beat.
    pub body: Signal<In, Bits<W>>,
    /// High if the packet has the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// High if the opcode is known.
    pub known: Signal<Out, Bit>,
    /// Extended headers that the packet has, as in `HeaderDecode::has`.
    pub headers: Signal<Out, Bits<8>>,
    /// Number of 32-bit words before the payload, from the packet's first.
    pub start: Signal<Out, Bits<5>>,
    /// High if a beat came three cycles earlier.
    pub placed_valid: Signal<Out, Bit>,
    /// `last` of that beat.
    pub placed_last: Signal<Out, Bit>,
    /// `body` of that beat.
    pub placed_body: Signal<Out, Bits<W>>,
    /// `start` of the packet of that beat.
    pub placed_start: Signal<Out, Bits<5>>,
    /// High if payload began in that beat or an earlier one of its packet.
    pub placed_carries: Signal<Out, Bit>,
    opcodes: OpcodeTable,
    // One clock after the beat.
    opcode: Register<Bits<8>>,
    opcode_long: Register<Bit>,
    opcode_valid: Register<Bit>,
    opcode_last: Register<Bit>,
    opcode_beat: Register<Bits<4>>,
    opcode_body: Register<Bits<W>>,
    // Two.
    length: Register<Bits<4>>,
    length_known: Register<Bit>,
    length_headers: Register<Bits<8>>,
    length_long: Register<Bit>,
    length_valid: Register<Bit>,
    length_last: Register<Bit>,
    length_beat: Register<Bits<4>>,
    length_body: Register<Bits<W>>,
    // Three.
    held_start: Register<Bits<5>>,
    carries: Register<Bit>,
    start_valid: Register<Bit>,
    start_last: Register<Bit>,
    start_body: Register<Bits<W>>,
    here: Signal<Local, Bit>,
    at_start: Signal<Local, Bits<5>>,
    at_beat: Signal<Local, Bits<4>>,
    #[default(constant(32 * SHORT[ROCE] / W))]
    short_beat: Constant<Bits<11>>,
    #[default(constant(W - 8 - 32 * SHORT[ROCE] % W))]
    short_shift: Constant<Bits<9>>,
    #[default(constant(SHORT[ROCE]))]
    short_words: Constant<Bits<5>>,
    #[default(constant(32 * LONG[ROCE] / W))]
    long_beat: Constant<Bits<11>>,
    #[default(constant(W - 8 - 32 * LONG[ROCE] % W))]
    long_shift: Constant<Bits<9>>,
    #[default(constant(LONG[ROCE]))]
    long_words: Constant<Bits<5>>,
    #[default(constant((W / 32).trailing_zeros()))]
    word_shift: Constant<Bits<3>>,
}

#[kernel]
impl<const W: usize, const ROCE: usize> Logic for PayloadPlace<W, ROCE> {
    fn update(&mut self) {
        // The opcode.
        self.here.next = self.valid.val() && (self.beat.val() == self.short_beat.val());
        if self.long.val() {
            self.here.next = self.valid.val() && (self.beat.val() == self.long_beat.val());
        }
        if self.here.val() {
            self.opcode.d.next = bit_cast::<8, W>(self.body.val() >> self.short_shift.val());
            if self.long.val() {
                self.opcode.d.next = bit_cast::<8, W>(self.body.val() >> self.long_shift.val());
            }
        }
        self.opcode_long.d.next = self.long.val();
        self.opcode_valid.d.next = self.valid.val();
        self.opcode_last.d.next = self.last.val();
        self.opcode_body.d.next = self.body.val();
        // No header reaches beat 15.
        self.opcode_beat.d.next = 15.into();
        if self.beat.val() < 15 {
            self.opcode_beat.d.next = self.beat.val().get_bits::<4>(0);
        }

        // Its headers.
        self.opcodes.opcode.next = self.opcode.q.val();
        self.length.d.next = self.opcodes.words.val();
        self.length_known.d.next = self.opcodes.known.val();
        self.length_headers.d.next = bit_cast::<8, 1>(self.opcodes.rdeth.val().into())
            | (bit_cast::<8, 1>(self.opcodes.deth.val().into()) << 1)
            | (bit_cast::<8, 1>(self.opcodes.reth.val().into()) << 2)
            | (bit_cast::<8, 1>(self.opcodes.atomic_eth.val().into()) << 3)
            | (bit_cast::<8, 1>(self.opcodes.aeth.val().into()) << 4)
            | (bit_cast::<8, 1>(self.opcodes.atomic_ack_eth.val().into()) << 5)
            | (bit_cast::<8, 1>(self.opcodes.immdt.val().into()) << 6)
            | (bit_cast::<8, 1>(self.opcodes.ieth.val().into()) << 7);
        self.length_long.d.next = self.opcode_long.q.val();
        self.length_valid.d.next = self.opcode_valid.q.val();
        self.length_last.d.next = self.opcode_last.q.val();
        self.length_beat.d.next = self.opcode_beat.q.val();
        self.length_body.d.next = self.opcode_body.q.val();

        // Where they end.
        self.at_start.next = bit_cast::<5, 4>(self.length.q.val()) + self.short_words.val();
        if self.length_long.q.val() {
            self.at_start.next = bit_cast::<5, 4>(self.length.q.val()) + self.long_words.val();
        }
        self.at_beat.next = bit_cast::<4, 5>(self.at_start.val() >> self.word_shift.val());
        self.held_start.d.next = self.at_start.val();
        // Until the opcode comes, the opcode of the previous packet counts; a payload of that packet would also begin
        // behind the opcode of this packet.
        self.carries.d.next = self.length_beat.q.val() >= self.at_beat.val();
        self.start_valid.d.next = self.length_valid.q.val();
        self.start_last.d.next = self.length_last.q.val();
        self.start_body.d.next = self.length_body.q.val();
        if self.reset.val() {
            clear!(self, opcode_valid, length_valid, start_valid);
        }
        self.known.next = self.length_known.q.val();
        self.start.next = self.at_start.val();
        self.headers.next = self.length_headers.q.val();
        self.placed_valid.next = self.start_valid.q.val();
        self.placed_last.next = self.start_last.q.val();
        self.placed_body.next = self.start_body.q.val();
        self.placed_start.next = self.held_start.q.val();
        self.placed_carries.next = self.carries.q.val();
    }
}
