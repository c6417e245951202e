//! Memory regions: the host's side of the protection table.
use super::bus::{Job, Ticket};
use super::{Driver, DriverError};
use hca_rtl::host::command::{self, dereg_mr, invalidate, reg_mr};
use hca_rtl::profile::Profile;

/// Bits of a key below the entry of the table.
const TAG_BITS: usize = 8;

/// A memory region. Keys are the caller's choice; the same bits of both, 8 and up, are the entry of the hardware's
/// table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub l_key: u32,
    pub r_key: u32,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Address of its first byte.
    pub base: u64,
    /// Bytes.
    pub length: u64,
    pub access: RegionAccess,
    /// Addresses in the region count from 0, not from `base`.
    pub zero_based: bool,
}

/// Rights to a memory region; local read needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionAccess {
    pub local_write: bool,
    pub remote_write: bool,
    pub remote_read: bool,
    pub remote_atomic: bool,
}

impl Region {
    fn arguments(&self) -> Vec<u32> {
        let rights = [
            (self.access.local_write, command::RIGHT_LOCAL_WRITE),
            (self.access.remote_write, command::RIGHT_REMOTE_WRITE),
            (self.access.remote_read, command::RIGHT_REMOTE_READ),
            (self.access.remote_atomic, command::RIGHT_REMOTE_ATOMIC),
            (self.zero_based, command::ZERO_BASED),
        ];
        let mut a = vec![0; reg_mr::RIGHTS + 1];
        a[reg_mr::L_KEY] = self.l_key;
        a[reg_mr::R_KEY] = self.r_key;
        a[reg_mr::PD] = self.pd;
        a[reg_mr::BASE_HIGH] = (self.base >> 32) as u32;
        a[reg_mr::BASE_LOW] = self.base as u32;
        a[reg_mr::LENGTH_HIGH] = (self.length >> 32) as u32;
        a[reg_mr::LENGTH_LOW] = self.length as u32;
        a[reg_mr::RIGHTS] = rights.iter().filter(|(has, _)| *has).map(|(_, bit)| bit).sum();
        a
    }
}

/// Entry of the protection table that a key names.
fn entry_of(profile: &Profile, key: u32) -> u32 {
    key >> TAG_BITS & ((1 << profile.region_bits) - 1)
}

impl Driver {
    /// Registers a memory region; its entry of the hardware's table must be free.
    pub fn reg_mr(&mut self, region: &Region) -> Result<Ticket, DriverError> {
        let Region { l_key, r_key, pd, .. } = *region;
        let entry = entry_of(&self.profile, l_key);
        if entry_of(&self.profile, r_key) != entry {
            let last = TAG_BITS + self.profile.region_bits - 1;
            return Err(DriverError::KeysDisagree { l_key, r_key, last });
        }
        if pd >> 24 != 0 {
            return Err(DriverError::FieldTooWide {
                field: "protection domain",
                value: pd,
                bits: 24,
            });
        }
        if let Some(&other) = self.regions.get(&entry) {
            return Err(DriverError::EntryTaken { l_key, entry, other });
        }
        self.regions.insert(entry, l_key);
        Ok(self.jobs.push(Job::Command {
            code: command::REG_MR,
            arguments: region.arguments(),
        }))
    }

    /// Removes the memory region with this L_Key.
    pub fn dereg_mr(&mut self, l_key: u32) -> Result<Ticket, DriverError> {
        let entry = entry_of(&self.profile, l_key);
        if self.regions.get(&entry) != Some(&l_key) {
            return Err(DriverError::UnknownKey(l_key));
        }
        self.regions.remove(&entry);
        let mut arguments = vec![0; 1];
        arguments[dereg_mr::L_KEY] = l_key;
        Ok(self.jobs.push(Job::Command {
            code: command::DEREG_MR,
            arguments,
        }))
    }

    /// Takes both keys of the memory region with this R_Key out of use; one that no region has changes nothing.
    pub fn invalidate(&mut self, r_key: u32) -> Ticket {
        let mut arguments = vec![0; 1];
        arguments[invalidate::R_KEY] = r_key;
        self.jobs.push(Job::Command {
            code: command::INVALIDATE,
            arguments,
        })
    }
}
