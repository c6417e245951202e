//! Finds the smallest case that fails in the same way: a calmer frame, fewer steps, simpler values, smaller amounts.
use super::draw::{Drawn, Tree};
use crate::case::frame::{Events, Frame, Timing};
use crate::case::Case;
use crate::case::Step;
use crate::faults::Faults;
use proptest::strategy::ValueTree;

/// Largest number of cases that are tried.
const ATTEMPTS: u32 = 340;
/// Number of tries reserved for the amounts of the remaining steps: bytes, clock cycles and counts.
const AMOUNTS: u32 = 100;

/// Result of shrinking.
pub struct Shrunk {
    pub case: Case,
    /// Number of cases tried.
    pub attempts: u32,
}

/// Shrinks a case while `fails` returns true, which means the same failure. `fails` returns `None` once there is no
/// time left.
pub fn shrink<E>(drawn: Drawn, fails: impl FnMut(&Case) -> Result<Option<bool>, E>) -> Result<Shrunk, E> {
    let mut search = Search {
        seed: drawn.seed,
        index: drawn.index,
        frame: drawn.frame,
        steps: drawn.steps,
        attempts: 0,
        most: ATTEMPTS - AMOUNTS,
        over: false,
        fails,
    };
    loop {
        let before = search.size();
        search.calm()?;
        search.remove()?;
        search.simplify()?;
        if search.ends() || search.size() == before {
            break;
        }
    }
    let cut_short = search.attempts >= search.most;
    search.most = ATTEMPTS;
    if cut_short {
        // Simpler steps may need fewer others.
        search.remove()?;
    }
    search.lessen()?;
    Ok(Shrunk {
        case: search.case(),
        attempts: search.attempts,
    })
}

struct Search<F> {
    seed: u64,
    index: u64,
    /// The smallest case so far, as steps.
    frame: Frame,
    steps: Vec<Tree>,
    attempts: u32,
    /// Number of cases that may have been tried by now.
    most: u32,
    /// There is no time left.
    over: bool,
    fails: F,
}

impl<E, F: FnMut(&Case) -> Result<Option<bool>, E>> Search<F> {
    fn case(&self) -> Case {
        self.with(self.frame.clone(), self.steps.iter())
    }

    fn with<'a>(&self, frame: Frame, steps: impl Iterator<Item = &'a Tree>) -> Case {
        Case {
            seed: self.seed,
            index: self.index,
            differed: None,
            frame,
            steps: steps.map(|tree| tree.current()).collect(),
        }
    }

    /// Returns the parts that another round has to make smaller.
    fn size(&self) -> (usize, Frame, Vec<Step>) {
        let case = self.case();
        (case.steps.len(), case.frame, case.steps)
    }

    fn ends(&self) -> bool {
        self.over || self.attempts >= self.most
    }

    fn try_case(&mut self, case: &Case) -> Result<bool, E> {
        if self.ends() {
            return Ok(false);
        }
        let fails = (self.fails)(case)?;
        self.attempts += u32::from(fails.is_some());
        self.over = fails.is_none();
        Ok(fails == Some(true))
    }

    /// Tries fewer faults on the link and less waiting: all at once, or else one by one.
    fn calm(&mut self) -> Result<(), E> {
        let changes: [fn(&mut Frame); 22] = [
            |f| f.reset = None,
            |f| (f.faults, f.timing) = (Faults::default(), Timing::PROMPT),
            |f| f.faults = Faults::default(),
            |f| f.faults.lost = 0,
            |f| f.faults.repeated = 0,
            |f| f.faults.corrupted = 0,
            |f| f.faults.delayed = 0,
            |f| f.faults.overtaken = 0,
            |f| f.faults.echoed = 0,
            |f| f.timing.memory_latency = (1, 1),
            |f| f.timing.memory_pauses = 0,
            |f| f.timing.stream_gaps = 0,
            |f| f.timing.stream_stalls = 0,
            |f| f.timing.register_pauses = 0,
            |f| f.timing.events = Events::ROOMY,
            |f| f.spread = 0,
            |f| f.lanes = None,
            |f| f.link_layer = None,
            |f| f.link_layer.iter_mut().for_each(|layer| layer.slow = None),
            |f| f.second_port = None,
            |f| f.mtus = None,
            |f| f.polls_every = 0,
        ];
        for change in changes {
            let mut frame = self.frame.clone();
            change(&mut frame);
            if frame == self.frame {
                continue;
            }
            let case = self.with(frame.clone(), self.steps.iter());
            if self.try_case(&case)? {
                self.frame = frame;
            }
        }
        Ok(())
    }

    /// Tries fewer steps: removes halves, quarters, and so on to single steps, from the end, which often is not even
    /// reached.
    fn remove(&mut self) -> Result<(), E> {
        let mut chunk = self.steps.len().div_ceil(2);
        while chunk > 0 {
            let mut end = self.steps.len();
            while end > 0 {
                let start = end.saturating_sub(chunk);
                let kept = self.steps[..start].iter().chain(&self.steps[end..]);
                let case = self.with(self.frame.clone(), kept);
                if self.try_case(&case)? {
                    self.steps.drain(start..end);
                }
                end = start;
            }
            chunk /= 2;
        }
        Ok(())
    }

    /// Tries simpler values of each step.
    fn simplify(&mut self) -> Result<(), E> {
        for n in 0..self.steps.len() {
            let mut smallest = self.steps[n].current();
            let mut moved = self.steps[n].simplify();
            while moved && !self.ends() {
                let case = self.case();
                if self.try_case(&case)? {
                    smallest = self.steps[n].current();
                    moved = self.steps[n].simplify();
                } else {
                    moved = self.steps[n].complicate();
                }
            }
            if self.steps[n].current() != smallest {
                // The search ended on a value that does not fail.
                self.steps[n] = Box::new(Fixed(smallest));
            }
        }
        Ok(())
    }

    /// Tries smaller amounts, the largest first: 0, or the value that bisection finds.
    fn lessen(&mut self) -> Result<(), E> {
        let mut amounts = Vec::new();
        for (n, tree) in self.steps.iter().enumerate() {
            let of_step = tree.current().amounts().into_iter().enumerate();
            amounts.extend(of_step.map(|(place, amount)| (amount, n, place)));
        }
        amounts.sort_by_key(|(amount, ..)| std::cmp::Reverse(*amount));
        for (mut fails, n, place) in amounts {
            let mut holds = None;
            while !self.ends() && holds.map_or(0, |h| h + 1) < fails {
                let amount = holds.map_or(0, |holds| holds + (fails - holds) / 2);
                let lesser = self.steps[n].current().with_amount(place, amount);
                let before = std::mem::replace(&mut self.steps[n], Box::new(Fixed(lesser)));
                let case = self.case();
                if self.try_case(&case)? {
                    fails = amount;
                } else {
                    self.steps[n] = before;
                    holds = Some(amount);
                }
            }
        }
        Ok(())
    }
}

/// A step that cannot be simplified further.
#[derive(Debug)]
struct Fixed(Step);

impl ValueTree for Fixed {
    type Value = Step;

    fn current(&self) -> Step {
        self.0.clone()
    }

    fn simplify(&mut self) -> bool {
        false
    }

    fn complicate(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Act;
    use crate::fuzz::draw;
    use crate::life::Area;
    use std::convert::Infallible;

    #[test]
    fn what_does_not_matter_goes() {
        let waits = |case: &Case| {
            let long = |s: &&Step| matches!(s.act, Act::Wait { cycles } if cycles > 700);
            case.steps.iter().filter(long).count()
        };
        let index = (0..)
            .find(|index| waits(&draw(1, *index, Area::All).case()) > 2)
            .unwrap();
        let drawn = draw(1, index, Area::All);
        let shrunk = shrink(drawn, |case| Ok::<_, Infallible>(Some(waits(case) > 1))).unwrap();
        let cycles: Vec<u16> = shrunk
            .case
            .steps
            .iter()
            .map(|s| match s.act {
                Act::Wait { cycles } => cycles,
                _ => panic!("{s:?} is left"),
            })
            .collect();
        assert_eq!(cycles, [701, 701]);
        assert_eq!(shrunk.case.frame.faults, Faults::default());
        assert_eq!(shrunk.case.frame.timing, Timing::PROMPT);
        assert!(shrunk.attempts <= ATTEMPTS);
    }

    /// A case with so many steps that simplifying each of them would not finish.
    #[test]
    fn what_is_left_says_no_more_than_it_must() {
        let long = |case: &Case, most| {
            let is = |s: &&Step| matches!(&s.act, Act::PostSend { work, .. } if work.length > most);
            case.steps.iter().filter(is).count()
        };
        let of = |index| draw(2, index, Area::Verbs);
        let index = (0..).find(|index| long(&of(*index).case(), 2000) > 7).unwrap();
        let shrunk = shrink(of(index), |case| Ok::<_, Infallible>(Some(long(case, 256) > 7))).unwrap();
        let sum = |case: &Case| -> u32 { case.steps.iter().flat_map(Step::amounts).sum() };
        assert_eq!((shrunk.case.steps.len(), sum(&shrunk.case)), (8, 8 * 257));
        assert!(shrunk.attempts <= ATTEMPTS);
    }

    #[test]
    fn without_time_the_case_stays() {
        let drawn = draw(1, 3, Area::All);
        let case = drawn.case();
        let shrunk = shrink(drawn, |_| Ok::<_, Infallible>(None)).unwrap();
        assert_eq!((shrunk.case, shrunk.attempts), (case, 0));
    }
}
