//! The status of a response.

/// The status in the low bits of a response's status field (`protocol/mad.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Done = 0x0000,
    /// The base version or the class version is not supported.
    Version = 0x0004,
    /// The method is not supported.
    Method = 0x0008,
    /// The attribute is not supported, at all or with this method.
    Attribute = 0x000C,
    /// A field of the attribute, or the modifier, has an invalid value.
    Field = 0x001C,
}
