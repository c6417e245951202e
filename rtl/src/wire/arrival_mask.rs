//! Sets the fields of an arriving packet that may change on the way to ones, for the ICRC.
use hca_hdl::prelude::*;
use std::ops::Range;

/// Bytes of a packet and the bits of each that count as ones.
type Variant = (Range<usize>, u8);

/// Local packets (`protocol/crc.md` section 1): LRH.VL; BTH byte 4.
const LOCAL: &[Variant] = &[(0..1, 0xF0), (12..13, 0xFF)];
/// Global packets: the LRH; GRH.TClass, FlowLabel, HopLmt; BTH byte 4.
const GLOBAL: &[Variant] = &[
    (0..8, 0xFF),
    (8..9, 0x0F),
    (9..12, 0xFF),
    (15..16, 0xFF),
    (52..53, 0xFF),
];
/// RoCEv2 over IPv4, the IP header at byte 16: TOS, TTL, header checksum; UDP checksum; BTH byte 4.
const IPV4: &[Variant] = &[
    (17..18, 0xFF),
    (24..25, 0xFF),
    (26..28, 0xFF),
    (42..44, 0xFF),
    (48..49, 0xFF),
];
/// RoCEv2 over IPv6: traffic class, flow label, hop limit; UDP checksum; BTH byte 4.
const IPV6: &[Variant] = &[
    (16..17, 0x0F),
    (17..20, 0xFF),
    (23..24, 0xFF),
    (62..64, 0xFF),
    (68..69, 0xFF),
];
/// The register after the eight FFh bytes that stand for the LRH, which is its state before the IP header.
const BEFORE_IP: u32 = 0xDEBB_20E3;
/// Bytes of an Ethernet header with two zero bytes in front.
const ETHERNET: usize = 16;

/// Sets the variant fields of a beat to ones for the ICRC accumulator, and turns a frame's Ethernet header into bytes
/// that bring the accumulator to its state before the IP header. `masked` is a pure function of `data`; the masks are
/// looked up one cycle before the beat comes.
#[derive(LogicBlock)]
pub struct ArrivalMask<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// `Ingress::upcoming`: number, in its packet, of the beat that `data` holds in the next cycle, if one is taken
    /// now.
    pub upcoming: Signal<In, Bits<11>>,
    /// A beat of a packet, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// High while `data` belongs to a packet with the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// `data` with the variant fields set to ones.
    pub masked: Signal<Out, Bits<W>>,
    short_table: Rom<W, 4>,
    long_table: Rom<W, 4>,
    flip_table: Rom<W, 4>,
    short_ones: Register<Bits<W>>,
    long_ones: Register<Bits<W>>,
    flips: Register<Bits<W>>,
    at: Signal<Local, Bits<4>>,
}

/// Bits of beat `beat` of a packet's bytes.
fn in_beat<const W: usize>(bytes: &[u8], beat: usize) -> Bits<W> {
    let lanes = bytes.iter().skip(beat * W / 8).take(W / 8);
    lanes
        .enumerate()
        .fold(Bits::default(), |mask: Bits<W>, (lane, byte)| {
            (0..8)
                .filter(|bit| byte >> bit & 1 == 1)
                .fold(mask, |mask, bit| mask.replace_bit(W - 8 - 8 * lane + bit, true))
        })
}

/// A table of 16 beats; all from the last on are alike.
fn table<const W: usize>(bytes: &[u8]) -> Rom<W, 4> {
    Rom::new((0..16).map(|beat| in_beat(bytes, beat)))
}

fn ones(variants: &[Variant], first: &[u8]) -> Vec<u8> {
    let mut bytes = first.to_vec();
    bytes.resize(ETHERNET.max(72), 0);
    for (range, mask) in variants {
        bytes[range.clone()].fill(*mask);
    }
    bytes
}

impl<const W: usize> ArrivalMask<W> {
    /// For native packets (false) or Ethernet frames.
    pub fn new(roce: bool) -> Self {
        // The accumulator's seed turns the first four bytes over: ones become a zero state. Zeros keep it, and a state
        // is the same as its bytes XORed into the data that follows.
        let mut flips = vec![0; ETHERNET + 4];
        flips[4..ETHERNET].fill(0xFF);
        flips[ETHERNET..].copy_from_slice(&BEFORE_IP.to_le_bytes());
        let (short, long, flips) = if roce {
            let ethernet = [0xFF; ETHERNET];
            (ones(IPV4, &ethernet), ones(IPV6, &ethernet), flips)
        } else {
            (ones(LOCAL, &[]), ones(GLOBAL, &[]), vec![])
        };
        Self {
            clock: Default::default(),
            upcoming: Default::default(),
            data: Default::default(),
            long: Default::default(),
            masked: Default::default(),
            short_table: table(&short),
            long_table: table(&long),
            flip_table: table(&flips),
            short_ones: Default::default(),
            long_ones: Default::default(),
            flips: Default::default(),
            at: Default::default(),
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ArrivalMask<W> {
    fn update(&mut self) {
        self.at.next = 15.into();
        if self.upcoming.val() < 15 {
            self.at.next = self.upcoming.val().get_bits::<4>(0);
        }
        self.short_table.address.next = self.at.val();
        self.long_table.address.next = self.at.val();
        self.flip_table.address.next = self.at.val();
        self.short_ones.d.next = self.short_table.data.val();
        self.long_ones.d.next = self.long_table.data.val();
        self.flips.d.next = self.flip_table.data.val();

        self.masked.next = (self.data.val() | self.short_ones.q.val()) ^ self.flips.q.val();
        if self.long.val() {
            self.masked.next = (self.data.val() | self.long_ones.q.val()) ^ self.flips.q.val();
        }
    }
}
