//! The number of the first port.

/// Ports are numbered from this on.
pub const FIRST: u8 = 1;

/// Returns the port of a record that names none.
#[cfg(feature = "serde")]
pub(crate) fn first() -> u8 {
    FIRST
}
