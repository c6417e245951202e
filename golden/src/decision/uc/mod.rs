//! Unreliable connection (`uc.md`): the segmentation of a reliable one, and nothing that comes back.
pub mod requester;
pub mod responder;
