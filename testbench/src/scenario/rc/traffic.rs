//! The traffic of runs with every operation, by name.
use crate::fabric::Fabric;
use crate::faults::Faults;
use crate::Side;
use hca_host::profile::SMALL;

/// Number of entries of every work queue.
pub(super) const ENTRIES: u32 = 16;

/// The amount of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of connections, at most 254.
    pub connections: u32,
    /// Number of messages of each connection in each direction.
    pub messages: u32,
    /// One connection in this many has no receive buffers until all others have ended, so that its requesters get RNR
    /// NAKs again and again. 0 means none.
    pub stalled_every: u32,
    pub lengths: Lengths,
}

/// Lengths of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    Any,
    /// Most messages fit into a packet of any PMTU.
    Short,
}

/// A few connections. With the smallest profile, two indices stay free.
const FEW: Size = Size {
    connections: 12,
    messages: 24,
    stalled_every: 0,
    lengths: Lengths::Any,
};

/// The traffic of a run, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub name: &'static str,
    pub size: Size,
    pub faults: Option<Faults>,
    /// True if so many packets are lost that a QP may run out of retries.
    pub may_give_up: bool,
    pub host: Host,
    /// Number of requests that software of a side posts at a time.
    pub posts: u32,
}

/// A function that is called with the number of ended messages and of all messages.
pub(super) type OnProgress = dyn Fn(&mut Fabric<'_>, u64, u64);

/// The behaviour of host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Largest number of clock cycles of an answer.
    pub latency: u32,
    /// For one message in this many something fails; with 0 nothing ever does.
    pub failing: u32,
}

const SOUND: Host = Host {
    latency: 40,
    failing: 0,
};
const FAILING: Host = Host {
    latency: 600,
    failing: 80,
};
/// No faults.
pub const MIXED: Traffic = Traffic {
    name: "rc-mixed",
    size: FEW,
    faults: None,
    may_give_up: false,
    host: SOUND,
    posts: 1,
};
/// One packet in a hundred is lost.
pub const LOSS_1: Traffic = Traffic {
    name: "rc-loss-1",
    size: FEW,
    faults: Some(Faults {
        lost: 10,
        repeated: 10,
        corrupted: 5,
        delayed: 20,
        overtaken: 0,
        echoed: 0,
    }),
    may_give_up: false,
    host: SOUND,
    posts: 1,
};
/// As many messages as a work queue has entries, so that a failing entry belongs to one of them.
const UNREPEATED: Size = Size {
    connections: FEW.connections,
    messages: ENTRIES,
    stalled_every: 0,
    lengths: Lengths::Any,
};
/// Host memory answers late, and some accesses with errors.
pub const MEMORY_ERRORS: Traffic = Traffic {
    name: "rc-memory-errors",
    size: UNREPEATED,
    faults: None,
    may_give_up: false,
    host: FAILING,
    posts: 1,
};
/// Host memory fails as in `MEMORY_ERRORS`, while packets are lost.
pub const MEMORY_ERRORS_LOSS_1: Traffic = Traffic {
    name: "rc-memory-errors-loss-1",
    faults: LOSS_1.faults,
    ..MEMORY_ERRORS
};
/// One packet in five is lost.
pub const LOSS_20: Traffic = Traffic {
    name: "rc-loss-20",
    size: FEW,
    faults: Some(Faults {
        lost: 200,
        repeated: 50,
        corrupted: 20,
        delayed: 50,
        overtaken: 0,
        echoed: 0,
    }),
    may_give_up: true,
    host: SOUND,
    posts: 1,
};
/// Number of indices that only QP0 and QP1 have.
pub(super) const SPECIAL: u32 = 2;
/// A connection for each queue pair of a profile except QP0 and QP1, some of them stalled.
pub const MANY: Traffic = Traffic {
    name: "rc-many",
    size: Size {
        connections: (1 << SMALL.qp_bits) - SPECIAL,
        messages: 8,
        stalled_every: 8,
        lengths: Lengths::Any,
    },
    faults: None,
    may_give_up: false,
    host: SOUND,
    posts: 1,
};

/// Returns the QPN of QP `n` of a side. Its low bits are its index.
pub fn qpn_of(side: Side, n: u32) -> u32 {
    let own = match side {
        Side::X => 0x0A_0000,
        Side::Y => 0x0B_0000,
    };
    own | n << 8 | (n + SPECIAL)
}
