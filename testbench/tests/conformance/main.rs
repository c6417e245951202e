//! What the device must refuse, ignore or survive, each case with literal expectations: on the golden model alone and on
//! the exported hardware beside its model.
mod bench;
mod global;
mod registers;
mod requester;
mod responder;
mod validation;
