//! Bundles of ports that belong together. A bundle is one field of a block, and its two ends are joined in one line.
//!
//! `bundle!` declares both ends of a bundle once. A parent hands a child's bundle on with `link`, to a bundle with the
//! same end, and connects two children with `join`, which takes the opposite ends. A bundle whose fields are all
//! outputs of its source may be joined with several sinks. A field named `item` takes the name of its bundle: in
//! Verilog, `x.item` is `x`. The bundles `x_reads` and `x_writes` are the halves of a bus: `x_reads.arid` is `x_arid`.
mod axi4;
mod axi4_lite;
mod offer;
mod stream;

pub use axi4::{AxiReadSink, AxiReadSource, AxiWriteSink, AxiWriteSource};
pub use axi4_lite::{AxiLiteSink, AxiLiteSource};
pub use offer::{OfferSink, OfferSource};
pub use stream::{StreamSink, StreamSource};

/// Declares both ends of a bundle. `Out` fields go from the source to the sink, `In` fields from the sink to the
/// source.
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

        /// The sink end of the bundle, which takes what the source with the same name offers.
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

/// Declares a bundle whose fields are offered until they are taken.
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

/// Declares a bundle whose fields hold for one cycle and are always taken.
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
