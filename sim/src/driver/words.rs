//! Fills words of `ARGUMENT`, field by field.
use super::DriverError;
use hca_host::field::Field;
use std::collections::BTreeMap;

/// Words by their index; a missing word is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(BTreeMap<usize, u32>);

impl Words {
    /// Adds bits to a word.
    pub fn put(&mut self, index: usize, bits: u32) {
        *self.0.entry(index).or_default() |= bits;
    }

    pub fn get(&self, index: usize) -> u32 {
        self.0.get(&index).copied().unwrap_or(0)
    }

    /// Makes words of an answer whose first word has index `first`.
    pub fn from_answer(first: usize, answer: &[u32]) -> Words {
        Words((first..).zip(answer.iter().copied()).collect())
    }

    /// Returns index and bits of each word.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.0.iter().map(|(index, bits)| (*index, *bits))
    }

    pub fn into_arguments(self) -> Vec<(usize, u32)> {
        self.0.into_iter().collect()
    }
}

/// Returns the bits of a field with this value, or `Err` if the field is too narrow.
pub(super) fn fits(field: &'static Field, value: u32) -> Result<u32, DriverError> {
    match value <= field.limit() {
        true => Ok(field.word(value)),
        false => Err(DriverError::FieldTooWide {
            field: field.name,
            value,
            bits: u32::from(field.high - field.low) + 1,
        }),
    }
}
