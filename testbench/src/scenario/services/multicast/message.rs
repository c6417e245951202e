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

/// Bytes that a datagram may have.
pub(super) const MTU: u32 = 4096;
/// Bit of a Q_Key by which a request names that of its own queue pair.
pub(super) const OWN_Q_KEY: u32 = 1 << 31;
/// Bytes of the area before the payload that are the group's GID.
const DGID: std::ops::Range<usize> = 24..40;

/// A message and its sender.
pub struct Message {
    pub from: Side,
    pub qpn: u32,
    pub group: u32,
    /// Which of the two Q_Keys it has.
    pub key: u32,
    pub request: SendRequest,
    pub(super) bytes: Vec<u8>,
}

impl Message {
    /// Bytes of its payload.
    pub fn length(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// A longer datagram is discarded in place of being sent (`ud.md` section 2 step 3).
    pub fn is_sent(&self) -> bool {
        self.length() <= MTU
    }

    /// Writes its bytes where it takes them from, and posts it.
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

    /// Whether this completion of a receive WQE whose buffer is at `buffer` is that of a copy.
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
            // The IPv4 address alone.
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

    /// Where a copy comes from, as its completion says it.
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
