//! Records of fixed length, as MADs carry them.
use deku::{DekuContainerRead, DekuContainerWrite};

/// A record whose fields accept any bits. It is big-endian; reserved bits are sent as 0 and ignored.
pub trait Record: Sized + for<'a> DekuContainerRead<'a> + DekuContainerWrite {
    /// Length of the record in bytes.
    const BYTES: usize;

    /// Decodes the first [`BYTES`](Record::BYTES) bytes of `data`.
    ///
    /// # Panics
    /// If `data` is shorter than the record.
    fn decode(data: &[u8]) -> Self {
        let (_, record) = Self::from_bytes((&data[..Self::BYTES], 0)).expect("every field takes any bits");
        record
    }

    /// Returns the record as the data of an attribute, followed by zeros.
    ///
    /// # Panics
    /// If the value of a field is wider than the field, or `N` is less than the record's length.
    fn encode<const N: usize>(&self) -> [u8; N] {
        let bytes = self.to_bytes().expect("no value is wider than its field");
        let mut data = [0; N];
        data[..Self::BYTES].copy_from_slice(&bytes);
        data
    }
}
