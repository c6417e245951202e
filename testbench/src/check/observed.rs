//! The judged part of a packet: no payload, and no addresses except those of its flow, so that many packets can be
//! kept.
use super::agreement::Statement;
use super::flow::{Address, Flow, Tenant};
use crate::trace::mad::Mad;
use crc32fast::Hasher;
use hca_golden::wire::aeth::{Aeth, Syndrome};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::opcode::{Opcode, Operation};
use hca_golden::wire::packet::Packet;
use hca_golden::wire::reth::Reth;
use std::net::IpAddr;

/// A packet, as the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    pub(super) flow: Flow,
    /// Opcode on the wire.
    pub opcode: u8,
    pub psn: u32,
    pub p_key: u16,
    /// BTH.A and BTH.SE.
    pub asks: bool,
    pub solicits: bool,
    pub own: Own,
    pub aeth: Option<Aeth>,
    pub body: Body,
}

/// The judged part of its extended headers, other than the AETH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    Nothing,
    Reth(Reth),
    /// An atomic, and the value in its answer.
    Atomic {
        va: u64,
        original: Option<u64>,
    },
    /// The value in an atomic's answer.
    Original(u64),
    Datagram {
        q_key: u32,
        src_qp: u32,
        /// The MAD, for a datagram to QP0 or QP1.
        mad: Option<Mad>,
        /// The needed fields of a message of the communication manager, for a datagram to QP1.
        statement: Option<Statement>,
    },
}

/// What is remembered of extended headers and payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// Length of the payload in bytes.
    pub bytes: u16,
    digest: u32,
}

impl Body {
    /// Makes the body of the extended headers' bytes and the payload.
    pub fn of(extensions: &[u8], payload: &[u8]) -> Body {
        let mut hasher = Hasher::new();
        hasher.update(extensions);
        hasher.update(payload);
        Body {
            bytes: payload.len().try_into().unwrap_or(u16::MAX),
            digest: hasher.finalize(),
        }
    }
}

impl Own {
    fn of(extension: &Extension) -> Option<Own> {
        Some(match extension {
            Extension::Reth(reth) => Own::Reth(*reth),
            Extension::AtomicEth(atomic) => Own::Atomic {
                va: atomic.va,
                original: None,
            },
            Extension::AtomicAckEth(answer) => Own::Original(answer.orig_rem_dt),
            Extension::Deth(deth) => Own::Datagram {
                q_key: deth.q_key,
                src_qp: deth.src_qp,
                mad: None,
                statement: None,
            },
            _ => return None,
        })
    }
}

impl Observed {
    /// Makes the observation of a packet of this tenant.
    pub fn of(tenant: Tenant, packet: &Packet) -> Observed {
        let mut extensions = Vec::new();
        for extension in &packet.extensions {
            // A decoded packet can always be encoded; only tests make others.
            let _ = extension.emit(&mut extensions);
        }
        let body = Body::of(&extensions, &packet.payload);
        let flow = Flow::of(tenant, packet);
        Observed::new(flow, &packet.bth, packet.extensions.iter().copied(), body).managing(&packet.payload)
    }

    fn new(flow: Flow, bth: &Bth, extensions: impl Iterator<Item = Extension>, body: Body) -> Observed {
        let mut observed = Observed {
            flow,
            opcode: bth.opcode,
            psn: bth.psn,
            p_key: bth.p_key,
            asks: bth.a,
            solicits: bth.se,
            own: Own::Nothing,
            aeth: None,
            body,
        };
        for extension in extensions {
            match extension {
                Extension::Aeth(aeth) => observed.aeth = Some(aeth),
                other => observed.own = Own::of(&other).unwrap_or(observed.own),
            }
        }
        observed
    }

    /// Adds what the payload is, if it is a MAD to QP0 or QP1.
    pub fn managing(mut self, payload: &[u8]) -> Observed {
        if let (0 | 1, Own::Datagram { mad, statement, .. }) = (self.flow.dest_qp, &mut self.own) {
            *mad = Mad::of(payload);
            *statement = Statement::of(payload, [self.flow.from, self.flow.to]);
        }
        self
    }

    /// Makes the observation of a datagram between these addresses.
    pub fn between(
        tenant: Tenant,
        [from, to]: [[u8; 16]; 2],
        bth: &Bth,
        extensions: impl Iterator<Item = Extension>,
        body: Body,
    ) -> Observed {
        let flow = Flow::between(tenant, [from, to], bth.dest_qp);
        Observed::new(flow, bth, extensions, body)
    }

    /// Returns the source and the destination IP address or GID; `None` for LIDs.
    pub fn addresses(&self) -> [Option<IpAddr>; 2] {
        [self.flow.from, self.flow.to].map(Address::ip)
    }

    /// Returns the same packet without payload.
    pub(super) fn without_payload(&self) -> Observed {
        Observed {
            body: Body::of(&[], &[]),
            ..*self
        }
    }

    /// Returns the opcode's row; `None` if it has none.
    pub fn opcode(&self) -> Option<&'static Opcode> {
        Opcode::of(self.opcode)
    }

    /// Returns the RETH, if the packet has one.
    pub fn reth(&self) -> Option<Reth> {
        match self.own {
            Own::Reth(reth) => Some(reth),
            _ => None,
        }
    }

    /// Returns true for a response of a Read.
    pub fn is_read_response(&self) -> bool {
        self.opcode()
            .is_some_and(|opcode| opcode.operation == Operation::ReadResponse)
    }

    /// Returns true for an ack, and for a response with data.
    pub fn is_positive(&self) -> bool {
        self.aeth
            .is_none_or(|aeth| matches!(aeth.meaning(), Syndrome::Ack { .. }))
    }
}
