//! Foreign Verilog under test, and how it is passed to a test program.
use hca_golden::port::Link;
use std::env;
use std::path::PathBuf;
use std::process::Command;

const FOLDER: &str = "HCA_DUT";
const LINK: &str = "HCA_LINK";
const SELECT: &str = "HCA_SELECT";
const ROCE: &str = "roce";
/// Text in the panic of a case that cannot run on the device.
const ELSEWHERE: &str = "no case of this device:";

/// The Verilog of an adapter, and its profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dut {
    pub folder: PathBuf,
    /// Framing of its link.
    pub link: Link,
    /// Number of its variant, if it holds many; 0 is the original design.
    pub select: u64,
}

impl Dut {
    /// Passes the Verilog to the test program that `command` starts.
    pub fn hand_on(&self, command: &mut Command) {
        command
            .env(FOLDER, &self.folder)
            .env(SELECT, self.select.to_string());
        if self.link == Link::Roce {
            command.env(LINK, ROCE);
        }
    }

    /// Returns the Verilog that was passed to this test program; `None` for the project's own hardware.
    pub fn from_environment() -> Option<Dut> {
        let number = |text: String| text.parse().unwrap_or_else(|e| panic!("{SELECT}={text}: {e}"));
        Some(Dut {
            folder: env::var_os(FOLDER)?.into(),
            link: match env::var(LINK).as_deref() {
                Ok(ROCE) => Link::Roce,
                _ => Link::InfiniBand,
            },
            select: env::var(SELECT).map_or(0, number),
        })
    }

    /// Ends a case that needs another framing.
    pub fn must_be_behind(&self, link: Link) {
        assert!(self.link == link, "{ELSEWHERE} it is of another link");
    }
}

/// Ends a case of a single block if foreign Verilog is tested, because its blocks differ.
pub fn blocks_are_ours() {
    assert!(Dut::from_environment().is_none(), "{ELSEWHERE} it is of a block");
}

/// Returns true if a failed case says that it cannot run on the device.
pub fn is_elsewhere(printed: &str) -> bool {
    printed.contains(ELSEWHERE)
}
