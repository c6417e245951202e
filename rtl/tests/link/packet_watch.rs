//! What is seen of packets that leave.
use crate::bench::{library, Bench};
use hca_rtl::link::PacketWatch;

/// VL 5, SL 3, LNH 2; DLID 1234h; PktLen 17 in a word whose upper bits are set; SLID 00ABh. Byte 0 lowest.
const LRH: u64 = 0xAB00_11F8_3412_3250;

/// A beat, taken or not; then whether a packet has ended, and its words.
fn beat(bench: &mut Bench, taken: bool, data: u64, last: bool) -> (bool, u64) {
    bench.set("taken", taken.into());
    bench.set("data", data);
    bench.set("last", last.into());
    bench.settle();
    bench.tick();
    bench.set("taken", 0);
    bench.settle();
    (bench.is_set("ends"), bench.get("words"))
}

#[test]
fn the_length_is_that_of_the_first_beat() {
    let mut bench = Bench::new(&library::<PacketWatch<64>>("packet_watch"), 1);
    bench.set("taken", 0);
    for _ in 0..2 {
        assert_eq!(beat(&mut bench, true, LRH, false), (false, 17));
        assert_eq!(beat(&mut bench, false, 0, false), (false, 17));
        assert_eq!(beat(&mut bench, true, 0, false), (false, 17));
        assert_eq!(beat(&mut bench, false, 0, true), (false, 17));
        assert_eq!(beat(&mut bench, true, u64::MAX, true), (true, 17));
        // One of one beat, 1055 words on VL 15.
        assert_eq!(beat(&mut bench, true, 0x1F04_0000_00F0, true), (true, 0x41F));
    }
}

/// CF485: DLIDs C000h to FFFEh.
#[test]
fn multicast_is_told_by_the_dlid() {
    let mut bench = Bench::new(&library::<PacketWatch<64>>("packet_watch"), 1);
    bench.set("taken", 0);
    for (dlid, is_multicast) in [
        (0x0000, false),
        (0xC000, true),
        (0x00C0, false),
        (0xBFFF, false),
        (0xFFFE, true),
        (0xFFFF, false),
        (0xFEFF, true),
        (0x7FFF, false),
    ] {
        let lrh = LRH & !0xFFFF_0000 | u64::from(u16::swap_bytes(dlid)) << 16;
        beat(&mut bench, true, lrh, false);
        // The second beat would say otherwise.
        let other = if is_multicast { 0 } else { 0x00C0_0000 };
        assert_eq!(beat(&mut bench, true, other, true), (true, 17));
        assert_eq!(bench.is_set("multicast"), is_multicast, "{dlid:04X}h");
    }
}
