//! Functions common to all headers: they decode and encode by the deku declarations.
use deku::{DekuContainerRead, DekuContainerWrite, DekuError};
use std::fmt::Debug;
use thiserror::Error;

/// Why fields cannot be encoded: a value is too wide for the wire.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unencodable {
    #[error("{header} has a value wider than its field; {rule} must hold")]
    Field {
        /// The header with its values.
        header: String,
        /// Header and field, and the bound that the value exceeds.
        rule: String,
    },
    #[error("{0} bytes are more than {1} can say; shorten the payload")]
    Length(usize, &'static str),
    #[error("{0} bytes of raw payload are no whole words; pad them to a multiple of 4")]
    RawPayload(usize),
}

/// A header of fixed size; its fields are named after `headers.csv` and are big-endian.
pub trait HeaderFormat: Debug + Sized + for<'a> DekuContainerRead<'a> + DekuContainerWrite {
    /// Length on the wire in bytes.
    const BYTES: usize;

    /// Decodes the header; `None` unless `bytes` is exactly as long as the header.
    fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        Self::from_bytes((bytes, 0)).ok().map(|(_, header)| header)
    }

    /// Appends the header's bytes. Returns `Err` if a value is too wide for its field.
    fn emit(&self, to: &mut Vec<u8>) -> Result<(), Unencodable> {
        to.extend(self.to_bytes().map_err(|error| Unencodable::Field {
            header: format!("{self:?}"),
            rule: match error {
                DekuError::Assertion(text) => text.trim_start_matches("Field failed assertion: ").to_owned(),
                other => other.to_string(),
            },
        })?);
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Checks that each bit of the header, alone, is read and written back.
    pub fn every_bit_survives<H: HeaderFormat>() {
        for bit in 0..H::BYTES * 8 {
            let mut bytes = vec![0; H::BYTES];
            bytes[bit / 8] = 0x80 >> (bit % 8);
            assert_eq!(emitted(&H::parse(&bytes).unwrap()), bytes, "bit {bit}");
        }
        assert!(H::parse(&vec![0; H::BYTES - 1]).is_none());
        assert!(H::parse(&vec![0; H::BYTES + 1]).is_none());
    }

    /// Checks that the header encodes to these bytes, and that these bytes decode to it.
    pub fn stands_for<H: HeaderFormat + PartialEq>(header: &H, bytes: &[u8]) {
        assert_eq!(H::parse(bytes).as_ref(), Some(header));
        assert_eq!(emitted(header), bytes);
    }

    pub fn emitted<H: HeaderFormat>(header: &H) -> Vec<u8> {
        let mut bytes = Vec::new();
        header.emit(&mut bytes).unwrap();
        bytes
    }
}
