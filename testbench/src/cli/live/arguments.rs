//! Options of `hca live`.
use super::adapter::Choice;
use super::replay;
use clap::{Args, Subcommand, ValueEnum};
use hca_host::profile::{self};
use std::path::PathBuf;

/// Options of `hca live`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub(super) replay: Option<Recorded>,
    /// What to do with the peer; if not given, all but `soak` with a guest, and `pingpong` with an adapter
    #[arg(value_name = "ROLE", value_enum)]
    pub(super) roles: Vec<Role>,
    /// Socket on which QEMU's `-netdev stream` is awaited, whose guest runs the agent (`scripts/live` starts it)
    #[arg(long, value_name = "PATH", group = "wire")]
    pub(super) qemu_socket: Option<PathBuf>,
    /// Tap of this system behind which a Linux, this one or another, runs the agent; root, or the tap's owner
    #[arg(long, value_name = "NAME", group = "wire")]
    pub(super) tap: Option<String>,
    /// Socket of another `hca live --peer`: the first of the two to come listens
    #[arg(long, value_name = "PATH", group = "wire")]
    pub(super) peer: Option<PathBuf>,
    #[command(flatten)]
    pub(super) choice: Choice,
    /// Configuration of the hardware
    #[arg(long, value_name = "NAME", default_value = profile::SMALL.name)]
    pub(super) profile: String,
    /// Seed of what goes wrong on the wire, and of the latencies of host memory
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// RoCEv2 frames of a thousand that are lost, each way; UC and UD, which cannot recover, are left out then
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=500))]
    pub(super) drop: u32,
    /// RoCEv2 frames of a thousand that come twice
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=500))]
    pub(super) duplicate: u32,
    /// RoCEv2 frames of a thousand that the next one passes
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=500))]
    pub(super) swap: u32,
    /// Messages each way of a ping-pong
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) messages: u64,
    /// Bytes of a message of a ping-pong; of a datagram at most 1024
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(super) size: u32,
    /// Seconds of the role `soak`
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) seconds: u64,
    /// Seconds that the peer may be silent
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) patience: u64,
    /// Write all frames as the adapter sees them, on the time of its clock
    #[arg(long, value_name = "FILE")]
    pub(super) pcap: Option<PathBuf>,
    /// Write what reaches the adapter, for `hca live replay FILE`
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

/// What needs no peer.
#[derive(Debug, Subcommand)]
pub enum Recorded {
    /// Play recordings of sessions back, each on an adapter of its kind, with the model beside it
    Replay(replay::Arguments),
}

/// What software of the adapter does with the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// RC, UC and UD ping-pong; between two adapters one direction, with a guest both
    Pingpong,
    /// The programs of perftest for RC, with the agent in a guest: bandwidth and latency, both ways
    Perftest,
    /// All operations, both ways, losses and refusals, with the agent in a guest
    Agent,
    /// `rping` of Linux over connections of the connection manager, both ways, with the agent in a guest
    Rping,
    /// Operations drawn by the seed for `--seconds`, with the agent in a guest
    Soak,
}
