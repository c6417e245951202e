//! The state of a queue pair, and its two sides.
use hca_host::command;

/// The state of a queue pair (`protocol/qp_cq.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpState {
    Reset,
    Init,
    Rtr,
    Rts,
    Sqd,
    Sqe,
    Error,
}

/// One of the two work queues of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Send,
    Receive,
}

impl Side {
    /// Returns the name of the queue in messages.
    pub fn name(self) -> &'static str {
        match self {
            Side::Send => "send queue",
            Side::Receive => "receive queue",
        }
    }
}

impl QpState {
    /// Returns the number of the queue in a command.
    pub(super) fn code(self) -> u32 {
        match self {
            QpState::Reset => command::STATE_RESET,
            QpState::Init => command::STATE_INIT,
            QpState::Rtr => command::STATE_RTR,
            QpState::Rts => command::STATE_RTS,
            QpState::Sqd => command::STATE_SQD,
            QpState::Sqe => command::STATE_SQE,
            QpState::Error => command::STATE_ERROR,
        }
    }

    pub(super) fn of_code(code: u32) -> Option<QpState> {
        use QpState::{Error, Init, Reset, Rtr, Rts, Sqd, Sqe};
        let states = [Reset, Init, Rtr, Rts, Sqd, Sqe, Error];
        states.into_iter().find(|state| state.code() == code)
    }

    /// Returns true if work may be posted in this state.
    pub(super) fn takes(self, side: Side) -> bool {
        match side {
            Side::Receive => self != QpState::Reset,
            Side::Send => !matches!(self, QpState::Reset | QpState::Init | QpState::Rtr),
        }
    }

    /// Returns the state after a report that the adapter has moved the QP to SQE or Error. The report may be older than
    /// a Reset that software has requested since; before RTS the requested state therefore stays.
    pub(super) fn after_failure(self, to: QpState) -> QpState {
        match (self, to) {
            (QpState::Rts | QpState::Sqd, _) | (QpState::Sqe, QpState::Error) => to,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::QpState::{Error, Init, Reset, Rtr, Rts, Sqd, Sqe};

    #[test]
    fn a_failure_that_comes_behind_a_reset_changes_nothing() {
        for state in [Reset, Init, Rtr] {
            assert_eq!([Error, Sqe].map(|to| state.after_failure(to)), [state; 2]);
        }
    }

    #[test]
    fn a_failure_of_a_queue_pair_that_sends_is_known() {
        for state in [Rts, Sqd] {
            assert_eq!([Error, Sqe].map(|to| state.after_failure(to)), [Error, Sqe]);
        }
        assert_eq!((Sqe.after_failure(Error), Sqe.after_failure(Sqe)), (Error, Sqe));
        assert_eq!(Error.after_failure(Sqe), Error);
    }
}
