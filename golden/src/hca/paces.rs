//! What the model knows of the sources of packets that have a static rate (`link.md` section 7, CF460).
use std::collections::BTreeMap;
use std::fmt;

/// Owner of a static rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// The queue pair of this number: its requests and its responses.
    QueuePair(u32),
    /// The address handle of this number: the datagrams that name it.
    Handle(u32),
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::QueuePair(qpn) => write!(f, "QP {qpn:06X}h"),
            Holder::Handle(handle) => write!(f, "address handle {handle}"),
        }
    }
}

/// A source of packets: a holder from one reset or change of its attributes to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    pub(super) holder: Holder,
    life: u32,
}

/// How the packets of a source follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    pub source: Source,
    /// Number of packet times, at least 1, that the source waits after each packet.
    pub ipd: u32,
}

/// Resets of the holders of sources, and the earliest next start of each source.
#[derive(Clone, Debug, Default)]
pub(super) struct Paces {
    /// Number of resets and changes of each holder.
    lives: BTreeMap<Holder, u32>,
    /// Earliest time of the next start of each source, in picoseconds.
    pub(super) earliest: BTreeMap<Source, u64>,
}

impl Paces {
    /// Returns the source that this holder is now.
    pub(super) fn source(&self, holder: Holder) -> Source {
        let life = self.lives.get(&holder).copied().unwrap_or_default();
        Source { holder, life }
    }

    /// Notes a reset or a change of this holder. Its next packet need not wait for those before.
    pub(super) fn renew(&mut self, holder: Holder) {
        *self.lives.entry(holder).or_default() += 1;
        self.earliest.retain(|source, _| source.holder != holder);
    }
}
