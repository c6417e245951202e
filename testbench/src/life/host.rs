//! Software of one side, and its work.
use super::addresses;
use super::places::Places;
use crate::case::limits::{QPS, REGIONS};
use crate::case::Terms;
use crate::case::{Destination, Operation, QKey, Work};
use hca_golden::verbs::{Datagram, QpState, ReceiveRequest, SendOperation, SendRequest, Service, Sge};

/// Length of a message of QP0 or QP1 in bytes.
const MAD_BYTES: u32 = 256;
/// Number of bytes of a receive buffer before the message.
const AREA_BYTES: u32 = 40;

/// The objects of the peer that a send request names.
pub(super) struct Remote {
    pub r_key: u32,
    /// R_Key that a Send with Invalidate names.
    pub invalidated: u32,
    /// QPN that a datagram names.
    pub qpn: u32,
}

/// Software of one side.
pub(super) struct Host {
    places: Places,
    /// How often each queue pair and each region was created.
    pub qps: [u32; QPS as usize],
    pub regions: [u32; REGIONS as usize],
    /// States that were requested.
    pub states: [Option<QpState>; QPS as usize],
    /// Numbers of posted send requests and of posted receive requests.
    pub sent: [u64; QPS as usize],
    pub received: [u64; QPS as usize],
    /// The service for which each queue pair was created.
    services: [Service; QPS as usize],
    /// The terms of the connections; `None` for queue pairs that have not got any from a connection.
    pub terms: [Option<Terms>; QPS as usize],
    wr_id: u64,
}

impl Host {
    pub fn new(places: Places) -> Host {
        Host {
            places,
            qps: Default::default(),
            regions: Default::default(),
            states: Default::default(),
            services: Default::default(),
            sent: Default::default(),
            received: Default::default(),
            terms: Default::default(),
            wr_id: places.first_wr_id(),
        }
    }

    fn next_wr_id(&mut self) -> u64 {
        self.wr_id = self.wr_id.wrapping_add(1);
        self.wr_id
    }

    /// Returns the terms. If the queue pair exists, the service is its own.
    pub fn terms(&self, qp: u8) -> Terms {
        let slot = usize::from(qp);
        let terms = self.terms[slot].unwrap_or_else(|| Terms::of(qp));
        let service = match self.states[slot] {
            _ if self.places.is_special(qp) => Service::Ud,
            Some(_) => self.services[slot],
            None => terms.service(),
        };
        Terms {
            unreliable: service == Service::Uc,
            datagrams: service == Service::Ud,
            ..terms
        }
    }

    /// Creates a queue pair under the terms of its connection, unless there is one with this number.
    pub fn make(&mut self, qp: u8) {
        let (slot, terms) = (usize::from(qp), self.terms(qp));
        if self.states[slot].is_none() {
            self.qps[slot] += 1;
            self.states[slot] = Some(QpState::Reset);
            self.services[slot] = terms.service();
        }
    }

    /// Returns the L_Key of a region of this side.
    fn l_key(&self, region: u8) -> u32 {
        self.places.keys(region, self.regions[usize::from(region)]).0
    }

    pub fn send(&mut self, qp: u8, work: &Work, remote: &Remote) -> SendRequest {
        let r_key = remote.r_key;
        let count = self.sent[usize::from(qp)];
        self.sent[usize::from(qp)] += 1;
        let places = self.places;
        let immediate = (places.value(count) as u32).to_be_bytes();
        let (source, target, word) = (
            places.va(addresses::source(qp, count)),
            places.va(addresses::target(qp, count)),
            places.va(addresses::word_in_turn(qp, count)),
        );
        let operation = match self.offered(qp, work) {
            Operation::Send => SendOperation::Send,
            Operation::SendWithImmediate => SendOperation::SendWithImmediate { immediate },
            // The region is one that no work under way uses.
            Operation::SendWithInvalidate => SendOperation::SendWithInvalidate {
                r_key: remote.invalidated,
            },
            Operation::Write => SendOperation::Write { va: target, r_key },
            Operation::WriteWithImmediate => SendOperation::WriteWithImmediate {
                va: target,
                r_key,
                immediate,
            },
            Operation::Read => SendOperation::Read { va: source, r_key },
            Operation::CompareSwap => SendOperation::CompareSwap {
                va: word,
                r_key,
                compare: places.value(count % 3),
                swap: places.value(count),
            },
            Operation::FetchAdd => SendOperation::FetchAdd {
                va: word,
                r_key,
                add: places.value(count),
            },
        };
        let local = match operation.is_read_or_atomic() {
            true => places.va(addresses::result(qp, count)),
            false => source,
        };
        let sges = match operation.is_atomic() {
            true => spread(local, 8, 1, self.l_key(work.region)),
            false => spread(local, self.length(qp, work), work.sges, self.l_key(work.region)),
        };
        SendRequest {
            wr_id: self.next_wr_id(),
            operation,
            sges,
            signaled: work.signaled,
            solicited: work.solicited,
            fence: work.fence,
            inline: work.inline,
            datagram: self.datagram(qp, work, remote.qpn),
        }
    }

    /// Returns handle, QPN and Q_Key that a request of a queue pair of datagrams names.
    fn datagram(&self, qp: u8, work: &Work, dest_qpn: u32) -> Option<Datagram> {
        let to = work.destination(qp);
        let datagram = Datagram {
            handle: self.places.handle(to.handle),
            dest_qpn,
            q_key: self.places.q_key(to.qp, to.q_key),
            p_key_index: 0,
        };
        (self.terms(qp).service() == Service::Ud).then_some(datagram)
    }

    /// Returns the length of a message in bytes. QP0 and QP1 only send 256 bytes, except for a request with a fence,
    /// which is meant to fail.
    fn length(&self, qp: u8, work: &Work) -> u32 {
        match self.places.is_special(qp) && !work.fence {
            true => MAD_BYTES,
            false => work.length,
        }
    }

    /// Returns the operation, or one that the service has in its place. A WQE with an operation that the service does
    /// not have stops its send queue, so that only those with a fence name one.
    fn offered(&self, qp: u8, work: &Work) -> Operation {
        use Operation::{CompareSwap, FetchAdd, Read, Send, SendWithImmediate};
        use Operation::{SendWithInvalidate, Write, WriteWithImmediate};
        let service = self.terms(qp).service();
        match work.operation {
            asked if service.is_reliable() || work.fence => asked,
            _ if self.places.is_special(qp) => Send,
            Read | Write | SendWithInvalidate if service == Service::Ud => Send,
            WriteWithImmediate | CompareSwap | FetchAdd if service == Service::Ud => SendWithImmediate,
            Read => Write,
            CompareSwap | FetchAdd => WriteWithImmediate,
            SendWithInvalidate => Send,
            asked => asked,
        }
    }

    pub fn receive(&mut self, qp: u8, work: &Work) -> ReceiveRequest {
        // These are not the areas for the data of Reads and atomics.
        let count = self.received[usize::from(qp)];
        self.received[usize::from(qp)] += 1;
        let buffer = self.places.va(addresses::result(qp + QPS, count));
        let tight = work.tight && self.terms(qp).service() == Service::Ud;
        let room = match tight {
            // Seldom one byte less than a message and the area before it.
            true if self.places.is_special(qp) => AREA_BYTES + MAD_BYTES - u32::from(work.length % 8 == 7),
            true => work.length,
            false => work.length.max(2000),
        };
        ReceiveRequest {
            wr_id: self.next_wr_id(),
            sges: spread(buffer, room, work.sges, self.l_key(work.region)),
        }
    }
}

impl Work {
    /// Returns the destination of a datagram of this queue pair.
    pub(super) fn destination(&self, qp: u8) -> Destination {
        self.to.unwrap_or(Destination {
            handle: qp,
            qp,
            q_key: QKey::Right,
            multicast: false,
        })
    }
}

/// Splits the bytes at `addr` into this many SGEs. The last one takes the rest.
fn spread(addr: u64, length: u32, count: u8, l_key: u32) -> Vec<Sge> {
    let share = length / u32::from(count.max(1));
    (0..u32::from(count))
        .map(|n| Sge {
            addr: addr + u64::from(n * share),
            length: if n + 1 == u32::from(count) {
                length - n * share
            } else {
                share
            },
            l_key,
        })
        .collect()
}
