//! What a file with blocks needs: rust-hdl, the primitives, the standard bundles, and the macros that declare bundles,
//! records and defaults.
pub use crate::bundle::{
    AxiLiteSink, AxiLiteSource, AxiReadSink, AxiReadSource, AxiWriteSink, AxiWriteSource, OfferSink,
    OfferSource, StreamSink, StreamSource,
};
pub use crate::primitive::*;
pub use crate::record::RecordField;
pub use crate::{bundle, clock, constants, offer, pulse, record};
pub use rust_hdl_core::prelude::*;
pub use smart_default::SmartDefault;
