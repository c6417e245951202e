//! The host interface, defined once: register map, commands, work queue and completion layouts, retire port.
//!
//! The hardware, the driver and the documentation all take their numbers from this crate. All memory layouts are in
//! network byte order.
pub mod argument;
pub mod command;
pub mod cqe;
pub mod designs;
pub mod eqe;
pub mod field;
pub mod interface;
pub mod layout;
pub mod profile;
pub mod register;
pub mod retire;
pub mod wqe;
