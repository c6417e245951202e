//! The traps of a port, and their repetition until the manager represses them.
use super::attribute::Trap;
use std::time::Duration;

/// Largest number of times that a Trap is sent if no manager represses it (`protocol/mad.md` section 6).
const MOST_SENDINGS: u32 = 10;
/// The unit of SubnetTimeOut, in nanoseconds.
const TIMEOUT_UNIT: u64 = 4096;

/// A Trap that was sent and may have to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Repeated {
    trap: Trap,
    transaction: u32,
    sendings: u32,
}

/// The Trap that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub trap: Trap,
    pub transaction: u32,
}

/// The waiting trap, the repeated one, and the time at which the next may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traps {
    waiting: Option<Trap>,
    repeated: Option<Repeated>,
    last: Option<Duration>,
    transactions: u32,
}

/// Returns how far two traps of a port are apart at least.
pub fn gap(subnet_timeout: u8) -> Duration {
    Duration::from_nanos(TIMEOUT_UNIT << subnet_timeout.min(31))
}

impl Traps {
    /// Requests a trap. Of several waiting traps, the latest is kept.
    pub fn ask(&mut self, trap: Trap) {
        self.waiting = Some(trap);
    }

    /// Returns the Trap that leaves now, if one is due. The caller asks only while the port may send it.
    pub fn due(&mut self, subnet_timeout: u8, now: Duration) -> Option<Due> {
        if self.wakes(subnet_timeout)? > now {
            return None;
        }
        if let Some(trap) = self.waiting.take() {
            self.transactions = self.transactions.wrapping_add(1);
            self.repeated = Some(Repeated {
                trap,
                transaction: self.transactions,
                sendings: 0,
            });
        }
        let repeated = self.repeated.as_mut()?;
        repeated.sendings += 1;
        let due = Due {
            trap: repeated.trap,
            transaction: repeated.transaction,
        };
        if repeated.sendings == MOST_SENDINGS {
            self.repeated = None;
        }
        self.last = Some(now);
        Some(due)
    }

    /// Returns the time at which the next Trap is due, if there is one.
    pub fn wakes(&self, subnet_timeout: u8) -> Option<Duration> {
        if self.waiting.is_none() && self.repeated.is_none() {
            return None;
        }
        Some(
            self.last
                .map_or(Duration::ZERO, |last| last + gap(subnet_timeout)),
        )
    }

    /// Ends the repetition of the Trap with this transaction and number.
    pub fn repress(&mut self, transaction: u32, number: u16) {
        let is_it =
            |repeated: &Repeated| repeated.transaction == transaction && repeated.trap.number() == number;
        if self.repeated.as_ref().is_some_and(is_it) {
            self.repeated = None;
        }
    }
}
