//! The Verilog of an adapter, for code that builds and runs an adapter but does not contain its blocks.
use crate::profile::{Link, Profile};
use hca_hdl::verilog::{Design, ExportError};

/// The functions that make the Verilog of an adapter, and of its parts that run by themselves.
///
/// Every function returns the errors of the exporter, or [`ExportError::NoDesign`] if the adapter has no such part.
#[derive(Clone, Copy)]
pub struct Designs {
    /// Makes the adapter. Its top module is `hca`.
    pub hca: fn(&Profile) -> Result<Design, ExportError>,
    /// Makes the receive side of the link, `link_receive`, for streams of this many bits.
    pub link_receive: fn(usize, Link) -> Result<Design, ExportError>,
    /// Makes the packet builder, `packet_builder`, for streams of this many bits.
    pub packet_builder: fn(usize, Link) -> Result<Design, ExportError>,
    /// Makes the block with this name, which makes one decision.
    pub decision: fn(&str) -> Result<Design, ExportError>,
}

/// Name of the adapter's top module.
pub const TOP: &str = "hca";
