//! Parameters of a new queue pair.
use hca_host::command;

/// Transport service of a queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Service {
    /// Reliable connection.
    #[default]
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagram.
    Ud,
}

impl Service {
    /// Number in a command.
    pub(super) fn code(self) -> u32 {
        match self {
            Service::Rc => command::SERVICE_RC,
            Service::Uc => command::SERVICE_UC,
            Service::Ud => command::SERVICE_UD,
        }
    }
}

/// Parameters of a new queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QpInit {
    /// 24 bits; the low bits are its index. Indices 0 and 1 are for QP0 and QP1 alone.
    pub qpn: u32,
    pub service: Service,
    pub send_cq: u32,
    pub receive_cq: u32,
    /// Ring sizes, rounded up to powers of two: at most 64 send WQEs and 32768 receive WQEs.
    pub send_entries: u32,
    pub receive_entries: u32,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// An event is wanted when an RNR NAK goes out for want of a receive WQE.
    pub dry_event: bool,
}
