//! What the state of a native port lets pass, and the steps from one state to another (`link.md` section 1).
use crate::port::PortState;
use crate::verbs::QueueSide;

/// Whether a port in this state sends, or takes, a packet; `is_management` says whether the packet is on VL 15.
pub fn passes(state: PortState, side: QueueSide, is_management: bool) -> bool {
    use PortState::*;
    match (state, side) {
        // CF431.
        (Down, _) => false,
        // CF429.
        (Init, _) => is_management,
        // CF430.
        (Armed, QueueSide::Send) => is_management,
        (Armed, QueueSide::Receive) | (Active, _) => true,
    }
}

/// Whether software may take a port from one state to another; any other request changes nothing (CF433).
pub fn is_step(from: PortState, to: PortState) -> bool {
    use PortState::*;
    matches!(
        (from, to),
        (Init, Armed) | (Armed, Active) | (Init | Armed | Active, Down)
    )
}

/// The step that a port takes by itself: from Down as soon as its link is up, which it is at all times (CF434), and from
/// Armed once it has heard a sound packet on a data VL (CF432).
pub fn own_step(from: PortState, heard: bool) -> Option<PortState> {
    match from {
        PortState::Down => Some(PortState::Init),
        PortState::Armed => heard.then_some(PortState::Active),
        PortState::Init | PortState::Active => None,
    }
}
