//! The engines' decisions by themselves: blocks of the receive side, the responder and the requester, joined without
//! registers, one evaluation a decision. For comparison with the model; no part of the HCA.
mod admission;
mod duplicate;
mod request;
mod response;
mod seek;
mod turn;

pub use admission::InboundAdmission;
pub use duplicate::DuplicateMatch;
pub use request::RequestOutcome;
pub use response::ResponseOutcome;
pub use seek::SeekOutcome;
pub use turn::TurnOutcome;

use crate::verilog::{export, Design, ExportError};
use rust_hdl_core::prelude::*;

/// Which decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Admission,
    Request,
    Duplicate,
    Response,
    Turn,
    Seek,
}

impl Decision {
    /// Its Verilog.
    ///
    /// # Errors
    /// Whatever [`export`] refuses.
    pub fn design(self) -> Result<Design, ExportError> {
        match self {
            Decision::Admission => exported(&mut InboundAdmission::default(), "inbound_admission"),
            Decision::Request => exported(&mut RequestOutcome::default(), "request_outcome"),
            Decision::Duplicate => exported(&mut DuplicateMatch::default(), "duplicate_match"),
            Decision::Response => exported(&mut ResponseOutcome::default(), "response_outcome"),
            Decision::Turn => exported(&mut TurnOutcome::default(), "turn_outcome"),
            Decision::Seek => exported(&mut SeekOutcome::default(), "seek_outcome"),
        }
    }
}

fn exported<B: Block>(top: &mut B, name: &str) -> Result<Design, ExportError> {
    top.connect_all();
    export(top, name)
}
