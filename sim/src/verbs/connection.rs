//! The attributes of a connection, for each transition (`protocol/qp_cq.md` section 1).
use super::Qp;
use crate::driver::{
    AddressVector, EndToEndCredits, EthernetRoute, GlobalRoute, QpChanges, QpState, RemoteAccess,
};
use std::net::Ipv4Addr;

/// One end of a reliable connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    pub address: AddressVector,
    /// QPN of the peer, 24 bits.
    pub dest_qpn: u32,
    /// Path MTU in bytes.
    pub pmtu: u32,
    /// First PSN of this end and of the peer, 24 bits.
    pub sq_psn: u32,
    pub rq_psn: u32,
    /// Accesses that the peer may make.
    pub access: RemoteAccess,
    /// Largest number of Reads and atomics under way, as requester and as responder.
    pub max_rd_atomic: u8,
    pub max_dest_rd_atomic: u8,
    /// Codes of `rnr_timer.csv` and `ack_timeout.csv`.
    pub min_rnr_timer: u8,
    pub timeout: u8,
    pub retry_cnt: u8,
    pub rnr_retry: u8,
    pub credits: EndToEndCredits,
}

impl Default for Connection {
    /// A connection on which everything is permitted, retries come after 67 ms, and RNR retries are unlimited.
    fn default() -> Connection {
        Connection {
            address: AddressVector::default(),
            dest_qpn: 0,
            pmtu: 1024,
            sq_psn: 0,
            rq_psn: 0,
            access: RemoteAccess {
                write: true,
                read: true,
                atomic: true,
            },
            max_rd_atomic: 16,
            max_dest_rd_atomic: 16,
            min_rnr_timer: 12,
            timeout: 14,
            retry_cnt: 7,
            rnr_retry: 7,
            credits: EndToEndCredits::default(),
        }
    }
}

impl Connection {
    /// Returns the same connection, at the same rate, towards this QP behind this port.
    pub fn with_peer(&self, port: &Port, peer: Qp, roce: bool) -> Connection {
        let address = match roce {
            false => AddressVector {
                dlid: port.lid,
                static_rate: self.address.static_rate,
                ..AddressVector::default()
            },
            true => AddressVector {
                global: Some(GlobalRoute {
                    dgid: port.gid,
                    hop_limit: 64,
                    ..GlobalRoute::default()
                }),
                ethernet: Some(EthernetRoute {
                    dest_mac: port.mac,
                    source_port: 0xC000,
                }),
                static_rate: self.address.static_rate,
                ..AddressVector::default()
            },
        };
        Connection {
            address,
            dest_qpn: peer.qpn,
            ..self.clone()
        }
    }

    /// Returns the transitions to RTS: each state with its attributes.
    pub fn transitions(&self) -> [(QpState, QpChanges); 3] {
        let initialise = QpChanges {
            p_key_index: Some(0),
            port: Some(1),
            access: Some(self.access),
            ..QpChanges::default()
        };
        let receive = QpChanges {
            address: Some(self.address.clone()),
            pmtu: Some(self.pmtu),
            dest_qpn: Some(self.dest_qpn),
            rq_psn: Some(self.rq_psn),
            max_dest_rd_atomic: Some(self.max_dest_rd_atomic),
            min_rnr_timer: Some(self.min_rnr_timer),
            credits: Some(self.credits),
            ..QpChanges::default()
        };
        let send = QpChanges {
            sq_psn: Some(self.sq_psn),
            timeout: Some(self.timeout),
            retry_cnt: Some(self.retry_cnt),
            rnr_retry: Some(self.rnr_retry),
            max_rd_atomic: Some(self.max_rd_atomic),
            ..QpChanges::default()
        };
        [
            (QpState::Init, initialise),
            (QpState::Rtr, receive),
            (QpState::Rts, send),
        ]
    }
}

/// The addresses of a host's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// LID, on a native link.
    pub lid: u16,
    /// GID; `::ffff:a.b.c.d` for an IPv4 address.
    pub gid: [u8; 16],
    pub mac: [u8; 6],
}

impl Port {
    /// Returns the port of a side of a pair: X is side 0, Y is side 1.
    pub fn of(side: usize) -> Port {
        let number = side as u8 + 1;
        Port {
            lid: number.into(),
            gid: Ipv4Addr::new(10, 0, 0, number).to_ipv6_mapped().octets(),
            mac: [2, 0, 0, 0, 0, number],
        }
    }
}
