//! End-to-end credits between two devices (`scenario_seed001.md` sections 2 and 3): Y supplies them, X respects them.
mod ends;
mod figure;
mod forged;
mod initial;
mod none;
pub mod starvation;
mod table;

use super::entry::Entry;
use crate::fabric::{Fabric, Stop};
use starvation::Starvation;

/// A scenario of credits.
#[derive(Clone, Copy, Debug)]
pub enum Credits {
    Initial,
    Figure,
    NonConsuming,
    None,
    Wrap,
    Starvation(Starvation),
    Late(Starvation),
}

/// Names and descriptions of the scenarios.
pub const ALL: [(Credits, Entry); 7] = [
    (
        Credits::Initial,
        Entry {
            name: "credits-initial",
            about: "the ack that Y sends of itself before the first request, PSN FFFFFFh and 99: credits, and nothing else",
        },
    ),
    (
        Credits::Figure,
        Entry {
            name: "credits-figure",
            about: "MSN 18h and 6 credits: six more Sends go, the seventh stops after its first packet",
        },
    ),
    (
        Credits::NonConsuming,
        Entry {
            name: "credits-non-consuming",
            about: "the same with a Write and an atomic among them, which take no receive WQE: eight go",
        },
    ),
    (
        Credits::None,
        Entry {
            name: "credits-none",
            about: "no credits: what each operation sends before an ack, and what is sent again",
        },
    ),
    (
        Credits::Wrap,
        Entry {
            name: "credits-wrap",
            about: "MSN FFFFFEh and 4 credits from a peer that says so: SSN 1 and 2 go, 3 stops",
        },
    ),
    (
        Credits::Starvation(Starvation::WITH),
        Entry {
            name: "credits-starvation",
            about: "receive WQEs come late, in bursts, and not for long, over a faulty link; all 31 codes",
        },
    ),
    (
        Credits::Late(Starvation::LATE),
        Entry {
            name: "credits-late",
            about: "the same over a sound link on which Y's packets, and its credits, take 3000 clock cycles",
        },
    ),
];

impl Credits {
    /// Returns the scenario with this name.
    pub fn named(name: &str) -> Option<Credits> {
        let found = ALL.iter().find(|(_, entry)| entry.name == name);
        found.map(|(credits, _)| *credits)
    }

    /// Returns the name of the scenario.
    pub fn name(&self) -> &'static str {
        let same = |of: &&(Credits, Entry)| std::mem::discriminant(&of.0) == std::mem::discriminant(self);
        ALL.iter().find(same).map_or("credits", |(_, entry)| entry.name)
    }

    pub(super) fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        match self {
            Credits::Initial => initial::run(fabric),
            Credits::Figure => figure::run(fabric),
            Credits::NonConsuming => figure::run_non_consuming(fabric),
            Credits::None => none::run(fabric, seed),
            Credits::Wrap => forged::run(fabric),
            Credits::Starvation(starvation) | Credits::Late(starvation) => {
                starvation.run(fabric, seed).map(drop)
            }
        }
    }
}
