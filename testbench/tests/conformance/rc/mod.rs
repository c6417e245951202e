//! Rows of the areas `rc-*` and `scenario`, a module each.
mod ack;
mod bad_response;
mod check;
mod dup;
mod exec;
mod fault;
mod key;
mod opseq;
mod psn;
mod req;
mod resp;
mod rnr;
mod scenario;
mod timeout;
