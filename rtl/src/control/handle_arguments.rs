//! Judges the arguments of a command about an address handle, and makes its rows from them (`protocol/ud.md` section
//! 1).
use crate::context::QpRoute;
use crate::datagram::HandleRow;
use hca_hdl::prelude::*;

/// Pure function of the arguments. `AB`: index bits of a handle.
#[derive(LogicBlock, SmartDefault)]
pub struct HandleArguments<const AB: usize> {
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// High on a RoCEv2 link.
    pub roce: Signal<In, Bit>,
    /// High if `protocol/static_rate.csv` has the code of the rate.
    pub rate_known: Signal<In, Bit>,
    /// IPD of the rate ([`super::StaticRate`]).
    pub delay: Signal<In, Bits<6>>,
    /// Number of ports.
    pub ports: Signal<In, Bits<8>>,
    /// Index of the address handle.
    pub index: Signal<Out, Bits<AB>>,
    /// High if the handle is within the limits.
    pub fits: Signal<Out, Bit>,
    /// High if the address is legal.
    pub legal: Signal<Out, Bit>,
    /// The requester's part of the address.
    pub row: Signal<Out, HandleRow>,
    /// Rest of the address.
    pub route: Signal<Out, QpRoute>,
    handle: Signal<Local, Bits<32>>,
    port: Signal<Local, Bits<8>>,
    dlid: Signal<Local, Bits<16>>,
    has_grh: Signal<Local, Bit>,
    no_gid: Signal<Local, Bit>,
    no_dlid: Signal<Local, Bit>,
    flow_label: Signal<Local, Bits<20>>,
    source_port: Signal<Local, Bits<16>>,
    #[default(constant(AB))]
    index_bits: Constant<Bits<6>>,
    #[default(constant(0xC000))]
    first_multicast: Constant<Bits<16>>,
    #[default(constant(0xC000))]
    source_port_base: Constant<Bits<16>>,
}

#[kernel]
impl<const AB: usize> Logic for HandleArguments<AB> {
    fn update(&mut self) {
        self.handle.next = self.arguments.val().get_bits::<32>(736);
        self.index.next = self.arguments.val().get_bits::<AB>(736);
        self.fits.next = !(self.handle.val() >> self.index_bits.val()).any();
        self.dlid.next = self.arguments.val().get_bits::<16>(448);
        self.has_grh.next = self.arguments.val().get_bit(319);
        // The top bits of the index; over Ethernet there is one GID.
        self.no_gid.next = self.has_grh.val()
            && (self.arguments.val().get_bits::<6>(310).any()
                || (self.roce.val() && self.arguments.val().get_bits::<2>(308).any()));
        self.no_dlid.next = !self.dlid.val().any()
            || ((self.dlid.val() >= self.first_multicast.val())
                && !self.dlid.val().all()
                && !self.has_grh.val());
        if self.roce.val() {
            // No LID; the IP header stands for the GRH, and there are eight priorities.
            self.no_dlid.next = !self.has_grh.val() || self.arguments.val().get_bit(467);
        }
        self.port.next = self.arguments.val().get_bits::<8>(432);
        self.legal.next = self.port.val().any()
            && (self.port.val() <= self.ports.val())
            && !self.no_gid.val()
            && self.rate_known.val()
            && !self.no_dlid.val();
        self.row.next.exists = true;
        self.row.next.pd = self.arguments.val().get_bits::<24>(0);
        self.row.next.dlid = self.dlid.val();
        self.row.next.sl = self.arguments.val().get_bits::<4>(464);
        self.row.next.path_bits = self.arguments.val().get_bits::<7>(472);
        self.row.next.port = self.port.val().get_bit(1);
        self.row.next.paced = self.delay.val().any();
        // RoCEv2: C000h or ((low 14 bits of the flow label) xor (flow label >> 14)).
        self.flow_label.next = self.arguments.val().get_bits::<20>(288);
        self.source_port.next = self.source_port_base.val()
            | bit_cast::<16, 14>(
                self.flow_label.val().get_bits::<14>(0)
                    ^ bit_cast::<14, 6>(self.flow_label.val().get_bits::<6>(14)),
            );
        self.route.next = (self.arguments.val().get_bits::<256>(64)).into();
        self.route.next.source_port = self.source_port.val();
        self.route.next.delay = self.delay.val();
    }
}
