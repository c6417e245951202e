//! The project's own hardware, built.
use crate::verilated::{self, Build, Evaluation, Library, Lints, Source};
use hca_rtl::profile::Profile;

/// Why there is no simulation of it.
#[derive(Debug, thiserror::Error)]
pub enum DesignError {
    #[error("profile `{profile}` does not become Verilog: {reason}")]
    Export { profile: &'static str, reason: String },
    #[error(transparent)]
    Build(#[from] verilated::Error),
}

/// The simulation of a profile, made once and kept.
pub fn library(profile: &Profile) -> Result<Library, DesignError> {
    let design = hca_rtl::export::hca(profile).map_err(|e| DesignError::Export {
        profile: profile.name,
        reason: e.to_string(),
    })?;
    let texts = design
        .modules
        .into_iter()
        .map(|m| (format!("{}.v", m.name), m.text));
    let build = Build {
        lints: Lints::Strict,
        trace: false,
        evaluation: Evaluation::Gated,
    };
    Ok(build.library(&Source::from_texts(hca_rtl::export::TOP, texts))?)
}
