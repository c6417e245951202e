//! Rows of the areas `rc-*`, `credit-*` and `scenario`, a module each.
mod ack;
mod bad_response;
mod check;
mod credit_req;
mod credit_resp;
mod dup;
mod exec;
mod fault;
mod key;
mod o2iblnd;
mod opseq;
mod psn;
mod req;
mod resp;
mod rnr;
mod scenario;
mod timeout;
