//! Small memory with asynchronous reads.
use crate::record::RecordField;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// A memory of 2^`A` words of type `T` in distributed RAM, zero at power up. It has one clocked write port and two read
/// ports without a clock.
#[derive(LogicBlock, SmartDefault)]
pub struct LutRam<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Address of the word to read at the first read port.
    pub read_address_a: Signal<In, Bits<A>>,
    /// The word at `read_address_a`, in the same clock.
    pub read_data_a: Signal<Out, T>,
    /// Address of the word to read at the second read port.
    pub read_address_b: Signal<In, Bits<A>>,
    /// The word at `read_address_b`, in the same clock.
    pub read_data_b: Signal<Out, T>,
    /// High for one cycle when a word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// New value of that word.
    pub write_data: Signal<In, T>,
    #[default(vec![Default::default(); 1 << A])]
    _words: Vec<T>,
}

impl<T: RecordField, const A: usize> Logic for LutRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data_a.next = self._words[self.read_address_a.val().index()];
        self.read_data_b.next = self._words[self.read_address_b.val().index()];
    }

    fn connect(&mut self) {
        self.read_data_a.connect();
        self.read_data_b.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// @module lut_ram_{bits}x{words}
(* ram_style = \"distributed\", syn_ramstyle = \"distributed\" *)
reg [{high}:0] cells [0:{last}];
integer i;
initial begin
   for (i = 0; i <= {last}; i = i + 1) cells[i] = {bits}'h0;
end
always @(posedge clock) begin
   if (write_enable) cells[write_address] <= write_data;
end
always @(*) begin
   read_data_a = cells[read_address_a];
   read_data_b = cells[read_address_b];
end",
            bits = T::BITS,
            words = 1usize << A,
            high = T::BITS - 1,
            last = (1usize << A) - 1,
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "lut_ram".into(),
            clock: "clock".into(),
            inputs: ["write_enable", "write_address", "write_data"]
                .map(Into::into)
                .into(),
            outputs: vec![],
        }]
    }
}
