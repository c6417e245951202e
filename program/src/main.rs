//! The `hca` program: the project's own hardware under the commands of `hca_testbench::cli`. Exit status: 0 all held, 1
//! something differed, 2 the call or the input was wrong, 3 nothing was there to be judged.
use clap::Parser;
use hca_rtl::export::DESIGNS;
use hca_testbench::cli::Cli;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::parse().run(DESIGNS) {
        Ok(verdict) => ExitCode::from(verdict as u8),
        Err(error) => {
            // Nothing is left to do when even standard error is gone.
            let _ = std::io::stderr().write_all(error.render().as_bytes());
            ExitCode::from(2)
        }
    }
}
