//! Fields that may change on the way count as ones in the ICRC.
use crate::primitive::{comment, dff_setup, Register, Rom};
use rust_hdl_core::prelude::*;
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

/// A beat as a CRC accumulator has to see it: variant fields as ones; of a frame, the Ethernet header as what brings
/// the accumulator to the state before the IP header. One clock later.
#[derive(LogicBlock)]
pub struct ArrivalMask<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub data: Signal<In, Bits<W>>,
    pub beat: Signal<In, Bits<11>>,
    /// The packet has the long network header.
    pub long: Signal<In, Bit>,
    pub masked: Signal<Out, Bits<W>>,
    ones: Rom<W, 5>,
    flips: Rom<W, 5>,
    beat_masked: Register<Bits<W>>,
    at: Signal<Local, Bits<5>>,
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

/// A table of 16 beats for each network header, short and long; all beats from the last on are alike.
fn table<const W: usize>(short: &[u8], long: &[u8]) -> Rom<W, 5> {
    let beats = |bytes: &[u8]| (0..16).map(|beat| in_beat(bytes, beat)).collect::<Vec<_>>();
    Rom::new([beats(short), beats(long)].concat())
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
        let (ones, flips) = if roce {
            let ethernet = [0xFF; ETHERNET];
            (
                table(&ones(IPV4, &ethernet), &ones(IPV6, &ethernet)),
                table(&flips, &flips),
            )
        } else {
            (table(&ones(LOCAL, &[]), &ones(GLOBAL, &[])), table(&[], &[]))
        };
        Self {
            clock: Default::default(),
            data: Default::default(),
            beat: Default::default(),
            long: Default::default(),
            masked: Default::default(),
            ones,
            flips,
            beat_masked: Default::default(),
            at: Default::default(),
        }
    }
}

impl<const W: usize> Logic for ArrivalMask<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module arrival_mask");
        dff_setup!(self, clock, beat_masked);
        self.at.next = 15.into();
        if self.beat.val() < 15 {
            self.at.next = bit_cast::<5, 4>(self.beat.val().get_bits::<4>(0));
        }
        self.ones.address.next = self.at.val();
        self.flips.address.next = self.at.val();
        if self.long.val() {
            self.ones.address.next = self.at.val() | 16;
            self.flips.address.next = self.at.val() | 16;
        }
        self.beat_masked.d.next = (self.data.val() | self.ones.data.val()) ^ self.flips.data.val();
        self.masked.next = self.beat_masked.q.val();
    }
}
