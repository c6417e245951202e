//! The hardware of a profile as Verilog.
use crate::hca::Small;
use crate::profile::{Profile, SMALL};
use crate::verilog::{export, Design, ExportError};
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
