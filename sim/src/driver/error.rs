use hca_rtl::host::command;

/// A refusal. When a call itself gives one, nothing was done; [`Refused`](DriverError::Refused) and
/// [`Register`](DriverError::Register) come as outcomes, from the hardware.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    #[error("no QP {0:06X}h")]
    UnknownQp(u32),
    #[error("no CQ {0}")]
    UnknownCq(u32),
    #[error("QPN {qpn:06X}h: the low {bits} bits are the QP's index, 2 or above but for QP0 and QP1")]
    BadQpn { qpn: u32, bits: usize },
    #[error("QPN {qpn:06X}h: QP {other:06X}h has that index")]
    IndexTaken { qpn: u32, other: u32 },
    #[error("CQ {cqn}: the hardware has {limit}")]
    BadCqn { cqn: u32, limit: u32 },
    #[error("a ring has 1 to 32768 entries, not {0}")]
    BadRingSize(u32),
    #[error("no room for another ring in the driver's region of host memory")]
    OutOfMemory,
    #[error("QP {qpn:06X}h: cannot go from {from:?} to {to:?}")]
    BadTransition {
        qpn: u32,
        from: super::QpState,
        to: super::QpState,
    },
    #[error("QP {qpn:06X}h: {what} takes no work in {state:?}")]
    WrongState {
        qpn: u32,
        what: &'static str,
        state: super::QpState,
    },
    #[error("QP {qpn:06X}h: the {what} is full")]
    QueueFull { qpn: u32, what: &'static str },
    #[error("CQ {0}: no room for another completion")]
    CqFull(u32),
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
    #[error("{found} reads and atomics under way; the hardware keeps {limit}")]
    TooManyReads { found: u8, limit: u32 },
    #[error(
        "L_Key {l_key:08X}h and R_Key {r_key:08X}h: bits {last}:8 are the entry of the protection table and must be equal"
    )]
    KeysDisagree { l_key: u32, r_key: u32, last: usize },
    #[error(
        "L_Key {l_key:08X}h: the region of L_Key {other:08X}h has entry {entry} of the protection table"
    )]
    EntryTaken { l_key: u32, entry: u32, other: u32 },
    #[error("no memory region with L_Key {0:08X}h")]
    UnknownKey(u32),
    #[error("a message of {0} bytes; 2^31 is the most")]
    MessageTooLong(u64),
    #[error("PMTU {0}: 256, 512, 1024, 2048 or 4096 bytes")]
    BadPmtu(u32),
    #[error("{field} {value:#x} does not fit {bits} bits")]
    FieldTooWide {
        field: &'static str,
        value: u32,
        bits: u32,
    },
    #[error("the hardware refused the command: {}", code_name(*.0))]
    Refused(u32),
    #[error("register {0:#07x}: the hardware answered with an error")]
    Register(u32),
}

fn code_name(code: u32) -> String {
    match code {
        command::BAD_COMMAND => "unknown command".to_owned(),
        command::BAD_INDEX => "number outside the limits".to_owned(),
        command::BAD_SIZE => "size outside the limits".to_owned(),
        other => format!("code {other}"),
    }
}
