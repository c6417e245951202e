//! The commands by their names.
use hca_hdl::primitive::{comment, constant};
use hca_hdl::record;
use hca_host::command;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

record! {
    /// At most one is high; none for an unknown code.
    pub struct CommandName {
        pub create_cq: Bit,
        pub modify_qp: Bit,
        pub reg_mr: Bit,
        pub dereg_mr: Bit,
        pub invalidate: Bit,
        pub destroy_cq: Bit,
        pub resize_cq: Bit,
        pub query_cq: Bit,
        pub create_qp: Bit,
        pub query_qp: Bit,
        pub destroy_qp: Bit,
        pub create_ah: Bit,
        pub modify_ah: Bit,
        pub query_ah: Bit,
        pub destroy_ah: Bit,
        pub attach: Bit,
        pub detach: Bit,
    }
}

/// Decodes a command code (`host::command`). Combinational.
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

impl Logic for CommandDecode {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module command_decode");
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
