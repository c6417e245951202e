//! A source stays closed from its packet to the end of the pause behind it. No other source is closed.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::RateSources;

/// Two sources of one engine: index, and whether it is that of an address handle.
type Source = (u64, bool);

fn any(rng: &mut Rng, has_handles: bool) -> Source {
    (rng.u64(0..10), has_handles && rng.bool())
}

fn set(bench: &mut Bench, engine: &str, source: Source) {
    bench.set(&format!("{engine}_index"), source.0);
    bench.set(&format!("{engine}_handle"), source.1.into());
}

/// Each mark belongs to one source at a time, and each source has one mark at most. A source without a mark may have
/// one as soon as one is left, and a clock has passed without another.
#[test]
fn a_source_is_closed_while_it_has_a_mark() {
    let mut bench = Bench::new(&library::<RateSources<7>>("rate_sources"), 1);
    let mut rng = Rng::with_seed(460);
    bench.set("reset", 1);
    for input in ["request_takes", "response_takes", "response_decides", "freed"] {
        bench.set(input, 0);
    }
    bench.set("request_back", 0);
    bench.set("response_back", 0);
    (0..4).for_each(|_| {
        bench.settle();
        bench.tick();
    });
    bench.set("reset", 0);
    // Source and the clock from which on it may have another mark, by mark.
    let mut marks: [Option<Source>; 8] = [None; 8];
    // The source that was named one clock ago, and the clock in which the last mark was taken.
    let (mut request, mut response) = ((0, false), (0, false));
    let mut taken_at = 0;
    // The last clock in which a source, or one of the marks, was given back.
    let mut returned_at = 0;
    let (mut taken, mut refused) = (0, 0);
    for clock in 10..60_000_u64 {
        // Seasons in which marks are seldom given back.
        let patience = if (clock / 5_000).is_multiple_of(2) { 8 } else { 60 };
        let (asks, answers) = (any(&mut rng, true), any(&mut rng, false));
        set(&mut bench, "request", asks);
        set(&mut bench, "response", answers);
        let decides = rng.bool();
        bench.set("response_decides", decides.into());
        bench.set("request_takes", 0);
        bench.set("response_takes", 0);
        let busy: Vec<usize> = (1..8).filter(|n| marks[*n].is_some()).collect();
        let mut freed = 0;
        for way in ["freed", "request_back", "response_back"] {
            let mark = match rng.choice(&busy) {
                Some(mark) if rng.u64(..patience) == 0 && freed & 1 << mark == 0 => *mark,
                _ => 0,
            };
            freed |= 1 << mark;
            bench.set(
                way,
                if way == "freed" {
                    1 << mark & !1
                } else {
                    mark as u64
                },
            );
        }
        bench.settle();
        let closed = |source: Source| marks.contains(&Some(source));
        let full = marks[1..].iter().all(Option::is_some);
        let goes_first = decides && !bench.is_set("response_closed");
        for (engine, source, waits) in [("request", request, goes_first), ("response", response, false)] {
            let is_closed = bench.is_set(&format!("{engine}_closed"));
            let is_free = bench.is_set(&format!("{engine}_free"));
            if taken_at + 1 < clock && clock > 12 {
                assert!(is_closed || !closed(source), "{engine} of {source:?} in {clock}");
                assert!(!is_free || !full);
                // What is given back counts a few clocks later.
                if returned_at + 4 < clock && taken_at + 2 < clock {
                    assert_eq!(is_closed, closed(source), "{engine} of {source:?} in {clock}");
                    assert_eq!(is_free, !full && !waits, "{engine} in {clock}");
                }
            } else {
                assert!(!is_free || taken_at + 1 != clock);
            }
        }
        for (engine, source) in [("response", response), ("request", request)] {
            let may = bench.is_set(&format!("{engine}_free")) && !bench.is_set(&format!("{engine}_closed"));
            let wants = if engine == "response" { decides } else { rng.bool() };
            refused += u32::from(wants && !may);
            if wants && may {
                let mark = bench.get(&format!("{engine}_mark")) as usize;
                assert_eq!(marks[mark], None);
                assert!(mark > 0 && !closed(source));
                bench.set(&format!("{engine}_takes"), 1);
                marks[mark] = Some(source);
                taken_at = clock;
                taken += 1;
                break;
            }
        }
        for mark in (1..8).filter(|n| freed >> n & 1 == 1) {
            marks[mark] = None;
            returned_at = clock;
        }
        (request, response) = (asks, answers);
        bench.settle();
        bench.tick();
    }
    assert!(taken > 5_000 && refused > 5_000, "{taken} {refused}");
}
