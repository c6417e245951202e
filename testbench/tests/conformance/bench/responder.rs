//! Y as a responder: memory that the peer reads and writes, and what comes back.
use super::requester::decoded;
use super::{Bench, BUFFER_BYTES, PEER_QPN, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{AsyncEvent, MemoryRegion, QpAttributes, QpState, ReceiveRequest, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::{all_memory_of, l_key, r_key};
use hca_testbench::station::Station;

/// Y's memory that the peer reads and writes: [`message`] of [`TARGET_BYTES`].
pub const TARGET: u64 = 0x4000_0000;
pub const TARGET_BYTES: usize = 4096;
/// Entry of [`Bench::register_target`], and its R_Key.
const ENTRY: u32 = 2;
pub const TARGET_KEY: u32 = r_key(ENTRY);
/// Bytes of each receive WQE of [`Bench::responder`]; the n-th starts so many bytes in.
pub const WQE_BYTES: u64 = 640;

/// Opcode, PSN, and syndrome and MSN of the AETH.
pub type Reply = (u8, u32, Option<(u8, u32)>);

/// A positive ack.
pub fn ack(psn: u32, msn: u32) -> Reply {
    nak(psn, 0x1F, msn)
}

pub fn nak(psn: u32, syndrome: u8, msn: u32) -> Reply {
    (0x11, psn, Some((syndrome, msn)))
}

/// A read response with an AETH, or an atomic ack.
pub fn answer(opcode: u8, psn: u32, msn: u32) -> Reply {
    (opcode, psn, Some((0x1F, msn)))
}

/// `length` bytes that repeat nowhere near.
pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 13 + i / 239) as u8).collect()
}

/// WQE 70 is flushed.
pub const FLUSHED: &[(u64, Status, u32)] = &[(70, Status::WrFlushErr, 0)];
/// WQE 70 ends in error because it was open.
pub const ENDED: &[(u64, Status, u32)] = &[(70, Status::RemInvReqErr, 0)];

impl Bench {
    /// Y in RTS as a responder that expects PSN 100 and permits everything, with so many receive WQEs, WR ids from 70
    /// on. If there was one before, it and what it knew are gone.
    pub fn responder(&mut self, receives: u64) {
        self.responder_with(receives, |_| {});
    }

    /// The same with a change to its attributes.
    pub fn responder_with(&mut self, receives: u64, change: impl FnOnce(&mut QpAttributes)) {
        self.renew(change);
        self.fill_target();
        self.post_receives(receives);
    }

    /// Software writes [`message`] to the target.
    pub fn fill_target(&mut self) {
        self.write_target(0, &message(TARGET_BYTES));
    }

    /// Posts so many receive WQEs, WR ids from 70 on.
    pub fn post_receives(&mut self, receives: u64) {
        for n in 0..receives {
            self.post_receive(70 + n, n * WQE_BYTES, WQE_BYTES as u32);
        }
    }

    /// Makes the first 1024 bytes of the target a region of their own, [`TARGET_KEY`], with this change.
    pub fn register_target(&mut self, change: impl FnOnce(&mut MemoryRegion)) {
        let mut region = MemoryRegion {
            base: TARGET,
            length: 1024,
            ..all_memory_of(ENTRY, 0)
        };
        change(&mut region);
        self.submit(Verb::RegMr { region });
        self.settle();
    }

    /// Takes the keys of that region out of use.
    pub fn invalidate_target(&mut self) {
        let r_key = TARGET_KEY;
        self.submit(Verb::Invalidate { r_key });
        self.settle();
    }

    /// Removes that region.
    pub fn deregister_target(&mut self) {
        let l_key = l_key(ENTRY);
        self.submit(Verb::DeregMr { l_key });
        self.settle();
    }

    /// Software writes the target, so many bytes in.
    pub fn write_target(&mut self, offset: u64, bytes: &[u8]) {
        self.station.write_memory(TARGET + offset, bytes);
    }

    /// Bytes of the target.
    pub fn target(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.station.read_memory(TARGET + offset, &mut bytes);
        bytes
    }

    /// Neither the target nor the buffer was written.
    pub fn nothing_written(&self) {
        assert!(
            self.target(0, TARGET_BYTES) == message(TARGET_BYTES),
            "the target"
        );
        assert!(
            self.buffer(0, BUFFER_BYTES) == [UNTOUCHED; BUFFER_BYTES],
            "the buffer"
        );
    }

    /// What these requests bring out, each arriving once everything of the one before came.
    pub fn answered(&mut self, requests: &[Packet]) -> Vec<Packet> {
        let mut packets = Vec::new();
        for request in requests {
            self.receive(&[request.encode().unwrap()]);
            packets.extend(self.came());
        }
        packets
    }

    /// The responses since the last look, their addresses checked.
    pub fn came(&mut self) -> Vec<Packet> {
        let packets: Vec<Packet> = self.packets().iter().map(|bytes| decoded(bytes)).collect();
        for packet in &packets {
            let lrh = packet.lrh().unwrap();
            assert_eq!((lrh.slid, lrh.dlid), (2, 1));
            assert_eq!((packet.bth.dest_qp, packet.bth.p_key), (PEER_QPN, 0xFFFF));
            assert!(!packet.bth.a && !packet.bth.se);
        }
        packets
    }

    /// [`answered`](Bench::answered), as replies.
    pub fn replies_to(&mut self, requests: &[Packet]) -> Vec<Reply> {
        replies(&self.answered(requests))
    }

    /// The same of requests that arrive back to back.
    pub fn replies_to_burst(&mut self, requests: &[Packet]) -> Vec<Reply> {
        let packets: Vec<_> = requests.iter().map(|p| p.encode().unwrap()).collect();
        self.receive(&packets);
        replies(&self.came())
    }

    /// A request gets this NAK, and ends the QP, which is silent then (CF092). `completions` is what becomes of the
    /// receive WQEs; where none ends in error, an event tells (`responder.md` section 5).
    pub fn refused(&mut self, request: &Packet, reply: Reply, completions: &[(u64, Status, u32)]) {
        let before = self.events().len();
        let came = self.ended_by(request, reply);
        assert_eq!(came, completions, "{request:?}");
        let qpn = self.qpn;
        let told = match reply.2 {
            Some((0x62, _)) => AsyncEvent::AccessError { qpn },
            _ => AsyncEvent::RequestError { qpn },
        };
        if completions == FLUSHED {
            assert_eq!(self.events()[before..], [told], "{request:?}");
        }
    }

    /// The same of a Send whose length is wrong. The order of `responder.md` section 1 steps 12 and 13 is free: its WQE
    /// is open already, and ends in error, or it is not, and is flushed.
    pub fn refused_for_length(&mut self, request: &Packet, reply: Reply) {
        let came = self.ended_by(request, reply);
        assert!(came == ENDED || came == FLUSHED, "{came:?}: {request:?}");
    }

    fn ended_by(&mut self, request: &Packet, reply: Reply) -> Vec<(u64, Status, u32)> {
        let request = std::slice::from_ref(request);
        assert_eq!(self.replies_to(request), [reply], "{request:?}");
        assert_eq!(self.state(), QpState::Error, "{request:?}");
        let completions = self.completions();
        self.drops();
        assert_eq!(self.replies_to(request), [], "CF092: {request:?}");
        assert_eq!(self.drops(), [(DropReason::QpState, 1)], "{request:?}");
        completions
    }

    /// Posts a receive WQE of these SGEs.
    pub fn post_receive_of(&mut self, wr_id: u64, sges: &[Sge]) {
        let (qpn, sges) = (self.qpn, sges.to_vec());
        let request = ReceiveRequest { wr_id, sges };
        self.submit(Verb::PostReceive { qpn, request });
        self.settle();
    }

    /// Asynchronous events since reset, as the model that follows the device tells them.
    pub fn events(&self) -> Vec<AsyncEvent> {
        let mut model = self.station.model().clone();
        std::iter::from_fn(|| model.poll_async()).collect()
    }
}

/// Opcode, PSN and AETH of packets.
pub fn replies(packets: &[Packet]) -> Vec<Reply> {
    packets
        .iter()
        .map(|p| {
            let aeth = p.aeth().map(|a| (a.syndrome, a.msn));
            (p.bth.opcode, p.bth.psn, aeth)
        })
        .collect()
}

/// The data that packets carry, one after the other.
pub fn payload(packets: &[Packet]) -> Vec<u8> {
    packets.iter().flat_map(|p| p.payload.clone()).collect()
}
