//! Turns a packet to send into the bytes that the ICRC covers.
use hca_hdl::prelude::*;

/// Sets the fields of a beat that may change on the way to ones (`protocol/crc.md` section 1).
///
/// A RoCEv2 packet starts with two extra bytes and the Ethernet header. These 16 bytes count as FFFFFFFF00000000h
/// 00000000FFFFFFFFh, which leave the ICRC's register in the same state as the eight bytes FFh in place of the LRH.
#[derive(LogicBlock)]
pub struct IcrcCover<const W: usize> {
    /// A beat of a packet, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// Number of the beat in its packet, from 0; 15 for all later beats.
    pub beat: Signal<In, Bits<4>>,
    /// High if the packet has a GRH (native) or IPv6 (RoCEv2).
    pub long: Signal<In, Bit>,
    /// The beat as the ICRC covers it.
    pub covered: Signal<Out, Bits<W>>,
    kept: Rom<W, 5>,
    ones: Rom<W, 5>,
    row: Signal<Local, Bits<5>>,
}

/// Bytes of a packet and the bits of them that count as ones: native without GRH, and with.
const NATIVE: [&[(usize, u8)]; 2] = [
    &[(0, 0xF0), (12, 0xFF)],
    &[
        (0, 0xFF),
        (1, 0xFF),
        (2, 0xFF),
        (3, 0xFF),
        (4, 0xFF),
        (5, 0xFF),
        (6, 0xFF),
        (7, 0xFF),
        (8, 0x0F),
        (9, 0xFF),
        (10, 0xFF),
        (11, 0xFF),
        (15, 0xFF),
        (52, 0xFF),
    ],
];

/// The same table for IPv4 and for IPv6, behind two extra bytes and the Ethernet header, whose first and last word
/// count as ones.
const ROCE: [&[(usize, u8)]; 2] = [
    &[
        (17, 0xFF),
        (24, 0xFF),
        (26, 0xFF),
        (27, 0xFF),
        (42, 0xFF),
        (43, 0xFF),
        (48, 0xFF),
    ],
    &[
        (16, 0x0F),
        (17, 0xFF),
        (18, 0xFF),
        (19, 0xFF),
        (23, 0xFF),
        (62, 0xFF),
        (63, 0xFF),
        (68, 0xFF),
    ],
];

/// Beat `row` of the first 16 of such a packet: the bits that keep their value, and the bits that are set.
fn masks<const W: usize>(roce: bool, row: usize) -> (Bits<W>, Bits<W>) {
    let (long, first) = (row / 16, row % 16 * W / 8);
    let mut bytes = vec![(0xFF, 0x00); W / 8];
    let fields = if roce { ROCE[long] } else { NATIVE[long] };
    let ethernet = [0, 1, 2, 3, 12, 13, 14, 15].map(|byte| (byte, 0xFF));
    for byte in (0..16).filter(|byte| roce && (first..first + W / 8).contains(byte)) {
        bytes[byte - first].0 = 0;
    }
    for (byte, ones) in fields.iter().chain(ethernet.iter().filter(|_| roce)) {
        if let Some((_, set)) = byte.checked_sub(first).and_then(|byte| bytes.get_mut(byte)) {
            *set = *ones;
        }
    }
    let none = (Bits::<W>::default(), Bits::<W>::default());
    bytes.iter().fold(none, |(kept, ones), (keep, set): &(u8, u8)| {
        ((kept << 8) | u64::from(*keep), (ones << 8) | u64::from(*set))
    })
}

impl<const W: usize> IcrcCover<W> {
    /// For RoCEv2 or for native InfiniBand.
    pub fn new(roce: bool) -> Self {
        Self {
            data: Default::default(),
            beat: Default::default(),
            long: Default::default(),
            covered: Default::default(),
            kept: Rom::new((0..32).map(|row| masks(roce, row).0)),
            ones: Rom::new((0..32).map(|row| masks(roce, row).1)),
            row: Default::default(),
        }
    }
}

#[kernel]
impl<const W: usize> Logic for IcrcCover<W> {
    fn update(&mut self) {
        self.row.next = bit_cast::<5, 4>(self.beat.val()) | (bit_cast::<5, 1>(self.long.val().into()) << 4);
        self.kept.address.next = self.row.val();
        self.ones.address.next = self.row.val();
        self.covered.next = (self.data.val() & self.kept.data.val()) | self.ones.data.val();
    }
}
