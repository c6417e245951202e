//! `hca bench wire`: measures rate and latency of parser and builder.
use super::console::Console;
use super::error::CallError;
use super::{wire, Verdict};
use crate::wire::rate::{measure, Kind, Rate, RateError, KINDS, ROUTES};
use hca_host::designs::Designs;

/// Number of beats a clock that a block has to carry.
const FULL_RATE: f64 = 0.99;

/// Runs the command. Exit status 1 if a block is below full rate.
pub fn run(designs: Designs) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    let all = wire::built(designs)?;
    console.line("Source and sink always ready; latencies in clocks, of a packet alone.")?;
    console.line("Sends of so many bytes; `imm`: Writes with immediate; `cmpswap`: RD CompareSwap, the longest headers.")?;
    console.line(
        "                                        beats a clock      |  last beat  first beat  header to",
    )?;
    console.line(
        " bits  route         packet  beats   receive   transmit   |  to header   to header  first beat",
    )?;
    let mut least = f64::INFINITY;
    for blocks in &all {
        for route in ROUTES.iter().filter(|r| r.framing.hardware() == blocks.link) {
            for kind in KINDS {
                let rate = measure(blocks, *route, kind).map_err(|error| match error {
                    RateError::Build(error) => CallError::Build(error),
                    RateError::Unencodable(error) => CallError::Unencodable(error),
                    error => CallError::Wire(error),
                })?;
                console.line(&row(blocks.width, route.name, kind, &rate))?;
                least = least.min(rate.receive).min(rate.transmit);
            }
        }
    }
    console.line(&format!(
        "least: {least:.3} beats a clock; {FULL_RATE} is full rate"
    ))?;
    Ok(match least >= FULL_RATE {
        true => Verdict::Held,
        false => Verdict::Differed,
    })
}

fn row(width: usize, route: &str, kind: Kind, rate: &Rate) -> String {
    format!(
        "{width:>5}  {route:<11} {:>8} {:>6} {:>9.3}  {:>9.3}   | {:>10} {:>11} {:>11}",
        kind.name,
        rate.beats,
        rate.receive,
        rate.transmit,
        rate.last_to_header,
        rate.first_to_header,
        rate.header_to_first,
    )
}
