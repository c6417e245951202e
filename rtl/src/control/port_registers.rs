//! The registers of the port's addresses.
use crate::bundle::RegisterBusSink;
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `PORT`, `PORT_MAC_*` and `PORT_GID`, all 0 after reset, and `PORT_MTU` (`protocol/link.md`
/// section 13).
#[derive(LogicBlock, SmartDefault)]
pub struct PortRegisters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// Base LID.
    pub lid: Signal<Out, Bits<16>>,
    /// LID mask control.
    pub lmc: Signal<Out, Bits<3>>,
    /// MAC address.
    pub mac: Signal<Out, Bits<48>>,
    /// GID.
    pub gid: Signal<Out, Bits<128>>,
    /// Active MTU, a code of `protocol/pmtu.csv` from 1 to 5.
    pub mtu: Signal<Out, Bits<3>>,
    port: Register<Bits<32>>,
    mac_high: Register<Bits<32>>,
    mac_low: Register<Bits<32>>,
    #[default(array_init::array_init(|_| Default::default()))]
    gid_word: [Register<Bits<32>>; 4],
    gid_joined: Concat<32, 4, 128>,
    #[default(Register::new(map::port_mtu::MOST.to_bits()))]
    code: Register<Bits<3>>,
    asked: Signal<Local, Bits<4>>,
    #[default(constant(map::port_mtu::LEAST))]
    least_code: Constant<Bits<4>>,
    #[default(constant(map::port_mtu::MOST))]
    most_code: Constant<Bits<4>>,
    #[default(constant(map::port_mtu::MOST))]
    reset_code: Constant<Bits<3>>,
    #[default(constant(map::PORT_MTU))]
    a_mtu: Constant<Bits<20>>,
    #[default(constant(map::PORT))]
    a_port: Constant<Bits<20>>,
    #[default(constant(map::PORT_MAC_HIGH))]
    a_mac_high: Constant<Bits<20>>,
    #[default(constant(map::PORT_MAC_LOW))]
    a_mac_low: Constant<Bits<20>>,
    #[default(constant(map::PORT_GID as usize >> 4))]
    gid_page: Constant<Bits<16>>,
}

#[kernel]
impl Logic for PortRegisters {
    fn update(&mut self) {
        for i in 0..4 {
            dff_setup!(self, clock, gid_word[i]);
            self.gid_joined.i[i].next = self.gid_word[i].q.val();
        }
        self.asked.next = self.bus.write_data.val().get_bits::<4>(0);
        if self.bus.write.val() {
            if self.bus.write_address.val() == self.a_port.val() {
                self.port.d.next = bit_cast::<32, 19>(self.bus.write_data.val().get_bits::<19>(0));
            }
            if self.bus.write_address.val() == self.a_mac_high.val() {
                self.mac_high.d.next = bit_cast::<32, 16>(self.bus.write_data.val().get_bits::<16>(0));
            }
            if self.bus.write_address.val() == self.a_mac_low.val() {
                self.mac_low.d.next = self.bus.write_data.val();
            }
            if (self.bus.write_address.val() == self.a_mtu.val())
                && (self.asked.val() >= self.least_code.val())
                && (self.asked.val() <= self.most_code.val())
            {
                self.code.d.next = self.bus.write_data.val().get_bits::<3>(0);
            }
            if self.bus.write_address.val().get_bits::<16>(4) == self.gid_page.val() {
                for i in 0..4 {
                    if self.bus.write_address.val().get_bits::<2>(2) == i.to_bits::<2>() {
                        self.gid_word[i].d.next = self.bus.write_data.val();
                    }
                }
            }
        }

        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val() == self.a_port.val() {
            self.read_data.next = self.port.q.val();
        }
        if self.bus.read_address.val() == self.a_mac_high.val() {
            self.read_data.next = self.mac_high.q.val();
        }
        if self.bus.read_address.val() == self.a_mac_low.val() {
            self.read_data.next = self.mac_low.q.val();
        }
        if self.bus.read_address.val() == self.a_mtu.val() {
            self.read_data.next = bit_cast::<32, 3>(self.code.q.val());
        }
        if self.bus.read_address.val().get_bits::<16>(4) == self.gid_page.val() {
            for i in 0..4 {
                if self.bus.read_address.val().get_bits::<2>(2) == i.to_bits::<2>() {
                    self.read_data.next = self.gid_word[i].q.val();
                }
            }
        }

        if self.reset.val() {
            self.code.d.next = self.reset_code.val();
            for i in 0..4 {
                self.gid_word[i].d.next = bits::<32>(0);
            }
            clear!(self, port, mac_high, mac_low);
        }
        self.lid.next = self.port.q.val().get_bits::<16>(0);
        self.lmc.next = self.port.q.val().get_bits::<3>(16);
        self.mac.next = (bit_cast::<48, 16>(self.mac_high.q.val().get_bits::<16>(0)) << 32)
            | bit_cast::<48, 32>(self.mac_low.q.val());
        self.gid.next = self.gid_joined.o.val();
        self.mtu.next = self.code.q.val();
    }
}
