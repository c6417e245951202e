//! Makes a QP's context for the engines from the arguments.
use crate::context::{QpConfig, QpLimits, QpRoute, Services};
use hca_hdl::prelude::*;

/// Q_Key of QP1 (`protocol/special_qps.md` section 1).
const MANAGEMENT_Q_KEY: u32 = 0x8001_0000;

/// Makes the rows of one QP from its words in the argument registers. A destroyed QP gets a QPN that no packet names. A
/// QP of UD has its Q_Key in the place of the peer's QPN, and the largest MTU, 4096 bytes, as its PMTU: a message that
/// the active MTU admits is one packet.
/// `SP`: 1 if there is a second port, else 0.
#[derive(LogicBlock, SmartDefault)]
pub struct QpContext<const SP: usize> {
    pub clock: Signal<In, Clock>,
    /// Argument registers, as in `Registers`: word n of `host::command::modify_qp` at bit 32 * (23 - n).
    pub arguments: Signal<In, Bits<768>>,
    /// Word `Q_KEY`.
    pub q_key: Signal<In, Bits<32>>,
    /// High if the QP is destroyed.
    pub destroyed: Signal<In, Bit>,
    /// High after the reset of the adapter: the context of index `forgotten` is cleared, whatever the arguments are.
    pub forgets: Signal<In, Bit>,
    /// Index of the context that is cleared.
    pub forgotten: Signal<In, Bits<12>>,
    /// High if the QP leaves SQE.
    pub restarts: Signal<In, Bit>,
    /// High if an event is wanted once the send queue is drained.
    pub wants_drained: Signal<In, Bit>,
    /// IPD of the QP's rate ([`super::StaticRate`]).
    pub delay: Signal<In, Bits<6>>,
    /// Configuration of the QP.
    pub row: Signal<Out, QpConfig>,
    /// Address of the QP.
    pub route: Signal<Out, QpRoute>,
    /// Words `LIMITS` and `PD`, with these bits beside: 51, the QP supplies credits; 52, it expects credits; 61,
    /// its rate is below that of the port; 62, `restarts`; 63, `wants_drained`.
    pub limits: Signal<Out, QpLimits>,
    // The fields that are not arguments, a clock before they are offered.
    qpn: Register<Bits<32>>,
    state: Register<Bits<32>>,
    peer: Register<Bits<32>>,
    is_datagram: Signal<Local, Bit>,
    /// High for QP0 or QP1 of a port.
    special: Signal<Local, Bit>,
    /// Bits of half a QPN that QP0 and QP1 of the ports differ in.
    #[default(constant(SP))]
    later_ports: Constant<Bits<31>>,
    #[default(constant(2 * SP))]
    port_bit: Constant<Bits<24>>,
    /// QPN of QP1 of the last port.
    #[default(constant(2 * SP + 1))]
    last_general: Constant<Bits<24>>,
    #[default(constant(MANAGEMENT_Q_KEY))]
    management_key: Constant<Bits<32>>,
    services: Services,
    /// Code of `protocol/pmtu.csv`.
    #[default(constant(5))]
    largest_mtu: Constant<Bits<32>>,
    #[default(constant(0x700))]
    pmtu_mask: Constant<Bits<32>>,
}

#[kernel]
impl<const SP: usize> Logic for QpContext<SP> {
    fn update(&mut self) {
        self.qpn.d.next = self.arguments.val().get_bits::<32>(736);
        if self.destroyed.val() {
            self.qpn.d.next = !self.arguments.val().get_bits::<32>(736);
        }
        self.state.d.next = self.arguments.val().get_bits::<32>(704);
        self.peer.d.next = self.arguments.val().get_bits::<32>(480);
        self.is_datagram.next = self.arguments.val().get_bits::<3>(708) == self.services.ud.val();
        if self.is_datagram.val() {
            self.state.d.next = (self.arguments.val().get_bits::<32>(704) & !self.pmtu_mask.val())
                | (self.largest_mtu.val() << 8);
            self.peer.d.next = self.q_key.val();
            // The Q_Key of QP1 is always the same (`protocol/special_qps.md` section 1).
            if (self.arguments.val().get_bits::<24>(736) | self.port_bit.val()) == self.last_general.val() {
                self.peer.d.next = self.management_key.val();
            }
        }
        if self.forgets.val() {
            self.qpn.d.next = !bit_cast::<32, 12>(self.forgotten.val());
            // Reset.
            self.state.d.next = bits::<32>(0);
        }
        self.row.next = ((bit_cast::<448, 32>(self.qpn.q.val()) << 416)
            | (bit_cast::<448, 32>(self.state.q.val()) << 384)
            | (bit_cast::<448, 192>(self.arguments.val().get_bits::<192>(512)) << 192)
            | bit_cast::<448, 160>(self.arguments.val().get_bits::<160>(320)))
        .into();
        self.row.next.peer = self.peer.q.val();
        // QP0 and QP1 have no attribute for the port: it is part of their names (`protocol/link.md` section 8).
        self.special.next = !(self.qpn.q.val().get_bits::<31>(1) & !self.later_ports.val()).any();
        self.row.next.subnet = self.special.val() && !self.qpn.q.val().get_bit(0);
        self.row.next.general = self.special.val() && self.qpn.q.val().get_bit(0);
        self.row.next.port = false;
        for _i in 0..SP {
            self.row.next.port = self.arguments.val().get_bit(433);
            if self.special.val() {
                self.row.next.port = self.qpn.q.val().get_bit(1);
            }
        }
        self.route.next = self.arguments.val().get_bits::<256>(64).into();
        self.route.next.delay = self.delay.val();
        self.limits.next = self.arguments.val().get_bits::<64>(0).into();
        self.limits.next.supplied = self.arguments.val().get_bit(56);
        self.limits.next.expected = self.arguments.val().get_bit(57);
        self.limits.next.unused_limits_21 = bits::<8>(0);
        self.limits.next.paced = self.delay.val().any();
        self.limits.next.restarts = self.restarts.val();
        self.limits.next.wants_drained = self.wants_drained.val();
    }
}
