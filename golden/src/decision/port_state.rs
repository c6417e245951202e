//! What the state of a native port lets pass, and the steps from one state to another (`link.md` section 1).
use crate::port::PortState;
use crate::verbs::QueueSide;

/// The first and the last moment at which a port that lost its link leaves ActiveDefer for Down, picoseconds after it
/// entered it: 10 ms, with a tolerance of -51 % and +3 % (CF435).
pub const RETRAINING: (u64, u64) = (4_900_000_000, 10_300_000_000);

/// Whether a port in this state sends, or takes, a packet; `is_management` says whether the packet is on VL 15.
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

/// Whether software may take a port from one state to another; any other request changes nothing (CF433).
pub fn is_step(from: PortState, to: PortState) -> bool {
    use PortState::*;
    matches!(
        (from, to),
        (Init, Armed) | (Armed, Active) | (Init | Armed | Active | ActiveDefer, Down)
    )
}

/// What a port goes by when it takes a step by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The physical link is up.
    pub is_up: bool,
    /// Software has disabled the port.
    pub is_disabled: bool,
    /// An Armed port has heard a sound packet on a data VL.
    pub heard: bool,
    /// The neighbour of an Active port has restarted.
    pub restarts: bool,
    /// The time for retraining in ActiveDefer is over.
    pub gives_up: bool,
}

/// The steps that a port may take by itself.
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
