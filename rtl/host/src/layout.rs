//! What stands where in an entry in host memory.

/// Some bytes of an entry, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Lower case.
    pub name: &'static str,
    /// First byte.
    pub at: usize,
    pub bytes: usize,
    pub meaning: &'static str,
}

/// Some bytes of an entry.
pub const fn member(name: &'static str, at: usize, bytes: usize, meaning: &'static str) -> Member {
    Member {
        name,
        at,
        bytes,
        meaning,
    }
}

/// An entry. Bytes that no member names are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Upper case.
    pub name: &'static str,
    pub bytes: usize,
    /// By ascending place.
    pub members: &'static [Member],
    pub meaning: &'static str,
}
