//! A module has those constants of a group that its kernel reads.
use hca_hdl::prelude::*;
use hca_hdl::verilog::export;

constants!(
    /// Codes of four bits.
    pub struct Codes: 4 {
        idle = 0u8,
        /// A constant of another type.
        busy = 9u32,
        unread = 15usize,
    }
);

constants!(
    /// One does not fit.
    pub struct Narrow: 2 {
        fits = 3u8,
        wide = 4u8,
    }
);

#[derive(LogicBlock, Default)]
struct Coder {
    busy: Signal<In, Bit>,
    code: Signal<Out, Bits<4>>,
    codes: Codes,
}

#[kernel]
impl Logic for Coder {
    fn update(&mut self) {
        self.code.next = self.codes.idle.val();
        if self.busy.val() {
            self.code.next = self.codes.busy.val();
        }
    }
}

#[test]
fn a_module_has_the_constants_that_its_kernel_reads() {
    let mut block = Coder::default();
    block.connect_all();
    let modules = export(&block, "coder").expect("it is exported").modules;
    let text = &modules[0].text;
    let constants: Vec<&str> = text.lines().filter(|line| line.contains("localparam")).collect();
    assert!(constants[0].contains("codes_idle = 4'h0;"), "{text}");
    assert!(constants[1].contains("codes_busy = 4'h9;"), "{text}");
    assert_eq!(constants.len(), 2, "{text}");
}

#[test]
#[should_panic(expected = "does not fit into 2 bits")]
fn a_constant_that_is_too_large() {
    Narrow::default();
}
