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
    /// Returns the service's number in a command.
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
    /// QPN, 24 bits; its low bits are its index. Only QP0 and QP1 have the indices 0 and 1.
    pub qpn: u32,
    pub service: Service,
    pub send_cq: u32,
    pub receive_cq: u32,
    /// Sizes of the rings, rounded up to powers of two: at most 64 send WQEs and 32768 receive WQEs.
    pub send_entries: u32,
    pub receive_entries: u32,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Software wants an event when an RNR NAK leaves because there is no receive WQE.
    pub dry_event: bool,
}
