//! The adapter as a live peer of someone else's RDMA stack: of Linux in a virtual machine, or of another such adapter.
//!
//! Only what reaches the adapter is a fact of the run: frames, and what software asks for, each with its clock cycle. A
//! recording of these plays back without the peer.
pub mod adapter;
pub mod address;
pub mod cable;
pub mod capture;
pub mod frame;
pub mod gateway;
pub mod noise;
pub mod recording;
pub mod replay;
pub mod role;
pub mod session;
pub mod software;
