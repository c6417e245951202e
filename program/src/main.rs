//! The `hca` program: the project's own hardware under the commands of `hca_testbench::cli`. Its exit status is 0 if
//! all checks held, 1 if something differed, 2 if the call or the input was wrong, and 3 if there was nothing to judge.
use clap::Parser;
use hca_rtl::export::DESIGNS;
use hca_testbench::cli::Cli;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::parse().run(DESIGNS) {
        Ok(verdict) => ExitCode::from(verdict as u8),
        Err(error) => {
            // Nothing can be reported once standard error is closed, too.
            let _ = std::io::stderr().write_all(error.render().as_bytes());
            ExitCode::from(2)
        }
    }
}
