//! Block memory with one write and one read port.
use crate::record::RecordField;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// A memory of 2^`A` words of type `T` in block RAM, or of the first of them ([`BlockRam::shortened`]), zero at power
/// up. A memory of at most 16 words is in distributed RAM.
///
/// `read_data` follows `read_address` by one clock. A read of the word that is being written returns the former value.
#[derive(LogicBlock, SmartDefault)]
pub struct BlockRam<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Address of the word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word that was addressed one clock ago.
    pub read_data: Signal<Out, T>,
    /// High for one cycle when a word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// New value of that word.
    pub write_data: Signal<In, T>,
    #[default(vec![Default::default(); 1 << A])]
    _words: Vec<T>,
    #[default(true)]
    _reads_first: bool,
}

impl<T: RecordField, const A: usize> BlockRam<T, A> {
    /// Leaves the memory only its first `words` words. Its user never addresses another.
    ///
    /// # Panics
    /// With no words, or more than the memory has.
    pub fn shortened(mut self, words: usize) -> Self {
        assert!((1..=1 << A).contains(&words), "{words} words");
        self._words.truncate(words);
        self
    }

    /// Makes a memory whose user ignores reads of the word that is being written, such as a queue.
    ///
    /// The value of such a read is undefined in hardware. Simulation returns the inverse of the former value, so that a
    /// user who does not ignore it is found. Where block RAM does not read first by itself (ECP5), this saves a
    /// multiplexer and two flip-flops for each bit of `read_data`.
    pub fn without_collisions() -> Self {
        Self {
            _reads_first: false,
            ..Default::default()
        }
    }
}

/// Largest number of words of a distributed RAM. A block RAM takes 36 bits of a word, and that many words would fill 3
/// % of it; its data arrive several times as late after the clock.
const LUT_WORDS: usize = 16;

/// Largest number of words whose power-up value is in the Verilog.
const INITIALISED_WORDS: usize = 1024;

/// Verilog that decides what a simulation returns for a read that hardware leaves undefined.
pub(super) const POISON: &str = "\
`ifndef SYNTHESIS
   if (write_enable && write_address == read_address) read_data <= ~cells[read_address];
`endif
";

/// Returns the attribute that selects the kind of memory.
pub(super) fn style(words: usize) -> &'static str {
    match words > LUT_WORDS {
        true => "ram_style = \"block\", syn_ramstyle = \"block_ram\"",
        false => "ram_style = \"distributed\", syn_ramstyle = \"distributed\"",
    }
}

/// Returns the Verilog for the power-up value of `cells`. Block RAM has zeros anyway, and yosys takes minutes for the
/// loop of a long one.
pub(super) fn cleared(bits: usize, words: usize) -> String {
    let last = words - 1;
    let initial = format!("integer i;\ninitial for (i = 0; i <= {last}; i = i + 1) cells[i] = {bits}'h0;\n");
    match words > INITIALISED_WORDS {
        true => format!("`ifndef SYNTHESIS\n{initial}`endif\n"),
        false => initial,
    }
}

impl<T: RecordField, const A: usize> Logic for BlockRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let former = self._words[self.read_address.val().index()];
            self.read_data.next = former;
            if self.write_enable.val() {
                if !self._reads_first && self.read_address.val() == self.write_address.val() {
                    self.read_data.next = former.inverted();
                }
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// @module block_ram_{bits}x{words}{suffix}
(* {check}{style} *)
reg [{high}:0] cells [0:{last}];
{cleared}initial read_data = {bits}'h0;
always @(posedge clock) begin
   if (write_enable) cells[write_address] <= write_data;
   read_data <= cells[read_address];
{poison}end",
            bits = T::BITS,
            words = self._words.len(),
            style = style(self._words.len()),
            suffix = if self._reads_first {
                ""
            } else {
                "_without_collisions"
            },
            check = if self._reads_first { "" } else { "no_rw_check, " },
            cleared = cleared(T::BITS, self._words.len()),
            poison = if self._reads_first { "" } else { POISON },
            high = T::BITS - 1,
            last = self._words.len() - 1,
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "block_ram".into(),
            clock: "clock".into(),
            inputs: ["read_address", "write_enable", "write_address", "write_data"]
                .map(Into::into)
                .into(),
            outputs: vec!["read_data".into()],
        }]
    }
}
