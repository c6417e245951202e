//! A life on a fabric.
use super::addresses::{self, region};
use super::host::Host;
use super::step::{Act, Given, Step};
use super::verbs::verb;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::verbs::QpState;

/// What a life came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub packets: u64,
    pub completions: u64,
}

/// Lives a life to its end: all work that is under way ends, and everything must be as the model says.
pub fn run(fabric: &mut Fabric<'_>, steps: &[Step]) -> Result<Ends, Stop> {
    let mut hosts = [Host::default(), Host::default()];
    for side in Side::BOTH {
        let (sources, length) = addresses::all_sources();
        let bytes: Vec<u8> = (0..length).map(|n| (n ^ n >> 8 ^ side as u64) as u8).collect();
        fabric.station(side).write_memory(sources, &bytes);
        hosts[side as usize].regions[0] = 1;
        fabric.verbs(side, [Verb::RegMr { region: region(0, 1) }])?;
    }
    let mut ends = Ends::default();
    for step in steps {
        match (step.act.clone(), step.side) {
            (Act::Wait { cycles }, _) => {
                for _ in 0..cycles {
                    fabric.step()?;
                }
            }
            (Act::Connect { qp, cq }, _) => {
                // Both exist before either names the other.
                for stage in [making, moving] {
                    for side in Side::BOTH {
                        for act in stage(&hosts[side as usize], qp, cq) {
                            ask(fabric, &mut hosts, side, &act)?;
                        }
                    }
                }
            }
            (act, side) => {
                if matches!(act, Act::DeregMr { .. } | Act::Invalidate { .. }) {
                    // Of work under way nobody says whether it still finds its keys.
                    fabric.settle()?;
                }
                ask(fabric, &mut hosts, side, &act)?;
            }
        }
        ends.completions += reap(fabric);
    }
    fabric.settle()?;
    fabric.finish()?;
    ends.completions += reap(fabric);
    ends.packets = fabric.packets();
    Ok(ends)
}

/// Software asks, and waits for what becomes of it.
fn ask(fabric: &mut Fabric<'_>, hosts: &mut [Host; 2], side: Side, act: &Act) -> Result<(), Stop> {
    match verb(fabric.link(), hosts, side, act) {
        Some(verb) => fabric.attempt(side, verb),
        None => Ok(()),
    }
}

/// What one side does to have a queue pair.
fn making(_: &Host, qp: u8, cq: u8) -> Vec<Act> {
    let create = Act::CreateQp {
        qp,
        send_cq: cq,
        receive_cq: cq,
        send_entries: 16,
        receive_entries: 16,
    };
    vec![Act::CreateCq { cq, entries: 64 }, create]
}

/// What it does to take it to RTS.
fn moving(host: &Host, qp: u8, _: u8) -> Vec<Act> {
    let to = |to| {
        let given = Given::Required;
        Act::ModifyQp { qp, to, given }
    };
    let fresh = host.states[usize::from(qp)] == Some(QpState::Reset);
    let reset = (!fresh).then_some(QpState::Reset);
    let way = [QpState::Init, QpState::Rtr, QpState::Rts];
    reset.into_iter().chain(way).map(to).collect()
}

fn reap(fabric: &mut Fabric<'_>) -> u64 {
    let of = |fabric: &mut Fabric<'_>, side| std::iter::from_fn(|| fabric.reap(side)).count();
    Side::BOTH.map(|side| of(fabric, side) as u64).iter().sum()
}
