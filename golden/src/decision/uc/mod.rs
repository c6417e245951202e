//! Unreliable connection (`uc.md`): it segments messages as a reliable connection does, and nothing comes back.
pub mod requester;
pub mod responder;
