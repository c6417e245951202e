//! The commands by their names.
use hca_hdl::prelude::*;
use hca_host::command;

record! {
    /// At most one is high; none for an unknown code.
    pub struct CommandName {
        /// `CREATE_CQ`: creates a completion queue.
        pub create_cq: Bit,
        /// `MODIFY_QP`: changes attributes or the state of a queue pair.
        pub modify_qp: Bit,
        /// `REG_MR`: registers a memory region.
        pub reg_mr: Bit,
        /// `DEREG_MR`: deregisters a memory region.
        pub dereg_mr: Bit,
        /// `INVALIDATE`: invalidates the R_Key of a memory region.
        pub invalidate: Bit,
        /// `DESTROY_CQ`: destroys a completion queue.
        pub destroy_cq: Bit,
        /// `RESIZE_CQ`: gives a completion queue another ring.
        pub resize_cq: Bit,
        /// `QUERY_CQ`: returns the state of a completion queue.
        pub query_cq: Bit,
        /// `CREATE_QP`: creates a queue pair.
        pub create_qp: Bit,
        /// `QUERY_QP`: returns the attributes of a queue pair.
        pub query_qp: Bit,
        /// `DESTROY_QP`: destroys a queue pair.
        pub destroy_qp: Bit,
        /// `CREATE_AH`: creates an address handle.
        pub create_ah: Bit,
        /// `MODIFY_AH`: changes the address of an address handle.
        pub modify_ah: Bit,
        /// `QUERY_AH`: returns the address of an address handle.
        pub query_ah: Bit,
        /// `DESTROY_AH`: destroys an address handle.
        pub destroy_ah: Bit,
        /// `ATTACH`: attaches a queue pair to a multicast group.
        pub attach: Bit,
        /// `DETACH`: detaches a queue pair from a multicast group.
        pub detach: Bit,
    }
}

/// Decodes a command code (`host::command`). Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct CommandDecode {
    /// Code of the command.
    pub code: Signal<In, Bits<32>>,
    /// The command by name.
    pub name: Signal<Out, CommandName>,
    #[default(constant(command::CREATE_CQ))]
    create_cq: Constant<Bits<32>>,
    #[default(constant(command::MODIFY_QP))]
    modify_qp: Constant<Bits<32>>,
    #[default(constant(command::REG_MR))]
    reg_mr: Constant<Bits<32>>,
    #[default(constant(command::DEREG_MR))]
    dereg_mr: Constant<Bits<32>>,
    #[default(constant(command::INVALIDATE))]
    invalidate: Constant<Bits<32>>,
    #[default(constant(command::DESTROY_CQ))]
    destroy_cq: Constant<Bits<32>>,
    #[default(constant(command::RESIZE_CQ))]
    resize_cq: Constant<Bits<32>>,
    #[default(constant(command::QUERY_CQ))]
    query_cq: Constant<Bits<32>>,
    #[default(constant(command::CREATE_QP))]
    create_qp: Constant<Bits<32>>,
    #[default(constant(command::QUERY_QP))]
    query_qp: Constant<Bits<32>>,
    #[default(constant(command::DESTROY_QP))]
    destroy_qp: Constant<Bits<32>>,
    #[default(constant(command::CREATE_AH))]
    create_ah: Constant<Bits<32>>,
    #[default(constant(command::MODIFY_AH))]
    modify_ah: Constant<Bits<32>>,
    #[default(constant(command::QUERY_AH))]
    query_ah: Constant<Bits<32>>,
    #[default(constant(command::DESTROY_AH))]
    destroy_ah: Constant<Bits<32>>,
    #[default(constant(command::ATTACH))]
    attach: Constant<Bits<32>>,
    #[default(constant(command::DETACH))]
    detach: Constant<Bits<32>>,
}

#[kernel]
impl Logic for CommandDecode {
    fn update(&mut self) {
        self.name.next.create_cq = self.code.val() == self.create_cq.val();
        self.name.next.modify_qp = self.code.val() == self.modify_qp.val();
        self.name.next.reg_mr = self.code.val() == self.reg_mr.val();
        self.name.next.dereg_mr = self.code.val() == self.dereg_mr.val();
        self.name.next.invalidate = self.code.val() == self.invalidate.val();
        self.name.next.destroy_cq = self.code.val() == self.destroy_cq.val();
        self.name.next.resize_cq = self.code.val() == self.resize_cq.val();
        self.name.next.query_cq = self.code.val() == self.query_cq.val();
        self.name.next.create_qp = self.code.val() == self.create_qp.val();
        self.name.next.query_qp = self.code.val() == self.query_qp.val();
        self.name.next.destroy_qp = self.code.val() == self.destroy_qp.val();
        self.name.next.create_ah = self.code.val() == self.create_ah.val();
        self.name.next.modify_ah = self.code.val() == self.modify_ah.val();
        self.name.next.query_ah = self.code.val() == self.query_ah.val();
        self.name.next.destroy_ah = self.code.val() == self.destroy_ah.val();
        self.name.next.attach = self.code.val() == self.attach.val();
        self.name.next.detach = self.code.val() == self.detach.val();
    }
}
