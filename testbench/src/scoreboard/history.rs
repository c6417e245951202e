//! The last events of each QP, for the report.
use std::collections::{BTreeMap, VecDeque};

/// Number of lines kept for a QP.
const KEPT: usize = 16;

/// The text of a line. It is made only when a report needs it, which is rare.
type Words = Box<dyn Fn() -> String>;

/// A log of each QP, of bounded length.
#[derive(Default)]
pub struct History {
    lines: BTreeMap<u32, VecDeque<(u64, Words)>>,
}

impl History {
    /// Adds a line of this QP.
    pub fn push(&mut self, qpn: u32, cycle: u64, line: impl Fn() -> String + 'static) {
        let lines = self.lines.entry(qpn).or_default();
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back((cycle, Box::new(line)));
    }

    /// Returns the lines of a QP, or of all if `None`, oldest first.
    pub fn of(&self, qpn: Option<u32>) -> Vec<String> {
        let mut lines: Vec<&(u64, Words)> = match qpn {
            Some(qpn) => self.lines.get(&qpn).into_iter().flatten().collect(),
            None => self.lines.values().flatten().collect(),
        };
        lines.sort_by_key(|(cycle, _)| *cycle);
        let first = lines.len().saturating_sub(KEPT);
        lines[first..]
            .iter()
            .map(|(cycle, line)| format!("{cycle:>8}  {}", line()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest_of_each_queue_pair() {
        let mut history = History::default();
        for cycle in 0..100 {
            history.push(2, cycle, move || format!("event {cycle}"));
        }
        history.push(3, 50, || "other".to_owned());
        let of_two = history.of(Some(2));
        assert_eq!(of_two.len(), KEPT);
        assert_eq!(of_two.last().unwrap(), "      99  event 99");
        assert_eq!(history.of(Some(3)), ["      50  other"]);
        assert_eq!(history.of(None).len(), KEPT);
        assert!(history.of(Some(9)).is_empty());
    }
}
