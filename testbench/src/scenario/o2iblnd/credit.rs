//! The right to send (`protocol/o2iblnd.md` sections 3 to 5, version 2), as a pure function of the messages that were
//! queued, received and completed.
use super::message::{Gives, Kind};
use std::collections::VecDeque;

/// Number of messages that a peer may send before credits are returned (section 1).
pub const DEPTH: u32 = 8;
/// Number of credits to return from which on a NOOP is due, if no other message leaves.
const HIGH_WATER: u32 = DEPTH / 2;
/// Largest number of NOOPs under way.
const OUT_OF_BAND: u32 = 2;
/// Largest number of Sends under way.
const CONCURRENT_SENDS: u32 = DEPTH;
/// Number of receive WQEs posted before the connection opens.
pub const RECEIVES: u32 = 2 * DEPTH + OUT_OF_BAND;

/// A message to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tx {
    pub kind: Kind,
    pub cookie: u32,
}

/// A message that leaves with this many credits in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    pub tx: Tx,
    pub credits: u8,
}

/// The peer returned more credits than it ever took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// The variables of one end. Letters are those of the page.
#[derive(Clone, Debug)]
pub struct Rights {
    /// C: right to send.
    pub credits: u32,
    /// O: credits to return.
    pub outstanding: u32,
    /// R: right to start a transfer.
    pub reserved: u32,
    /// N: NOOPs posted.
    noops: u32,
    /// S: Sends posted.
    sends: u32,
    transfers: VecDeque<Tx>,
    free: VecDeque<Tx>,
    queue: VecDeque<Tx>,
}

impl Default for Rights {
    fn default() -> Rights {
        Rights {
            credits: DEPTH,
            outstanding: 0,
            reserved: DEPTH,
            noops: 0,
            sends: 0,
            transfers: VecDeque::new(),
            free: VecDeque::new(),
            queue: VecDeque::new(),
        }
    }
}

impl Rights {
    /// Adds a message to the queue of its type. A call of `check` must follow.
    pub fn queue(&mut self, tx: Tx) {
        let queue = match tx.kind {
            kind if kind.is_reserved() => &mut self.transfers,
            kind if kind.cost() == 0 => &mut self.free,
            _ => &mut self.queue,
        };
        queue.push_back(tx);
    }

    /// Returns the messages that leave now (section 4, `check`).
    pub fn check(&mut self) -> Vec<Posted> {
        while self.reserved > 0 {
            let Some(tx) = self.transfers.pop_front() else {
                break;
            };
            self.queue.push_back(tx);
            self.reserved -= 1;
        }
        if self.needs_noop() {
            let (kind, cookie) = (Kind::Noop, 0);
            self.free.push_back(Tx { kind, cookie });
        }
        let mut out = Vec::new();
        while self.sends < CONCURRENT_SENDS {
            let tx = match self.free.pop_front() {
                Some(tx) => tx,
                None if self.credits == 0 => break,
                None => match self.queue.pop_front() {
                    Some(tx) => tx,
                    None => break,
                },
            };
            let is_noop = tx.kind == Kind::Noop;
            if is_noop && (!self.needs_noop() || self.noops == OUT_OF_BAND) {
                continue;
            }
            let credits = self.outstanding as u8;
            self.credits -= tx.kind.cost();
            self.outstanding = 0;
            self.sends += 1;
            self.noops += u32::from(is_noop);
            out.push(Posted { tx, credits });
        }
        out
    }

    /// Returns true if a NOOP is needed (section 5, version 2, without keepalive).
    fn needs_noop(&self) -> bool {
        self.outstanding >= HIGH_WATER && self.free.is_empty() && (self.queue.is_empty() || self.credits == 0)
    }

    /// Notes that a Send completed.
    pub fn completed(&mut self, kind: Kind) {
        self.sends -= 1;
        self.noops -= u32::from(kind == Kind::Noop);
    }

    /// Notes that a message returned credits.
    pub fn received(&mut self, credits: u8) -> Result<(), TooMany> {
        let credits = self.credits + u32::from(credits);
        if credits > DEPTH {
            return Err(TooMany);
        }
        self.credits = credits;
        Ok(())
    }

    /// Notes that a receive buffer was posted again.
    pub fn reposted(&mut self, gives: Gives) {
        match gives {
            Gives::PeerCredit => self.outstanding += 1,
            Gives::ReservedCredit => self.reserved += 1,
            Gives::Nothing => {}
        }
    }

    /// Returns true if nothing waits to be sent or to complete.
    pub fn is_idle(&self) -> bool {
        let queued = self.transfers.len() + self.free.len() + self.queue.len();
        queued == 0 && self.sends == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn immediates(rights: &mut Rights, count: u32) -> Vec<Posted> {
        for cookie in 0..count {
            let kind = Kind::Immediate;
            rights.queue(Tx { kind, cookie });
        }
        rights.check()
    }

    /// The worked example of section 6.
    #[test]
    fn one_noop_for_four_messages() {
        let (mut a, mut b) = (Rights::default(), Rights::default());
        let sent = immediates(&mut a, 9);
        assert_eq!((sent.len(), a.credits), (8, 0), "the ninth waits");
        assert!(sent.iter().all(|posted| posted.credits == 0));
        for n in 1..=4 {
            b.received(0).unwrap();
            b.reposted(Gives::PeerCredit);
            let kinds: Vec<_> = b.check().iter().map(|p| (p.tx.kind, p.credits)).collect();
            let expected = if n == 4 { vec![(Kind::Noop, 4)] } else { vec![] };
            assert_eq!(kinds, expected, "message {n}");
        }
        assert_eq!(b.outstanding, 0);
        a.completed(Kind::Immediate);
        a.received(4).unwrap();
        assert_eq!(a.check().len(), 1);
        assert_eq!(a.credits, 3);
        assert_eq!(a.received(6), Err(TooMany));
    }

    #[test]
    fn a_reply_takes_the_credits_along_in_place_of_a_noop() {
        let mut b = Rights {
            outstanding: 5,
            ..Rights::default()
        };
        let reply = Tx {
            kind: Kind::PutAck,
            cookie: 1,
        };
        b.queue(reply);
        assert_eq!(
            b.check(),
            [Posted {
                tx: reply,
                credits: 5
            }]
        );
        assert_eq!((b.outstanding, b.credits), (0, DEPTH));
    }

    #[test]
    fn transfers_wait_for_their_right() {
        let mut a = Rights {
            reserved: 1,
            ..Rights::default()
        };
        for cookie in 0..2 {
            let kind = Kind::GetReq;
            a.queue(Tx { kind, cookie });
        }
        assert_eq!(a.check().len(), 1);
        a.reposted(Gives::ReservedCredit);
        assert_eq!(a.check().len(), 1);
    }
}
