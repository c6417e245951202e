//! The RC transport as whole devices show it. Every expectation is literal.
mod admission;
mod late;
mod pair;
mod permitted;
mod queue_pair;
mod random;
mod requester;
mod responder;
mod seed001;
