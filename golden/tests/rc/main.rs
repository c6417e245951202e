//! What only the golden model shows: which order of events it lets a device choose and which it refuses, by what rule;
//! what it chooses by itself; which verbs it refuses, and why; two models over a faulty link; random messages and
//! events.
//!
//! No case of packets and answers stands here. Those are written once, for model and hardware, in
//! `testbench/tests/conformance`.
mod admission;
mod capabilities;
mod case;
mod cq;
mod late;
mod link;
mod lossy;
mod modification;
mod pair;
mod permitted;
mod random;
mod refusal;
mod region;
mod replay;
mod request;
mod response;
mod seed001;
mod timer;
mod unsolicited_ack;
