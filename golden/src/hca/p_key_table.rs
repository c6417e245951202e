//! The P_Key table of the port, which software changes while packets are under way (`link.md` section 2, CF464).
use super::arrival::OWN;
use super::p_keys::Former;
use super::{Hca, Output, Rule, Violation};
use crate::event::Event;
use crate::port::P_KEYS;

impl Hca {
    /// Writes an entry of the port's P_Key table. A write beyond its end changes nothing.
    pub fn set_p_key(&mut self, index: u16, p_key: u16) {
        if usize::from(index) < P_KEYS {
            self.p_keys.asked.push_back((index, p_key));
        }
    }

    /// Returns true if there is a written entry that the device does not use yet.
    pub fn is_p_key_changing(&self) -> bool {
        !self.p_keys.asked.is_empty()
    }

    /// Returns index and P_Key of the entry that the device uses next.
    pub(super) fn next_p_key(&self) -> Option<(u16, u16)> {
        self.p_keys.asked.front().copied()
    }

    /// Follows the event that the device uses a written entry.
    pub(super) fn p_key_set(&mut self, index: u16, p_key: u16) -> Result<Vec<Output>, Violation> {
        let next = self.next_p_key();
        let Some(entry) = self.port.p_keys.get_mut(usize::from(index)) else {
            return Err(changed(next, index, p_key));
        };
        if next != Some((index, p_key)) {
            // An entry that stays the same may be written at any time: software does so after a reset.
            return match *entry == p_key {
                true => Ok(Vec::new()),
                false => Err(changed(next, index, p_key)),
            };
        }
        let replaced = std::mem::replace(entry, p_key);
        let mut table = self.port.p_keys;
        table[usize::from(index)] = replaced;
        self.p_keys.asked.pop_front();
        self.p_keys.former.push_back(Former {
            table,
            arrived: self.arrived,
            looped: OWN | self.looped,
        });
        let undecided = &self.arrivals;
        let is_met = |former: &Former| undecided.keys().any(|&packet| former.is_met_by(packet));
        self.p_keys.former.retain(is_met);
        Ok(Vec::new())
    }

    /// Follows an event; the packet that it decides about may have met any table since its arrival.
    pub(super) fn follow_by_any_table(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        let followed = self.follow_by_any_region(event);
        let Some(packet) = event.packet().filter(|_| followed.is_err()) else {
            return followed;
        };
        let former: Vec<_> = self
            .p_keys
            .former
            .iter()
            .filter(|f| f.is_met_by(packet))
            .collect();
        let tables: Vec<_> = former.into_iter().map(|f| f.table).collect();
        for table in tables {
            let present = std::mem::replace(&mut self.port.p_keys, table);
            let by_this = self.follow_by_any_region(event);
            self.port.p_keys = present;
            if by_this.is_ok() {
                return by_this;
            }
        }
        followed
    }
}

fn changed(next: Option<(u16, u16)>, index: u16, p_key: u16) -> Violation {
    let expected = match next {
        Some((index, p_key)) => format!("P_Key {p_key:04X}h at index {index}"),
        None => "no other P_Key".to_owned(),
    };
    Rule::PKeyTable.broken(
        None,
        expected,
        format!("uses P_Key {p_key:04X}h at index {index}"),
    )
}
