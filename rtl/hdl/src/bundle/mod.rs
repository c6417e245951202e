//! Ports that belong together, as one field of a block: its two ends are joined in a line.
//!
//! `bundle!` declares both ends of a bundle once. A parent hands a child's bundle on with `link`, of the same end, and
//! connects two children with `join`, of the opposite one. A bundle whose fields are all outputs of its source may be
//! joined with several sinks. A field named `item` is what the bundle is named after: in Verilog, `x.item` is `x`.
mod axi4;
mod axi4_lite;
mod offer;
mod stream;

pub use axi4::{AxiReadSink, AxiReadSource, AxiWriteSink, AxiWriteSource};
pub use axi4_lite::{AxiLiteSink, AxiLiteSource};
pub use offer::{OfferSink, OfferSource};
pub use stream::{StreamSink, StreamSource};

/// Declares both ends of a bundle: `Out` fields go from the source to the sink, `In` fields back.
#[macro_export]
macro_rules! bundle {
    (@sink In, $type:ty) => { Signal<Out, $type> };
    (@sink Out, $type:ty) => { Signal<In, $type> };
    (
        $(#[$about:meta])*
        $source:ident to $sink:ident $(<$($size:ident),*>)? {
            $($(#[$meaning:meta])* $field:ident: $way:ident $type:ty,)*
        }
    ) => {
        $crate::bundle!(@ends [$($($size),*)?]
            $(#[$about])* $source to $sink { $($(#[$meaning])* $field: $way $type,)* });
    };
    (
        @ends [$($size:ident),*]
        $(#[$about:meta])*
        $source:ident to $sink:ident { $($(#[$meaning:meta])* $field:ident: $way:ident $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, LogicInterface)]
        pub struct $source<$(const $size: usize),*> {
            $($(#[$meaning])* pub $field: Signal<$way, $type>,)*
        }

        /// The end that takes the offers of the source with the same name.
        #[derive(Clone, Debug, Default, LogicInterface)]
        pub struct $sink<$(const $size: usize),*> {
            $($(#[$meaning])* pub $field: $crate::bundle!(@sink $way, $type),)*
        }

        impl<$(const $size: usize),*> $source<$($size),*> {
            /// Connects the two ends.
            pub fn join(&mut self, sink: &mut $sink<$($size),*>) {
                $(self.$field.join(&mut sink.$field);)*
            }
        }
    };
}

/// A bundle whose fields are offered until they are taken.
#[macro_export]
macro_rules! offer {
    ($(#[$about:meta])* $source:ident to $sink:ident $(<$($size:ident),*>)? { $($fields:tt)* }) => {
        $crate::bundle!($(#[$about])* $source to $sink $(<$($size),*>)? {
            /// High while the other fields are offered.
            valid: Out Bit,
            /// High in a cycle in which an offer is taken.
            ready: In Bit,
            $($fields)*
        });
    };
}

/// A bundle whose fields hold for one cycle and are always taken.
#[macro_export]
macro_rules! pulse {
    ($(#[$about:meta])* $source:ident to $sink:ident $(<$($size:ident),*>)? { $($fields:tt)* }) => {
        $crate::bundle!($(#[$about])* $source to $sink $(<$($size),*>)? {
            /// High for one cycle when the other fields hold.
            valid: Out Bit,
            $($fields)*
        });
    };
}
