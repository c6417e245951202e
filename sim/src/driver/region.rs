//! Memory regions: the host's side of the protection table.
use super::bus::{Job, Ticket};
use super::effect::Effect;
use super::words::fits;
use super::{Driver, DriverError};
use hca_host::argument::qp::PD;
use hca_host::command::{self, dereg_mr, invalidate, reg_mr};

/// A memory region. The caller chooses the keys. Their bits from 8 up must be equal; they select the entry of the
/// hardware's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub l_key: u32,
    pub r_key: u32,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Address of the region's first byte.
    pub base: u64,
    /// Length in bytes.
    pub length: u64,
    pub access: RegionAccess,
    /// True if addresses in the region count from 0 rather than from `base`.
    pub zero_based: bool,
}

/// The rights to a memory region. A local read needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionAccess {
    pub local_write: bool,
    pub remote_write: bool,
    pub remote_read: bool,
    pub remote_atomic: bool,
}

impl Region {
    fn arguments(&self) -> Result<Vec<(usize, u32)>, DriverError> {
        let rights = [
            (self.access.local_write, command::RIGHT_LOCAL_WRITE),
            (self.access.remote_write, command::RIGHT_REMOTE_WRITE),
            (self.access.remote_read, command::RIGHT_REMOTE_READ),
            (self.access.remote_atomic, command::RIGHT_REMOTE_ATOMIC),
            (self.zero_based, command::ZERO_BASED),
        ];
        Ok(vec![
            (reg_mr::L_KEY, self.l_key),
            (reg_mr::R_KEY, self.r_key),
            (reg_mr::PD, fits(&PD, self.pd)?),
            (reg_mr::BASE_HIGH, (self.base >> 32) as u32),
            (reg_mr::BASE_LOW, self.base as u32),
            (reg_mr::LENGTH_HIGH, (self.length >> 32) as u32),
            (reg_mr::LENGTH_LOW, self.length as u32),
            (
                reg_mr::RIGHTS,
                rights.iter().filter(|(has, _)| *has).map(|(_, bit)| bit).sum(),
            ),
        ])
    }
}

impl Driver {
    /// Registers a memory region; its entry of the hardware's table must be free.
    pub fn reg_mr(&mut self, region: &Region) -> Result<Ticket, DriverError> {
        let arguments = region.arguments()?;
        Ok(self
            .jobs
            .push(Job::command(command::REG_MR, arguments, Effect::Nothing)))
    }

    /// Removes the memory region with this L_Key.
    pub fn dereg_mr(&mut self, l_key: u32) -> Ticket {
        let arguments = vec![(dereg_mr::L_KEY, l_key)];
        self.jobs
            .push(Job::command(command::DEREG_MR, arguments, Effect::Nothing))
    }

    /// Invalidates both keys of the memory region with this R_Key. A key of no region changes nothing.
    pub fn invalidate(&mut self, r_key: u32) -> Ticket {
        let arguments = vec![(invalidate::R_KEY, r_key)];
        self.jobs
            .push(Job::command(command::INVALIDATE, arguments, Effect::Nothing))
    }
}
