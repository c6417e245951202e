//! States of a port and its link.

/// State of a port (`protocol/link.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortState {
    Down,
    Init,
    Armed,
    Active,
    /// The port is Active, and the link retrains.
    ActiveDefer,
}

impl PortState {
    /// Returns the code of the state in PortInfo.
    pub fn code(self) -> u8 {
        match self {
            PortState::Down => 1,
            PortState::Init => 2,
            PortState::Armed => 3,
            PortState::Active | PortState::ActiveDefer => 4,
        }
    }
}

/// PortPhysicalState of PortInfo (`protocol/mad.md` sections 5.2 and 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhysicalState {
    Polling = 2,
    Disabled = 3,
    LinkUp = 5,
}

/// The state of the link at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub state: PortState,
    pub physical: PhysicalState,
    /// The active width, one of the bits of the supported widths.
    pub width_active: u8,
    /// The active speed, one of the 4 bits of the supported speeds.
    pub speed_active: u8,
}

/// What a Set of PortInfo makes a port do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCommand {
    /// Go from Init to Armed.
    Arm,
    /// Go from Armed to Active.
    Activate,
    /// Go Down, then to Init once the link is up again. A disabled port stays disabled.
    Down,
    /// Go Down, then to Init once the link is up again. A disabled port is enabled.
    Poll,
    /// Go Down and stay there until [`LinkCommand::Poll`].
    Disable,
}
