//! Block memory with a write enable for each lane.
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// A memory of 2^`A` words of `D` bits in block RAM, zero at power up. A write goes to any of `B` lanes of `D / B`
/// bits.
///
/// Bit i of `write_enable` writes the lane that starts at bit `i * D / B`. `read_data` follows `read_address` by one
/// clock. A read of the word that is being written returns the former value.
#[derive(LogicBlock, SmartDefault)]
pub struct ByteRam<const D: usize, const B: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Address of the word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word that was addressed one clock ago.
    pub read_data: Signal<Out, Bits<D>>,
    /// Bit i is high for one cycle when lane i of a word is written.
    pub write_enable: Signal<In, Bits<B>>,
    /// Address of the word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// New value of the lanes that are written.
    pub write_data: Signal<In, Bits<D>>,
    #[default(vec![Default::default(); 1 << A])]
    _words: Vec<Bits<D>>,
}

impl<const D: usize, const B: usize, const A: usize> ByteRam<D, B, A> {
    const LANE: usize = {
        assert!(B > 0 && D.is_multiple_of(B), "a word is a whole number of lanes");
        D / B
    };
}

impl<const D: usize, const B: usize, const A: usize> Logic for ByteRam<D, B, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._words[self.read_address.val().index()];
            let data = self.write_data.val();
            let word = &mut self._words[self.write_address.val().index()];
            for lane in (0..B).filter(|lane| self.write_enable.val().get_bit(*lane)) {
                for bit in lane * Self::LANE..(lane + 1) * Self::LANE {
                    *word = word.replace_bit(bit, data.get_bit(bit));
                }
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let writes: String = (0..B)
            .map(|lane| {
                let enable = if B == 1 {
                    "write_enable".to_string()
                } else {
                    format!("write_enable[{lane}]")
                };
                let low = lane * Self::LANE;
                let range = format!("[{}:{low}]", low + Self::LANE - 1);
                format!("   if ({enable}) cells[write_address]{range} <= write_data{range};\n")
            })
            .collect();
        Verilog::Custom(format!(
            "// @module byte_ram_{D}x{words}
(* ram_style = \"block\", syn_ramstyle = \"block_ram\" *)
reg [{high}:0] cells [0:{last}];
integer i;
initial begin
   for (i = 0; i <= {last}; i = i + 1) cells[i] = {D}'h0;
   read_data = {D}'h0;
end
always @(posedge clock) begin
{writes}   read_data <= cells[read_address];
end",
            words = 1usize << A,
            high = D - 1,
            last = (1usize << A) - 1,
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "byte_ram".into(),
            clock: "clock".into(),
            inputs: ["read_address", "write_enable", "write_address", "write_data"]
                .map(Into::into)
                .into(),
            outputs: vec!["read_data".into()],
        }]
    }
}
