//! Completions that wait for the data which they announce, and their places in the rings.
use super::CompletionRecord;
use crate::host::{cqe, retire};
use crate::primitive::{comment, dff_setup, BlockFifo, LutRam, Register};
use rust_hdl_core::prelude::*;

/// Takes completions of both sides in turn, each when the writes before it are acknowledged: software that sees it sees
/// the data. A CQE a clock. `CB`: CQ index bits, `QB`: QP index bits, `NQ` = 2^`QB`.
///
/// A side whose oldest completion waits does not hold up the other.
#[derive(LogicBlock)]
pub struct CompletionQueue<const CB: usize, const QB: usize, const NQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// One pulse: `CREATE_CQ`.
    pub create_valid: Signal<In, Bit>,
    pub create_index: Signal<In, Bits<CB>>,
    pub create_base: Signal<In, Bits<64>>,
    pub create_log_size: Signal<In, Bits<4>>,

    pub receive: Signal<In, CompletionRecord>,
    pub receive_valid: Signal<In, Bit>,
    pub receive_ready: Signal<Out, Bit>,
    pub send: Signal<In, CompletionRecord>,
    pub send_valid: Signal<In, Bit>,
    pub send_ready: Signal<Out, Bit>,

    /// Packets of each side that are in memory, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    pub requester_written: Signal<In, Bits<16>>,

    /// QPs that host memory has failed: no completion is a success. Of them those whose oldest send WQE bears it.
    pub broken: Signal<In, Bits<NQ>>,
    pub bears: Signal<In, Bits<NQ>>,
    /// One pulse: the oldest send WQE of this QP has its completion.
    pub borne_valid: Signal<Out, Bit>,
    pub borne_index: Signal<Out, Bits<QB>>,

    pub cqe_valid: Signal<Out, Bit>,
    pub cqe_ready: Signal<In, Bit>,
    pub cqe_address: Signal<Out, Bits<64>>,
    /// `host::cqe`, byte 0 at the most significant end.
    pub cqe: Signal<Out, Bits<256>>,

    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    receives: BlockFifo<158, 6>,
    sends: BlockFifo<158, 6>,
    /// Base 64 | log2 of the size 4.
    rings: LutRam<68, CB>,
    producers: LutRam<16, CB>,
    receive_was_last: Register<Bit>,
    /// A completion whose place is looked up.
    chosen: Register<Bits<158>>,
    chosen_valid: Register<Bit>,
    /// The CQE on its way to memory.
    entry: Register<Bits<256>>,
    entry_address: Register<Bits<64>>,
    entry_valid: Register<Bit>,

    receive_ahead: Signal<Local, Bits<16>>,
    send_ahead: Signal<Local, Bits<16>>,
    receive_due: Signal<Local, Bit>,
    send_due: Signal<Local, Bit>,
    takes_receive: Signal<Local, Bit>,
    takes_send: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    place: Signal<Local, Bit>,
    record: Signal<Local, Bits<158>>,
    queue_pair: Signal<Local, Bits<QB>>,
    status: Signal<Local, Bits<8>>,
    fails: Signal<Local, Bit>,
    index: Signal<Local, Bits<CB>>,
    log_size: Signal<Local, Bits<4>>,
    producer: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<64>>,
    phase: Signal<Local, Bit>,
    kind_completion: Constant<Bits<96>>,
    /// What a completion in error says, but for its status: CQN, QPN, WQE, queue, operation.
    always_defined: Constant<Bits<158>>,
    loc_qp_op_err: Constant<Bits<158>>,
    wr_flush_err: Constant<Bits<8>>,
}

impl<const CB: usize, const QB: usize, const NQ: usize> Default for CompletionQueue<CB, QB, NQ> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            create_valid: Default::default(),
            create_index: Default::default(),
            create_base: Default::default(),
            create_log_size: Default::default(),
            receive: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            send: Default::default(),
            send_valid: Default::default(),
            send_ready: Default::default(),
            responder_written: Default::default(),
            requester_written: Default::default(),
            broken: Default::default(),
            bears: Default::default(),
            borne_valid: Default::default(),
            borne_index: Default::default(),
            cqe_valid: Default::default(),
            cqe_ready: Default::default(),
            cqe_address: Default::default(),
            cqe: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            receives: Default::default(),
            sends: Default::default(),
            rings: Default::default(),
            producers: Default::default(),
            receive_was_last: Default::default(),
            chosen: Default::default(),
            chosen_valid: Default::default(),
            entry: Default::default(),
            entry_address: Default::default(),
            entry_valid: Default::default(),
            receive_ahead: Default::default(),
            send_ahead: Default::default(),
            receive_due: Default::default(),
            send_due: Default::default(),
            takes_receive: Default::default(),
            takes_send: Default::default(),
            free: Default::default(),
            place: Default::default(),
            record: Default::default(),
            queue_pair: Default::default(),
            status: Default::default(),
            fails: Default::default(),
            index: Default::default(),
            log_size: Default::default(),
            producer: Default::default(),
            slot: Default::default(),
            phase: Default::default(),
            kind_completion: crate::retire::kind(retire::kind::COMPLETION_WRITTEN),
            always_defined: Constant::new((((1u128 << 56) - 1) | (0x1FF << 64)).to_bits()),
            loc_qp_op_err: Constant::new(((cqe::LOC_QP_OP_ERR as u128) << 56).to_bits()),
            wr_flush_err: Constant::new((cqe::WR_FLUSH_ERR as usize).to_bits()),
        }
    }
}

impl<const CB: usize, const QB: usize, const NQ: usize> Logic for CompletionQueue<CB, QB, NQ> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module completion_queue");
        dff_setup!(
            self,
            clock,
            receive_was_last,
            chosen,
            chosen_valid,
            entry,
            entry_address,
            entry_valid
        );
        self.receives.clock.next = self.clock.val();
        self.receives.reset.next = self.reset.val();
        self.sends.clock.next = self.clock.val();
        self.sends.reset.next = self.reset.val();
        self.rings.clock.next = self.clock.val();
        self.producers.clock.next = self.clock.val();
        self.receives.write_data.next = bit_cast::<158, 158>(self.receive.val().into());
        self.receives.write_valid.next = self.receive_valid.val();
        self.receive_ready.next = self.receives.write_ready.val();
        self.sends.write_data.next = bit_cast::<158, 158>(self.send.val().into());
        self.sends.write_valid.next = self.send_valid.val();
        self.send_ready.next = self.sends.write_ready.val();

        // Fields of CompletionRecord, first field at the least significant end. Due when `written` is at the fence or
        // past it.
        self.receive_ahead.next =
            self.responder_written.val() - self.receives.read_data.val().get_bits::<16>(141);
        self.send_ahead.next = self.requester_written.val() - self.sends.read_data.val().get_bits::<16>(141);
        self.receive_due.next = self.receives.read_valid.val() && !self.receive_ahead.val().get_bit(15);
        self.send_due.next = self.sends.read_valid.val() && !self.send_ahead.val().get_bit(15);

        // Place: not in the clock that makes a ring.
        self.place.next = self.chosen_valid.q.val()
            && (!self.entry_valid.q.val() || self.cqe_ready.val())
            && !self.create_valid.val();
        self.free.next = !self.chosen_valid.q.val() || self.place.val();
        self.takes_receive.next = self.free.val()
            && self.receive_due.val()
            && (!self.send_due.val() || !self.receive_was_last.q.val());
        self.takes_send.next = self.free.val() && self.send_due.val() && !self.takes_receive.val();
        self.receives.read_ready.next = self.takes_receive.val();
        self.sends.read_ready.next = self.takes_send.val();
        if self.free.val() {
            self.chosen_valid.d.next = self.takes_receive.val() || self.takes_send.val();
        }
        if self.takes_receive.val() {
            self.chosen.d.next = self.receives.read_data.val();
            self.receive_was_last.d.next = true;
        }
        if self.takes_send.val() {
            self.chosen.d.next = self.sends.read_data.val();
            self.receive_was_last.d.next = false;
        }

        // A status of success does not hold for a QP that host memory has failed.
        self.queue_pair.next = self.chosen.q.val().get_bits::<QB>(16);
        self.status.next = self.chosen.q.val().get_bits::<8>(56);
        self.fails.next = (!self.status.val().any()
            && self.broken.val().get_bit(self.queue_pair.val().index()))
            || ((self.status.val() == self.wr_flush_err.val())
                && !self.chosen.q.val().get_bit(64)
                && self.bears.val().get_bit(self.queue_pair.val().index()));
        self.record.next = self.chosen.q.val();
        if self.fails.val() {
            self.record.next = (self.chosen.q.val() & self.always_defined.val()) | self.loc_qp_op_err.val();
        }
        self.borne_valid.next = self.place.val() && !self.chosen.q.val().get_bit(64);
        self.borne_index.next = self.queue_pair.val();
        self.index.next = self.record.val().get_bits::<CB>(0);
        self.rings.read_address_a.next = self.index.val();
        self.rings.read_address_b.next = self.index.val();
        self.producers.read_address_a.next = self.index.val();
        self.producers.read_address_b.next = self.index.val();
        self.log_size.next = self.rings.read_data_a.val().get_bits::<4>(0);
        self.producer.next = self.producers.read_data_a.val();
        self.slot.next =
            bit_cast::<64, 16>(self.producer.val() & ((bits::<16>(1) << self.log_size.val()) - 1)) << 5;
        self.phase.next = !(self.producer.val() >> self.log_size.val()).get_bit(0);
        if self.cqe_ready.val() {
            self.entry_valid.d.next = false;
        }
        if self.place.val() {
            self.entry_valid.d.next = true;
            self.entry_address.d.next = self.rings.read_data_a.val().get_bits::<64>(4) + self.slot.val();
            self.entry.d.next = (bit_cast::<256, 16>(self.record.val().get_bits::<16>(40)) << 240)
                | (bit_cast::<256, 8>(self.record.val().get_bits::<8>(56)) << 232)
                | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(157)) << 227)
                | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(138)) << 226)
                | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(105)) << 225)
                | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(64)) << 224)
                | (bit_cast::<256, 8>(self.record.val().get_bits::<8>(65)) << 216)
                | (bit_cast::<256, 24>(self.record.val().get_bits::<24>(16)) << 192)
                | (bit_cast::<256, 32>(self.record.val().get_bits::<32>(73)) << 160)
                | (bit_cast::<256, 32>(self.record.val().get_bits::<32>(106)) << 128)
                | (bit_cast::<256, 2>(self.record.val().get_bits::<2>(139)) << 112)
                | bit_cast::<256, 1>(self.phase.val().into());
        }
        self.cqe_valid.next = self.entry_valid.q.val();
        self.cqe_address.next = self.entry_address.q.val();
        self.cqe.next = self.entry.q.val();

        self.producers.write_enable.next = self.place.val();
        self.producers.write_address.next = self.index.val();
        self.producers.write_data.next = self.producer.val() + 1;
        self.rings.write_enable.next = self.create_valid.val();
        self.rings.write_address.next = self.create_index.val();
        self.rings.write_data.next =
            (bit_cast::<68, 64>(self.create_base.val()) << 4) | bit_cast::<68, 4>(self.create_log_size.val());
        if self.create_valid.val() {
            self.producers.write_enable.next = true;
            self.producers.write_address.next = self.create_index.val();
            self.producers.write_data.next = bits::<16>(0);
        }

        self.retire_valid.next = self.place.val();
        self.retire_record.next = self.kind_completion.val()
            | (bit_cast::<96, 8>(self.record.val().get_bits::<8>(56)) << 80)
            | (bit_cast::<96, 24>(self.record.val().get_bits::<24>(16)) << 56)
            | (bit_cast::<96, 16>(self.record.val().get_bits::<16>(0)) << 32)
            | (bit_cast::<96, 1>(self.record.val().get_bits::<1>(64)) << 16)
            | bit_cast::<96, 16>(self.record.val().get_bits::<16>(40));

        if self.reset.val() {
            self.chosen_valid.d.next = false;
            self.entry_valid.d.next = false;
        }
    }
}
