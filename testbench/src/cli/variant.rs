//! Which of many variants in one build is meant.
use clap::Args;

/// Option of whatever takes `--dut`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Variant {
    /// Run as this variant of the Verilog of `--dut`, where its input `select` tells many apart; 0 is as designed
    // `requires` is waived where `--dut` cannot be given.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "dut",
        conflicts_with = "golden_only"
    )]
    pub select: u64,
}
