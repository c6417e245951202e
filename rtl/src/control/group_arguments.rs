//! Judges the arguments of a command about a multicast group (`protocol/ud.md` section 4.1).
use hca_hdl::primitive::{comment, constant};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Combinational.
#[derive(LogicBlock, SmartDefault)]
pub struct GroupArguments {
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// High on a RoCEv2 link.
    pub roce: Signal<In, Bit>,
    pub mgid: Signal<Out, Bits<128>>,
    /// LID of the group; 0 on a RoCEv2 link, where a group is known by its MGID alone.
    pub mlid: Signal<Out, Bits<16>>,
    /// High if the addresses are those of a group.
    pub legal: Signal<Out, Bit>,
    given_mlid: Signal<Local, Bits<16>>,
    group_gid: Signal<Local, Bit>,
    /// Of an IPv4 address, before its last four bytes.
    #[default(constant(0xFFFF))]
    mapped_prefix: Constant<Bits<96>>,
}

impl Logic for GroupArguments {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module group_arguments");
        self.mgid.next = self.arguments.val().get_bits::<128>(128);
        self.given_mlid.next = self.arguments.val().get_bits::<16>(448);
        self.group_gid.next = self.arguments.val().get_bits::<8>(248).all();
        self.mlid.next = self.given_mlid.val();
        self.legal.next = self.group_gid.val()
            && (self.given_mlid.val().get_bits::<2>(14) == 3)
            && !self.given_mlid.val().all();
        if self.roce.val() {
            self.mlid.next = bits::<16>(0);
            // 224.0.0.0/4 is a group, too.
            self.legal.next = self.group_gid.val()
                || ((self.arguments.val().get_bits::<96>(160) == self.mapped_prefix.val())
                    && (self.arguments.val().get_bits::<4>(156) == 0xE));
        }
    }
}
