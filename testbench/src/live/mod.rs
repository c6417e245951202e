//! The adapter as a live peer of another RDMA stack: of Linux in a virtual machine, or of another such adapter.
//!
//! The facts of a run are the inputs of the adapter: frames, and the requests of software, each with its clock cycle. A
//! recording of these is replayed without the peer.
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
