//! Forms the completion of a receive WQE (`protocol/qp_cq.md`).
use super::{RequestFlags, RequestVerdict, ResponderSettings};
use crate::completion::{CompletionRecord, CqeStatuses};
use crate::receive::RequestArrival;
use hca_hdl::prelude::*;
use hca_host::cqe;

/// Pure function: the success of a message, the error of a refused packet, or a flush.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestCompletion {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// The decision on the request.
    pub verdict: Signal<In, RequestVerdict>,
    /// Settings of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// Index of the receive WQE that the packet took, or of the open Send's.
    pub slot: Signal<In, Bits<16>>,
    /// High if the WQE is flushed, without a packet.
    pub flushes: Signal<In, Bit>,
    /// Number of packets of this side whose writes come before the completion, this one included, modulo 2^16.
    pub fence: Signal<In, Bits<16>>,
    /// Number of packets of this side whose writes come before the completion of a flush, modulo 2^16.
    pub committed: Signal<In, Bits<16>>,
    /// Base LID of the port of the request.
    pub port_lid: Signal<In, Bits<16>>,
    /// The completion.
    pub completion: Signal<Out, CompletionRecord>,
    dlid: Signal<Local, Bits<16>>,
    path: Signal<Local, Bits<16>>,
    #[default(code(cqe::OP_RECEIVE))]
    operation_send: Constant<Bits<8>>,
    #[default(code(cqe::OP_RECEIVE_WRITE))]
    operation_write: Constant<Bits<8>>,
    statuses: CqeStatuses,
}

fn code(value: u8) -> Constant<Bits<8>> {
    constant(value)
}

#[kernel]
impl Logic for RequestCompletion {
    fn update(&mut self) {
        self.completion.next.cqn = self.settings.val().cqn;
        self.completion.next.qpn = self.settings.val().qpn;
        self.completion.next.index = self.slot.val();
        self.completion.next.status = self.statuses.success.val();
        self.completion.next.receive = true;
        self.completion.next.operation = self.operation_send.val();
        self.completion.next.byte_count = self.flags.val().total.get_bits::<32>(0);
        self.completion.next.has_immediate = self.flags.val().immediate;
        self.completion.next.immediate = self.arrival.val().immediate;
        self.completion.next.has_p_key_index = self.arrival.val().has_p_key_index;
        self.completion.next.p_key_index = self.arrival.val().p_key_index;
        self.completion.next.fence = self.fence.val();
        self.completion.next.has_invalidated = self.flags.val().invalidate;
        self.completion.next.solicited = self.arrival.val().solicited;
        // `ud.md` section 3.3. A frame has no DLID, and no path bits.
        self.completion.next.datagram = self.settings.val().datagram;
        self.completion.next.grh = self.flags.val().prefixed;
        self.completion.next.slid = self.arrival.val().va.get_bits::<16>(24);
        self.completion.next.sl = self.arrival.val().sl;
        self.completion.next.source_qpn = self.arrival.val().va.get_bits::<24>(0);
        self.completion.next.sender = self.arrival.val().swap_add.get_bits::<48>(0);
        self.dlid.next = self.arrival.val().dlid;
        self.path.next = self.dlid.val() ^ self.port_lid.val();
        self.completion.next.port = self.arrival.val().port;
        self.completion.next.path_bits = bits::<7>(0);
        if self.dlid.val().any() {
            self.completion.next.path_bits = self.path.val().get_bits::<7>(0);
        }
        if (self.arrival.val().copy && self.dlid.val().any()) || self.dlid.val().all() {
            // Neither the LID of a group nor FFFFh has path bits: the base LID counts.
            self.completion.next.path_bits = bits::<7>(0);
            self.completion.next.sender = bit_cast::<48, 16>(self.port_lid.val()) << 32;
        }
        if self.flags.val().write {
            self.completion.next.operation = self.operation_write.val();
        }
        if self.flags.val().invalidate {
            self.completion.next.immediate = self.arrival.val().r_key;
        }
        if self.flushes.val() || self.verdict.val().refuse {
            self.completion.next.status = self.verdict.val().status;
            self.completion.next.operation = self.operation_send.val();
            self.completion.next.byte_count = bits::<32>(0);
            self.completion.next.has_immediate = false;
            self.completion.next.immediate = bits::<32>(0);
            self.completion.next.has_p_key_index = false;
            self.completion.next.has_invalidated = false;
            self.completion.next.solicited = false;
            self.completion.next.datagram = false;
            self.completion.next.grh = false;
        }
        // What has no meaning is 0.
        if self.flushes.val() || self.verdict.val().refuse || !self.settings.val().datagram {
            self.completion.next.slid = bits::<16>(0);
            self.completion.next.sl = bits::<4>(0);
            self.completion.next.source_qpn = bits::<24>(0);
            self.completion.next.sender = bits::<48>(0);
            self.completion.next.path_bits = bits::<7>(0);
            self.completion.next.port = false;
        }
        if self.flushes.val() {
            self.completion.next.status = self.statuses.wr_flush_err.val();
            self.completion.next.fence = self.committed.val();
        }
    }
}
