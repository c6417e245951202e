//! Plays a recorded session back without its peer.
use super::adapter::{Adapter, Halt};
use super::recording::{Ended, Entry, Moment, Recording, Sum, What};

/// Largest number of clock cycles that an input may have to wait beyond its recorded time: more than four ack timeouts
/// of the longest kind that sessions use (code 8, 1.05 ms).
const PATIENCE: u64 = 1_000_000;

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The adapter sent the same frames in the same clock cycles.
    Same(Sum),
    /// The adapter sent other frames, or at other times, which its model permits; the completions were the same.
    Otherwise(Sum),
    /// The recording does not fit this adapter, which did not come as far as the input of this entry requires.
    Astray {
        entry: usize,
        needed: Moment,
        reached: Moment,
    },
    /// These completions differ: `missing` are only in the recording, `extra` only in the replay.
    Completions { missing: Vec<Ended>, extra: Vec<Ended> },
}

/// Gives the adapter all inputs of a recording, each at the point at which it came then.
pub fn play(recording: &Recording, adapter: &mut Adapter) -> Result<Replayed, Halt> {
    let mut expected = Vec::new();
    let mut seen = Vec::new();
    let take = |adapter: &mut Adapter, seen: &mut Vec<Ended>| {
        let both = std::iter::from_fn(|| adapter.completion().or_else(|| adapter.management()));
        seen.extend(both.map(|completion| Ended::of(&completion)));
    };
    // By how many cycles inputs have come later than recorded.
    let mut late = 0;
    for (n, Entry { moment, what }) in recording.entries.iter().enumerate() {
        if let What::Completion(ended) = what {
            expected.push(ended.clone());
            continue;
        }
        let due = moment.at + late;
        while adapter.now() < due || !reached(adapter.moment(), *moment) {
            if adapter.now() > due + PATIENCE {
                return Ok(Replayed::Astray {
                    entry: n + 2,
                    needed: *moment,
                    reached: adapter.moment(),
                });
            }
            adapter.clock()?;
            take(adapter, &mut seen);
        }
        late = adapter.now() - moment.at;
        match what {
            What::Frame(bytes) => adapter.receive(bytes.0.clone())?,
            What::Verb(verb) => adapter.submit(verb.clone())?,
            What::Write { addr, bytes } => adapter.write(*addr, &bytes.0)?,
            What::Compare { addr, length } => adapter.compare(*addr, *length)?,
            What::Completion(_) | What::End(_) => {}
        }
    }
    while adapter.now() < recording.sum.cycles {
        adapter.clock()?;
    }
    adapter.finish()?;
    take(adapter, &mut seen);
    let (missing, extra) = differing(expected, seen);
    let sum = adapter.sum();
    Ok(
        match (missing.is_empty() && extra.is_empty(), sum == recording.sum) {
            (false, _) => Replayed::Completions { missing, extra },
            (true, true) => Replayed::Same(sum),
            (true, false) => Replayed::Otherwise(sum),
        },
    )
}

fn reached(now: Moment, needed: Moment) -> bool {
    now.sent >= needed.sent && now.done >= needed.done && now.open <= needed.open
}

/// Returns the completions that only the first list has, and those that only the second has. Their order does not
/// matter, because completions of different queue pairs have no order.
fn differing(mut expected: Vec<Ended>, mut seen: Vec<Ended>) -> (Vec<Ended>, Vec<Ended>) {
    expected.sort();
    seen.sort();
    let (mut missing, mut extra) = (Vec::new(), Vec::new());
    let mut seen = seen.into_iter().peekable();
    for ended in expected {
        extra.extend(std::iter::from_fn(|| seen.next_if(|other| *other < ended)));
        if seen.next_if(|other| *other == ended).is_none() {
            missing.push(ended);
        }
    }
    extra.extend(seen);
    (missing, extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(wr_id: u64) -> Ended {
        Ended {
            qpn: 2,
            wr_id,
            status: 0,
            bytes: 0,
            immediate: None,
        }
    }

    #[test]
    fn completions_are_compared_in_any_order() {
        let all = |ids: &[u64]| ids.iter().map(|id| ended(*id)).collect::<Vec<_>>();
        assert_eq!(differing(all(&[1, 2, 3]), all(&[3, 1, 2])), (vec![], vec![]));
        assert_eq!(differing(all(&[1, 2, 2]), all(&[2, 1])), (all(&[2]), vec![]));
        assert_eq!(differing(all(&[5]), all(&[4, 6])), (all(&[5]), all(&[4, 6])));
    }

    #[test]
    fn an_input_waits_for_what_came_before_it() {
        let needed = Moment {
            at: 100,
            sent: 3,
            done: 2,
            open: 0,
        };
        assert!(reached(Moment { at: 5, ..needed }, needed));
        assert!(reached(Moment { sent: 4, ..needed }, needed));
        assert!(!reached(Moment { sent: 2, ..needed }, needed));
        assert!(!reached(Moment { done: 1, ..needed }, needed));
        assert!(!reached(Moment { open: 1, ..needed }, needed));
    }
}
