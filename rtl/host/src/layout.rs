//! Layouts of entries in host memory.

/// A member of an entry: consecutive bytes, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name in lower case.
    pub name: &'static str,
    /// Offset of its first byte.
    pub at: usize,
    /// Number of bytes.
    pub bytes: usize,
    /// Text for the documentation.
    pub meaning: &'static str,
}

/// Makes a member of an entry.
pub const fn member(name: &'static str, at: usize, bytes: usize, meaning: &'static str) -> Member {
    Member {
        name,
        at,
        bytes,
        meaning,
    }
}

/// The layout of an entry. Bytes that belong to no member are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name in upper case.
    pub name: &'static str,
    /// Number of bytes.
    pub bytes: usize,
    /// Members, by ascending place.
    pub members: &'static [Member],
    /// Text for the documentation.
    pub meaning: &'static str,
}
