//! The software of the adapter in a session: one completion queue, one registered buffer, queue pairs to one peer.
use super::session::{Ran, Session, SessionError};
use crate::device::Verb;
use hca_golden::verbs::{
    AddressHandle, Completion, EndToEndCredits, EthernetRoute, GlobalRoute, MemoryAccess, MemoryRegion, Pmtu,
    QpAttributes, QpState, ReceiveRequest, RemoteAccess, SendOperation, SendRequest, Service, Sge, Status,
};

/// Address of the buffer.
pub const BUFFER: u64 = 0x2000_0000;
/// Length of the buffer in bytes.
pub const SIZE: u64 = 8 << 20;
/// L_Key of the buffer.
pub const L_KEY: u32 = 0x0100;
/// R_Key of the buffer.
pub const R_KEY: u32 = 0x0155;
/// Number of bytes at the start of a datagram's receive buffer that hold its GRH.
pub const GRH: usize = 40;

/// CQN of the only completion queue, and its number of entries.
const CQ: u32 = 0;
const CQ_ENTRIES: u32 = 4096;
/// Number of entries of a send queue.
pub const SEND_ENTRIES: u32 = 64;
/// Number of entries of a receive queue.
pub const RECEIVE_ENTRIES: u32 = 512;
/// Number of bits of a QPN that are its index, on every profile at least. The first two indices are those of QP0 and
/// QP1.
const INDEX_BITS: u32 = 4;
const FIRST_INDEX: u32 = 2;
/// UDP source port of queue pairs with a peer.
const SOURCE_PORT: u16 = 0xC123;

/// The other end of a queue pair, and the settings on which both ends agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub qpn: u32,
    /// First PSN of the peer.
    pub psn: u32,
    /// First PSN of the adapter.
    pub own_psn: u32,
    pub gid: [u8; 16],
    pub mac: [u8; 6],
    pub pmtu: Pmtu,
    /// Largest number of Reads and atomics under way in each direction.
    pub rd_atomic: u8,
    /// Codes of `rnr_timer.csv` and `ack_timeout.csv`.
    pub min_rnr_timer: u8,
    pub timeout: u8,
    /// Number of retries without an answer.
    pub retries: u8,
    pub credits: EndToEndCredits,
    /// Q_Key, for datagrams.
    pub q_key: u32,
}

impl Session {
    /// Creates what every session needs: the completion queue and the buffer.
    pub fn begin(&mut self) -> Ran<()> {
        self.adapter.compare(BUFFER, SIZE)?;
        let access = MemoryAccess {
            local_write: true,
            remote_write: true,
            remote_read: true,
            remote_atomic: true,
        };
        let create = Verb::CreateCq {
            cqn: CQ,
            entries: CQ_ENTRIES,
        };
        let region = region(L_KEY, R_KEY, access);
        self.verbs([create, Verb::RegMr { region }])
    }

    /// Returns the settings that most sessions use: the other end of the wire, PMTU 1024, unlimited retries after RNR
    /// NAKs, and 7 retries without an answer, each after 1 ms of the adapter's time.
    pub fn peer(&self, qpn: u32, psn: u32) -> Peer {
        Peer {
            qpn,
            psn,
            own_psn: 0x12_3456,
            gid: self.peer.gid(),
            mac: self.neighbour().unwrap_or(self.peer.mac()),
            pmtu: Pmtu::B1024,
            rd_atomic: 4,
            min_rnr_timer: 12,
            timeout: 8,
            retries: 7,
            credits: EndToEndCredits::default(),
            q_key: 0,
        }
    }

    /// Creates a queue pair to this peer and moves it to Ready to Send. The QPN must have a free index, and a new
    /// number above it.
    pub fn connect(&mut self, qpn: u32, service: Service, peer: &Peer) -> Ran<()> {
        let global = GlobalRoute {
            dgid: peer.gid,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 64,
        };
        let attributes = QpAttributes {
            qpn,
            service,
            send_cq: CQ,
            receive_cq: CQ,
            port: 1,
            p_key_index: 0,
            dest_qpn: peer.qpn,
            dlid: 0,
            sl: 0,
            source_path_bits: 0,
            static_rate: 0,
            sgid_index: 0,
            global: Some(global),
            ethernet: Some(EthernetRoute {
                dest_mac: peer.mac,
                source_port: SOURCE_PORT,
            }),
            pmtu: peer.pmtu,
            sq_psn: peer.own_psn,
            rq_psn: peer.psn,
            min_rnr_timer: peer.min_rnr_timer,
            timeout: peer.timeout,
            retry_cnt: peer.retries,
            rnr_retry: 7,
            pd: 0,
            access: RemoteAccess {
                write: true,
                read: service == Service::Rc,
                atomic: service == Service::Rc,
            },
            max_rd_atomic: peer.rd_atomic,
            max_dest_rd_atomic: peer.rd_atomic,
            credits: peer.credits,
            q_key: peer.q_key,
            dry_event: false,
        };
        let modify = |state| Verb::ModifyQp { qpn, state };
        let create = Verb::CreateQp {
            attributes,
            send_entries: SEND_ENTRIES,
            receive_entries: RECEIVE_ENTRIES,
        };
        self.verbs([
            create,
            modify(QpState::Init),
            modify(QpState::Rtr),
            modify(QpState::Rts),
        ])
    }

    /// Creates an address handle for datagrams to this end.
    pub fn address(&mut self, handle: u32, gid: [u8; 16], mac: [u8; 6]) -> Ran<()> {
        let global = GlobalRoute {
            dgid: gid,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 64,
        };
        let attributes = AddressHandle {
            port: 1,
            global: Some(global),
            dest_mac: Some(mac),
            ..AddressHandle::default()
        };
        self.verbs([Verb::CreateAh { handle, attributes }])
    }

    /// Posts a request over these bytes of the buffer.
    pub fn post_send(&mut self, qpn: u32, request: SendRequest) -> Ran<()> {
        self.verbs([Verb::PostSend { qpn, request }])
    }

    /// Posts a receive request for these bytes of the buffer.
    pub fn post_receive(&mut self, qpn: u32, wr_id: u64, offset: u64, length: usize) -> Ran<()> {
        let sges = segment(offset, length);
        let request = ReceiveRequest { wr_id, sges };
        self.verbs([Verb::PostReceive { qpn, request }])
    }

    /// Waits for the next completion, which must be a success.
    pub fn success(&mut self) -> Ran<Completion> {
        let completion = self.completion()?;
        match completion.status {
            Status::Success => Ok(completion),
            _ => Err(SessionError::Wrong(format!(
                "the adapter completed {completion:?}"
            ))),
        }
    }

    /// Waits for the next completion of a send request, which must be a success. Those of receive requests wait.
    pub fn sent_one(&mut self) -> Ran<()> {
        let completion = self.until("a completion", |session| Ok(session.adapter.sent_completion()))?;
        match completion.status {
            Status::Success => Ok(()),
            _ => Err(SessionError::Wrong(format!(
                "the adapter completed {completion:?}"
            ))),
        }
    }

    /// Fills bytes of the buffer with the pattern of a seed.
    pub fn fill(&mut self, offset: u64, length: usize, seed: u32) -> Ran<()> {
        self.put(offset, &pattern(seed, length))
    }

    /// Writes bytes of the buffer, once none of them is on its way out. The peer may have what it asked for while the
    /// adapter still answers a copy of the request. What that answer reads while software writes may be old or new,
    /// here and in the model.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) -> Ran<()> {
        self.settle()?;
        Ok(self.adapter.write(BUFFER + offset, bytes)?)
    }

    /// Returns these bytes of the buffer.
    pub fn bytes(&self, offset: u64, length: usize) -> Vec<u8> {
        self.adapter.read(BUFFER + offset, length)
    }

    /// Checks that these bytes of the buffer are the pattern of a seed.
    pub fn holds(&self, offset: u64, length: usize, seed: u32) -> Ran<()> {
        let (found, wanted) = (self.bytes(offset, length), pattern(seed, length));
        match found
            .iter()
            .zip(&wanted)
            .position(|(found, wanted)| found != wanted)
        {
            None => Ok(()),
            Some(at) => Err(SessionError::Wrong(format!(
                "the adapter's memory differs from what was sent, from byte {at} of {length} on"
            ))),
        }
    }
}

/// Returns the buffer as a memory region with these keys.
pub fn region(l_key: u32, r_key: u32, access: MemoryAccess) -> MemoryRegion {
    MemoryRegion {
        l_key,
        r_key,
        pd: 0,
        base: BUFFER,
        length: SIZE,
        access,
        zero_based: false,
    }
}

/// Returns an SGE for these bytes of the buffer.
pub fn segment(offset: u64, length: usize) -> Vec<Sge> {
    vec![Sge {
        addr: BUFFER + offset,
        length: length as u32,
        l_key: L_KEY,
    }]
}

/// Returns a signaled request over these bytes of the buffer.
pub fn request(wr_id: u64, operation: SendOperation, offset: u64, length: usize) -> SendRequest {
    SendRequest {
        wr_id,
        operation,
        sges: segment(offset, length),
        signaled: true,
        ..SendRequest::default()
    }
}

/// Returns the bytes for a seed, which are the same here and in the guest: the upper byte of each step of a linear
/// congruential generator.
pub fn pattern(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The numbers of queue pairs: each has a free index, and above it the number of earlier ones, so that late packets for
/// an old queue pair do not find the new one.
#[derive(Debug, Default)]
pub struct QpNumbers {
    given: u32,
    taken: Vec<u32>,
}

impl QpNumbers {
    /// Returns a number whose index is free; `None` if all are in use.
    pub fn give(&mut self) -> Option<u32> {
        let free = |index: &u32| !self.taken.contains(index);
        let index = (FIRST_INDEX..1 << INDEX_BITS).find(free)?;
        self.taken.push(index);
        self.given += 1;
        Some(index | self.given << INDEX_BITS & 0xFF_FFFF)
    }

    /// Frees the index of a destroyed queue pair.
    pub fn take_back(&mut self, qpn: u32) {
        let index = qpn & ((1 << INDEX_BITS) - 1);
        self.taken.retain(|taken| *taken != index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_that_of_the_guests_agent() {
        // 1,013,904,223 is 3C6EF35Fh; the next state is 47502932h.
        assert_eq!(pattern(0, 2), [0x3C, 0x47]);
    }

    #[test]
    fn numbers_differ_and_their_indices_are_free() {
        let mut numbers = QpNumbers::default();
        assert_eq!((numbers.give(), numbers.give()), (Some(0x12), Some(0x23)));
        numbers.take_back(0x12);
        assert_eq!(numbers.give(), Some(0x32));
        for _ in 2..14 {
            assert!(numbers.give().is_some());
        }
        assert_eq!(numbers.give(), None);
    }
}
