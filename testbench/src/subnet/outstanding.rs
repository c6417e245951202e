//! Requests of clients that nobody has answered yet.
use super::MadPacket;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long the server waits for answers. The clients have no timers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Time between repetitions.
    pub interval: Duration,
    /// Number of repetitions after which a request is returned to its client.
    pub repeats: u32,
}

/// A request, identified by its client and the lower 48 bits of its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub client: usize,
    pub transaction: u64,
}

#[derive(Clone, Debug)]
struct Request {
    packet: MadPacket,
    due: Duration,
    repeats: u32,
}

/// An action that is due now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The request is sent again.
    Repeat(Key, MadPacket),
    /// The request is returned to its client.
    TimedOut(Key, MadPacket),
}

/// All requests that wait for an answer.
#[derive(Clone, Debug)]
pub struct Outstanding {
    patience: Patience,
    requests: BTreeMap<Key, Request>,
}

impl Outstanding {
    pub fn new(patience: Patience) -> Outstanding {
        Outstanding {
            patience,
            requests: BTreeMap::new(),
        }
    }

    pub fn insert(&mut self, key: Key, packet: MadPacket, now: Duration) {
        let request = Request {
            packet,
            due: now + self.patience.interval,
            repeats: 0,
        };
        self.requests.insert(key, request);
    }

    /// Removes and returns the request whose response has come; `None` if nobody waits for it any more.
    pub fn remove(&mut self, key: Key) -> Option<MadPacket> {
        self.requests.remove(&key).map(|request| request.packet)
    }

    /// Removes and returns all requests of a client.
    pub fn forget(&mut self, client: usize) -> Vec<(Key, MadPacket)> {
        let (gone, kept) = std::mem::take(&mut self.requests)
            .into_iter()
            .partition(|(key, _)| key.client == client);
        self.requests = kept;
        let gone: BTreeMap<Key, Request> = gone;
        gone.into_iter()
            .map(|(key, request)| (key, request.packet))
            .collect()
    }

    /// Returns all requests that wait.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &MadPacket)> {
        self.requests.iter().map(|(key, request)| (key, &request.packet))
    }

    /// Returns the next request that has waited too long.
    pub fn due(&mut self, now: Duration) -> Option<Due> {
        let (key, request) = self.requests.iter_mut().find(|(_, request)| request.due <= now)?;
        let (key, packet) = (*key, request.packet);
        if request.repeats < self.patience.repeats {
            request.repeats += 1;
            request.due = now + self.patience.interval;
            return Some(Due::Repeat(key, packet));
        }
        self.requests.remove(&key);
        Some(Due::TimedOut(key, packet))
    }

    /// Returns the time at which the next request has waited too long.
    pub fn wakes(&self) -> Option<Duration> {
        self.requests.values().map(|request| request.due).min()
    }
}
