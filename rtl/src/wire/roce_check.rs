//! The checks of Ethernet, IP and UDP.
use super::ipv4_sum::Ipv4Sum;
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

/// Judges the link and network layer of a frame in four cycles (`protocol/headers.md` section 7).
///
/// `flat` and `long` belong to the first cycle, `total` to the second; `passes` follows in the fourth, `reason` in the
/// fifth. The UDP checksum and source port may be anything.
#[derive(LogicBlock, SmartDefault)]
pub struct RoceCheck {
    pub clock: Signal<In, Clock>,
    /// Two zero bytes, then the first 118 bytes of the frame, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// High if the EtherType is that of IPv6.
    pub long: Signal<In, Bit>,
    /// Number of bytes of the frame as it arrived.
    pub total: Signal<In, Bits<18>>,
    /// GID of the port.
    pub port_gid: Signal<In, Bits<128>>,
    /// MAC address of the port.
    pub port_mac: Signal<In, Bits<48>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub port_mtu: Signal<In, Bits<3>>,
    /// High if no check fails, so that `reason` is 0 in the next cycle.
    pub passes: Signal<Out, Bit>,
    /// 0, or the reason to drop the packet, numbered as on the retire port.
    pub reason: Signal<Out, Bits<8>>,
    sum: Ipv4Sum,
    /// Largest UDP length.
    most_length: Register<Bits<16>>,
    // Fields.
    mac_difference: Register<Bits<48>>,
    group_mac: Register<Bit>,
    ether_type: Register<Bits<16>>,
    is_ipv6: Register<Bit>,
    version: Register<Bits<4>>,
    header_words: Register<Bits<4>>,
    fragment: Register<Bits<14>>,
    protocol: Register<Bits<8>>,
    port: Register<Bits<16>>,
    ip_length: Register<Bits<16>>,
    udp_length: Register<Bits<16>>,
    gid_difference: Register<Bits<128>>,
    // Comparisons.
    runt: Register<Bit>,
    is_padded: Register<Bit>,
    bytes: Register<Bits<18>>,
    mac_differs: Register<Bits<3>>,
    compared_group: Register<Bit>,
    no_ip: Register<Bit>,
    compared_ipv6: Register<Bit>,
    other_version: Register<Bit>,
    has_options: Register<Bit>,
    is_fragment: Register<Bit>,
    not_rdma: Register<Bit>,
    lengths_differ: Register<Bit>,
    odd_length: Register<Bit>,
    claimed: Register<Bits<18>>,
    gid_differs: Register<Bits<4>>,
    // Checks.
    checked_runt: Register<Bit>,
    wrong_mac: Register<Bit>,
    wrong_type: Register<Bit>,
    wrong_ip: Register<Bit>,
    checked_ipv4: Register<Bit>,
    wrong_network: Register<Bit>,
    wrong_length: Register<Bit>,
    wrong_gid: Register<Bit>,
    // Verdict.
    verdict: Register<Bits<8>>,
    why: DropReasons,
    #[default(Constant::new(bits::<128>(0xFFFF) << 32))]
    mapped: Constant<Bits<128>>,
}

#[kernel]
impl Logic for RoceCheck {
    fn update(&mut self) {
        clock!(self, clock, sum);
        // Code 1 is 256 bytes.
        self.most_length.d.next = (bits::<16>(128) << self.port_mtu.val()) + 84;
        // Fields: Ethernet from bit 943 down, IP from 831, UDP from 671 or 511.
        self.mac_difference.d.next = self.flat.val().get_bits::<48>(896) ^ self.port_mac.val();
        // 01-00-5E or 33-33.
        self.group_mac.d.next = (self.flat.val().get_bits::<24>(920) == 0x01005E)
            || (self.flat.val().get_bits::<16>(928) == 0x3333);
        self.ether_type.d.next = self.flat.val().get_bits::<16>(832);
        self.is_ipv6.d.next = self.long.val();
        self.version.d.next = self.flat.val().get_bits::<4>(828);
        self.header_words.d.next = self.flat.val().get_bits::<4>(824);
        self.fragment.d.next = self.flat.val().get_bits::<14>(768);
        self.sum.header.next = self.flat.val().get_bits::<160>(672);
        self.protocol.d.next = self.flat.val().get_bits::<8>(752);
        self.port.d.next = self.flat.val().get_bits::<16>(640);
        self.ip_length.d.next = self.flat.val().get_bits::<16>(800);
        self.udp_length.d.next = self.flat.val().get_bits::<16>(624);
        self.gid_difference.d.next = (self.mapped.val()
            | bit_cast::<128, 32>(self.flat.val().get_bits::<32>(672)))
            ^ self.port_gid.val();
        if self.long.val() {
            self.protocol.d.next = self.flat.val().get_bits::<8>(776);
            self.port.d.next = self.flat.val().get_bits::<16>(480);
            self.ip_length.d.next = self.flat.val().get_bits::<16>(784);
            self.udp_length.d.next = self.flat.val().get_bits::<16>(464);
            self.gid_difference.d.next = self.flat.val().get_bits::<128>(512) ^ self.port_gid.val();
        }

        // Comparisons.
        self.runt.d.next = self.total.val() < 58;
        self.is_padded.d.next = self.total.val() == 60;
        self.bytes.d.next = self.total.val();
        self.mac_differs.d.next =
            bit_cast::<3, 1>(self.mac_difference.q.val().get_bits::<16>(0).any().into())
                | (bit_cast::<3, 1>(self.mac_difference.q.val().get_bits::<16>(16).any().into()) << 1)
                | (bit_cast::<3, 1>(self.mac_difference.q.val().get_bits::<16>(32).any().into()) << 2);
        self.compared_group.d.next = self.group_mac.q.val();
        self.no_ip.d.next = (self.ether_type.q.val() != 0x0800) && !self.is_ipv6.q.val();
        self.compared_ipv6.d.next = self.is_ipv6.q.val();
        self.other_version.d.next = self.version.q.val() != 4;
        self.lengths_differ.d.next =
            bit_cast::<17, 16>(self.ip_length.q.val()) != (bit_cast::<17, 16>(self.udp_length.q.val()) + 20);
        self.claimed.d.next = bit_cast::<18, 16>(self.udp_length.q.val()) + 34;
        if self.is_ipv6.q.val() {
            self.other_version.d.next = self.version.q.val() != 6;
            self.lengths_differ.d.next = self.ip_length.q.val() != self.udp_length.q.val();
            self.claimed.d.next = bit_cast::<18, 16>(self.udp_length.q.val()) + 54;
        }
        self.has_options.d.next = self.header_words.q.val() != 5;
        self.is_fragment.d.next = self.fragment.q.val().any();
        self.not_rdma.d.next = (self.protocol.q.val() != 17) || (self.port.q.val() != 4791);
        // UDP, BTH and ICRC at the least; at the most the active MTU and 84 bytes of headers, pad and ICRC (link.md
        // section 13).
        self.odd_length.d.next = self.udp_length.q.val().get_bits::<2>(0).any()
            || ((self.udp_length.q.val() < 24) || (self.udp_length.q.val() > self.most_length.q.val()));
        self.gid_differs.d.next =
            bit_cast::<4, 1>(self.gid_difference.q.val().get_bits::<32>(0).any().into())
                | (bit_cast::<4, 1>(self.gid_difference.q.val().get_bits::<32>(32).any().into()) << 1)
                | (bit_cast::<4, 1>(self.gid_difference.q.val().get_bits::<32>(64).any().into()) << 2)
                | (bit_cast::<4, 1>(self.gid_difference.q.val().get_bits::<32>(96).any().into()) << 3);

        // Checks. Ethernet fills a frame up to 60 bytes.
        self.checked_runt.d.next = self.runt.q.val();
        // The address of a group is checked behind the link (ud.md section 4).
        self.wrong_mac.d.next = self.mac_differs.q.val().any() && !self.compared_group.q.val();
        self.wrong_type.d.next = self.no_ip.q.val();
        self.wrong_ip.d.next = self.other_version.q.val()
            || (!self.compared_ipv6.q.val() && (self.has_options.q.val() || self.is_fragment.q.val()));
        self.checked_ipv4.d.next = !self.compared_ipv6.q.val();
        self.wrong_network.d.next = self.not_rdma.q.val();
        self.wrong_length.d.next = (self.lengths_differ.q.val() || self.odd_length.q.val())
            || ((self.claimed.q.val() != self.bytes.q.val())
                && !(self.is_padded.q.val() && (self.claimed.q.val() < 60)));
        self.wrong_gid.d.next = self.gid_differs.q.val().any() && !self.compared_group.q.val();

        self.passes.next = !(self.checked_runt.q.val()
            || self.wrong_mac.q.val()
            || self.wrong_type.q.val()
            || self.wrong_ip.q.val()
            || (self.checked_ipv4.q.val() && !self.sum.holds.val())
            || self.wrong_network.q.val()
            || self.wrong_length.q.val()
            || self.wrong_gid.q.val());

        // Verdict: the first check that fails. IPv4's sum comes with the checks.
        self.verdict.d.next = 0.into();
        if self.checked_runt.q.val() {
            self.verdict.d.next = self.why.length.val();
        } else if self.wrong_mac.q.val() {
            // not addressed to the port, as a DLID
            self.verdict.d.next = self.why.dlid.val();
        } else if self.wrong_type.q.val() {
            // headers.md section 1
            self.verdict.d.next = self.why.network_header.val();
        } else if self.wrong_ip.q.val() || (self.checked_ipv4.q.val() && !self.sum.holds.val()) {
            // headers.md section 7, CA17-24
            self.verdict.d.next = self.why.grh.val();
        } else if self.wrong_network.q.val() {
            // headers.md section 7, CA17-20 and CA17-27
            self.verdict.d.next = self.why.network_header.val();
        } else if self.wrong_length.q.val() {
            // headers.md section 3
            self.verdict.d.next = self.why.length.val();
        } else if self.wrong_gid.q.val() {
            // responder.md section 1 step 3
            self.verdict.d.next = self.why.dgid.val();
        }
        self.reason.next = self.verdict.q.val();
    }
}
