//! A case of role `agent`, and the places of its data.
use super::rig::{Ends, Rig, Setting};
use crate::live::session::Ran;
use hca_golden::verbs::Service;

/// Offsets in both buffers: of sent messages, of receive requests, and of data that a Write or Read fills.
pub const SENT: u64 = 0x1001;
pub const TAKEN: u64 = 0x10_0000;
pub const FILLED: u64 = 0x20_0003;
/// Offsets of the target of atomics, and of their results.
pub const ATOMIC: u64 = 0x40;
pub const ORIGINAL: u64 = 0x80;

/// A case: its name, the setting of its connection, and the function that plays it.
pub struct Case {
    pub name: &'static str,
    pub setting: Setting,
    pub run: fn(&mut Rig<'_>, Ends) -> Ran<String>,
}

pub const fn case(name: &'static str, setting: Setting, run: fn(&mut Rig<'_>, Ends) -> Ran<String>) -> Case {
    Case { name, setting, run }
}

pub const RC: Setting = Setting::RC;
pub const UC: Setting = Setting {
    service: Service::Uc,
    ..RC
};
pub const UD: Setting = Setting {
    service: Service::Ud,
    ..RC
};
