//! Which buffers of send work requests are software's again.
use std::collections::BTreeMap;

/// The newest send WQE of each QP whose success software can read in a CQE: those before it are complete, too
/// (`protocol/requester.md` section 8).
#[derive(Default)]
pub struct Returned {
    newest: BTreeMap<u32, u16>,
}

impl Returned {
    /// The CQE of this WQE, modulo 2^16, is in memory.
    pub fn completed(&mut self, qpn: u32, index: u16) {
        self.newest.insert(qpn, index);
    }

    /// The QP begins anew.
    pub fn forget(&mut self, qpn: u32) {
        self.newest.remove(&qpn);
    }

    /// True of that WQE and of those before it.
    pub fn has(&self, qpn: u32, index: u16) -> bool {
        let newest = self.newest.get(&qpn);
        newest.is_some_and(|newest| newest.wrapping_sub(index) < 1 << 15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_the_newest_is_returned() {
        let mut returned = Returned::default();
        assert!(!returned.has(5, 0));
        returned.completed(5, 0xFFFF);
        returned.completed(5, 1);
        let has = [0xFFFE, 0, 1, 2].map(|index| returned.has(5, index));
        assert_eq!(has, [true, true, true, false]);
        assert!(!returned.has(6, 0));
        returned.forget(5);
        assert!(!returned.has(5, 0));
    }
}
