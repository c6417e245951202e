//! Checks from the BTH to the ICRC, which are the same in either framing.
use super::{first_fault, read_at, Check};
use crate::event::DropReason;
use crate::verbs::Pmtu;
use crate::wire::bth::Bth;
use crate::wire::extension::Extension;
use crate::wire::header::HeaderFormat;
use crate::wire::length::MAX_PAYLOAD_BYTES;
use crate::wire::malformed::{Fault, Malformed};
use crate::wire::opcode::{Header, Opcode, Transport as Class};
use crate::wire::packet::{Packet, Route};

/// The bytes from the BTH to the last one before the ICRC.
pub(super) struct Transport<'a> {
    bth: Bth,
    /// The bytes after the BTH.
    body: &'a [u8],
    /// Largest payload of a datagram, in bytes. What a connection takes depends on its own PMTU.
    datagram_bytes: usize,
}

type TransportCheck = Check<fn(&Transport<'_>) -> Option<Fault>>;

const CHECKS: [TransportCheck; 5] = [
    Check {
        reason: DropReason::TransportVersion,
        citation: "responder.md section 1 step 4, CF040",
        fault: |t| (t.bth.tver != 0).then_some(Fault::TransportVersion(t.bth.tver)),
    },
    Check {
        // The responder of RC answers a reserved code (CF073).
        reason: DropReason::Opcode,
        citation: "responder.md section 1 step 4, headers.md section 6, CF003, CF004",
        fault: |t| {
            let opcode = t.bth.opcode;
            let known = Opcode::of(opcode).is_some() || Class::of(opcode) == Class::Rc;
            (!known).then_some(Fault::Opcode(opcode))
        },
    },
    Check {
        reason: DropReason::HeaderIncomplete,
        citation: "responder.md section 1 step 4, CF056",
        fault: |t| {
            (t.body.len() < t.header_bytes()).then(|| Fault::HeaderIncomplete {
                opcode: t.bth.opcode,
                needed: Bth::BYTES + t.header_bytes(),
                present: Bth::BYTES + t.body.len(),
            })
        },
    },
    Check {
        reason: DropReason::PadCount,
        citation: "headers.md section 3, CF010",
        fault: |t| {
            let (pad_cnt, present) = (t.bth.pad_cnt, t.after_headers().len());
            (usize::from(pad_cnt) > present).then_some(Fault::PadCount { pad_cnt, present })
        },
    },
    Check {
        reason: DropReason::PayloadLength,
        citation: "headers.md section 3, pmtu.csv, ud.md section 3.1 step 11",
        fault: |t| {
            let (payload, most) = (t.payload().len(), t.most_payload());
            (payload > most).then_some(Fault::Payload { payload, most })
        },
    },
];

impl<'a> Transport<'a> {
    /// Reads these bytes, which arrived at a port with this active MTU; `None`: at any port.
    pub fn read(bytes: &'a [u8], mtu: Option<Pmtu>) -> Transport<'a> {
        Transport {
            bth: read_at(bytes, 0),
            body: bytes.get(Bth::BYTES..).unwrap_or_default(),
            datagram_bytes: mtu.map_or(MAX_PAYLOAD_BYTES, Pmtu::bytes),
        }
    }

    /// Returns the packet if these bytes pass all checks.
    pub fn judge(&self, route: Route) -> Result<Packet, Malformed> {
        first_fault(&CHECKS, |check| check(self))?;
        let mut rest = self.body;
        let extensions = self.headers().iter().map_while(|&kind| {
            let (bytes, after) = rest.split_at_checked(kind.bytes())?;
            rest = after;
            Extension::parse(kind, bytes)
        });
        Ok(Packet {
            route,
            bth: self.bth,
            extensions: extensions.collect(),
            payload: self.payload().to_vec(),
        })
    }

    fn most_payload(&self) -> usize {
        match Class::of(self.bth.opcode) {
            Class::Ud => self.datagram_bytes,
            _ => MAX_PAYLOAD_BYTES,
        }
    }

    /// Returns the headers that the opcode requires. A code without a row requires none.
    fn headers(&self) -> &'static [Header] {
        Opcode::of(self.bth.opcode).map_or(&[], |o| o.headers)
    }

    fn header_bytes(&self) -> usize {
        self.headers().iter().map(|h| h.bytes()).sum()
    }

    fn after_headers(&self) -> &'a [u8] {
        self.body.get(self.header_bytes()..).unwrap_or_default()
    }

    fn payload(&self) -> &'a [u8] {
        let bytes = self.after_headers();
        &bytes[..bytes.len().saturating_sub(self.bth.pad_cnt.into())]
    }
}
