//! A faster evaluation of a Verilated design: blocks of its logic run only when something that they read has changed.
//!
//! Verilator's model runs all of its logic at each clock. If its C++ can be understood with certainty, this module
//! divides it into blocks, and each block knows the readers of the values that it writes. C++ that cannot be understood
//! is refused, and the design is built by Verilator's own method. The values at every clock are the same either way.
mod block;
mod emit;
mod function;
mod member;
mod statement;
mod token;
mod unread;

use emit::{Blocks, Gated};
use function::Cpp;
use statement::Region;
use std::collections::BTreeSet;

pub use function::ROOT;
pub use unread::Unread;

/// Options with which Verilator writes C++ of plain statements on members of one class.
pub const FLAGS: &[&str] = &[
    "--flatten", "-fno-localize", "-fno-merge-cond", "-fno-table", "--output-split", "0",
    "--output-split-cfuncs", "0",
];
/// The sources that decide which C++ is written. A model that was made by other sources is built anew.
pub const SOURCES: [&str; 8] = [
    include_str!("block.rs"),
    include_str!("emit.rs"),
    include_str!("function.rs"),
    include_str!("member.rs"),
    include_str!("mod.rs"),
    include_str!("statement.rs"),
    include_str!("token.rs"),
    include_str!("unread.rs"),
];
/// Largest number of statements of a block.
const LIMIT: usize = 8;

/// A design whose evaluation can be divided.
pub struct Parts {
    /// The design's only clock.
    pub clock: String,
    /// True if logic depends on inputs.
    pub settles: bool,
}

/// Divides a design whose evaluation depends only on its inputs and its rising edge. `cpp` is the design's C++ without
/// its construction.
pub fn parts(cpp: String) -> Result<Parts, Unread> {
    let cpp = Cpp::read(cpp)?;
    Ok(Parts {
        clock: cpp.only_clock()?,
        settles: cpp.settles(),
    })
}

/// The files added to a design.
pub struct Files {
    pub parts: Parts,
    /// C++ files: name and text.
    pub files: Vec<(String, String)>,
}

/// Returns C++ that runs a design's blocks, in `parts` files and one more. `cpp` is Verilator's C++ without
/// construction, `header` the header of its class.
pub fn gate(cpp: String, header: &str, parts: usize) -> Result<Files, Unread> {
    let cpp = Cpp::read(cpp)?;
    let (clock, settles) = (cpp.only_clock()?, cpp.settles());
    let members = member::members(header)?;
    let read = |region| -> Result<Blocks, Unread> {
        let region = Region::read(&cpp, region)?;
        let strange = region
            .variables
            .iter()
            .find(|v| v.local.is_none() && !members.contains_key(&v.name));
        if let Some(strange) = strange {
            return Err(Unread::new(format!("no member {}", strange.name)));
        }
        let blocks = block::blocks(&region, LIMIT);
        Ok(Blocks { region, blocks })
    };
    let gated = Gated {
        settle: match settles {
            true => read("ico")?,
            false => Blocks::default(),
        },
        edge: read("nba")?,
        members: &members,
        clock: &clock,
        constants: &constants(&cpp.text),
    };
    let files = emit::files(&gated, parts);
    let parts = Parts { clock, settles };
    Ok(Files { parts, files })
}

/// Returns declarations of the constants that the C++ uses, each once.
fn constants(cpp: &str) -> String {
    let lines: BTreeSet<&str> = cpp.lines().filter(|l| l.starts_with("extern const ")).collect();
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}
