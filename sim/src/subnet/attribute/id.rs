//! Numbers of attributes (`protocol/mad.md` sections 5 and 7).

/// Of classes 01h and 81h: an event that a Trap reports.
pub const NOTICE: u16 = 0x0002;
/// Of classes 01h and 81h: the text that describes a node.
pub const NODE_DESCRIPTION: u16 = 0x0010;
/// Of classes 01h and 81h: information about a node.
pub const NODE_INFO: u16 = 0x0011;
/// Of classes 01h and 81h: a block of the GUIDs of a port.
pub const GUID_INFO: u16 = 0x0014;
/// Of classes 01h and 81h: state and settings of a port.
pub const PORT_INFO: u16 = 0x0015;
/// Of classes 01h and 81h: a block of the P_Key table of a port.
pub const P_KEY_TABLE: u16 = 0x0016;
/// Of classes 01h and 81h: the VL of each SL.
pub const SL_TO_VL: u16 = 0x0017;
/// Of classes 01h and 81h: a block of an arbitration table.
pub const VL_ARBITRATION: u16 = 0x0018;
/// Of classes 01h and 81h: information about a subnet manager.
pub const SM_INFO: u16 = 0x0020;

/// Of class 04h: what the performance agent can do.
pub const CLASS_PORT_INFO: u16 = 0x0001;
/// Of class 04h: the counters of a port.
pub const PORT_COUNTERS: u16 = 0x0012;
/// Of class 04h: the 64-bit counters of a port.
pub const PORT_COUNTERS_EXTENDED: u16 = 0x001D;
