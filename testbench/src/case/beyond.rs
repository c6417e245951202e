//! Numbers of a case that are out of range.
use std::ops::RangeInclusive;

/// A number that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is {value}; it may be {permitted}")]
pub struct Beyond {
    pub field: String,
    pub value: String,
    pub permitted: String,
}

impl Beyond {
    /// Checks that a number is in a range.
    pub fn unless_within<T>(field: &str, value: T, range: RangeInclusive<T>) -> Result<(), Beyond>
    where
        T: PartialOrd + std::fmt::Display,
    {
        match range.contains(&value) {
            true => Ok(()),
            false => Err(Beyond {
                field: field.to_owned(),
                value: value.to_string(),
                permitted: format!("{} to {}", range.start(), range.end()),
            }),
        }
    }

    /// Returns the same error for a part of something.
    pub(super) fn of(self, part: &str) -> Beyond {
        Beyond {
            field: format!("{part}.{}", self.field),
            ..self
        }
    }
}
