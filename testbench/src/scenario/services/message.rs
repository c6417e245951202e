//! A message, and what its receiver has to see.
use super::layout::{place, qpn_of, read, split, BROUGHT, LONGEST, READ, SOURCES, TARGETS};
use super::origin;
use super::setup::{self, AREA, HANDLES};
use crate::device::port_on;
use crate::fabric::Fabric;
use crate::scenario::region::r_key_of_all;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, Datagram, DatagramSource, SendOperation, SendRequest, Service};
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// Largest length of a datagram in bytes.
const MTU: u32 = 4096;
/// Bit of a Q_Key with which a request selects that of its own queue pair.
const OWN_Q_KEY: u32 = 1 << 31;

/// A message, and its result.
pub struct Message {
    pub request: SendRequest,
    pub bytes: Vec<u8>,
    /// Number of the peer's queue pair to which it goes.
    pub to: u32,
    pub arrived: bool,
}

impl Message {
    /// Draws message `m` of queue pair `n`, for queue pair `to`.
    pub fn random(random: &mut ChaCha8Rng, from: Side, service: Service, n: u32, m: u32, to: u32) -> Message {
        let length = match random.next_u32() % 4 {
            0 => random.next_u32() % 4,
            1 => random.next_u32() % 257,
            _ => random.next_u32() % (LONGEST + 1),
        };
        let length = match service {
            // Few are longer than a packet, and are not sent.
            Service::Ud => length % (MTU + 100),
            _ => length,
        };
        let mut bytes = vec![0; length as usize];
        random.fill_bytes(&mut bytes);
        let operation = operation(random, service, n, m);
        let local = match operation.carries_data() {
            true => SOURCES,
            false => BROUGHT,
        };
        let inline = operation.carries_data() && length <= 256 && random.next_u32().is_multiple_of(4);
        Message {
            request: SendRequest {
                wr_id: m.into(),
                operation,
                sges: split(random, place(local, n, m), length),
                signaled: !random.next_u32().is_multiple_of(4),
                solicited: random.next_u32().is_multiple_of(2),
                fence: random.next_u32().is_multiple_of(8),
                inline,
                datagram: (service == Service::Ud).then(|| datagram(random, from, n, to)),
            },
            bytes,
            to,
            arrived: false,
        }
    }

    /// Returns true if it takes a receive WQE.
    pub fn tells(&self) -> bool {
        self.request.operation.takes_receive_wqe()
    }

    /// Returns false for a datagram that is too long, and is discarded rather than sent (`ud.md` section 2 step 3).
    pub fn is_sent(&self) -> bool {
        self.request.datagram.is_none() || self.bytes.len() <= MTU as usize
    }

    /// Writes its bytes to its source.
    pub fn write(&self, fabric: &mut Fabric<'_>, from: Side) {
        if let SendOperation::Read { va, .. } = self.request.operation {
            fabric.station(from.other()).write_memory(va, &self.bytes);
            return;
        }
        let mut bytes = &self.bytes[..];
        for sge in &self.request.sges {
            let (here, rest) = bytes.split_at(sge.length as usize);
            fabric.station(from).write_memory(sge.addr, here);
            bytes = rest;
        }
    }

    /// Returns true if the bytes of a Write, or those that a Read has returned, are in their place.
    pub fn is_placed(&self, fabric: &mut Fabric<'_>, from: Side, n: u32) -> bool {
        let m = self.request.wr_id as u32;
        let (side, addr) = match self.request.operation {
            SendOperation::Read { .. } => (from, place(BROUGHT, n, m)),
            _ => (from.other(), place(TARGETS, n, m)),
        };
        read(fabric, side, addr, self.bytes.len()) == self.bytes
    }

    /// Returns true if this completion of the peer, whose receive WQE has this buffer, is that of the message.
    pub fn is_completed_by(
        &self,
        fabric: &mut Fabric<'_>,
        from: Side,
        n: u32,
        completion: &Completion,
        buffer: u64,
    ) -> bool {
        let immediate = match self.request.operation {
            SendOperation::SendWithImmediate { immediate }
            | SendOperation::WriteWithImmediate { immediate, .. } => Some(immediate),
            _ => None,
        };
        let (addr, before) = match (self.request.operation, self.request.datagram) {
            (SendOperation::WriteWithImmediate { va, .. }, _) => (va, 0),
            (_, Some(_)) => (buffer + u64::from(AREA), AREA as usize),
            (_, None) => (buffer, 0),
        };
        let (link, corrupts) = (fabric.link(), fabric.corrupts());
        let expected = self.request.datagram.map(|d| source(link, from, n, d.handle));
        let comes_from_there = match (expected, completion.datagram) {
            (Some(expected), Some(reported)) => origin::is_reported(expected, reported, corrupts),
            (expected, reported) => expected.is_none() && reported.is_none(),
        };
        completion.immediate == immediate
            && completion.byte_count as usize == before + self.bytes.len()
            && comes_from_there
            && read(fabric, from.other(), addr, self.bytes.len()) == self.bytes
    }
}

fn operation(random: &mut ChaCha8Rng, service: Service, n: u32, m: u32) -> SendOperation {
    let (va, r_key, immediate) = (place(TARGETS, n, m), r_key_of_all(), m.to_be_bytes());
    let kinds = match service {
        Service::Ud => 2,
        Service::Uc => 4,
        _ => 5,
    };
    match random.next_u32() % kinds {
        0 => SendOperation::Send,
        1 => SendOperation::SendWithImmediate { immediate },
        2 => SendOperation::Write { va, r_key },
        3 => SendOperation::WriteWithImmediate { va, r_key, immediate },
        _ => SendOperation::Read {
            va: place(READ, n, m),
            r_key,
        },
    }
}

fn datagram(random: &mut ChaCha8Rng, from: Side, n: u32, to: u32) -> Datagram {
    // Queue pairs of the same number have the same key.
    let own = to == n && random.next_u32().is_multiple_of(2);
    Datagram {
        handle: random.next_u32() % HANDLES,
        dest_qpn: qpn_of(from.other(), to),
        q_key: if own { OWN_Q_KEY } else { setup::q_key(to) },
        p_key_index: 0,
    }
}

/// Returns the source of a datagram, as its completion gives it.
fn source(link: Link, from: Side, n: u32, handle: u32) -> DatagramSource {
    let [sender, receiver] = [from, from.other()].map(|side| port_on(link, side));
    let qpn = qpn_of(from, n);
    match link {
        Link::InfiniBand => DatagramSource {
            qpn,
            slid: sender.lid,
            sl: setup::sl(handle),
            lid: receiver.lid,
            grh: setup::is_global(link, handle),
            ..DatagramSource::default()
        },
        Link::Roce => DatagramSource {
            qpn,
            grh: true,
            source_mac: Some(sender.mac),
            ..DatagramSource::default()
        },
    }
}
