//! Where the next packet of a queue pair stands (CF286).
use crate::bench::{bits, library, Bench};
use crate::row::Row;
use fastrand::Rng;
use hca_rtl::requester::TurnPosition;

const PSNS: u64 = 1 << 24;
/// Half the number of PSNs: of two that are so far apart, each may be the older one (CF286).
const HALF: u64 = PSNS / 2;

fn is_before(a: u64, b: u64) -> bool {
    (a + PSNS - b) % PSNS >= HALF
}

#[test]
fn the_next_packet_is_behind_only_if_it_is_sent_again() {
    let mut bench = Bench::without_clock(&library::<TurnPosition>("turn_position"), 1);
    let mut rng = Rng::with_seed(0x286);
    for _ in 0..20_000 {
        let (current, una) = (rng.u64(..1 << 16), rng.u64(..PSNS));
        // How many messages have started since the one at hand: 0 if it has not, 1 if it is the newest.
        let newer = rng.u64(..3);
        // Bytes of it that have left: each single bit of the count must tell that some have.
        let offset = [0, 1 << rng.u32(..32)][rng.usize(..2)];
        let psn = (una + [0, HALF - 1, HALF, HALF + 1, rng.u64(..PSNS)][rng.usize(..5)]) % PSNS;
        let refused = (una + [0, 1, PSNS - 1, rng.u64(..PSNS)][rng.usize(..4)]) % PSNS;
        let (reads, resources) = (rng.u64(..=16), rng.u64(..=16));
        let row = Row::any(&mut rng)
            .with("current", current)
            .with("started", (current + newer) % (1 << 16))
            .with("offset", offset)
            .with("una", una)
            .with("psn", psn)
            .with("refused_first", refused)
            .with("reads", reads);
        bench.set_bytes("row", &row.0);
        bench.set("resources", resources);
        bench.follow();
        let position = bench.bytes("position");
        let is_newest = newer == 0 || newer == 1 && offset > 0;
        let is_at_half = (psn + PSNS - una) % PSNS == HALF;
        let behind = is_before(psn, una) && !(is_at_half && is_newest);
        let expected = [newer == 0, behind, !is_before(una, refused), reads >= resources].map(u64::from);
        let got = [0, 1, 2, 3].map(|bit| bits(&position, bit, 1));
        assert_eq!(
            got, expected,
            "{newer} newer, offset {offset:X}h, PSN {psn:X}h, una {una:X}h"
        );
        assert_eq!(bits(&position, 4, 24), (psn + PSNS - una) % PSNS);
    }
}
