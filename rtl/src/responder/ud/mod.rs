//! What the responder decides of a datagram (`protocol/ud.md` section 3). What follows from the verdict is as for UC
//! ([`super::uc`]): a datagram is a message of one packet.
mod decision;

pub use decision::UdDecision;
