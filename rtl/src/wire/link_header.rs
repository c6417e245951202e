//! LRH and GRH of a packet to send.
use super::tx_header::TxHeader;
use hca_hdl::prelude::*;

/// Lays out LRH and, if the packet has one, GRH (`protocol/headers.csv`, `protocol/headers.md` section 3).
///
/// Two registers deep, each with its own enable: `lay` lays the fields out, `place` puts the lengths in.
#[derive(LogicBlock, Default)]
pub struct LinkHeader {
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
    lrh: Register<Bits<64>>,
    grh: Register<Bits<320>>,
    global: Register<Bit>,
    placed: Register<Bits<512>>,
    packet_length: Signal<Local, Bits<11>>,
    payload_length: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for LinkHeader {
    fn update(&mut self) {
        if self.lay.val() {
            self.global.d.next = self.header.val().has_grh;
            // LVer 0; LNH 10, or 11 with a GRH.
            self.lrh.d.next = (bit_cast::<64, 4>(self.header.val().vl) << 60)
                | (bit_cast::<64, 4>(self.header.val().sl) << 52)
                | (bits::<64>(2) << 48)
                | (bit_cast::<64, 1>(self.header.val().has_grh.into()) << 48)
                | (bit_cast::<64, 16>(self.header.val().dlid) << 32)
                | bit_cast::<64, 16>(self.header.val().slid);
            // IPVer 6, NxtHdr 1Bh.
            self.grh.d.next = (bits::<320>(6) << 316)
                | (bit_cast::<320, 8>(self.header.val().traffic_class) << 308)
                | (bit_cast::<320, 20>(self.header.val().flow_label) << 288)
                | (bits::<320>(0x1B) << 264)
                | (bit_cast::<320, 8>(self.header.val().hop_limit) << 256)
                | (bit_cast::<320, 128>(self.header.val().sgid) << 128)
                | bit_cast::<320, 128>(self.header.val().dgid);
        }

        // PktLen counts words from the LRH to the ICRC, PayLen bytes from behind the GRH to the ICRC.
        self.packet_length.next = self.transport_words.val() + 2;
        if self.global.q.val() {
            self.packet_length.next = self.transport_words.val() + 12;
        }
        self.payload_length.next = bit_cast::<16, 11>(self.transport_words.val()) << 2;
        if self.place.val() {
            self.placed.d.next = (bit_cast::<512, 64>(self.lrh.q.val()) << 448)
                | (bit_cast::<512, 11>(self.packet_length.val()) << 464);
            if self.global.q.val() {
                self.placed.d.next = (bit_cast::<512, 64>(self.lrh.q.val()) << 448)
                    | (bit_cast::<512, 11>(self.packet_length.val()) << 464)
                    | (bit_cast::<512, 320>(self.grh.q.val()) << 128)
                    | (bit_cast::<512, 16>(self.payload_length.val()) << 400);
            }
        }
        self.flat.next = self.placed.q.val();
    }
}
