//! Rows of area `cq` of `conformance.csv`: completion queues, their verbs, overflow, notification.
mod notification;
mod overflow;
mod sizes;
