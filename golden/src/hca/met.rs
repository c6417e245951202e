//! What the model knows about a link packet that arrived at a native port (`link.md` section 4.1).
use crate::wire::flow_control::{Defect, FlowControl};

/// A link packet that arrived.
#[derive(Clone, Debug)]
pub(super) struct Met {
    pub packet: Result<FlowControl, Defect>,
    /// Number of the next packet that arrives at the port: once the device has decided about that one, it has looked at
    /// the link packet.
    pub next: u32,
    /// Time by which the device has looked at it in any case, in picoseconds.
    pub until: u64,
    /// Blocks by which the count of a device that does not take it stays higher.
    pub ahead: u16,
    /// The limits by which such a device may go.
    pub limits: Vec<Option<u16>>,
    /// The model has counted the packet as an error.
    pub is_counted: bool,
    /// The device may have counted it, or may not.
    pub is_unclear: bool,
}
