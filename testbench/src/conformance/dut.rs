//! Somebody's Verilog under the cases: how a test program is told of it.
use hca_golden::port::Link;
use std::env;
use std::path::PathBuf;
use std::process::Command;

const FOLDER: &str = "HCA_DUT";
const LINK: &str = "HCA_LINK";
const SELECT: &str = "HCA_SELECT";
const ROCE: &str = "roce";
/// What a case says, in its panic, that cannot run on it.
const ELSEWHERE: &str = "no case of this device:";

/// The Verilog of an adapter, of a profile that is told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dut {
    pub folder: PathBuf,
    /// That it is behind.
    pub link: Link,
    /// Which variant, where it holds many; 0: as designed.
    pub select: u64,
}

impl Dut {
    /// Tells the test program that `command` starts.
    pub fn hand_on(&self, command: &mut Command) {
        command
            .env(FOLDER, &self.folder)
            .env(SELECT, self.select.to_string());
        if self.link == Link::Roce {
            command.env(LINK, ROCE);
        }
    }

    /// What this test program was told; none: the project's own hardware.
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

    /// Ends a case that is of another link.
    pub fn must_be_behind(&self, link: Link) {
        assert!(self.link == link, "{ELSEWHERE} it is of another link");
    }
}

/// Ends a case of a block where somebody's Verilog is tested: its blocks are its own matter.
pub fn blocks_are_ours() {
    assert!(Dut::from_environment().is_none(), "{ELSEWHERE} it is of a block");
}

/// A failed case says so because it cannot run on the device.
pub fn is_elsewhere(printed: &str) -> bool {
    printed.contains(ELSEWHERE)
}
