//! The link between the ports of one number.
use std::time::Duration;

/// The cable between the ports of one number, and its link.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub is_in: bool,
    pub is_up: bool,
    /// True if a port waits in ActiveDefer for a link that does not come back in time.
    pub is_awaited: bool,
    /// Time at which the training ends.
    pub up_at: Option<Duration>,
}

impl Line {
    /// Makes a cable that is plugged in, and whose link is down.
    pub fn new() -> Line {
        Line {
            is_in: true,
            is_up: false,
            is_awaited: false,
            up_at: None,
        }
    }
}
