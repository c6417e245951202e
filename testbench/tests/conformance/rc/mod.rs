//! Rows of the areas `rc-*` and `scenario`, a module each.
mod ack;
mod bad_response;
mod req;
mod rnr;
mod scenario;
