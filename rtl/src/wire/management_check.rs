//! The checks that separate packets for QP0 from others.
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

/// Judges whether a native packet is for QP0 and on VL 15, or neither, and the class of a subnet management packet
/// (SMP) at a permissive LID (`protocol/special_qps.md` section 3 steps 3 and 5).
///
/// `flat` and `transport` belong to the first cycle; `passes` follows in the fourth, `reason` in the fifth. They are
/// meaningful only for a packet that passes the checks of link and transport.
#[derive(LogicBlock, SmartDefault)]
pub struct ManagementCheck {
    pub clock: Signal<In, Clock>,
    /// The first 120 bytes of the packet, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// BTH and the ten words behind it.
    pub transport: Signal<In, Bits<416>>,
    /// High if no check fails, so that `reason` is 0 in the next cycle.
    pub passes: Signal<Out, Bit>,
    /// 0, or the reason to drop the packet, numbered as on the retire port.
    pub reason: Signal<Out, Bits<8>>,
    // Comparisons.
    on_vl15: Register<Bit>,
    for_qp0: Register<Bit>,
    permissive: Register<Bit>,
    /// High for a Send without immediate, of the length of an SMP.
    has_form: Register<Bit>,
    /// High if the management class is that of a directed route.
    directed: Register<Bit>,
    // Checks.
    other_qp: Register<Bit>,
    other_class: Register<Bit>,
    // The same, a clock later, and again.
    wrong_qp: Register<Bit>,
    wrong_class: Register<Bit>,
    verdict: Register<Bits<8>>,
    why: DropReasons,
    /// PktLen of an SMP: 256 bytes behind LRH, BTH and DETH, and the ICRC.
    #[default(constant(72))]
    smp_words: Constant<Bits<11>>,
}

#[kernel]
impl Logic for ManagementCheck {
    fn update(&mut self) {
        self.on_vl15.d.next = self.flat.val().get_bits::<4>(956).all();
        self.for_qp0.d.next = !self.transport.val().get_bits::<24>(352).any();
        self.permissive.d.next =
            self.flat.val().get_bits::<16>(928).all() || self.flat.val().get_bits::<16>(896).all();
        self.has_form.d.next = (self.transport.val().get_bits::<8>(408) == 0x64)
            && (self.flat.val().get_bits::<11>(912) == self.smp_words.val())
            && !self.transport.val().get_bits::<2>(404).any();
        // Byte 1 behind LRH, BTH and DETH.
        self.directed.d.next = self.flat.val().get_bits::<8>(720) == 0x81;

        self.other_qp.d.next = self.on_vl15.q.val() != self.for_qp0.q.val();
        self.other_class.d.next = self.for_qp0.q.val()
            && self.permissive.q.val()
            && self.has_form.q.val()
            && !self.directed.q.val();
        self.wrong_qp.d.next = self.other_qp.q.val();
        self.wrong_class.d.next = self.other_class.q.val();
        self.passes.next = !self.wrong_qp.q.val() && !self.wrong_class.q.val();

        self.verdict.d.next = 0.into();
        if self.wrong_qp.q.val() {
            // Step 3.
            self.verdict.d.next = self.why.vl15.val();
        } else if self.wrong_class.q.val() {
            // Step 5.
            self.verdict.d.next = self.why.dlid.val();
        }
        self.reason.next = self.verdict.q.val();
    }
}
