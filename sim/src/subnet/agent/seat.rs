//! What the agent keeps for each port.
use super::super::m_key::MKey;
use super::super::port::LinkCommand;
use super::super::traps::Traps;
use super::thresholds::Thresholds;
use std::collections::BTreeSet;

/// The values of PortInfo that the adapter does not know, the M_Key, and the traps of a port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    pub m_key: MKey,
    pub master_sm_lid: u16,
    pub master_sm_sl: u8,
    pub subnet_timeout: u8,
    pub init_type_reply: u8,
    pub vl_stall_count: u8,
    pub hoq_life: u8,
    /// A manager on this port has announced itself (IsSM).
    pub is_sm: bool,
    pub traps: Traps,
    /// What the agent knows of the counters that have a threshold.
    pub thresholds: Thresholds,
    /// Transactions of the Traps that a manager on this port sent, by their lower 32 bits.
    pub manager_traps: BTreeSet<u32>,
    /// The command to the link that a Set requires, once its reply has left.
    pub after_reply: Option<LinkCommand>,
}
