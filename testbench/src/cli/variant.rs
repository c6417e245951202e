//! The selected variant of a build that holds many.
use clap::Args;

/// Option of the commands that take `--dut`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Variant {
    /// Run as this variant of the Verilog of `--dut`, where its input `select` tells many apart; 0 is as designed
    // `requires` is waived where `--dut` does not exist.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "dut",
        conflicts_with = "golden_only"
    )]
    pub select: u64,
}
