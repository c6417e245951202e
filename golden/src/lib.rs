//! Golden model of an InfiniBand HCA.
//!
//! The model is pure: it has no I/O, no randomness, and no clock of its own. [`Hca`](hca::Hca) follows the
//! [`Event`](event::Event)s that a device retires, refuses those that the rules forbid, and returns the exact bytes
//! that have to come out.
pub mod arbitration;
pub mod capabilities;
pub mod datagram;
pub mod decision;
pub mod event;
pub mod extended_counters;
pub mod hca;
pub mod memory;
pub mod modification;
pub mod port;
mod port_number;
pub mod psn;
pub mod refusal;
pub mod ring_part;
mod route;
pub mod verbs;
pub mod wire;
mod work_queue;
