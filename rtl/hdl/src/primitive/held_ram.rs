//! Block memory whose read port can be held.
use super::block_ram::{cleared, style, POISON};
use crate::record::RecordField;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// A memory of 2^`A` words of type `T` as in [`super::BlockRam`]. The user must ignore reads of the word that is being
/// written.
///
/// `read_data` follows `read_address` by one clock, unless `hold` is high: then it is stable. A late `hold` costs less
/// than an address that depends on it, because it goes straight to the memory.
#[derive(LogicBlock, SmartDefault)]
pub struct HeldRam<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Address of the word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// High if `read_data` has to stay as it is in the next clock.
    pub hold: Signal<In, Bit>,
    /// The word that was addressed in the latest earlier clock in which `hold` was low.
    pub read_data: Signal<Out, T>,
    /// High for one cycle when a word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// New value of that word.
    pub write_data: Signal<In, T>,
    #[default(vec![Default::default(); 1 << A])]
    _words: Vec<T>,
}

impl<T: RecordField, const A: usize> Logic for HeldRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if !self.hold.val() {
                let former = self._words[self.read_address.val().index()];
                let collides = self.write_enable.val() && self.read_address.val() == self.write_address.val();
                self.read_data.next = if collides { former.inverted() } else { former };
            }
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// @module held_ram_{bits}x{words}
(* no_rw_check, {style} *)
reg [{high}:0] cells [0:{last}];
{cleared}initial read_data = {bits}'h0;
always @(posedge clock) begin
   if (write_enable) cells[write_address] <= write_data;
   if (!hold) read_data <= cells[read_address];
{poison}end",
            bits = T::BITS,
            words = 1usize << A,
            style = style(1 << A),
            cleared = cleared(T::BITS, 1 << A),
            poison = POISON.replace("if (", "if (!hold && "),
            high = T::BITS - 1,
            last = (1usize << A) - 1,
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "held_ram".into(),
            clock: "clock".into(),
            inputs: [
                "read_address", "hold", "write_enable", "write_address", "write_data",
            ]
            .map(Into::into)
            .into(),
            outputs: vec!["read_data".into()],
        }]
    }
}
