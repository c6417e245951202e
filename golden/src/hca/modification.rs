//! A modification of a QP on its way into force.
use crate::modification::QpChanges;
use crate::verbs::QpState;

/// A modification that is judged and not in force on both sides.
#[derive(Clone, Debug)]
pub(super) struct Modification {
    pub state: QpState,
    pub changes: QpChanges,
    /// The QP goes away with it.
    pub destroys: bool,
    /// In force on the receive side.
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
