//! Compares what the builder makes of headers and payloads with the model's encoding.
use super::case::{Batch, Case};
use super::fields::built;
use super::hardware::Blocks;
use super::mismatch::{Difference, Mismatch, Stop};
use crate::report::side_by_side::rows;
use hca_sim::wire::transmit::{TransmitError, Transmitter};

/// Builds the packets of the cases.
pub fn compare(batch: &Batch, cases: &[Case], blocks: &Blocks, seed: u64) -> Result<(), Stop> {
    let (_, manners) = batch.manners(seed, blocks.width);
    let mut transmitter = Transmitter::new(&blocks.build, blocks.width, seed ^ batch.number)?;
    let wanted: Vec<_> = cases
        .iter()
        .map(|c| (built(&c.packet), c.packet.payload.clone()))
        .collect();
    let mismatch = |case: &Case, frame: Vec<u8>, difference| Mismatch {
        case: case.number,
        width: blocks.width,
        framing: batch.framing,
        mutation: None,
        frame,
        difference,
    };
    let departures = transmitter.run(&wanted, manners).map_err(|error| match error {
        TransmitError::Model(error) => Stop::Build(error),
        broken => {
            let case = match broken {
                TransmitError::Stuck { built, .. } => cases.get(built),
                _ => None,
            };
            let case = case.unwrap_or(&cases[0]);
            let frame = case.packet.encode().unwrap_or_default();
            Stop::from(mismatch(case, frame, Difference::Rule(broken.to_string())))
        }
    })?;
    for (case, departure) in cases.iter().zip(departures) {
        let expected = case.packet.encode()?;
        if expected != departure.bytes {
            let rows = rows(batch.framing.link(), &expected, &departure.bytes);
            return Err(mismatch(case, expected, Difference::Rows(rows)).into());
        }
    }
    Ok(())
}
