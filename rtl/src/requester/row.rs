//! State that the requester keeps for a queue pair (`protocol/requester.md`).
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// First field at the least significant end of the 432 bits. PSNs have 24 bits, WQE indices count modulo 2^16.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct RequesterRow {
    /// `host::command::STATE_*`.
    pub state: Bits<3>,
    /// Oldest PSN that is not acknowledged.
    pub una: Bits<24>,
    /// PSN of the next packet.
    pub psn: Bits<24>,
    /// Index of the first WQE that has not started.
    pub started: Bits<16>,
    /// WQE of the next packet; `started`, if it is a new one.
    pub current: Bits<16>,
    /// Bytes of that WQE before the next packet.
    pub offset: Bits<32>,
    /// First PSN since the QP began to send.
    pub start: Bits<24>,
    /// 2^23 PSNs have been acknowledged since `start`.
    pub wrapped: Bit,
    /// Retries left.
    pub retries: Bits<3>,
    /// Retries after RNR NAKs left.
    pub rnr_retries: Bits<3>,
    /// Nothing was acknowledged since the last retry: another NAK uses up none (section 7).
    pub retrying: Bit,
    /// The next packet must be that of `una`.
    pub rewinding: Bit,
    /// Cause of the rewind (`host::retire::rewind`).
    pub cause: Bits<2>,
    /// Nothing is sent before the RNR delay is over.
    pub waiting: Bit,
    /// PSN that the QP last went back to.
    pub resent: Bits<24>,
    /// Place in its ring of the oldest Read or atomic that is not answered.
    pub read_head: Bits<4>,
    /// Reads and atomics under way, up to 16.
    pub reads: Bits<5>,
    /// First PSN of the oldest of them.
    pub read_first: Bits<24>,
    /// Last PSN of it.
    pub read_last: Bits<24>,
    /// WQE of it.
    pub read_wqe: Bits<16>,
    /// Bytes of it.
    pub read_length: Bits<32>,
    /// It is an atomic.
    pub read_atomic: Bit,
    /// WQE `refused_wqe` cannot go on, and ends with `refused_status` (section 8).
    pub refused: Bit,
    /// First PSN of that WQE.
    pub refused_first: Bits<24>,
    pub refused_wqe: Bits<16>,
    pub refused_status: Bits<8>,
    /// The QP is in Error, and this was reported: posted WQEs are flushed.
    pub flushing: Bit,
    /// Number of packets launched, modulo 2^8.
    pub issued: Bits<8>,
    /// SSN of the last message started, from 1 (`protocol/aeth.md` section 4).
    pub ssn: Bits<24>,
    /// 64 messages have started.
    pub many: Bit,
    /// Number of them that take no receive WQE at the peer, modulo 2^7.
    pub free: Bits<7>,
    /// LSN less `ssn`, signed.
    pub allowance: Bits<24>,
    /// The peer said that it gives no credits: no limits until Reset.
    pub unlimited: Bit,
    /// The last message started was limited: before it is resolved, only packets before `stop_psn` go.
    pub probes: Bit,
    pub stop_psn: Bits<24>,
    /// Acknowledged WQEs are not completed yet: packets of them, sent again, are still read from memory.
    pub owes: Bit,
    /// With `owes`: the oldest WQE left ends with `refused_status`.
    pub owes_failure: Bit,
    /// The QP went back to `resent`, or began there. No packet from there on is gone as long as `gone` is `since`.
    pub went_back: Bit,
    /// Number of the QP's packets that were gone then, modulo 2^8, discarded ones not counted.
    pub since: Bits<8>,
}

/// Unpacks a row.
#[derive(LogicBlock, Default)]
pub struct RequesterFields {
    pub bits: Signal<In, Bits<432>>,
    pub row: Signal<Out, RequesterRow>,
}

impl Logic for RequesterFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module requester_fields");
        self.row.next.state = self.bits.val().get_bits::<3>(0);
        self.row.next.una = self.bits.val().get_bits::<24>(3);
        self.row.next.psn = self.bits.val().get_bits::<24>(27);
        self.row.next.started = self.bits.val().get_bits::<16>(51);
        self.row.next.current = self.bits.val().get_bits::<16>(67);
        self.row.next.offset = self.bits.val().get_bits::<32>(83);
        self.row.next.start = self.bits.val().get_bits::<24>(115);
        self.row.next.wrapped = self.bits.val().get_bit(139);
        self.row.next.retries = self.bits.val().get_bits::<3>(140);
        self.row.next.rnr_retries = self.bits.val().get_bits::<3>(143);
        self.row.next.retrying = self.bits.val().get_bit(146);
        self.row.next.rewinding = self.bits.val().get_bit(147);
        self.row.next.cause = self.bits.val().get_bits::<2>(148);
        self.row.next.waiting = self.bits.val().get_bit(150);
        self.row.next.resent = self.bits.val().get_bits::<24>(151);
        self.row.next.read_head = self.bits.val().get_bits::<4>(175);
        self.row.next.reads = self.bits.val().get_bits::<5>(179);
        self.row.next.read_first = self.bits.val().get_bits::<24>(184);
        self.row.next.read_last = self.bits.val().get_bits::<24>(208);
        self.row.next.read_wqe = self.bits.val().get_bits::<16>(232);
        self.row.next.read_length = self.bits.val().get_bits::<32>(248);
        self.row.next.read_atomic = self.bits.val().get_bit(280);
        self.row.next.refused = self.bits.val().get_bit(281);
        self.row.next.refused_first = self.bits.val().get_bits::<24>(282);
        self.row.next.refused_wqe = self.bits.val().get_bits::<16>(306);
        self.row.next.refused_status = self.bits.val().get_bits::<8>(322);
        self.row.next.flushing = self.bits.val().get_bit(330);
        self.row.next.issued = self.bits.val().get_bits::<8>(331);
        self.row.next.ssn = self.bits.val().get_bits::<24>(339);
        self.row.next.many = self.bits.val().get_bit(363);
        self.row.next.free = self.bits.val().get_bits::<7>(364);
        self.row.next.allowance = self.bits.val().get_bits::<24>(371);
        self.row.next.unlimited = self.bits.val().get_bit(395);
        self.row.next.probes = self.bits.val().get_bit(396);
        self.row.next.stop_psn = self.bits.val().get_bits::<24>(397);
        self.row.next.owes = self.bits.val().get_bit(421);
        self.row.next.owes_failure = self.bits.val().get_bit(422);
        self.row.next.went_back = self.bits.val().get_bit(423);
        self.row.next.since = self.bits.val().get_bits::<8>(424);
    }
}
