//! The M_Key of a port and its lease.
use std::time::Duration;

/// What an SMP's M_Key permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// The SMP may do what it requests, and its reply shows the key.
    Granted,
    /// A Get is answered, and its reply shows 0 in place of the key.
    WithoutKey,
    /// There is no reply, and nothing else changes.
    Refused,
}

/// The key, its protection and its lease (`protocol/mad.md` section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MKey {
    /// The key; 0 protects nothing.
    pub key: u64,
    /// Level of protection, 2 bits; 3 is the same as 2.
    pub protect: u8,
    /// Lease period in seconds; 0 is endless.
    pub lease_period: u16,
    /// Number of refused SMPs; it stays at FFFFh.
    pub violations: u16,
    /// Time at which the lease ends, if its timer runs.
    lease_end: Option<Duration>,
}

impl MKey {
    /// Judges an SMP with this key, and starts or stops the timer of the lease.
    pub fn judge(&mut self, key: u64, is_get: bool, now: Duration) -> Permission {
        if self.key == 0 || self.key == key {
            self.lease_end = None;
            return Permission::Granted;
        }
        match (is_get, self.protect) {
            (true, 0) => Permission::Granted,
            (true, 1) => Permission::WithoutKey,
            _ => {
                self.refuse(now);
                Permission::Refused
            }
        }
    }

    fn refuse(&mut self, now: Duration) {
        self.violations = self.violations.saturating_add(1);
        if self.lease_period != 0 && self.lease_end.is_none() {
            self.lease_end = Some(now + Duration::from_secs(self.lease_period.into()));
        }
    }

    /// Removes the protection if the lease has ended by now. The key stays.
    pub fn pass_time(&mut self, now: Duration) {
        if self.lease_end.is_some_and(|end| end <= now) {
            self.lease_end = None;
            self.protect = 0;
        }
    }

    /// Returns the time at which [`pass_time`](MKey::pass_time) has something to do.
    pub fn wakes(&self) -> Option<Duration> {
        self.lease_end
    }
}
