//! The hardware of a profile as Verilog.
use crate::hca::Small;
use crate::profile::{Link, Profile, SMALL};
use crate::verilog::{export, Design, ExportError};
use crate::wire::PacketBuilder;
use rust_hdl_core::prelude::*;

/// Name of the top module.
pub const TOP: &str = "hca";

/// Elaborates and exports the HCA of `profile`.
///
/// # Errors
/// Whatever [`export`] refuses.
///
/// # Panics
/// For a profile that is not in [`crate::profile::ALL`].
pub fn hca(profile: &Profile) -> Result<Design, ExportError> {
    assert_eq!(profile.name, SMALL.name, "every profile has its hardware type");
    let mut top = Small::default();
    top.connect_all();
    export(&top, TOP)
}

/// Elaborates and exports the packet builder of a framing, `packet_builder`.
///
/// # Errors
/// Whatever [`export`] refuses.
///
/// # Panics
/// For a stream that is not 64, 128, 256 or 512 bits wide.
pub fn packet_builder(stream_bits: usize, link: Link) -> Result<Design, ExportError> {
    match stream_bits {
        64 => builder::<64, 8>(link),
        128 => builder::<128, 16>(link),
        256 => builder::<256, 32>(link),
        512 => builder::<512, 64>(link),
        _ => panic!("a stream is 64, 128, 256 or 512 bits wide, not {stream_bits}"),
    }
}

fn builder<const W: usize, const K: usize>(link: Link) -> Result<Design, ExportError> {
    match link {
        Link::InfiniBand => elaborated(&mut PacketBuilder::<W, K, false>::default(), "packet_builder"),
        Link::Roce => elaborated(&mut PacketBuilder::<W, K, true>::default(), "packet_builder"),
    }
}

fn elaborated<B: Block>(top: &mut B, name: &str) -> Result<Design, ExportError> {
    top.connect_all();
    export(top, name)
}
