//! Records: values of named fields that travel through a port or a memory as one vector.
use rust_hdl_core::prelude::*;

/// A type that a record's field, or a word of a memory, may have. Its default has only zeros.
pub trait RecordField: Synth {
    /// Returns the field that begins at bit `low` of `bits`.
    fn from_bits<const W: usize>(bits: Bits<W>, low: usize) -> Self;

    /// Returns the value with the opposite of each bit.
    fn inverted(self) -> Self;
}

impl<const N: usize> RecordField for Bits<N> {
    fn from_bits<const W: usize>(bits: Bits<W>, low: usize) -> Self {
        bits.get_bits::<N>(low)
    }

    fn inverted(self) -> Self {
        !self
    }
}

impl RecordField for Bit {
    fn from_bits<const W: usize>(bits: Bits<W>, low: usize) -> Self {
        bits.get_bit(low)
    }

    fn inverted(self) -> Self {
        !self
    }
}

/// Declares a record once: the struct, whose first field is at the least significant end, and the conversions to and
/// from its `BITS` bits. A kernel writes `self.vector.next = self.record.val().into()`, and the reverse.
#[macro_export]
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$meaning:meta])* pub $field:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
        pub struct $name {
            $($(#[$meaning])* pub $field: $type,)*
        }

        impl From<Bits<{ <$name as Synth>::BITS }>> for $name {
            fn from(bits: Bits<{ <$name as Synth>::BITS }>) -> Self {
                let mut low = 0;
                $(
                    let $field = <$type as $crate::record::RecordField>::from_bits(bits, low);
                    low += <$type as Synth>::BITS;
                )*
                debug_assert_eq!(low, <$name as Synth>::BITS);
                Self { $($field,)* }
            }
        }

        impl $crate::record::RecordField for $name {
            fn from_bits<const W: usize>(bits: Bits<W>, low: usize) -> Self {
                bits.get_bits::<{ <$name as Synth>::BITS }>(low).into()
            }

            fn inverted(self) -> Self {
                Self { $($field: $crate::record::RecordField::inverted(self.$field),)* }
            }
        }
    };
}
