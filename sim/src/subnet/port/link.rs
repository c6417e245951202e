//! States of a port and its link.

/// State of a port (`protocol/link.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortState {
    Down,
    Init,
    Armed,
    Active,
    /// Active, and the link retrains.
    ActiveDefer,
}

impl PortState {
    /// PortState of PortInfo.
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

/// State of the link at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub state: PortState,
    pub physical: PhysicalState,
    /// One bit of the supported widths.
    pub width_active: u8,
    /// One bit of the supported speeds; 4 bits.
    pub speed_active: u8,
}

/// What a Set of PortInfo asks a port to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCommand {
    /// Init to Armed.
    Arm,
    /// Armed to Active.
    Activate,
    /// To Down, then to Init once the link is up again; a disabled port stays disabled.
    Down,
    /// To Down, then to Init once the link is up again; a disabled port is enabled.
    Poll,
    /// To Down, until [`LinkCommand::Poll`].
    Disable,
}
