//! Judges the arguments of a command about a multicast group (`protocol/ud.md` section 4.1).
use crate::datagram::GidKind;
use hca_hdl::prelude::*;

/// Pure function of the arguments.
#[derive(LogicBlock, Default)]
pub struct GroupArguments {
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// High on a RoCEv2 link.
    pub roce: Signal<In, Bit>,
    /// GID of the group.
    pub mgid: Signal<Out, Bits<128>>,
    /// LID of the group; 0 on a RoCEv2 link, where the MGID alone names a group.
    pub mlid: Signal<Out, Bits<16>>,
    /// High if the addresses are those of a group.
    pub legal: Signal<Out, Bit>,
    given_mlid: Signal<Local, Bits<16>>,
    kind: GidKind,
}

#[kernel]
impl Logic for GroupArguments {
    fn update(&mut self) {
        self.mgid.next = self.arguments.val().get_bits::<128>(128);
        self.given_mlid.next = self.arguments.val().get_bits::<16>(448);
        self.kind.gid.next = self.mgid.val();
        self.mlid.next = self.given_mlid.val();
        self.legal.next = self.kind.group.val()
            && (self.given_mlid.val().get_bits::<2>(14) == 3)
            && !self.given_mlid.val().all();
        if self.roce.val() {
            self.mlid.next = bits::<16>(0);
            self.legal.next = self.kind.roce_group.val();
        }
    }
}
