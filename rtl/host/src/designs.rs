//! The Verilog of an adapter, for whoever builds and runs it without the blocks that it comes from.
use crate::profile::{Link, Profile};
use hca_hdl::verilog::{Design, ExportError};

/// Makes the Verilog of an adapter and of the parts that run by themselves.
///
/// Every function fails with what the exporter refuses, or [`ExportError::NoDesign`] where the adapter has no such part.
#[derive(Clone, Copy)]
pub struct Designs {
    /// The adapter, its top module `hca`.
    pub hca: fn(&Profile) -> Result<Design, ExportError>,
    /// The link's receive side, `link_receive`, for streams of so many bits.
    pub link_receive: fn(usize, Link) -> Result<Design, ExportError>,
    /// The packet builder, `packet_builder`, for streams of so many bits.
    pub packet_builder: fn(usize, Link) -> Result<Design, ExportError>,
    /// The block of that name, which makes one decision.
    pub decision: fn(&str) -> Result<Design, ExportError>,
}

/// Name of the adapter's top module.
pub const TOP: &str = "hca";
