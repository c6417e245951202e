//! Forms the walk of the memory that a request accesses (`protocol/responder.md` section 1 steps 14, 15).
use super::{RequestFlags, ResponderSettings};
use crate::memory::protection::{
    RIGHT_INVALIDATE, RIGHT_LOCAL_WRITE, RIGHT_REMOTE_ATOMIC, RIGHT_REMOTE_READ, RIGHT_REMOTE_WRITE,
};
use crate::memory::WalkRequest;
use crate::receive::RequestArrival;
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestWalk {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// Settings of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// The receive WQE (`host::wqe`), byte 0 at the most significant end.
    pub wqe: Signal<In, Bits<512>>,
    /// High if the R_Key to invalidate is walked, not the data.
    pub invalidates: Signal<In, Bit>,
    /// High if there is something to walk.
    pub needed: Signal<Out, Bit>,
    /// The walk.
    pub request: Signal<Out, WalkRequest>,
    #[default(right(RIGHT_LOCAL_WRITE))]
    right_local_write: Constant<Bits<3>>,
    #[default(right(RIGHT_REMOTE_WRITE))]
    right_remote_write: Constant<Bits<3>>,
    #[default(right(RIGHT_REMOTE_READ))]
    right_remote_read: Constant<Bits<3>>,
    #[default(right(RIGHT_REMOTE_ATOMIC))]
    right_remote_atomic: Constant<Bits<3>>,
    #[default(right(RIGHT_INVALIDATE))]
    right_invalidate: Constant<Bits<3>>,
}

fn right(right: usize) -> Constant<Bits<3>> {
    constant(right)
}

#[kernel]
impl Logic for RequestWalk {
    fn update(&mut self) {
        // A Read or atomic: the span that its header names, read later or eight bytes.
        self.request.next.list = (bit_cast::<256, 64>(self.arrival.val().va) << 192)
            | (bit_cast::<256, 32>(self.arrival.val().dma_len) << 160)
            | (bit_cast::<256, 32>(self.arrival.val().r_key) << 128);
        self.request.next.count = bits::<8>(1);
        self.request.next.indirect = false;
        self.request.next.offset = bits::<32>(0);
        self.request.next.alone = false;
        self.request.next.unchecked = false;
        self.request.next.length = bits::<13>(0);
        self.request.next.entire = true;
        self.request.next.right = self.right_remote_read.val();
        self.request.next.pd = self.settings.val().pd;
        // No key counts where no byte is requested (CF089).
        self.needed.next = self.flags.val().has_data;
        if self.flags.val().atomic {
            self.request.next.list = (bit_cast::<256, 64>(self.arrival.val().va) << 192)
                | (bits::<256>(8) << 160)
                | (bit_cast::<256, 32>(self.arrival.val().r_key) << 128);
            self.request.next.length = bits::<13>(8);
            self.request.next.right = self.right_remote_atomic.val();
        }
        if self.flags.val().write {
            // All that is left of the Write, not only this packet's part.
            self.needed.next = self.flags.val().has_payload;
            self.request.next.list = (bit_cast::<256, 64>(self.flags.val().write_va) << 192)
                | (bit_cast::<256, 32>(self.flags.val().write_left) << 160)
                | (bit_cast::<256, 32>(self.flags.val().write_key) << 128);
            self.request.next.length = self.arrival.val().payload;
            self.request.next.right = self.right_remote_write.val();
        }
        if self.flags.val().send {
            // The walk of a datagram without bytes finds out whether its receive WQE is malformed (`ud.md` section 3.1
            // step 14).
            self.needed.next = self.flags.val().has_payload || self.settings.val().datagram;
            self.request.next.list = self.wqe.val().get_bits::<256>(0);
            self.request.next.count = self.wqe.val().get_bits::<8>(488);
            self.request.next.indirect = self.wqe.val().get_bit(500);
            self.request.next.offset = self.flags.val().offset;
            // The payload of a datagram may begin behind the place of a GRH that it does not have.
            self.request.next.alone = self.settings.val().datagram;
            self.request.next.length = self.flags.val().bytes;
            self.request.next.entire = false;
            self.request.next.right = self.right_local_write.val();
        }
        if self.invalidates.val() {
            self.needed.next = true;
            self.request.next.list =
                (bits::<256>(1) << 160) | (bit_cast::<256, 32>(self.arrival.val().r_key) << 128);
            self.request.next.count = bits::<8>(1);
            self.request.next.indirect = false;
            self.request.next.offset = bits::<32>(0);
            self.request.next.length = bits::<13>(0);
            self.request.next.entire = true;
            self.request.next.right = self.right_invalidate.val();
        }
    }
}
