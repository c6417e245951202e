//! What has no exact Verilog is refused by an error that names the block and the signal.
use hca_hdl::primitive::Register;
use hca_hdl::verilog::{export, ExportError};
use hca_hdl::{comment, dff_setup};
use rust_hdl_core::prelude::*;

/// A block with the inputs `a` (8 bits) and `x`, the output `o` and this kernel.
macro_rules! block {
    ($name:ident, $output:ty, $update:item) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            a: Signal<In, Bits<8>>,
            x: Signal<In, Bit>,
            o: Signal<Out, $output>,
            local: Signal<Local, Bits<8>>,
        }
        impl Logic for $name {
            $update
        }
    };
}

/// The block one level down, so that the error has a path to name.
#[derive(LogicBlock, Default)]
struct Parent<B: Block + Default> {
    a: Signal<In, Bits<8>>,
    inner: B,
}

impl<B: Block + Default> Logic for Parent<B> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(vec![])
    }
}

fn refusal<B: Block + Default>() -> ExportError {
    let mut block = Parent::<B>::default();
    block.connect_all();
    match export(&block, "top") {
        Ok(design) => panic!("exported: {:?}", design.modules),
        Err(error) => error,
    }
}

fn message<B: Block + Default>() -> String {
    refusal::<B>().to_string()
}

block!(
    Latch,
    Bits<8>,
    #[hdl_gen]
    fn update(&mut self) {
        if self.x.val() {
            self.o.next = self.a.val();
        }
    }
);

#[test]
fn latch() {
    assert!(
        matches!(refusal::<Latch>(), ExportError::Latch { block, signal, bits }
        if block == "top.inner" && signal == "o" && bits == "7:0")
    );
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
struct Halves {
    low: Bits<4>,
    high: Bits<4>,
}

block!(
    PartLatch,
    Halves,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next.low = self.a.val().get_bits::<4>(0);
    }
);

#[test]
fn a_struct_field_never_assigned_is_a_latch() {
    assert!(
        matches!(refusal::<PartLatch>(), ExportError::Latch { signal, bits, .. }
        if signal == "o" && bits == "7:4")
    );
}

// The kernel matches on what only a simulation would construct.
#[allow(dead_code)]
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Mode {
    One,
    Two,
    Three,
}

#[derive(LogicBlock, Default)]
struct ArmLatch {
    mode: Signal<In, Mode>,
    o: Signal<Out, Bit>,
}

impl Logic for ArmLatch {
    #[hdl_gen]
    fn update(&mut self) {
        match self.mode.val() {
            Mode::One => {
                self.o.next = true;
            }
            Mode::Two => {}
            Mode::Three => {
                self.o.next = false;
            }
        }
    }
}

#[test]
fn an_arm_that_assigns_nothing_is_a_latch() {
    assert!(matches!(refusal::<ArmLatch>(), ExportError::Latch { signal, .. } if signal == "o"));
}

const LIMIT: usize = 3;

block!(
    UnknownName,
    Bit,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().get_bit(LIMIT);
    }
);

#[test]
fn unknown_name() {
    assert!(
        matches!(refusal::<UnknownName>(), ExportError::UnknownName { block, signal, name }
        if block == "top.inner" && signal == "o" && name == "LIMIT")
    );
}

#[derive(LogicBlock)]
struct Wired {
    a: Signal<In, Bits<8>>,
    o: Signal<Out, Bits<9>>,
    _value: ast::VerilogExpression,
}

impl Default for Wired {
    fn default() -> Self {
        let _value = ast::VerilogExpression::Signal("a".into());
        Self {
            a: Default::default(),
            o: Default::default(),
            _value,
        }
    }
}

// Rust's types refuse it in a kernel; a hand-written tree may still hold it.
impl Logic for Wired {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        let target = ast::VerilogExpression::Signal("o".into());
        Verilog::Combinatorial(vec![ast::VerilogStatement::Assignment(
            target,
            self._value.clone(),
        )])
    }
}

#[test]
fn width_mismatch() {
    assert!(matches!(
        refusal::<Wired>(),
        ExportError::WidthMismatch { block, signal, expected: 9, found: 8, expression }
            if block == "top.inner" && signal == "o" && expression == "a"
    ));
}

block!(
    Oversize,
    Bits<8>,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() + 256;
    }
);

#[test]
fn oversize_literal() {
    assert!(
        matches!(refusal::<Oversize>(), ExportError::OversizeLiteral { block, signal, value, width: 8 }
        if block == "top.inner" && signal == "o" && value == "256")
    );
}

block!(
    TwoDrivers,
    Bits<8>,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.o.next = !self.a.val();
    }
);

#[test]
fn two_assignments_of_which_one_is_lost() {
    assert!(matches!(refusal::<TwoDrivers>(), ExportError::MultipleDrivers { signal, .. } if signal == "o"));
}

#[derive(LogicBlock, Default)]
struct DrivesChildOutput {
    clock: Signal<In, Clock>,
    x: Signal<In, Bit>,
    o: Signal<Out, Bit>,
    state: Register<Bit>,
}

impl Logic for DrivesChildOutput {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.state.q.next = self.x.val();
        self.o.next = self.state.q.val();
    }
}

#[test]
fn a_register_s_output_driven_by_the_parent() {
    assert!(
        matches!(refusal::<DrivesChildOutput>(), ExportError::MultipleDrivers { signal, drivers, .. }
        if signal == "state.q" && drivers.contains("`state`"))
    );
}

block!(
    DrivesInput,
    Bit,
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = self.a.val().any();
        self.o.next = self.x.val();
    }
);

#[test]
fn an_input_driven_from_within() {
    assert!(matches!(refusal::<DrivesInput>(), ExportError::MultipleDrivers { signal, .. } if signal == "x"));
}

#[derive(LogicBlock, Default)]
struct OpenChild {
    clock: Signal<In, Clock>,
    o: Signal<Out, Bit>,
    state: Register<Bit>,
}

impl Logic for OpenChild {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.o.next = self.state.q.val();
    }
}

#[test]
fn an_input_that_nothing_drives() {
    assert!(matches!(refusal::<OpenChild>(), ExportError::Undriven { signal, .. } if signal == "state.d"));
}

block!(
    ReadsEarly,
    Bits<8>,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.local.val();
        self.local.next = self.a.val();
    }
);

#[test]
fn read_before_assigned() {
    assert!(
        matches!(refusal::<ReadsEarly>(), ExportError::ReadBeforeAssigned { signal, reader, .. }
        if signal == "local" && reader == "o")
    );
}

block!(
    BeyondTheEnd,
    Bit,
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().get_bit(8);
    }
);

#[test]
fn a_bit_beyond_the_end() {
    assert!(
        matches!(refusal::<BeyondTheEnd>(), ExportError::OutOfRange { signal, index, width: 8, .. }
        if signal == "o" && index == "8")
    );
}

#[derive(LogicBlock, Default)]
struct NoVerilog {
    x: Signal<In, Bit>,
    o: Signal<Out, Bit>,
}

impl Logic for NoVerilog {
    fn update(&mut self) {
        self.o.next = self.x.val();
    }
}

#[test]
fn a_block_without_verilog() {
    assert!(matches!(refusal::<NoVerilog>(), ExportError::Unsupported { block, .. } if block == "top.inner"));
}

#[derive(LogicBlock, Default)]
struct Panics {
    x: Signal<In, Bit>,
}

impl Logic for Panics {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        panic!("no such width")
    }
}

#[test]
fn a_kernel_that_panics_is_an_error() {
    assert_eq!(
        message::<Panics>(),
        "top.inner: the kernel cannot be read: no such width"
    );
}

#[test]
fn messages_say_what_where_and_how_to_mend_it() {
    assert_eq!(
        message::<Latch>(),
        "top.inner: `o` (bits 7:0) is not assigned on every path, which infers a latch; assign a default first"
    );
    assert_eq!(
        message::<Oversize>(),
        "top.inner: the literal 256, used for `o`, does not fit 8 bits"
    );
    assert_eq!(message::<Wired>(), "top.inner: `o` needs 9 bits, but `a` has 8");
}

#[derive(LogicBlock, Default)]
struct Fine {
    clock: Signal<In, Clock>,
    end: Signal<In, Bits<8>>,
    o: Signal<Out, Bits<8>>,
    state: Register<Bits<8>>,
}

impl Logic for Fine {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module fine");
        dff_setup!(self, clock, state);
        comment!("Counts.");
        self.state.d.next = self.state.q.val() + self.end.val();
        self.o.next = self.state.q.val();
    }
}

const FINE: &str = "`default_nettype none
module top (
  input  wire clock,
  input  wire [7:0] end_,
  output wire [7:0] o
);
  reg [7:0] state_q = 8'h0;

  always @(posedge clock) begin
    state_q <= state_q + end_;
  end

  // Counts.
  assign o = state_q;
endmodule
`default_nettype wire
";

#[test]
fn what_is_fine_is_exported_the_same_every_time() {
    let text = || export(&Fine::default(), "top").unwrap().modules.remove(0).text;
    assert_eq!(text(), FINE);
    assert_eq!(text(), FINE);
}

#[test]
fn writes_one_file_a_module_and_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let design = export(&hca_hdl::primitive::Fifo::<Bits<8>, 2>::default(), "queue").unwrap();
    design.write(folder.path()).unwrap();
    let list = std::fs::read_to_string(folder.path().join("files.f")).unwrap();
    assert_eq!(list, "lut_ram_8x4.v\nqueue.v\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    let file = folder.path().join("queue.v");
    let error = design.write(&file).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("cannot write {}", file.display())),
        "{error}"
    );
}
