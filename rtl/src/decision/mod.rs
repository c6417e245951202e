//! The engines' decisions by themselves: blocks of the receive side, the responder and the requester, joined without
//! registers, one evaluation a decision. For comparison with the model; not part of the HCA.
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

use hca_hdl::verilog::{export, Design, ExportError};
use rust_hdl_core::prelude::*;

/// The Verilog of the block of that name.
///
/// # Errors
/// [`ExportError::NoDesign`] for a name that none of them has, and whatever [`export`] refuses.
pub fn design(name: &str) -> Result<Design, ExportError> {
    match name {
        "inbound_admission" => exported(&mut InboundAdmission::default(), name),
        "request_outcome" => exported(&mut RequestOutcome::default(), name),
        "duplicate_match" => exported(&mut DuplicateMatch::default(), name),
        "response_outcome" => exported(&mut ResponseOutcome::default(), name),
        "turn_outcome" => exported(&mut TurnOutcome::default(), name),
        "seek_outcome" => exported(&mut SeekOutcome::default(), name),
        _ => Err(ExportError::NoDesign {
            asked: name.to_owned(),
        }),
    }
}

fn exported<B: Block>(top: &mut B, name: &str) -> Result<Design, ExportError> {
    top.connect_all();
    export(top, name)
}
