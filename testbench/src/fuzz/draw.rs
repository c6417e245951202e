//! Draws the case of a seed and a number.
use super::frames::{completed, frames};
use crate::case::frame::Frame;
use crate::case::Case;
use crate::case::Step;
use crate::life::{Area, Software};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest_state_machine::ReferenceStateMachine;

/// Largest number of steps of a case.
const STEPS: usize = 100;

/// A step, with all the parts that it may have while it is shrunk.
pub type Tree = Box<dyn ValueTree<Value = Step>>;

/// A case as it was drawn.
pub struct Drawn {
    pub seed: u64,
    pub index: u64,
    pub frame: Frame,
    pub steps: Vec<Tree>,
}

impl Drawn {
    /// Returns the case.
    pub fn case(&self) -> Case {
        Case {
            seed: self.seed,
            index: self.index,
            differed: None,
            frame: self.frame.clone(),
            steps: self.steps.iter().map(|tree| tree.current()).collect(),
        }
    }
}

/// Draws a case. It is the same for the same arguments, on any machine.
pub fn draw(seed: u64, index: u64, area: Area) -> Drawn {
    draw_on(seed, index, area, |frame| frame)
}

/// Draws a case whose devices, profile and link are not those drawn, but those of `on`.
pub fn draw_on(seed: u64, index: u64, area: Area, on: impl FnOnce(Frame) -> Frame) -> Drawn {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&index.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let frame = completed(on(drawn(frames(area), &mut runner).current()), area);
    let length = drawn(1..=STEPS, &mut runner).current();
    let mut software = Software::dwelling_on(area, frame.management.is_some());
    if frame.controlled().is_some() {
        software = software.changing_link(frame.data_vls());
    }
    let mut steps = Vec::new();
    for _ in 0..length {
        let tree = drawn(Software::transitions(&software), &mut runner);
        software = Software::apply(software, &tree.current());
        steps.push(Box::new(tree) as Tree);
    }
    Drawn {
        seed,
        index,
        frame,
        steps,
    }
}

fn drawn<S: Strategy>(strategy: S, runner: &mut TestRunner) -> S::Tree {
    let tree = strategy.new_tree(runner);
    tree.expect("no strategy of a case refuses what it draws")
}
