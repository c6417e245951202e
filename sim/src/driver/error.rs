use hca_host::argument::RESULTS;

/// Why a call is refused. A call that returns an error itself had no effect. [`Refused`](DriverError::Refused) and
/// [`Register`](DriverError::Register) come from the hardware, as outcomes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    #[error("no QP {0:06X}h")]
    UnknownQp(u32),
    #[error("no CQ {0}")]
    UnknownCq(u32),
    #[error("a ring has 1 to 32768 entries, not {0}")]
    BadRingSize(u32),
    #[error("no room for another ring in the driver's region of host memory")]
    OutOfMemory,
    #[error("QP {qpn:06X}h: {what} takes no work in {state:?}")]
    WrongState {
        qpn: u32,
        what: &'static str,
        state: super::QpState,
    },
    #[error("QP {qpn:06X}h: the {what} is full")]
    QueueFull { qpn: u32, what: &'static str },
    #[error("CQ {0}: it had no room for a completion and is unusable; destroy it and the QPs that use it")]
    CqFailed(u32),
    #[error("{found} SGEs in a work request; the hardware takes {limit}")]
    TooManySges { found: usize, limit: usize },
    #[error("{found} bytes inline; the hardware takes {limit}")]
    InlineTooLong { found: u32, limit: usize },
    #[error("a read or an atomic brings data and has none to take inline")]
    InlineResult,
    #[error("an atomic has one SGE, of 8 bytes or more at a multiple of 8")]
    AtomicTarget,
    #[error("QP {0:06X}h: max_rd_atomic is 0, it takes neither reads nor atomics")]
    NoReadDepth(u32),
    #[error("a message of {0} bytes; 2^31 is the most")]
    MessageTooLong(u64),
    #[error("{field} {value:#x} does not fit {bits} bits")]
    FieldTooWide {
        field: &'static str,
        value: u32,
        bits: u32,
    },
    #[error("the hardware refused the command: {}", code_name(*.0))]
    Refused(u32),
    #[error("address vector: {field}: {why}")]
    BadAddress { field: &'static str, why: &'static str },
    #[error("the event queue holds an entry of unknown kind {0}")]
    UnknownEvent(u8),
    #[error("register {0:#07x}: the hardware answered with an error")]
    Register(u32),
}

fn code_name(code: u32) -> String {
    match RESULTS.iter().find(|result| result.value == code) {
        Some(result) => format!("{}, {}", result.name, result.meaning),
        None => format!("code {code}"),
    }
}
