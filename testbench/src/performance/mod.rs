//! Measures the speed of the hardware, in clock cycles.
pub mod lanes;
pub mod latency;
pub mod rate;
pub mod shares;
pub mod soak;
mod soak_meter;

use crate::device::Verb;
use crate::scenario::connection::Connection;
use crate::scenario::services::setup;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    AddressHandle, Datagram, EndToEndCredits, Pmtu, QpAttributes, RemoteAccess, Service,
};

/// Number of entries of every work queue.
const ENTRIES: u32 = 64;
/// Bytes of a receive buffer before the payload of a datagram (`ud.md` section 3.2).
const AREA: u32 = 40;
/// Address handle of the peer.
const HANDLE: u32 = 0;
/// Q_Key of all queue pairs.
const Q_KEY: u32 = 0x1234;

/// Returns the QPN of QP `n` of a side.
fn qpn_of(side: Side, n: u32) -> u32 {
    (side as u32 + 1) << 16 | (n + 2)
}

/// Returns the attributes of QP `n`: PMTU 4096, and an ack timer that is longer than any run.
fn attributes(link: Link, side: Side, n: u32, service: Service, pmtu: Pmtu) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu,
        x_psn: 100,
        y_psn: 2000,
        entries: ENTRIES,
    };
    let reads = if service.is_reliable() { 16 } else { 0 };
    QpAttributes {
        qpn: qpn_of(side, n),
        dest_qpn: qpn_of(side.other(), n),
        service,
        access: RemoteAccess {
            write: true,
            read: reads != 0,
            atomic: reads != 0,
        },
        max_rd_atomic: reads,
        max_dest_rd_atomic: reads,
        credits: EndToEndCredits::default(),
        q_key: Q_KEY,
        ..connection.attributes(side)
    }
}

/// Returns the verb that creates an address handle of the peer, for datagrams.
fn create_handle(link: Link, side: Side) -> Verb {
    let attributes = AddressHandle {
        sl: 0,
        ..setup::address(link, side, HANDLE)
    };
    Verb::CreateAh {
        handle: HANDLE,
        attributes,
    }
}

/// Returns the destination of a datagram of queue pair `n`; `None` for another service.
fn datagram(service: Service, side: Side, n: u32) -> Option<Datagram> {
    (service == Service::Ud).then_some(Datagram {
        handle: HANDLE,
        dest_qpn: qpn_of(side.other(), n),
        q_key: Q_KEY,
        p_key_index: 0,
    })
}
