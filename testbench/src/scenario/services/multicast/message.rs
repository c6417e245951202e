//! A datagram for a group.
use super::super::origin;
use super::layout::{mgid, sl};
use crate::device::port_on;
use crate::device::Verb;
use crate::fabric::Fabric;
use crate::scenario::services::layout::read;
use crate::scenario::services::setup::AREA;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, DatagramSource, SendOperation, SendRequest};

/// Largest length of a datagram in bytes.
pub(super) const MTU: u32 = 4096;
/// Bit of a Q_Key with which a request selects that of its own queue pair.
pub(super) const OWN_Q_KEY: u32 = 1 << 31;
/// Bytes of the area before the payload that hold the group's GID.
const DGID: std::ops::Range<usize> = 24..40;

/// A message and its sender.
pub struct Message {
    pub from: Side,
    pub qpn: u32,
    pub group: u32,
    /// Number of its Q_Key, of the two that are used.
    pub key: u32,
    pub request: SendRequest,
    pub(super) bytes: Vec<u8>,
}

impl Message {
    /// Returns the length of its payload in bytes.
    pub fn length(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Returns false for a datagram that is too long, and is discarded rather than sent (`ud.md` section 2 step 3).
    pub fn is_sent(&self) -> bool {
        self.length() <= MTU
    }

    /// Writes its bytes to its source, and posts it.
    pub fn post(&self, fabric: &mut Fabric<'_>) {
        let mut bytes = &self.bytes[..];
        for sge in &self.request.sges {
            let (here, rest) = bytes.split_at(sge.length as usize);
            fabric.station(self.from).write_memory(sge.addr, here);
            bytes = rest;
        }
        let (qpn, request) = (self.qpn, self.request.clone());
        fabric.station(self.from).submit(Verb::PostSend { qpn, request });
    }

    /// Returns true if this completion of a receive WQE whose buffer is at `buffer` is that of a copy.
    pub fn is_copied_by(
        &self,
        fabric: &mut Fabric<'_>,
        to: Side,
        completion: &Completion,
        buffer: u64,
    ) -> bool {
        let immediate = match self.request.operation {
            SendOperation::SendWithImmediate { immediate } => Some(immediate),
            _ => None,
        };
        let link = fabric.link();
        let area = read(fabric, to, buffer, AREA as usize);
        let group = match link {
            Link::InfiniBand => DGID,
            // Only the IPv4 address is compared.
            Link::Roce => DGID.end - 4..DGID.end,
        };
        let gid = mgid(link, self.group);
        completion.immediate == immediate
            && completion.byte_count == AREA + self.length()
            && completion.datagram.is_some_and(|reported| {
                origin::is_reported(self.source(link, to), reported, fabric.corrupts())
            })
            && area[group.clone()] == gid[group.start - DGID.start..]
            && read(fabric, to, buffer + u64::from(AREA), self.bytes.len()) == self.bytes
    }

    /// Returns the source of a copy, as its completion gives it.
    fn source(&self, link: Link, to: Side) -> DatagramSource {
        let [sender, receiver] = [self.from, to].map(|side| port_on(link, side));
        let any = DatagramSource {
            qpn: self.qpn,
            grh: true,
            ..DatagramSource::default()
        };
        match link {
            Link::InfiniBand => DatagramSource {
                slid: sender.lid,
                sl: sl(self.group),
                lid: receiver.lid,
                ..any
            },
            Link::Roce => DatagramSource {
                source_mac: Some(sender.mac),
                ..any
            },
        }
    }
}
