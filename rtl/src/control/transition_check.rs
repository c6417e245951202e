//! The legal transitions between states, and their attributes.
use hca_hdl::prelude::*;
use hca_host::command::{self, attribute::*};
use hca_host::register::{GIDS, PORT_P_KEY_COUNT};

/// Attributes that a transition requires, and those that it also allows; `None` if there is no such transition
/// (`protocol/qp_cq.md` section 1, RC; the optional ones are our decision (AD): Linux's ib_core list, plus credits).
fn rc_rule(from: u32, to: u32) -> Option<(u32, u32)> {
    use command::{STATE_ERROR, STATE_INIT, STATE_RESET, STATE_RTR, STATE_RTS, STATE_SQD};
    const CHANGEABLE: u32 = ACCESS | MIN_RNR_TIMER;
    match (from, to) {
        (_, STATE_RESET | STATE_ERROR) => Some((0, 0)),
        (STATE_RESET, STATE_INIT) => Some((P_KEY_INDEX | PORT | ACCESS, 0)),
        (STATE_INIT, STATE_INIT) => Some((0, P_KEY_INDEX | PORT | ACCESS)),
        (STATE_INIT, STATE_RTR) => Some((
            ADDRESS | PMTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
            P_KEY_INDEX | ACCESS | CREDITS,
        )),
        (STATE_RTR, STATE_RTS) => Some((
            SQ_PSN | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD_ATOMIC,
            CHANGEABLE | CREDITS,
        )),
        (STATE_RTS, STATE_RTS) | (STATE_SQD, STATE_RTS) => Some((0, CHANGEABLE)),
        (STATE_RTS, STATE_SQD) => Some((0, DRAINED_EVENT)),
        (STATE_SQD, STATE_SQD) => Some((
            0,
            CHANGEABLE
                | P_KEY_INDEX
                | PORT
                | ADDRESS
                | MAX_DEST_RD_ATOMIC
                | TIMEOUT
                | RETRY_CNT
                | RNR_RETRY
                | MAX_RD_ATOMIC,
        )),
        _ => None,
    }
}

/// The rule of a transition for UC (`protocol/services.md` section 2), as in `rc_rule`.
fn uc_rule(from: u32, to: u32) -> Option<(u32, u32)> {
    use command::{STATE_ERROR, STATE_INIT, STATE_RESET, STATE_RTR, STATE_RTS, STATE_SQD, STATE_SQE};
    match (from, to) {
        (_, STATE_RESET | STATE_ERROR) => Some((0, 0)),
        (STATE_RESET, STATE_INIT) => Some((P_KEY_INDEX | PORT | ACCESS, 0)),
        (STATE_INIT, STATE_INIT) => Some((0, P_KEY_INDEX | PORT | ACCESS)),
        (STATE_INIT, STATE_RTR) => Some((ADDRESS | PMTU | DEST_QPN | RQ_PSN, P_KEY_INDEX | ACCESS)),
        (STATE_RTR, STATE_RTS) => Some((SQ_PSN, ACCESS)),
        (STATE_RTS | STATE_SQD | STATE_SQE, STATE_RTS) => Some((0, ACCESS)),
        (STATE_RTS, STATE_SQD) => Some((0, DRAINED_EVENT)),
        (STATE_SQD, STATE_SQD) => Some((0, P_KEY_INDEX | ACCESS | ADDRESS)),
        _ => None,
    }
}

/// The rule of a transition for UD, as in `rc_rule`.
fn ud_rule(from: u32, to: u32) -> Option<(u32, u32)> {
    use command::{STATE_ERROR, STATE_INIT, STATE_RESET, STATE_RTR, STATE_RTS, STATE_SQD, STATE_SQE};
    match (from, to) {
        (_, STATE_RESET | STATE_ERROR) => Some((0, 0)),
        (STATE_RESET, STATE_INIT) => Some((P_KEY_INDEX | PORT | Q_KEY, 0)),
        (STATE_INIT, STATE_INIT) => Some((0, P_KEY_INDEX | PORT | Q_KEY)),
        (STATE_INIT, STATE_RTR) => Some((0, P_KEY_INDEX | Q_KEY)),
        (STATE_RTR, STATE_RTS) => Some((SQ_PSN, Q_KEY)),
        (STATE_RTS | STATE_SQD | STATE_SQE, STATE_RTS) => Some((0, Q_KEY)),
        (STATE_RTS, STATE_SQD) => Some((0, DRAINED_EVENT)),
        (STATE_SQD, STATE_SQD) => Some((0, P_KEY_INDEX | Q_KEY)),
        _ => None,
    }
}

/// Checks the transition of `MODIFY_QP`. Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct TransitionCheck {
    /// Service of the QP: RC, UC or UD.
    pub service: Signal<In, Bits<2>>,
    /// High for QP0 or QP1.
    pub special: Signal<In, Bit>,
    /// Current state.
    pub state: Signal<In, Bits<3>>,
    /// Requested state.
    pub new_state: Signal<In, Bits<3>>,
    /// The argument `ATTRIBUTES`.
    pub given: Signal<In, Bits<32>>,
    /// Argument of `MODIFY_QP`: code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Argument of `MODIFY_QP`: index into the P_Key table of the port.
    pub p_key_index: Signal<In, Bits<16>>,
    /// Argument of `MODIFY_QP`: number of the port, from 1.
    pub port: Signal<In, Bits<8>>,
    /// Number of ports.
    pub ports: Signal<In, Bits<8>>,
    /// Argument of `MODIFY_QP`: high if packets have a GRH.
    pub has_grh: Signal<In, Bit>,
    /// Argument of `MODIFY_QP`: index into the GID table of the port.
    pub sgid_index: Signal<In, Bits<8>>,
    /// Argument of `MODIFY_QP`: high if `protocol/static_rate.csv` has the code of the rate.
    pub rate_known: Signal<In, Bit>,
    /// High on a RoCEv2 link, whose port has one GID.
    pub roce: Signal<In, Bit>,
    /// Argument of `MODIFY_QP`: most Reads and atomics under way as a requester.
    pub max_rd_atomic: Signal<In, Bits<8>>,
    /// Argument of `MODIFY_QP`: most Reads and atomics under way as a responder.
    pub max_dest_rd_atomic: Signal<In, Bits<8>>,

    /// High if there is no such transition.
    pub bad_transition: Signal<Out, Bit>,
    /// High if a required attribute is not given.
    pub missing: Signal<Out, Bit>,
    /// High if a given attribute is neither required nor allowed.
    pub forbidden: Signal<Out, Bit>,
    /// High if a given attribute is outside its limits.
    pub bad_attribute: Signal<Out, Bit>,
    /// Legal 34 | required 17 | optional 17.
    #[default(Rom::new((0..256).map(row)))]
    rules: Rom<35, 8>,
    required: Signal<Local, Bits<17>>,
    allowed: Signal<Local, Bits<17>>,
    /// Attributes that are part of the name of QP0 or QP1.
    named: Signal<Local, Bits<17>>,
    max_sgid_index: Signal<Local, Bits<8>>,
    #[default(constant(command::SERVICE_UD))]
    ud: Constant<Bits<2>>,
    #[default(constant(PORT))]
    port_attribute: Constant<Bits<17>>,
    #[default(constant(5))]
    max_pmtu: Constant<Bits<3>>,
    #[default(constant(PORT_P_KEY_COUNT - 1))]
    max_p_key_index: Constant<Bits<16>>,
    #[default(constant(GIDS - 1))]
    last_gid: Constant<Bits<8>>,
    #[default(constant(command::MAX_RD_ATOMIC))]
    max_depth: Constant<Bits<8>>,
}

/// The word of `rules` for a transition: the service in bits 7:6, the old state in bits 5:3, the new one in bits 2:0.
fn row(at: u32) -> Bits<35> {
    let (from, to) = (at >> 3 & 7, at & 7);
    let rule = match at >> 6 {
        command::SERVICE_UC => uc_rule(from, to),
        command::SERVICE_UD => ud_rule(from, to),
        _ => rc_rule(from, to),
    };
    let row = rule.map_or(0, |(required, optional)| {
        1u64 << 34 | u64::from(required) << 17 | u64::from(optional)
    });
    row.to_bits()
}

#[kernel]
impl Logic for TransitionCheck {
    fn update(&mut self) {
        self.rules.address.next = (bit_cast::<8, 2>(self.service.val()) << 6)
            | (bit_cast::<8, 3>(self.state.val()) << 3)
            | bit_cast::<8, 3>(self.new_state.val());
        // The port is part of the names of QP0 and QP1 (`protocol/special_qps.md` section 5).
        self.named.next = bits::<17>(0);
        if self.special.val() && (self.service.val() == self.ud.val()) {
            self.named.next = self.port_attribute.val();
        }
        self.required.next = self.rules.data.val().get_bits::<17>(17) & !self.named.val();
        self.allowed.next =
            (self.required.val() | self.rules.data.val().get_bits::<17>(0)) & !self.named.val();
        self.bad_transition.next = !self.rules.data.val().get_bit(34);
        self.missing.next = (self.required.val() & !self.given.val().get_bits::<17>(0)).any();
        self.forbidden.next = self.given.val().get_bits::<15>(17).any()
            || (self.given.val().get_bits::<17>(0) & !self.allowed.val()).any();

        self.max_sgid_index.next = self.last_gid.val();
        if self.roce.val() {
            self.max_sgid_index.next = bits::<8>(0);
        }

        // Limits (AD where section 2 names none), bits of `host::command::attribute`.
        self.bad_attribute.next = (self.given.val().get_bit(0)
            && (self.p_key_index.val() > self.max_p_key_index.val()))
            || (self.given.val().get_bit(1)
                && (!self.port.val().any() || (self.port.val() > self.ports.val())))
            || (self.given.val().get_bit(3)
                && self.has_grh.val()
                && (self.sgid_index.val() > self.max_sgid_index.val()))
            || (self.given.val().get_bit(3) && !self.rate_known.val())
            || (self.given.val().get_bit(4)
                && (!self.pmtu.val().any() || (self.pmtu.val() > self.max_pmtu.val())))
            || (self.given.val().get_bit(7) && (self.max_dest_rd_atomic.val() > self.max_depth.val()))
            || (self.given.val().get_bit(13) && (self.max_rd_atomic.val() > self.max_depth.val()));
    }
}
