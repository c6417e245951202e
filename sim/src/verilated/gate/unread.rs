//! Why C++ could not be read.

/// C++ that could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Verilator's C++ has what is not understood: {0}")]
pub struct Unread(String);

impl Unread {
    pub(super) fn new(what: impl Into<String>) -> Unread {
        Unread(what.into())
    }
}
