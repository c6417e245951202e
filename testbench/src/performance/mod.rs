//! Measures the speed of the hardware, in cycles.
pub mod latency;
pub mod rate;

use crate::scenario::connection::Connection;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{EndToEndCredits, Pmtu, QpAttributes, RemoteAccess};

/// Entries of every work queue.
const ENTRIES: u32 = 64;

/// QP `n` of a side.
fn qpn_of(side: Side, n: u32) -> u32 {
    (side as u32 + 1) << 16 | (n + 2)
}

/// Attributes of QP `n`: PMTU 4096, and an ack timer that is longer than any run.
fn attributes(side: Side, n: u32, pmtu: Pmtu) -> QpAttributes {
    let connection = Connection {
        link: Link::InfiniBand,
        pmtu,
        x_psn: 100,
        y_psn: 2000,
        entries: ENTRIES,
    };
    QpAttributes {
        qpn: qpn_of(side, n),
        dest_qpn: qpn_of(side.other(), n),
        access: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        max_rd_atomic: 16,
        max_dest_rd_atomic: 16,
        credits: EndToEndCredits::default(),
        ..connection.attributes(side)
    }
}
