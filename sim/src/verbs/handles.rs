//! The arguments and results of verbs.
use crate::driver::{RegionAccess, Service};
use hca_host::wqe::{Datagram, Segment};

/// A completion queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cq {
    pub cqn: u32,
}

/// A queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qp {
    /// QPN, 24 bits.
    pub qpn: u32,
}

/// A memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mr {
    /// L_Key, for the SGEs of this host.
    pub l_key: u32,
    /// R_Key, for the peer.
    pub r_key: u32,
}

impl Mr {
    /// Returns an SGE for a part of the region.
    pub fn sge(self, addr: u64, length: usize) -> Segment {
        let (length, l_key) = (length as u32, self.l_key);
        Segment { addr, length, l_key }
    }
}

/// An address handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ah {
    /// Number of the handle, 24 bits.
    pub handle: u32,
}

impl Ah {
    /// Returns the receiver of a datagram: this QP at this address.
    pub fn to(self, qp: Qp, q_key: u32) -> Datagram {
        Datagram {
            q_key,
            dest_qpn: qp.qpn,
            handle: self.handle,
            p_key_index: 0,
        }
    }
}

/// Parameters of a memory region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MrAttributes {
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Address of the region's first byte.
    pub base: u64,
    /// Length in bytes.
    pub length: u64,
    pub access: RegionAccess,
    /// True if addresses in the region count from 0 rather than from its base.
    pub zero_based: bool,
}

impl MrAttributes {
    /// Makes a region in protection domain 0 that this host and the peer may read and write.
    pub fn shared(base: u64, length: u64) -> MrAttributes {
        MrAttributes {
            base,
            length,
            access: RegionAccess {
                local_write: true,
                remote_write: true,
                remote_read: true,
                remote_atomic: true,
            },
            ..MrAttributes::default()
        }
    }
}

/// Parameters of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpInitAttributes {
    pub service: Service,
    pub send_cq: Cq,
    pub receive_cq: Cq,
    /// Entries of the send queue, rounded up to a power of two, at most 64.
    pub max_send_wr: u32,
    /// Entries of the receive queue, rounded up to a power of two, at most 32768.
    pub max_recv_wr: u32,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Software wants an event when an RNR NAK leaves because there is no receive WQE.
    pub dry_event: bool,
}

impl QpInitAttributes {
    /// Parameters of a reliable connection with queues of 16 entries in protection domain 0.
    pub fn new(send_cq: Cq, receive_cq: Cq) -> QpInitAttributes {
        QpInitAttributes {
            service: Service::Rc,
            send_cq,
            receive_cq,
            max_send_wr: 16,
            max_recv_wr: 16,
            pd: 0,
            dry_event: false,
        }
    }
}
