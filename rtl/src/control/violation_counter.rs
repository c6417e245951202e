//! A counter of packets with a wrong key.
use hca_hdl::primitive::{comment, constant, dff_setup, Register};
use hca_host::register as map;
use hca_host::retire::drop;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Counts the packets that are dropped for one reason, up to FFFFh, where the count stays (CF337); it is correct two
/// cycles after a drop. Software may set it, which takes the place of what is due in that cycle.
#[derive(LogicBlock, SmartDefault)]
pub struct ViolationCounter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each packet that the responder drops.
    pub by_responder: Signal<In, Bit>,
    /// Why the responder drops it (`host::retire`).
    pub responder_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each packet that the requester drops.
    pub by_requester: Signal<In, Bit>,
    /// Why the requester drops it.
    pub requester_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each register write, at any address.
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<20>>,
    pub write_data: Signal<In, Bits<32>>,
    pub read_address: Signal<In, Bits<20>>,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    responder_counts: Register<Bit>,
    requester_counts: Register<Bit>,
    count: Register<Bits<16>>,
    sum: Signal<Local, Bits<17>>,
    #[default(constant(drop::P_KEY))]
    reason: Constant<Bits<8>>,
    #[default(constant(map::P_KEY_VIOLATIONS))]
    address: Constant<Bits<20>>,
}

impl ViolationCounter {
    /// `P_KEY_VIOLATIONS` and `Q_KEY_VIOLATIONS`.
    pub fn of_both_keys() -> [Self; 2] {
        let of_q_keys = Self {
            reason: constant(drop::Q_KEY),
            address: constant(map::Q_KEY_VIOLATIONS),
            ..Self::default()
        };
        [Self::default(), of_q_keys]
    }
}

impl Logic for ViolationCounter {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module violation_counter");
        dff_setup!(self, clock, responder_counts, requester_counts, count);
        self.responder_counts.d.next =
            self.by_responder.val() && (self.responder_reason.val() == self.reason.val());
        self.requester_counts.d.next =
            self.by_requester.val() && (self.requester_reason.val() == self.reason.val());
        self.sum.next = bit_cast::<17, 16>(self.count.q.val())
            + bit_cast::<17, 1>(self.responder_counts.q.val().into())
            + bit_cast::<17, 1>(self.requester_counts.q.val().into());
        self.count.d.next = self.sum.val().get_bits::<16>(0);
        if self.sum.val().get_bit(16) {
            self.count.d.next = bits::<16>(0xFFFF);
        }
        if self.write.val() && (self.write_address.val() == self.address.val()) {
            self.count.d.next = self.write_data.val().get_bits::<16>(0);
        }
        self.read_data.next = bits::<32>(0);
        if self.read_address.val() == self.address.val() {
            self.read_data.next = bit_cast::<32, 16>(self.count.q.val());
        }
        if self.reset.val() {
            self.responder_counts.d.next = false;
            self.requester_counts.d.next = false;
            self.count.d.next = bits::<16>(0);
        }
    }
}
