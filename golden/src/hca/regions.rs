//! The table of memory regions (`protocol/qp_cq.md` section 3).
use super::VerbError;
use crate::decision::protection::{judge, Access, Fault, Region};
use crate::verbs::MemoryRegion;
use std::collections::BTreeMap;

/// Memory regions by key.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    /// False if every local access is permitted.
    protects: bool,
    /// Bits 8 and up of a key that are its region's index.
    index_bits: Option<u8>,
    by_l_key: BTreeMap<u32, Region>,
    l_key_of: BTreeMap<u32, u32>,
}

impl Regions {
    /// No region.
    pub fn new(protects: bool, index_bits: Option<u8>) -> Regions {
        Regions {
            protects,
            index_bits,
            by_l_key: BTreeMap::new(),
            l_key_of: BTreeMap::new(),
        }
    }

    /// Adds a region; neither of its keys may be in use.
    pub fn register(&mut self, attributes: MemoryRegion) -> Result<(), VerbError> {
        let MemoryRegion { l_key, r_key, .. } = attributes;
        if self.index(l_key) != self.index(r_key) {
            return Err(VerbError::KeyIndex { l_key, r_key });
        }
        let same = |other: &&u32| self.index_bits.is_some() && self.index(**other) == self.index(l_key);
        if let Some(&other) = self.by_l_key.keys().find(same) {
            return Err(VerbError::KeyExists(other));
        }
        if self.by_l_key.contains_key(&l_key) {
            return Err(VerbError::KeyExists(l_key));
        }
        if self.l_key_of.contains_key(&r_key) {
            return Err(VerbError::KeyExists(r_key));
        }
        let valid = true;
        self.by_l_key.insert(l_key, Region { attributes, valid });
        self.l_key_of.insert(r_key, l_key);
        Ok(())
    }

    /// The region that a key stands for, as far as the key tells.
    fn index(&self, key: u32) -> Option<u32> {
        self.index_bits.map(|bits| key >> 8 & ((1 << bits) - 1))
    }

    /// Removes a region.
    pub fn deregister(&mut self, l_key: u32) -> Result<(), VerbError> {
        let region = self.by_l_key.remove(&l_key).ok_or(VerbError::UnknownKey(l_key))?;
        self.l_key_of.remove(&region.attributes.r_key);
        Ok(())
    }

    /// Address of the first byte of an access by a QP of this protection domain, or why it is refused.
    pub fn resolve(&self, pd: u32, access: &Access) -> Result<u64, (Fault, &'static str)> {
        if !access.right.is_remote() && !self.protects {
            return Ok(access.va);
        }
        let l_key = if access.right.is_remote() {
            self.l_key_of.get(&access.key)
        } else {
            Some(&access.key)
        };
        judge(l_key.and_then(|l_key| self.by_l_key.get(l_key)), pd, access)
    }

    /// True if a QP of this protection domain may take the R_Key out of use.
    pub fn may_invalidate(&self, pd: u32, r_key: u32) -> bool {
        let region = self
            .l_key_of
            .get(&r_key)
            .and_then(|l_key| self.by_l_key.get(l_key));
        region.is_some_and(|r| r.valid && r.attributes.pd == pd)
    }

    /// Takes both keys of a region out of use.
    pub fn invalidate(&mut self, r_key: u32) {
        let l_key = self.l_key_of.get(&r_key);
        if let Some(region) = l_key.and_then(|l_key| self.by_l_key.get_mut(l_key)) {
            region.valid = false;
        }
    }
}
