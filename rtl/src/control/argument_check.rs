//! Checks command arguments by themselves, without the tables.
use crate::context::Services;
use hca_hdl::prelude::*;
use hca_host::command;

/// Pure function of the arguments. `QB`, `CB`, `MB`: index bits of a QP, of a CQ and of the protection table; `SP`: 1
/// if there is a second port, else 0.
#[derive(LogicBlock, SmartDefault)]
pub struct ArgumentCheck<const QB: usize, const CB: usize, const MB: usize, const SP: usize> {
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// High if the port is one of RoCEv2.
    pub roce: Signal<In, Bit>,
    /// High if the QPN has 24 bits and its index exists; the first two are for QP0 and QP1 only
    /// (CF253).
    pub qpn_fits: Signal<Out, Bit>,
    /// High for QP0 or QP1 of a port.
    pub special: Signal<Out, Bit>,
    /// High if the CQN of the command is within the limits.
    pub cqn_fits: Signal<Out, Bit>,
    /// High if both CQNs of `CREATE_QP` fit.
    pub cqns_fit: Signal<Out, Bit>,
    /// High if L_Key and R_Key name the same entry.
    pub keys_agree: Signal<Out, Bit>,
    /// High if the size of the completion ring is supported.
    pub cq_size_fits: Signal<Out, Bit>,
    /// High if the address of the completion ring is a multiple of 64.
    pub cq_aligned: Signal<Out, Bit>,
    /// High if the sizes of both work queues are supported, the service is RC, UC or UD, and the port may have such a
    /// QP: QP0 and QP1 are of UD, and a port of RoCEv2 has no QP0 (`protocol/special_qps.md` section 1).
    pub qp_sizes_fit: Signal<Out, Bit>,
    /// High if the addresses of both work queues are multiples of 64.
    pub qp_aligned: Signal<Out, Bit>,
    qpn: Signal<Local, Bits<32>>,
    cqn: Signal<Local, Bits<32>>,
    cqns: Signal<Local, Bits<32>>,
    sizes: Signal<Local, Bits<32>>,
    low_index: Signal<Local, Bit>,
    #[default(constant(SP))]
    later_ports: Constant<Bits<32>>,
    #[default(constant(QB))]
    index_bits: Constant<Bits<6>>,
    #[default(constant(CB))]
    cq_bits: Constant<Bits<6>>,
    #[default(constant(command::MAX_SQ_LOG_SIZE))]
    max_send: Constant<Bits<8>>,
    #[default(constant(command::MAX_LOG_SIZE))]
    max_receive: Constant<Bits<8>>,
    #[default(constant(command::MAX_LOG_SIZE))]
    max_cq: Constant<Bits<32>>,
    services: Services,
    #[default(constant((1usize << QB) - 2))]
    index_mask: Constant<Bits<32>>,
}

#[kernel]
impl<const QB: usize, const CB: usize, const MB: usize, const SP: usize> Logic
    for ArgumentCheck<QB, CB, MB, SP>
{
    fn update(&mut self) {
        self.qpn.next = self.arguments.val().get_bits::<32>(736);
        self.low_index.next = !(self.qpn.val() & self.index_mask.val()).any();
        self.qpn_fits.next = !self.qpn.val().get_bits::<8>(24).any()
            && (!self.low_index.val() || !(self.qpn.val() >> self.index_bits.val()).any());
        // QP0 and QP1 of port 2 have QPNs 2 and 3 (`protocol/link.md` section 8).
        self.special.next = !((self.qpn.val() >> 1) & !self.later_ports.val()).any();
        self.cqn.next = self.arguments.val().get_bits::<32>(736);
        self.cqn_fits.next = !(self.cqn.val() >> self.cq_bits.val()).any();
        self.cqns.next = self.arguments.val().get_bits::<32>(512);
        self.cqns_fit.next = !(self.cqns.val().get_bits::<16>(0) >> self.cq_bits.val()).any()
            && !(self.cqns.val().get_bits::<16>(16) >> self.cq_bits.val()).any();
        self.keys_agree.next =
            self.arguments.val().get_bits::<MB>(744) == self.arguments.val().get_bits::<MB>(712);
        self.cq_size_fits.next = self.arguments.val().get_bits::<32>(640) <= self.max_cq.val();
        self.cq_aligned.next = !self.arguments.val().get_bits::<6>(672).any();
        self.sizes.next = self.arguments.val().get_bits::<32>(672);
        self.qp_sizes_fit.next = (!self.roce.val() || self.qpn.val().any())
            && (self.sizes.val().get_bits::<8>(0) <= self.max_send.val())
            && (self.sizes.val().get_bits::<8>(8) <= self.max_receive.val())
            && ((self.arguments.val().get_bits::<3>(708) == self.services.ud.val())
                || (!self.special.val()
                    && ((self.arguments.val().get_bits::<3>(708) == self.services.rc.val())
                        || (self.arguments.val().get_bits::<3>(708) == self.services.uc.val()))));
        self.qp_aligned.next =
            !self.arguments.val().get_bits::<6>(608).any() && !self.arguments.val().get_bits::<6>(544).any();
    }
}
