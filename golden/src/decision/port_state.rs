//! Which packets each state of a native port lets pass, and which steps lead from one state to another (`link.md`
//! section 1).
use crate::port::PortState;
use crate::verbs::QueueSide;

/// Earliest and latest time, in picoseconds after it entered ActiveDefer, at which a port that lost its link goes Down:
/// 10 ms, with a tolerance of -51 % and +3 % (CF435).
pub const RETRAINING: (u64, u64) = (4_900_000_000, 10_300_000_000);

/// Returns true if a port in this state sends, or takes, a packet. `is_management` says whether the packet is on VL 15.
pub fn passes(state: PortState, side: QueueSide, is_management: bool) -> bool {
    use PortState::*;
    match (state, side) {
        // CF431.
        (Down | ActiveDefer, _) => false,
        // CF429.
        (Init, _) => is_management,
        // CF430.
        (Armed, QueueSide::Send) => is_management,
        (Armed, QueueSide::Receive) | (Active, _) => true,
    }
}

/// Returns true if software may take a port from one state to the other. Any other request changes nothing (CF433).
pub fn is_step(from: PortState, to: PortState) -> bool {
    use PortState::*;
    matches!(
        (from, to),
        (Init, Armed) | (Armed, Active) | (Init | Armed | Active | ActiveDefer, Down)
    )
}

/// The conditions on which a port takes a step without software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The physical link is up.
    pub is_up: bool,
    /// Software has disabled the port.
    pub is_disabled: bool,
    /// A sound packet on a data VL has reached the Armed port.
    pub heard: bool,
    /// The neighbour of the Active port has restarted.
    pub restarts: bool,
    /// The time for retraining in ActiveDefer is over.
    pub gives_up: bool,
}

/// Returns the states to which a port may step without software.
pub fn own_steps(from: PortState, around: Surroundings) -> impl Iterator<Item = PortState> {
    use PortState::*;
    let Surroundings {
        is_up,
        is_disabled,
        heard,
        restarts,
        gives_up,
    } = around;
    let steps = match from {
        // CF434.
        Down => [(is_up && !is_disabled).then_some(Init), None],
        Init => [(!is_up).then_some(Down), None],
        // CF432.
        Armed => [(!is_up).then_some(Down), heard.then_some(Active)],
        // CF436.
        Active => [(!is_up).then_some(ActiveDefer), restarts.then_some(Down)],
        // CF435.
        ActiveDefer => [is_up.then_some(Active), gives_up.then_some(Down)],
    };
    steps.into_iter().flatten()
}
