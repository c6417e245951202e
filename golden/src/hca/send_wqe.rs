//! A send WQE of the model.
use super::window::total;
use crate::verbs::{Defect, SendRequest};

/// A posted send work request.
#[derive(Clone, Debug)]
pub(super) struct SendWqe {
    pub request: SendRequest,
    /// Copy of inline data (CF166).
    pub inline: Option<Vec<u8>>,
    /// The defect of its entry.
    pub defect: Option<Defect>,
    /// Number of registrations of regions that had ended when it was posted.
    pub stood: u64,
}

impl SendWqe {
    /// Returns the length of its message in bytes, as its entry says.
    pub fn bytes(&self) -> u64 {
        match self.defect {
            Some(Defect::Length(bytes)) => bytes.into(),
            _ => total(&self.request.sges),
        }
    }

    /// Returns true if the entry's operation is unknown, or its number of SGEs exceeds the limit.
    pub fn is_malformed(&self) -> bool {
        matches!(self.defect, Some(Defect::Operation(_) | Defect::Sges(_)))
    }
}
