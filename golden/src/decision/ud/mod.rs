//! Unreliable datagram (`ud.md`): messages of one packet each to any QP, and nothing that comes back.
pub mod multicast;
pub mod requester;
pub mod responder;

/// Length of a message that QP0 or QP1 sends or receives, in bytes (`special_qps.md` section 1).
pub const MESSAGE_BYTES: usize = 256;
/// Q_Key of QP1, whatever its Q_Key attribute.
pub const MANAGEMENT_KEY: u32 = 0x8001_0000;
