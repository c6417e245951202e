//! The commands by name.
use crate::host::command;
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// At most one is set; none of an unknown code.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
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
}

/// Names a code (`host::command`).
#[derive(LogicBlock)]
pub struct CommandDecode {
    pub code: Signal<In, Bits<32>>,
    pub name: Signal<Out, CommandName>,
    create_cq: Constant<Bits<32>>,
    modify_qp: Constant<Bits<32>>,
    reg_mr: Constant<Bits<32>>,
    dereg_mr: Constant<Bits<32>>,
    invalidate: Constant<Bits<32>>,
    destroy_cq: Constant<Bits<32>>,
    resize_cq: Constant<Bits<32>>,
    query_cq: Constant<Bits<32>>,
    create_qp: Constant<Bits<32>>,
    query_qp: Constant<Bits<32>>,
    destroy_qp: Constant<Bits<32>>,
}

impl Default for CommandDecode {
    fn default() -> Self {
        let code = |code: u32| Constant::new((code as usize).to_bits());
        CommandDecode {
            code: Default::default(),
            name: Default::default(),
            create_cq: code(command::CREATE_CQ),
            modify_qp: code(command::MODIFY_QP),
            reg_mr: code(command::REG_MR),
            dereg_mr: code(command::DEREG_MR),
            invalidate: code(command::INVALIDATE),
            destroy_cq: code(command::DESTROY_CQ),
            resize_cq: code(command::RESIZE_CQ),
            query_cq: code(command::QUERY_CQ),
            create_qp: code(command::CREATE_QP),
            query_qp: code(command::QUERY_QP),
            destroy_qp: code(command::DESTROY_QP),
        }
    }
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
    }
}
