//! The SL-to-VL table of a port, which software changes while packets are under way (`link.md` section 3).
use super::{Output, Port, Rule, Violation};
use crate::port::SLS;

/// Number of SLs that one event of the device maps.
const AT_ONCE: usize = 8;

impl Port {
    /// Maps each SL to a VL of 4 bits. Packets that map to VL 15, or to a VL that is not operational, are discarded
    /// (CF455).
    pub fn set_sl_to_vl(&mut self, table: &[u8; SLS]) {
        for (from_sl, vls) in (0..).step_by(AT_ONCE).zip(table.chunks(AT_ONCE)) {
            let joined = vls
                .iter()
                .rev()
                .fold(0, |joined, vl| joined << 4 | u32::from(vl & 15));
            self.sl_to_vl.asked.push_back((from_sl, joined));
        }
    }

    /// Returns true if there is a written part of the table that the device does not use yet.
    pub fn is_sl_to_vl_changing(&self) -> bool {
        !self.sl_to_vl.asked.is_empty()
    }

    /// Returns the part that the device uses next.
    pub(super) fn next_vls(&self) -> Option<(u8, u32)> {
        self.sl_to_vl.asked.front().copied()
    }

    /// Follows the event that the device uses a written part of the table.
    pub(super) fn sl_to_vl_set(&mut self, from_sl: u8, vls: u32) -> Result<Vec<Output>, Violation> {
        let next = self.next_vls();
        let table = self.config.sl_to_vl.iter_mut().skip(from_sl.into()).take(AT_ONCE);
        let vl = |n: usize| (vls >> (4 * n)) as u8 & 15;
        if next == Some((from_sl, vls)) {
            table.enumerate().for_each(|(n, entry)| *entry = vl(n));
            self.sl_to_vl.asked.pop_front();
            return Ok(Vec::new());
        }
        // A part that stays the same may be written at any time: software does so after a reset.
        let is_same = table.enumerate().all(|(n, entry)| *entry == vl(n));
        if is_same && usize::from(from_sl) < SLS {
            return Ok(Vec::new());
        }
        let of = |(from_sl, vls): (u8, u32)| format!("VLs {vls:08X}h from SL {from_sl} on");
        let expected = next.map_or_else(|| "no other VLs".to_owned(), of);
        let found = format!("uses {}", of((from_sl, vls)));
        Err(Rule::SlToVl.broken(None, expected, found))
    }
}
