//! The two devices of a fabric.
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A device of a fabric. X sends first in every scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub enum Side {
    X,
    Y,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Side; 2] = [Side::X, Side::Y];

    /// Returns the device at the other end of the link.
    pub fn other(self) -> Side {
        match self {
            Side::X => Side::Y,
            Side::Y => Side::X,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::X => "X",
            Side::Y => "Y",
        })
    }
}

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
