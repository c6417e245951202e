//! The D flip-flop.
use rust_hdl_core::prelude::*;

/// Marks a block as a register in its timing information, so that the exporter inlines it.
pub(crate) const REGISTER: &str = "register";

/// `q` takes the value of `d` at each rising edge of `clock`.
#[derive(LogicBlock)]
pub struct Register<T: Synth> {
    pub clock: Signal<In, Clock>,
    /// Value that `q` takes at the next rising edge.
    pub d: Signal<In, T>,
    /// The value of the register.
    pub q: Signal<Out, T>,
    initial: Constant<T>,
}

impl<T: Synth> Register<T> {
    /// Makes a register that holds `initial` at power up.
    pub fn new(initial: T) -> Self {
        Self {
            clock: Default::default(),
            d: Default::default(),
            q: Signal::new_with_default(initial),
            initial: Constant::new(initial),
        }
    }
}

impl<T: Synth> Default for Register<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Synth> Logic for Register<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        let digits = self.initial.val().verilog();
        let digits = format!("{digits:x}");
        let value = digits.split("'h").nth(1).unwrap_or("0");
        Verilog::Custom(format!(
            "// @module register_{bits}\ninitial begin\n   q = {bits}'h{value};\nend\nalways @(posedge clock) begin\n   q <= d;\nend",
            bits = T::BITS
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: REGISTER.into(),
            clock: "clock".into(),
            inputs: vec!["d".into()],
            outputs: vec!["q".into()],
        }]
    }
}

/// Connects the clock of each register and lets it keep its value unless the kernel assigns `d`.
///
/// `dff_setup!(self, clock, a, b)`: registers `self.a` and `self.b` on `self.clock`. The kernel
/// translator knows the macro by this name.
#[macro_export]
macro_rules! dff_setup {
    ($self:ident, $clock:ident, $($register:ident),+ $(,)?) => {
        $($self.$register.clock.next = $self.$clock.val();)+
        $($self.$register.d.next = $self.$register.q.val();)+
    };
}

/// Returns the value whose bits are all zero, of the type of `like`. `clear!` of a kernel
/// ([`macro@crate::primitive::kernel`]) assigns it; the kernel translator knows by the first four letters that the
/// function's first argument is the value.
pub fn bits_cleared<T: Synth>(_zero: u8, _like: T) -> T {
    T::default()
}

/// Connects the clock of each of these blocks: `clock!(self, clock, a, b)`. The kernel translator knows the macro by
/// this name.
#[macro_export]
macro_rules! clock {
    ($self:ident, $clock:ident, $($block:ident),+ $(,)?) => {
        $($self.$block.clock.next = $self.$clock.val();)+
    };
}
