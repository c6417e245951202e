//! The places of MADs and messages in host memory.
use crate::driver::{Region, RegionAccess, RINGS, RINGS_SIZE};
use crate::subnet::mad::MAD_BYTES;
use hca_host::wqe::Segment;

/// Largest number of connections of an adapter.
pub const CONNECTIONS: u32 = 4;
/// Length of a message in bytes. It crosses the link in several packets.
pub const MESSAGE_BYTES: usize = 1000;
/// L_Key of the region of all buffers.
const KEY: u32 = 0x100;
/// Number of receive buffers of a queue pair.
pub(super) const RECEIVES: u64 = 16;
/// Number of bytes before a received MAD, reserved for a GRH, which SMPs do not have.
pub(super) const GRH_AREA: u32 = 40;
/// Distance between two buffers in bytes.
const STRIDE: u64 = 512;
/// Number of buffers of a queue pair. The last one is for what it sends.
const BUFFERS: u64 = RECEIVES + 1;
/// Largest number of queue pairs of management: QP0 and QP1 of two ports.
const QPS: u64 = 4;
/// Length in bytes of all buffers of QP0 and QP1. Those of messages follow, two for each connection.
const MADS: u64 = QPS * BUFFERS * STRIDE;
const MESSAGE_STRIDE: u64 = 1024;

/// Returns the memory region of all buffers.
pub(super) fn region() -> Region {
    Region {
        l_key: KEY,
        r_key: KEY,
        pd: 0,
        base: address(0, 0),
        length: MADS + 2 * u64::from(CONNECTIONS) * MESSAGE_STRIDE,
        access: RegionAccess {
            local_write: true,
            ..RegionAccess::default()
        },
        zero_based: false,
    }
}

/// Returns the address of buffer `n` of a QP0 or QP1, by its QPN in verbs.
pub(super) fn address(qpn: u32, n: u64) -> u64 {
    RINGS + RINGS_SIZE + (u64::from(qpn) * BUFFERS + n) * STRIDE
}

/// Returns a receive buffer, with room for a GRH and a MAD.
pub(super) fn receive(qpn: u32, n: u64) -> Segment {
    segment(address(qpn, n), GRH_AREA + MAD_BYTES as u32)
}

/// Returns the buffer for what a queue pair sends.
pub(super) fn send(qpn: u32) -> Segment {
    segment(address(qpn, RECEIVES), MAD_BYTES as u32)
}

/// Returns the buffer for what connection `n` sends.
pub(super) fn sent_message(n: u32) -> Segment {
    message(2 * n)
}

/// Returns the buffer for what connection `n` receives.
pub(super) fn received_message(n: u32) -> Segment {
    message(2 * n + 1)
}

fn message(place: u32) -> Segment {
    let addr = address(0, 0) + MADS + u64::from(place) * MESSAGE_STRIDE;
    segment(addr, MESSAGE_BYTES as u32)
}

fn segment(addr: u64, length: u32) -> Segment {
    Segment {
        addr,
        length,
        l_key: KEY,
    }
}
