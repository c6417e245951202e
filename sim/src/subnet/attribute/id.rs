//! Numbers of attributes (`protocol/mad.md` sections 5 and 7).

/// Of classes 01h and 81h: an event that a Trap reports.
pub const NOTICE: u16 = 0x0002;
pub const NODE_DESCRIPTION: u16 = 0x0010;
pub const NODE_INFO: u16 = 0x0011;
pub const GUID_INFO: u16 = 0x0014;
pub const PORT_INFO: u16 = 0x0015;
pub const P_KEY_TABLE: u16 = 0x0016;
pub const SL_TO_VL: u16 = 0x0017;
pub const VL_ARBITRATION: u16 = 0x0018;
pub const SM_INFO: u16 = 0x0020;

/// Of class 04h: what the performance agent can do.
pub const CLASS_PORT_INFO: u16 = 0x0001;
pub const PORT_COUNTERS: u16 = 0x0012;
pub const PORT_COUNTERS_EXTENDED: u16 = 0x001D;
