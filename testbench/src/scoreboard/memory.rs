//! Compares every byte of host memory with the model.
use super::failure::{Failure, Kind};
use super::{queue_pair_of, Checked};
use hca_golden::event::Event;

/// Number of bytes compared at a time.
const CHUNK: u64 = 65_536;
/// Number of bytes shown from the first difference on.
const SHOWN: usize = 8;

impl Checked {
    pub(super) fn compare_memory(
        &mut self,
        event: Option<Event>,
        what: &str,
        addr: u64,
        length: u64,
    ) -> Result<(), Box<Failure>> {
        let mut first = None;
        let mut differing = 0;
        let mut done = 0;
        while done < length {
            let at = addr.wrapping_add(done);
            let size = CHUNK.min(length - done) as usize;
            let (mut actual, mut expected) = (vec![0; size], vec![0; size]);
            self.device.read_memory(at, &mut actual);
            self.model.memory().read_into(at, &mut expected);
            done += size as u64;
            if actual == expected {
                continue;
            }
            let differs = || (0..size).filter(|&i| actual[i] != expected[i]);
            differing += differs().count() as u64;
            if let (None, Some(i)) = (&first, differs().next()) {
                let shown = i..(i + SHOWN).min(size);
                let pair = (expected[shown.clone()].to_vec(), actual[shown].to_vec());
                first = Some((at.wrapping_add(i as u64), pair));
            }
        }
        let Some((addr, (expected, actual))) = first else {
            return Ok(());
        };
        let kind = Kind::Memory {
            what: what.to_owned(),
            addr,
            expected,
            actual,
            differing,
        };
        Err(self.failure(event.as_ref().and_then(queue_pair_of), event, kind))
    }
}
