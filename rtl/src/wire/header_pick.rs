//! Picks the header fields to keep out of captured bytes.
use super::raw_header::RawHeader;
use hca_hdl::prelude::*;

/// Picks the fields out of a packet's first 120 bytes, without a clock (`protocol/headers.md` section 1).
#[derive(LogicBlock, SmartDefault)]
pub struct HeaderPick<const IB: usize, const ROCE: usize> {
    /// The packet's first 120 bytes, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// High if the packet has the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// The fields to keep.
    pub raw: Signal<Out, RawHeader>,
    /// GID of IPv4 address 0.0.0.0.
    #[default(Constant::new(bits::<128>(0xFFFF) << 32))]
    mapped: Constant<Bits<128>>,
}

#[kernel]
impl<const IB: usize, const ROCE: usize> Logic for HeaderPick<IB, ROCE> {
    fn update(&mut self) {
        // LRH from bit 959 down, GRH from 895, BTH from 895 or 575.
        for _i in 0..IB {
            self.raw.next.transport = self.flat.val().get_bits::<416>(480);
            self.raw.next.link = (bit_cast::<64, 4>(self.flat.val().get_bits::<4>(948)) << 32)
                | (bit_cast::<64, 16>(self.flat.val().get_bits::<16>(928)) << 16)
                | bit_cast::<64, 16>(self.flat.val().get_bits::<16>(896));
            self.raw.next.sgid = 0.into();
            self.raw.next.dgid = 0.into();
            self.raw.next.dest_mac = 0.into();
            self.raw.next.group_mac = false;
            self.raw.next.own = false;
            self.raw.next.port = false;
            self.raw.next.hop_limit = 0.into();
            self.raw.next.flow_label = 0.into();
            self.raw.next.traffic_class = 0.into();
            self.raw.next.has_grh = false;
            self.raw.next.ipv4 = false;
            if self.long.val() {
                self.raw.next.transport = self.flat.val().get_bits::<416>(160);
                self.raw.next.sgid = self.flat.val().get_bits::<128>(704);
                self.raw.next.dgid = self.flat.val().get_bits::<128>(576);
                self.raw.next.hop_limit = self.flat.val().get_bits::<8>(832);
                self.raw.next.flow_label = self.flat.val().get_bits::<20>(864);
                self.raw.next.traffic_class = self.flat.val().get_bits::<8>(884);
                self.raw.next.has_grh = true;
            }
        }
        // Ethernet from bit 943 down, IP from 831, UDP from 671 or 511, BTH from 607 or 447.
        for _i in 0..ROCE {
            self.raw.next.transport = self.flat.val().get_bits::<416>(192);
            self.raw.next.link = (bit_cast::<64, 48>(self.flat.val().get_bits::<48>(848)) << 16)
                | bit_cast::<64, 16>(self.flat.val().get_bits::<16>(656));
            self.raw.next.sgid = self.mapped.val() | bit_cast::<128, 32>(self.flat.val().get_bits::<32>(704));
            self.raw.next.dgid = self.mapped.val() | bit_cast::<128, 32>(self.flat.val().get_bits::<32>(672));
            // 01-00-5E or 33-33.
            self.raw.next.dest_mac = (bit_cast::<33, 1>(self.flat.val().get_bits::<1>(937)) << 32)
                | bit_cast::<33, 32>(self.flat.val().get_bits::<32>(896));
            self.raw.next.group_mac = (self.flat.val().get_bits::<24>(920) == 0x01005E)
                || (self.flat.val().get_bits::<16>(928) == 0x3333);
            self.raw.next.own = false;
            self.raw.next.port = false;
            self.raw.next.hop_limit = self.flat.val().get_bits::<8>(760);
            self.raw.next.flow_label = 0.into();
            self.raw.next.traffic_class = self.flat.val().get_bits::<8>(816);
            self.raw.next.has_grh = true;
            self.raw.next.ipv4 = !self.long.val();
            if self.long.val() {
                self.raw.next.transport = self.flat.val().get_bits::<416>(32);
                self.raw.next.link = (bit_cast::<64, 48>(self.flat.val().get_bits::<48>(848)) << 16)
                    | bit_cast::<64, 16>(self.flat.val().get_bits::<16>(496));
                self.raw.next.sgid = self.flat.val().get_bits::<128>(640);
                self.raw.next.dgid = self.flat.val().get_bits::<128>(512);
                self.raw.next.hop_limit = self.flat.val().get_bits::<8>(768);
                self.raw.next.flow_label = self.flat.val().get_bits::<20>(800);
                self.raw.next.traffic_class = self.flat.val().get_bits::<8>(820);
            }
        }
    }
}
