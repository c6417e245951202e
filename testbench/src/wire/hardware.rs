//! The exported wire blocks, built.
use super::WIDTHS;
use hca_hdl::verilog::ExportError;
use hca_host::designs::Designs;
use hca_host::profile::Link;
use hca_sim::verilated::{Error, Library};
use hca_sim::wire::library;

/// Both blocks of a framing at a stream width.
pub struct Blocks {
    /// Stream width in bits.
    pub width: usize,
    pub link: Link,
    pub receive: Library,
    pub build: Library,
}

/// Why the blocks cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Build(#[from] Error),
}

impl Blocks {
    /// Exports and builds the blocks, once for each design on a machine.
    pub fn new(designs: Designs, width: usize, link: Link) -> Result<Blocks, HardwareError> {
        Ok(Blocks {
            width,
            link,
            receive: library(&(designs.link_receive)(width, link)?)?,
            build: library(&(designs.packet_builder)(width, link)?)?,
        })
    }

    /// Builds the blocks for every width and framing. `tell` is called with what is built next.
    pub fn all(designs: Designs, mut tell: impl FnMut(&str)) -> Result<Vec<Blocks>, HardwareError> {
        let mut all = Vec::new();
        for link in [Link::InfiniBand, Link::Roce] {
            for width in WIDTHS {
                tell(&format!("the wire blocks of {link:?} at {width} bits"));
                all.push(Blocks::new(designs, width, link)?);
            }
        }
        Ok(all)
    }
}
