//! Splits kept headers into named fields.
use super::rx_header::RxHeader;
use hca_hdl::prelude::*;

/// Splits the headers of a packet into named fields (`protocol/headers.csv`), without a clock; fields of headers that
/// the packet does not have are 0. `SP`: 1 if there is a second port, else 0.
#[derive(LogicBlock, Default)]
pub struct HeaderDecode<const SP: usize, const IB: usize, const ROCE: usize> {
    /// The headers as they are kept: a `RawHeader`.
    pub raw: Signal<In, Bits<810>>,
    /// Extended headers that the packet has: one bit each, in the order of `OpcodeTable`'s ports from bit 0 up.
    pub has: Signal<In, Bits<8>>,
    /// Arrival number of the packet.
    pub packet: Signal<In, Bits<32>>,
    /// Bytes of payload, pad not counted.
    pub payload: Signal<In, Bits<13>>,
    /// The named fields.
    pub header: Signal<Out, RxHeader>,
    dest_qp: Signal<Local, Bits<24>>,
    /// High if the packet names QP0 or QP1.
    special: Signal<Local, Bit>,
    rdeth: Signal<Local, Bit>,
    deth: Signal<Local, Bit>,
    reth: Signal<Local, Bit>,
    atomic_eth: Signal<Local, Bit>,
    aeth: Signal<Local, Bit>,
    atomic_ack_eth: Signal<Local, Bit>,
    immdt: Signal<Local, Bit>,
    ieth: Signal<Local, Bit>,
    extended: Signal<Local, Bits<320>>,
    datagram: Signal<Local, Bits<64>>,
    rest: Signal<Local, Bits<224>>,
}

#[kernel]
impl<const SP: usize, const IB: usize, const ROCE: usize> Logic for HeaderDecode<SP, IB, ROCE> {
    fn update(&mut self) {
        self.rdeth.next = self.has.val().get_bit(0);
        self.deth.next = self.has.val().get_bit(1);
        self.reth.next = self.has.val().get_bit(2);
        self.atomic_eth.next = self.has.val().get_bit(3);
        self.aeth.next = self.has.val().get_bit(4);
        self.atomic_ack_eth.next = self.has.val().get_bit(5);
        self.immdt.next = self.has.val().get_bit(6);
        self.ieth.next = self.has.val().get_bit(7);

        // Link and network.
        self.header.next.packet = self.packet.val();
        self.header.next.payload = self.payload.val();
        for _i in 0..IB {
            self.header.next.source_mac = 0.into();
            self.header.next.source_port = 0.into();
            self.header.next.slid = self.raw.val().get_bits::<16>(416);
            self.header.next.dlid = self.raw.val().get_bits::<16>(432);
            self.header.next.sl = self.raw.val().get_bits::<4>(448);
        }
        for _i in 0..ROCE {
            self.header.next.slid = 0.into();
            self.header.next.dlid = 0.into();
            self.header.next.sl = 0.into();
            self.header.next.source_port = self.raw.val().get_bits::<16>(416);
            self.header.next.source_mac = self.raw.val().get_bits::<48>(432);
        }
        self.header.next.sgid = self.raw.val().get_bits::<128>(480);
        self.header.next.hop_limit = self.raw.val().get_bits::<8>(608);
        self.header.next.flow_label = self.raw.val().get_bits::<20>(616);
        self.header.next.traffic_class = self.raw.val().get_bits::<8>(636);
        self.header.next.has_grh = self.raw.val().get_bit(644);
        self.header.next.ipv4 = self.raw.val().get_bit(645);
        self.header.next.dgid = self.raw.val().get_bits::<128>(646);
        self.header.next.dest_mac = self.raw.val().get_bits::<33>(774);
        self.header.next.group_mac = self.raw.val().get_bit(807);
        self.header.next.own = self.raw.val().get_bit(808);
        for _i in 0..IB {
            self.header.next.for_group = self.raw.val().get_bits::<24>(352).all()
                || ((self.raw.val().get_bits::<2>(446) == 3) && !self.raw.val().get_bits::<16>(432).all());
        }
        for _i in 0..ROCE {
            self.header.next.for_group =
                self.raw.val().get_bits::<24>(352).all() || self.raw.val().get_bit(807);
        }

        // BTH.
        self.header.next.opcode = self.raw.val().get_bits::<8>(408);
        self.header.next.solicited = self.raw.val().get_bit(407);
        self.header.next.migrated = self.raw.val().get_bit(406);
        self.header.next.p_key = self.raw.val().get_bits::<16>(384);
        self.header.next.fecn = self.raw.val().get_bit(383);
        self.header.next.becn = self.raw.val().get_bit(382);
        self.dest_qp.next = self.raw.val().get_bits::<24>(352);
        self.special.next = !self.dest_qp.val().get_bits::<23>(1).any();
        self.header.next.subnet = self.special.val() && !self.dest_qp.val().get_bit(0);
        self.header.next.general = self.special.val() && self.dest_qp.val().get_bit(0);
        self.header.next.port = self.raw.val().get_bit(809);
        self.header.next.dest_qp = self.dest_qp.val();
        for _i in 0..SP {
            // QP0 and QP1 of port 2 have QPNs 2 and 3 here, which name nothing in a packet (link.md section 8).
            if self.special.val() && self.raw.val().get_bit(809) {
                self.header.next.dest_qp = self.dest_qp.val() | 2;
            }
            if self.dest_qp.val().get_bits::<23>(1) == 1 {
                self.header.next.subnet = true;
                self.header.next.general = true;
            }
        }
        self.header.next.ack_req = self.raw.val().get_bit(351);
        self.header.next.psn = self.raw.val().get_bits::<24>(320);

        // RDETH and DETH come first (headers.md section 2).
        self.extended.next = self.raw.val().get_bits::<320>(0);
        self.datagram.next = self.extended.val().get_bits::<64>(256);
        self.rest.next = self.extended.val().get_bits::<224>(96);
        if self.rdeth.val() {
            self.datagram.next = self.extended.val().get_bits::<64>(224);
            self.rest.next = self.extended.val().get_bits::<224>(64);
            if self.deth.val() {
                self.rest.next = self.extended.val().get_bits::<224>(0);
            }
        } else if self.deth.val() {
            self.rest.next = self.extended.val().get_bits::<224>(32);
        }
        self.header.next.ee_context = 0.into();
        if self.rdeth.val() {
            self.header.next.ee_context = self.extended.val().get_bits::<24>(288);
        }
        self.header.next.q_key = 0.into();
        self.header.next.source_qp = 0.into();
        if self.deth.val() {
            self.header.next.q_key = self.datagram.val().get_bits::<32>(32);
            self.header.next.source_qp = self.datagram.val().get_bits::<24>(0);
        }

        // Of the others an opcode has one, and perhaps ImmDt behind the RETH, AtomicAckETH behind the AETH.
        self.header.next.va = 0.into();
        self.header.next.r_key = 0.into();
        if self.reth.val() || self.atomic_eth.val() {
            self.header.next.va = self.rest.val().get_bits::<64>(160);
            self.header.next.r_key = self.rest.val().get_bits::<32>(128);
        }
        if self.ieth.val() {
            self.header.next.r_key = self.rest.val().get_bits::<32>(192);
        }
        self.header.next.dma_len = 0.into();
        if self.reth.val() {
            self.header.next.dma_len = self.rest.val().get_bits::<32>(96);
        }
        self.header.next.swap_add = 0.into();
        self.header.next.compare = 0.into();
        if self.atomic_eth.val() {
            self.header.next.swap_add = self.rest.val().get_bits::<64>(64);
            self.header.next.compare = self.rest.val().get_bits::<64>(0);
        }
        self.header.next.syndrome = 0.into();
        self.header.next.msn = 0.into();
        if self.aeth.val() {
            self.header.next.syndrome = self.rest.val().get_bits::<8>(216);
            self.header.next.msn = self.rest.val().get_bits::<24>(192);
        }
        self.header.next.original = 0.into();
        if self.atomic_ack_eth.val() {
            self.header.next.original = self.rest.val().get_bits::<64>(128);
        }
        self.header.next.immediate = 0.into();
        if self.immdt.val() {
            self.header.next.immediate = self.rest.val().get_bits::<32>(192);
            if self.reth.val() {
                self.header.next.immediate = self.rest.val().get_bits::<32>(64);
            }
        }
    }
}
