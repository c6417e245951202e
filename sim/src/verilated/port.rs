use std::fmt;

/// The direction of a port, seen from the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::In => "input",
            Direction::Out => "output",
        })
    }
}

/// A port of a design's top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    pub name: String,
    pub direction: Direction,
    /// Width in bits.
    pub bits: u32,
}

impl fmt::Display for PortInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {} bits", self.direction, self.name, self.bits)
    }
}

/// Handle of a port, valid for every model of the library that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    pub(super) index: u32,
    pub(super) bits: u32,
}

impl Port {
    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the number of bytes that [`Model::bytes`](super::Model::bytes) returns.
    pub fn byte_len(self) -> usize {
        self.bits.div_ceil(8) as usize
    }
}
