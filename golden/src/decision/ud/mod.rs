//! Unreliable datagram (`ud.md`): messages of one packet to anyone, and nothing that comes back.
pub mod multicast;
pub mod requester;
pub mod responder;

/// Bytes of a message of QP0 or QP1, either way (`special_qps.md` section 1).
pub const MESSAGE_BYTES: usize = 256;
/// Q_Key of QP1, whatever its attribute says.
pub const MANAGEMENT_KEY: u32 = 0x8001_0000;
