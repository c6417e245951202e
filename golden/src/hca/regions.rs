//! The table of memory regions (`protocol/qp_cq.md` section 3).
use super::moment::Moment;
use crate::decision::protection::{judge, Access, Fault, Region};
use crate::event::LATE_LOOKUPS;
use crate::refusal::VerbError;
use crate::verbs::MemoryRegion;
use std::collections::{BTreeMap, VecDeque};

/// Memory regions by key: the present table, and the earlier ones that accesses under way may have found.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    /// False if every local access is permitted.
    protects: bool,
    /// Number of bits of a key, from bit 8 on, that hold the index of its region.
    index_bits: Option<u8>,
    table: Table,
    /// Earlier tables, oldest first.
    former: VecDeque<Former>,
    /// Index of the earlier table that accesses find at present; `None` for the present table.
    view: Option<usize>,
    /// Number of registrations that have ended.
    stood: u64,
}

/// Whose access looks a key up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// A request of the peer, with this number.
    Request(u32),
    /// A send request that was posted once this number of registrations had ended.
    Posted(u64),
    /// An access whose beginning is not known.
    UnderWay,
}

#[derive(Clone, Debug, Default)]
struct Table {
    by_l_key: BTreeMap<u32, Region>,
    l_key_of: BTreeMap<u32, u32>,
}

/// The cause of a change of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A registration. `ended` is when the verb ended; `None` if it has not ended.
    Registered { l_key: u32, ended: Option<Ended> },
    /// A removal by a verb, which ends once no access can find the region any more.
    Withdrawn,
    /// An invalidation by a request. Later requests do not find the region.
    InvalidatedByPeer,
}

/// The end of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ended {
    moment: Moment,
    /// Its number among the ends of all registrations, from 1.
    number: u64,
}

/// A table before a change.
#[derive(Clone, Debug)]
struct Former {
    table: Table,
    change: Change,
    /// Number of events since the change.
    age: u32,
}

impl Regions {
    /// Makes an empty table.
    pub fn new(protects: bool, index_bits: Option<u8>) -> Regions {
        Regions {
            protects,
            index_bits,
            table: Table::default(),
            former: VecDeque::new(),
            view: None,
            stood: 0,
        }
    }

    /// Notes that the device has reported one more event.
    pub fn pass(&mut self) {
        self.former.iter_mut().for_each(|f| f.age += 1);
        self.former.retain(|f| f.age <= LATE_LOOKUPS);
    }

    /// Returns the earlier tables that an access may have found instead of the present one, newest first. A request of
    /// the peer finds the changes of the requests before it, and the regions registered before it arrived; a send
    /// request finds the regions registered before it was posted.
    pub fn former(&self, lookup: Lookup) -> Vec<usize> {
        let found = |&n: &usize| match (self.former[n].change, lookup) {
            (Change::InvalidatedByPeer, Lookup::Request(_)) => false,
            (Change::Registered { ended: Some(end), .. }, Lookup::Request(packet)) => {
                end.moment.is_after(packet)
            }
            (Change::Registered { ended: Some(end), .. }, Lookup::Posted(stood)) => end.number > stood,
            _ => true,
        };
        (0..self.former.len()).rev().take_while(found).collect()
    }

    /// Makes accesses find this earlier table; `None` for the present one.
    pub fn look_back(&mut self, view: Option<usize>) {
        self.view = view;
    }

    /// Notes that the verb that removed a region has ended: no access finds the earlier table.
    pub fn settle(&mut self) {
        if let Some(last) = self.former.iter().rposition(|f| f.change == Change::Withdrawn) {
            self.former.drain(..=last);
        }
    }

    /// Returns the number of registrations that have ended.
    pub fn stood(&self) -> u64 {
        self.stood
    }

    /// Notes that the verb that registered a region has ended: later packets and later send requests find the region.
    pub fn stands(&mut self, region: u32, moment: Moment) {
        self.stood += 1;
        let number = self.stood;
        for former in &mut self.former {
            if let Change::Registered { l_key, ended } = &mut former.change {
                if *l_key == region {
                    ended.get_or_insert(Ended { moment, number });
                }
            }
        }
    }

    fn seen(&self) -> &Table {
        let former = self.view.and_then(|n| self.former.get(n));
        former.map_or(&self.table, |f| &f.table)
    }

    fn keep(&mut self, change: Change) {
        self.former.push_back(Former {
            table: self.table.clone(),
            change,
            age: 0,
        });
    }

    /// Adds a region; neither of its keys may be in use.
    pub fn register(&mut self, attributes: MemoryRegion) -> Result<(), VerbError> {
        let MemoryRegion { l_key, r_key, .. } = attributes;
        if self.index(l_key) != self.index(r_key) {
            return Err(VerbError::KeyIndex { l_key, r_key });
        }
        let same = |other: &&u32| self.index_bits.is_some() && self.index(**other) == self.index(l_key);
        let table = &self.table;
        if let Some(&other) = table.by_l_key.keys().find(same) {
            return Err(VerbError::KeyExists(other));
        }
        if table.by_l_key.contains_key(&l_key) {
            return Err(VerbError::KeyExists(l_key));
        }
        if table.l_key_of.contains_key(&r_key) {
            return Err(VerbError::KeyExists(r_key));
        }
        let valid = true;
        let ended = None;
        self.keep(Change::Registered { l_key, ended });
        self.table.by_l_key.insert(l_key, Region { attributes, valid });
        self.table.l_key_of.insert(r_key, l_key);
        Ok(())
    }

    /// Returns the index of the region of a key, as far as the key determines it.
    fn index(&self, key: u32) -> Option<u32> {
        self.index_bits.map(|bits| key >> 8 & ((1 << bits) - 1))
    }

    /// Removes a region.
    pub fn deregister(&mut self, l_key: u32) -> Result<(), VerbError> {
        if !self.table.by_l_key.contains_key(&l_key) {
            return Err(VerbError::UnknownKey(l_key));
        }
        self.keep(Change::Withdrawn);
        if let Some(region) = self.table.by_l_key.remove(&l_key) {
            self.table.l_key_of.remove(&region.attributes.r_key);
        }
        Ok(())
    }

    /// Returns the address of the first byte of an access by a QP of this protection domain, or why the access is
    /// refused.
    pub fn resolve(&self, pd: u32, access: &Access) -> Result<u64, (Fault, &'static str)> {
        if !access.right.is_remote() && !self.protects {
            return Ok(access.va);
        }
        let table = self.seen();
        let l_key = if access.right.is_remote() {
            table.l_key_of.get(&access.key)
        } else {
            Some(&access.key)
        };
        judge(l_key.and_then(|l_key| table.by_l_key.get(l_key)), pd, access)
    }

    /// Returns true if a QP of this protection domain may invalidate the R_Key.
    pub fn may_invalidate(&self, pd: u32, r_key: u32) -> bool {
        let table = self.seen();
        let l_key = table.l_key_of.get(&r_key);
        let region = l_key.and_then(|l_key| table.by_l_key.get(l_key));
        region.is_some_and(|r| r.valid && r.attributes.pd == pd)
    }

    /// Invalidates both keys of a region, as a verb does.
    pub fn invalidate(&mut self, r_key: u32) {
        self.end(r_key, Change::Withdrawn);
    }

    /// Invalidates both keys of a region, as a request of the peer does.
    pub fn invalidate_for_peer(&mut self, r_key: u32) {
        self.end(r_key, Change::InvalidatedByPeer);
    }

    fn end(&mut self, r_key: u32, change: Change) {
        self.keep(change);
        let l_key = self.table.l_key_of.get(&r_key);
        if let Some(region) = l_key.and_then(|l_key| self.table.by_l_key.get_mut(l_key)) {
            region.valid = false;
        }
    }
}
