//! Messages of several services on one adapter, in both directions, on a sound link and on one that loses packets.
mod beside;
mod flood;
mod flow;
mod layout;
mod message;
mod multicast;
mod origin;
mod run;
pub mod setup;

use super::uc;
use crate::fabric::{Fabric, Stop};
use flow::Flows;
use hca_golden::port::Link;
use layout::{MESSAGES, QPS};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use flood::Flood;
pub use multicast::Multicast;
pub use run::Services;

impl Services {
    /// Runs it. The seed draws messages, their places and the faults.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        setup::establish(self, fabric, &mut random)?;
        if self.beside {
            beside::establish(fabric, &mut random)?;
        }
        if let Some(vls) = self.credits.filter(|_| fabric.link() == Link::InfiniBand) {
            fabric.control_flow(vls)?;
        }
        let mut flows = Flows::random(self, fabric.link(), &mut random);
        flows.write(fabric);
        if let Some(faults) = self.faults {
            fabric.suffer(faults, seed);
        }
        let total = u64::from(QPS * 2 * MESSAGES);
        while let Some(turn) = flows.next(&mut random) {
            flows.all[turn].post(fabric);
            if let Some(beside) = flows.beside.as_mut() {
                if random.next_u32().is_multiple_of(4) {
                    beside.post(fabric, &mut random);
                }
            }
            for _ in 0..random.next_u32() % 64 {
                fabric.step()?;
            }
            flows.take(fabric)?;
            fabric.report_progress(flows.posted(), total);
        }
        while flows.beside.as_mut().is_some_and(|b| b.post(fabric, &mut random)) {}
        fabric.settle()?;
        fabric.watch()?;
        flows.take(fabric)?;
        flows.check(fabric)
    }
}
