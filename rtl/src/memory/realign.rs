//! Moves payload from the alignment it has in host memory to that of the stream.
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RealignState {
    Idle,
    Beats,
    Flush,
}

/// Shifts the beats of each command down to byte 0. Its outputs are always taken.
///
/// Byte 0 is at the most significant end on both sides; `W`: bits of a beat.
#[derive(LogicBlock)]
pub struct Realign<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub command_valid: Signal<In, Bit>,
    pub command_ready: Signal<Out, Bit>,
    /// Bytes, 1 to 4096.
    pub command_length: Signal<In, Bits<13>>,
    /// Byte of the first beat at which the payload begins.
    pub command_offset: Signal<In, Bits<7>>,

    pub beat_valid: Signal<In, Bit>,
    pub beat_ready: Signal<Out, Bit>,
    pub beat: Signal<In, Bits<W>>,

    pub output_valid: Signal<Out, Bit>,
    /// Undefined behind the payload's end.
    pub shifted: Signal<Out, Bits<W>>,
    /// Beats that came in for a command and will not go out; once a command.
    pub returned: Signal<Out, Bits<13>>,

    state: Register<RealignState>,
    offset: Register<Bits<7>>,
    input_left: Register<Bits<13>>,
    output_left: Register<Bits<13>>,
    surplus: Register<Bits<13>>,
    first: Register<Bit>,
    carry: Register<Bits<W>>,

    inputs: Signal<Local, Bits<13>>,
    outputs: Signal<Local, Bits<13>>,
    unaligned: Signal<Local, Bit>,
    shift_up: Signal<Local, Bits<10>>,
    shift_down: Signal<Local, Bits<10>>,

    width: Constant<Bits<10>>,
    round_up: Constant<Bits<13>>,
    beat_shift: Constant<Bits<4>>,
}

impl<const W: usize> Default for Realign<W> {
    fn default() -> Self {
        Realign {
            clock: Default::default(),
            reset: Default::default(),
            command_valid: Default::default(),
            command_ready: Default::default(),
            command_length: Default::default(),
            command_offset: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            beat: Default::default(),
            output_valid: Default::default(),
            shifted: Default::default(),
            returned: Default::default(),
            state: Default::default(),
            offset: Default::default(),
            input_left: Default::default(),
            output_left: Default::default(),
            surplus: Default::default(),
            first: Default::default(),
            carry: Default::default(),
            inputs: Default::default(),
            outputs: Default::default(),
            unaligned: Default::default(),
            shift_up: Default::default(),
            shift_down: Default::default(),
            width: Constant::new(W.to_bits()),
            round_up: Constant::new((W / 8 - 1).to_bits()),
            beat_shift: Constant::new(((W / 8).trailing_zeros() as usize).to_bits()),
        }
    }
}

impl<const W: usize> Logic for Realign<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module realign");
        dff_setup!(
            self,
            clock,
            state,
            offset,
            input_left,
            output_left,
            surplus,
            first,
            carry
        );
        self.inputs.next =
            (self.command_length.val() + bit_cast::<13, 7>(self.command_offset.val()) + self.round_up.val())
                >> self.beat_shift.val();
        self.outputs.next = (self.command_length.val() + self.round_up.val()) >> self.beat_shift.val();
        self.command_ready.next = self.state.q.val() == RealignState::Idle;
        self.beat_ready.next = self.state.q.val() == RealignState::Beats;

        // An output beat joins the rest of one input beat with the start of the next.
        self.unaligned.next = self.offset.q.val().any();
        self.shift_up.next = bit_cast::<10, 7>(self.offset.q.val()) << 3;
        self.shift_down.next = self.width.val() - (bit_cast::<10, 7>(self.offset.q.val()) << 3);
        self.shifted.next = self.carry.q.val() | (self.beat.val() >> self.shift_down.val());
        if !self.unaligned.val() {
            self.shifted.next = self.beat.val();
        }
        self.output_valid.next = false;
        self.returned.next = bits::<13>(0);
        match self.state.q.val() {
            RealignState::Idle => {
                if self.command_valid.val() {
                    self.offset.d.next = self.command_offset.val();
                    self.input_left.d.next = self.inputs.val();
                    self.output_left.d.next = self.outputs.val();
                    self.surplus.d.next = self.inputs.val() - self.outputs.val();
                    self.first.d.next = true;
                    self.state.d.next = RealignState::Beats;
                }
            }
            RealignState::Beats => {
                if self.beat_valid.val() {
                    self.first.d.next = false;
                    self.carry.d.next = self.beat.val() << self.shift_up.val();
                    self.input_left.d.next = self.input_left.q.val() - 1;
                    if !self.unaligned.val() || !self.first.q.val() {
                        self.output_valid.next = true;
                        self.output_left.d.next = self.output_left.q.val() - 1;
                    }
                    if self.input_left.q.val() == 1 {
                        self.returned.next = self.surplus.q.val();
                        self.state.d.next = RealignState::Idle;
                        // The rest of the last input beat is a beat of its own.
                        if self.unaligned.val() && (self.first.q.val() || (self.output_left.q.val() == 2)) {
                            self.state.d.next = RealignState::Flush;
                        }
                    }
                }
            }
            RealignState::Flush => {
                self.output_valid.next = true;
                self.shifted.next = self.carry.q.val();
                self.state.d.next = RealignState::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = RealignState::Idle;
        }
    }
}
