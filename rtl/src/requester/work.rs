//! A send WQE's fields, and whether it can be carried out (`host::wqe`).
use crate::completion::CqeStatuses;
use hca_hdl::prelude::*;
use hca_host::wqe;

/// Unpacks a send WQE, byte 0 at the most significant end, and judges it (`protocol/requester.md` section 8).
#[derive(LogicBlock, SmartDefault)]
pub struct SendWork {
    /// The WQE.
    pub wqe: Signal<In, Bits<512>>,
    /// High if the QP has read and atomic resources (`protocol/qp_cq.md` section 3).
    pub has_reads: Signal<In, Bit>,
    /// Operation (`host::wqe`).
    pub operation: Signal<Out, Bits<8>>,
    /// High if success writes a CQE.
    pub signaled: Signal<Out, Bit>,
    /// High if the last packet has SE set, where its operation permits that.
    pub solicited: Signal<Out, Bit>,
    /// High if the WQE waits until every Read and atomic before it is complete.
    pub fence: Signal<Out, Bit>,
    /// High if the list names a copy of the data whose key is not checked.
    pub inline: Signal<Out, Bit>,
    /// High if the SGEs are in a list in host memory.
    pub indirect: Signal<Out, Bit>,
    /// Number of SGEs.
    pub count: Signal<Out, Bits<8>>,
    /// Immediate data, or the R_Key to invalidate.
    pub immediate: Signal<Out, Bits<32>>,
    /// Remote address.
    pub va: Signal<Out, Bits<64>>,
    /// R_Key of the remote memory.
    pub r_key: Signal<Out, Bits<32>>,
    /// Bytes of the message.
    pub length: Signal<Out, Bits<32>>,
    /// SGEs that the WQE holds; if `indirect`, the first one holds the address of the list.
    pub list: Signal<Out, Bits<256>>,
    /// Value that a compare and swap compares with.
    pub compare: Signal<Out, Bits<64>>,
    /// Value that an atomic swaps in or adds.
    pub swap_add: Signal<Out, Bits<64>>,
    /// High for a Send of any kind.
    pub is_send: Signal<Out, Bit>,
    /// High for a Send or a Write with immediate data: it takes a receive WQE at the peer.
    pub consumes: Signal<Out, Bit>,
    /// High for a Read.
    pub is_read: Signal<Out, Bit>,
    /// High for a compare and swap or a fetch and add.
    pub is_atomic: Signal<Out, Bit>,
    /// High if the WQE has more SGEs than it may.
    pub bad_list: Signal<Out, Bit>,
    /// High if the WQE cannot be carried out.
    pub bad: Signal<Out, Bit>,
    /// Status of its completion if it is bad.
    pub status: Signal<Out, Bits<8>>,

    too_long: Signal<Local, Bit>,
    many: Signal<Local, Bit>,
    bad_atomic: Signal<Local, Bit>,
    #[default(byte(wqe::OP_FETCH_ADD))]
    last_operation: Constant<Bits<8>>,
    #[default(byte(wqe::OP_WRITE))]
    op_write: Constant<Bits<8>>,
    #[default(byte(wqe::OP_WRITE_IMMEDIATE))]
    op_write_immediate: Constant<Bits<8>>,
    #[default(byte(wqe::OP_READ))]
    op_read: Constant<Bits<8>>,
    #[default(byte(wqe::OP_COMPARE_SWAP))]
    op_compare_swap: Constant<Bits<8>>,
    #[default(byte(wqe::OP_FETCH_ADD))]
    op_fetch_add: Constant<Bits<8>>,
    #[default(byte(wqe::MAX_SGES as u8))]
    max_sges: Constant<Bits<8>>,
    #[default(byte(wqe::DIRECT_SGES as u8))]
    direct_sges: Constant<Bits<8>>,
    statuses: CqeStatuses,
}

fn byte(value: u8) -> Constant<Bits<8>> {
    constant(value)
}

#[kernel]
impl Logic for SendWork {
    fn update(&mut self) {
        self.operation.next = self.wqe.val().get_bits::<8>(504);
        self.signaled.next = self.wqe.val().get_bit(496);
        self.solicited.next = self.wqe.val().get_bit(497);
        self.fence.next = self.wqe.val().get_bit(498);
        self.inline.next = self.wqe.val().get_bit(499);
        self.indirect.next = self.wqe.val().get_bit(500);
        self.count.next = self.wqe.val().get_bits::<8>(488);
        self.immediate.next = self.wqe.val().get_bits::<32>(448);
        self.va.next = self.wqe.val().get_bits::<64>(384);
        self.r_key.next = self.wqe.val().get_bits::<32>(352);
        self.length.next = self.wqe.val().get_bits::<32>(320);
        self.list.next = self.wqe.val().get_bits::<256>(0);
        self.compare.next = self.wqe.val().get_bits::<64>(64);
        self.swap_add.next = self.wqe.val().get_bits::<64>(0);
        self.is_send.next = self.operation.val() < self.op_write.val();
        self.consumes.next = (self.operation.val() < self.op_write.val())
            || (self.operation.val() == self.op_write_immediate.val());
        self.is_read.next = self.operation.val() == self.op_read.val();
        self.is_atomic.next = (self.operation.val() == self.op_compare_swap.val())
            || (self.operation.val() == self.op_fetch_add.val());

        // More than 2^31 bytes.
        self.too_long.next = self.length.val().get_bit(31) && self.length.val().get_bits::<31>(0).any();
        self.many.next = (self.count.val() > self.max_sges.val())
            || (!self.indirect.val() && (self.count.val() > self.direct_sges.val()));
        self.bad_list.next = self.many.val();
        // CF244: one SGE of at least 8 bytes, aligned to 8.
        self.bad_atomic.next = self.is_atomic.val()
            && ((self.count.val() != 1)
                || self.indirect.val()
                || self.wqe.val().get_bits::<3>(192).any()
                || !self.wqe.val().get_bits::<29>(163).any());
        self.bad.next = true;
        self.status.next = self.statuses.loc_qp_op_err.val();
        if self.operation.val() > self.last_operation.val() {
            // No such operation.
        } else if self.many.val() {
            // More SGEs than a WQE may have.
        } else if self.bad_atomic.val() {
            // CF244.
        } else if (self.is_read.val() || self.is_atomic.val()) && !self.has_reads.val() {
            // max_rd_atomic is 0.
        } else if self.too_long.val() {
            self.status.next = self.statuses.loc_len_err.val();
        } else {
            self.bad.next = false;
        }
    }
}
