//! The decisions of the engines as separate blocks: parts of the receive side, the responder and the requester, joined
//! without registers, so that one evaluation gives one decision. They serve the comparison with the model and are not
//! part of the HCA.
mod admission;
mod datagram;
mod duplicate_match;
mod request_outcome;
mod response_outcome;
mod seek_outcome;
mod turn_outcome;

pub use admission::InboundAdmission;
pub use datagram::{DatagramOutcome, DatagramRequest};
pub use duplicate_match::DuplicateMatch;
pub use request_outcome::RequestOutcome;
pub use response_outcome::ResponseOutcome;
pub use seek_outcome::SeekOutcome;
pub use turn_outcome::TurnOutcome;

use hca_hdl::prelude::*;
use hca_hdl::verilog::{export, Design, ExportError};

/// The Verilog of the decision block with this name.
///
/// # Errors
/// [`ExportError::NoDesign`] if no block has this name; otherwise the errors of [`export`].
pub fn design(name: &str) -> Result<Design, ExportError> {
    match name {
        "inbound_admission" => exported(&mut InboundAdmission::default(), name),
        "datagram_request" => exported(&mut DatagramRequest::default(), name),
        "datagram_outcome" => exported(&mut DatagramOutcome::default(), name),
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
