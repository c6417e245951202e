//! A modification of a QP that has not taken effect everywhere.
use crate::modification::QpChanges;
use crate::verbs::QpState;

/// A modification that has a result and has not taken effect on both sides.
#[derive(Clone, Debug)]
pub(super) struct Modification {
    pub state: QpState,
    pub changes: QpChanges,
    /// It destroys the QP.
    pub destroys: bool,
    /// It has taken effect on the receive side.
    pub received: bool,
}

impl Modification {
    pub fn new(state: QpState, changes: &QpChanges, destroys: bool) -> Modification {
        Modification {
            state,
            changes: changes.clone(),
            destroys,
            received: false,
        }
    }
}
