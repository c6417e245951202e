//! The o2iblnd workload on two devices (`protocol/o2iblnd.md`): the scenario counts RNR NAKs, holds C and O to the
//! depth, and sees that one-way traffic goes on.
use hca_golden::port::Link;
use hca_testbench::device::{port_on, Device};
use hca_testbench::fabric::{Fabric, Unwatched};
use hca_testbench::scenario::Scenario;
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;

/// Clock cycles without progress that are a hang.
const PATIENCE: u64 = 20_000;

/// Runs the scenario with three seeds on devices that are made new for each.
fn holds(link: Link, device: impl Fn(u64, Side) -> Box<dyn Device>) {
    for seed in 1..=3 {
        let station = |side| -> Box<dyn Station> {
            Box::new(Checked::new(
                side,
                device(seed, side),
                port_on(link, side),
                PATIENCE,
            ))
        };
        let mut unwatched = Unwatched;
        let [x, y] = Side::BOTH.map(station);
        let mut fabric = Fabric::new(x, y, PATIENCE, &mut unwatched).over(link);
        let stop = Scenario::O2iblnd.run(&mut fabric, seed).err();
        assert!(stop.is_none(), "seed {seed}: {stop:?}");
        assert!(fabric.packets() > 0);
    }
}

mod model {
    use super::*;
    use hca_golden::capabilities::Capabilities;
    use hca_testbench::cli::hardware::seed_of;
    use hca_testbench::device::golden::GoldenDevice;

    #[test]
    fn cf275_cf276_no_rnr_nak_and_no_stall() {
        for link in [Link::InfiniBand, Link::Roce] {
            holds(link, |seed, side| {
                let device = GoldenDevice::with(port_on(link, side), Capabilities::HARDWARE);
                Box::new(device.picking(seed_of(seed, side)))
            });
        }
    }
}

mod hardware {
    use super::*;
    use crate::bench::{hardware, profile};
    use hca_testbench::cli::hardware::config_for;

    #[test]
    fn cf275_cf276_no_rnr_nak_and_no_stall() {
        holds(Link::InfiniBand, |seed, side| {
            let config = config_for(&Scenario::O2iblnd, &profile(), seed, side);
            let device = hardware().device_behind(port_on(Link::InfiniBand, side), &config);
            Box::new(device.unwrap())
        });
    }
}
