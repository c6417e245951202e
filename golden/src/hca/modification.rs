//! A modification of a QP that has not taken effect on both sides.
use crate::modification::QpChanges;
use crate::verbs::QpState;

/// A modification that has a result and has not taken effect on both sides.
#[derive(Clone, Debug)]
pub(super) struct Modification {
    /// State of the QP when software requested the modification.
    pub from: QpState,
    pub state: QpState,
    pub changes: QpChanges,
    /// The modification destroys the QP.
    pub destroys: bool,
    /// The modification has taken effect on the receive side.
    pub received: bool,
}

impl Modification {
    pub fn new(from: QpState, state: QpState, changes: &QpChanges, destroys: bool) -> Modification {
        Modification {
            from,
            state,
            changes: changes.clone(),
            destroys,
            received: false,
        }
    }
}
