//! Ethernet, IP and UDP headers of a packet to send.
use super::tx_header::TxHeader;
use hca_hdl::prelude::*;

/// Lays out two zero bytes, Ethernet, IPv4 or IPv6, and UDP (`protocol/headers.md` section 7).
///
/// The zero bytes align what follows to words; [`FrameCut`](super::frame_cut::FrameCut) removes them. Two registers
/// deep, each with its own enable: `lay` lays the fields out, `place` puts the lengths in. IPv4: identification 0, do
/// not fragment, no options. The UDP checksum is 0.
#[derive(LogicBlock, SmartDefault)]
pub struct EthernetHeader {
    pub clock: Signal<In, Clock>,
    /// The packet to lay out.
    pub header: Signal<In, TxHeader>,
    /// High for each cycle in which `header` is laid out.
    pub lay: Signal<In, Bit>,
    /// 32-bit words from BTH to ICRC of the packet last laid out.
    pub transport_words: Signal<In, Bits<11>>,
    /// High for each cycle in which the packet last laid out moves on to `flat`, with its lengths.
    pub place: Signal<In, Bit>,
    /// Header bytes of the packet last placed, byte 0 at the most significant end, zeros behind them.
    pub flat: Signal<Out, Bits<512>>,
    ethernet: Register<Bits<128>>,
    ip: Register<Bits<320>>,
    udp: Register<Bits<64>>,
    is_v4: Register<Bit>,
    addresses_sum: Register<Bits<18>>,
    fields_sum: Register<Bits<17>>,
    placed: Register<Bits<512>>,
    placed_v4: Register<Bit>,
    sum: Register<Bits<19>>,
    udp_length: Signal<Local, Bits<16>>,
    total_length: Signal<Local, Bits<16>>,
    source: Signal<Local, Bits<18>>,
    dest: Signal<Local, Bits<18>>,
    folded: Signal<Local, Bits<17>>,
    checksum: Signal<Local, Bits<16>>,
    #[default(constant(0x0800))]
    ethertype_v4: Constant<Bits<128>>,
    #[default(constant(0x86DD))]
    ethertype_v6: Constant<Bits<128>>,
    // Version 4 and IHL 5, DF, protocol UDP; version 6, next header UDP.
    #[default(Constant::new(
        (bits::<320>(0x45) << 312) | (bits::<320>(0x4000) << 256) | (bits::<320>(0x11) << 240)
    ))]
    constant_v4: Constant<Bits<320>>,
    #[default(Constant::new((bits::<320>(6) << 316) | (bits::<320>(0x11) << 264)))]
    constant_v6: Constant<Bits<320>>,
    #[default(constant(CONSTANT_SUM))]
    constant_sum: Constant<Bits<17>>,
    #[default(Constant::new(bits::<64>(4791) << 32))]
    dest_port: Constant<Bits<64>>,
}

/// Share of constant fields in the IPv4 checksum: version, IHL, DF and protocol, and an IPv4 and a UDP header in
/// TotLen.
const CONSTANT_SUM: u64 = 0x4500 + 0x4000 + 0x11 + 28;

#[kernel]
impl Logic for EthernetHeader {
    fn update(&mut self) {
        self.source.next = bit_cast::<18, 16>(self.header.val().sgid.get_bits::<16>(16))
            + bit_cast::<18, 16>(self.header.val().sgid.get_bits::<16>(0));
        self.dest.next = bit_cast::<18, 16>(self.header.val().dgid.get_bits::<16>(16))
            + bit_cast::<18, 16>(self.header.val().dgid.get_bits::<16>(0));
        if self.lay.val() {
            self.is_v4.d.next = self.header.val().ipv4;
            self.ethernet.d.next = (bit_cast::<128, 48>(self.header.val().dest_mac) << 64)
                | (bit_cast::<128, 48>(self.header.val().source_mac) << 16)
                | self.ethertype_v6.val();
            self.ip.d.next = self.constant_v6.val()
                | (bit_cast::<320, 8>(self.header.val().traffic_class) << 308)
                | (bit_cast::<320, 20>(self.header.val().flow_label) << 288)
                | (bit_cast::<320, 8>(self.header.val().hop_limit) << 256)
                | (bit_cast::<320, 128>(self.header.val().sgid) << 128)
                | bit_cast::<320, 128>(self.header.val().dgid);
            if self.header.val().ipv4 {
                self.ethernet.d.next = (bit_cast::<128, 48>(self.header.val().dest_mac) << 64)
                    | (bit_cast::<128, 48>(self.header.val().source_mac) << 16)
                    | self.ethertype_v4.val();
                self.ip.d.next = self.constant_v4.val()
                    | (bit_cast::<320, 8>(self.header.val().traffic_class) << 304)
                    | (bit_cast::<320, 8>(self.header.val().hop_limit) << 248)
                    | (bit_cast::<320, 32>(self.header.val().sgid.get_bits::<32>(0)) << 192)
                    | (bit_cast::<320, 32>(self.header.val().dgid.get_bits::<32>(0)) << 160);
            }
            self.udp.d.next =
                (bit_cast::<64, 16>(self.header.val().source_port) << 48) | self.dest_port.val();
            self.addresses_sum.d.next = self.source.val() + self.dest.val();
            self.fields_sum.d.next = self.constant_sum.val()
                + (bit_cast::<17, 8>(self.header.val().traffic_class)
                    | (bit_cast::<17, 8>(self.header.val().hop_limit) << 8));
        }

        // UDP and IPv6 count from the UDP header to the ICRC, IPv4 its own header too.
        self.udp_length.next = (bit_cast::<16, 11>(self.transport_words.val()) << 2) + 8;
        self.total_length.next = (bit_cast::<16, 11>(self.transport_words.val()) << 2) + 28;
        if self.place.val() {
            self.placed_v4.d.next = self.is_v4.q.val();
            self.sum.d.next = (bit_cast::<19, 18>(self.addresses_sum.q.val())
                + bit_cast::<19, 17>(self.fields_sum.q.val()))
                + (bit_cast::<19, 11>(self.transport_words.val()) << 2);
            self.placed.d.next = (bit_cast::<512, 128>(self.ethernet.q.val()) << 384)
                | (bit_cast::<512, 320>(self.ip.q.val()) << 64)
                | (bit_cast::<512, 16>(self.udp_length.val()) << 336)
                | bit_cast::<512, 64>(self.udp.q.val())
                | (bit_cast::<512, 16>(self.udp_length.val()) << 16);
            if self.is_v4.q.val() {
                self.placed.d.next = (bit_cast::<512, 128>(self.ethernet.q.val()) << 384)
                    | (bit_cast::<512, 320>(self.ip.q.val()) << 64)
                    | (bit_cast::<512, 16>(self.total_length.val()) << 352)
                    | (bit_cast::<512, 64>(self.udp.q.val()) << 160)
                    | (bit_cast::<512, 16>(self.udp_length.val()) << 176);
            }
        }

        // The sum with its carries added back in; a second carry leaves room for itself.
        self.folded.next = bit_cast::<17, 16>(self.sum.q.val().get_bits::<16>(0))
            + bit_cast::<17, 3>(self.sum.q.val().get_bits::<3>(16));
        self.checksum.next =
            !(self.folded.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.folded.val().get_bits::<1>(16)));
        self.flat.next = self.placed.q.val();
        if self.placed_v4.q.val() {
            self.flat.next = self.placed.q.val() | (bit_cast::<512, 16>(self.checksum.val()) << 288);
        }
    }
}
