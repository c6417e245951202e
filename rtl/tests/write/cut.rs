//! Pieces of packets with and without a network header.
use crate::bench::{bits, library, Bench};
use hca_rtl::memory::PieceCut;

/// `KIND_DATA` and `KIND_PREFIXED`.
const DATA: u64 = 0;
const PREFIXED: u64 = 2;
/// Bytes of a network header.
const HEADER: u64 = 40;

/// What comes out of a piece: address, length, network header, last, ends.
type Cut = (u64, u64, bool, bool, bool);

/// A packet in pieces of these lengths, at any addresses, and what is to come out.
fn packet(rng: &mut fastrand::Rng, kind: u64, lengths: &[u64]) -> (Vec<(u64, u64, bool)>, Vec<Cut>) {
    let (mut pieces, mut cuts) = (Vec::new(), Vec::new());
    let mut before = 0;
    for (n, &length) in lengths.iter().enumerate() {
        let address = rng.u64(..) >> 1;
        let ends = n + 1 == lengths.len();
        pieces.push((address, length, ends));
        let header = match kind {
            PREFIXED => HEADER.saturating_sub(before).min(length),
            _ => 0,
        };
        if header > 0 {
            let over = before + header == HEADER;
            cuts.push((address, header, true, over || ends, ends && header == length));
        }
        if header < length {
            cuts.push((address + header, length - header, false, ends, ends));
        }
        before += length;
    }
    (pieces, cuts)
}

#[test]
fn a_network_header_ends_with_a_piece_of_its_own() {
    let mut rng = fastrand::Rng::with_seed(40);
    let lists: &[&[u64]] = &[
        &[40],
        &[4136],
        &[41],
        &[40, 1],
        &[39, 1],
        &[39, 2],
        &[1, 39, 7],
        &[20, 30, 50],
        &[8, 8, 8, 8, 8, 8],
        &[1, 1, 1, 1, 4000],
    ];
    let (mut pieces, mut expected) = (Vec::new(), Vec::new());
    for round in 0..200 {
        let kind = if round % 3 == 0 { DATA } else { PREFIXED };
        let lengths = lists[rng.usize(..lists.len())];
        let (these, cuts) = packet(&mut rng, kind, lengths);
        pieces.extend(these.into_iter().map(|piece| (kind, piece)));
        expected.extend(cuts);
    }
    let mut bench = Bench::new(&library::<PieceCut>("piece_cut"), 1);
    let (mut seen, mut next, mut offers) = (Vec::new(), 0, false);
    while seen.len() < expected.len() {
        assert!(bench.cycle < 20_000, "{} pieces came", seen.len());
        offers = next < pieces.len() && (offers || rng.bool());
        if let Some((kind, (address, length, last))) = pieces.get(next).copied().filter(|_| offers) {
            bench.set("piece_address", address);
            bench.set("piece_length", length);
            bench.set("piece_kind", kind);
            bench.set("piece_last", last.into());
        }
        bench.set("piece_valid", offers.into());
        bench.set("cut_ready", rng.bool().into());
        bench.settle();
        if bench.is_set("cut_valid") && bench.is_set("cut_ready") {
            // A `CutPiece`: address 64, length 13, atomic 1, prefix 1, last 1, ends 1.
            let cut = bench.bytes("cut");
            assert_eq!(bits(&cut, 77, 1), 0);
            seen.push((
                bits(&cut, 0, 64),
                bits(&cut, 64, 13),
                bits(&cut, 78, 1) == 1,
                bits(&cut, 79, 1) == 1,
                bits(&cut, 80, 1) == 1,
            ));
        }
        if offers && bench.is_set("piece_ready") {
            next += 1;
            offers = false;
        }
        bench.tick();
    }
    assert_eq!(seen, expected);
}
