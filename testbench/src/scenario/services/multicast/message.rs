//! A datagram for a group.
use super::super::origin;
use super::member::Member;
use super::{mgid, sl, GROUPS, MESSAGES, SOURCES, STRIDE};
use crate::device::port_on;
use crate::device::Verb;
use crate::fabric::Fabric;
use crate::scenario::services::setup::{q_key, AREA};
use crate::scenario::services::{read, split};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, Datagram, DatagramSource, SendOperation, SendRequest};
use hca_golden::wire::multicast::DEST_QP;
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// Bytes that a datagram may have.
const MTU: u32 = 4096;
/// Bit of a Q_Key by which a request names that of its own queue pair.
const OWN_Q_KEY: u32 = 1 << 31;
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
    bytes: Vec<u8>,
}

impl Message {
    /// Message `m` of a queue pair in a round, for any group.
    pub fn random(random: &mut ChaCha8Rng, from: &Member, m: u32) -> Message {
        let length = match random.next_u32() % 8 {
            0 => random.next_u32() % 4,
            1..=3 => random.next_u32() % 65,
            4..=6 => random.next_u32() % 1100,
            // Few are longer than a packet: nothing of them is sent.
            _ => random.next_u32() % (MTU + 400),
        };
        let mut bytes = vec![0; length as usize];
        random.fill_bytes(&mut bytes);
        let group = random.next_u32() % GROUPS;
        let key = random.next_u32() % 2;
        let own = key == from.key && random.next_u32().is_multiple_of(2);
        let operation = match random.next_u32() % 2 {
            0 => SendOperation::Send,
            _ => SendOperation::SendWithImmediate {
                immediate: random.next_u32().to_be_bytes(),
            },
        };
        let place = SOURCES + u64::from(from.n * MESSAGES + m) * STRIDE;
        Message {
            from: from.side,
            qpn: from.qpn(),
            group,
            key,
            request: SendRequest {
                wr_id: m.into(),
                operation,
                sges: split(random, place, length),
                signaled: !random.next_u32().is_multiple_of(4),
                solicited: random.next_u32().is_multiple_of(2),
                inline: length <= 256 && random.next_u32().is_multiple_of(4),
                datagram: Some(Datagram {
                    handle: group,
                    dest_qpn: DEST_QP,
                    q_key: if own { OWN_Q_KEY } else { q_key(key) },
                    p_key_index: 0,
                }),
                ..SendRequest::default()
            },
            bytes,
        }
    }

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
