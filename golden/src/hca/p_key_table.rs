//! The P_Key table of a port, which software changes while packets are under way (`link.md` section 2, CF464).
use super::p_keys::Former;
use super::{Hca, Output, Port, Rule, Violation};
use crate::event::Event;
use crate::port::P_KEYS;

impl Port {
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

    /// Uses a written entry, and returns the table before; `None` if the entry stays the same.
    fn use_p_key(&mut self, index: u16, p_key: u16) -> Result<Option<[u16; P_KEYS]>, Violation> {
        let (next, table) = (self.next_p_key(), self.config.p_keys);
        let Some(entry) = self.config.p_keys.get_mut(usize::from(index)) else {
            return Err(changed(next, index, p_key));
        };
        if next != Some((index, p_key)) {
            // An entry that stays the same may be written at any time: software does so after a reset.
            return match *entry == p_key {
                true => Ok(None),
                false => Err(changed(next, index, p_key)),
            };
        }
        *entry = p_key;
        self.p_keys.asked.pop_front();
        Ok(Some(table))
    }
}

impl Hca {
    /// Follows the event that a port uses a written entry.
    pub(super) fn p_key_set(&mut self, port: u8, index: u16, p_key: u16) -> Result<Vec<Output>, Violation> {
        let before = self.moment();
        let Some(table) = self.port_of_event(port)?.use_p_key(index, p_key)? else {
            return Ok(Vec::new());
        };
        let of_port = self.arrivals.iter().filter(|(_, arrival)| arrival.port() == port);
        let undecided: Vec<u32> = of_port.map(|(&packet, _)| packet).collect();
        let is_met = |former: &Former| undecided.iter().any(|&packet| former.before.is_after(packet));
        let former = &mut self.port_mut(port).p_keys.former;
        former.push_back(Former { table, before });
        former.retain(is_met);
        Ok(Vec::new())
    }

    /// Follows an event; the packet that it decides about may have met any table of its port since its arrival.
    pub(super) fn follow_by_any_table(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        let followed = self.follow_by_any_region(event);
        let undecided = event.packet().filter(|_| followed.is_err());
        let Some((packet, port)) =
            undecided.and_then(|packet| Some((packet, self.arrivals.get(&packet)?.port())))
        else {
            return followed;
        };
        let former = self.port(port).p_keys.former.iter();
        let tables: Vec<_> = former
            .filter(|f| f.before.is_after(packet))
            .map(|f| f.table)
            .collect();
        for table in tables {
            let present = std::mem::replace(&mut self.port_mut(port).config.p_keys, table);
            let by_this = self.follow_by_any_region(event);
            self.port_mut(port).config.p_keys = present;
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
