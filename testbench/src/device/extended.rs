//! The registers `PORT_WIDE`. At the end of a run they are compared with the model.
use super::Fault;
use hca_golden::extended_counters::ExtendedCounters;
use hca_sim::driver;
use std::ops::RangeInclusive;

/// A counter of the adapter, in the model and as software reads it. The agent makes those of unicast packets of them.
type Row = (
    &'static str,
    fn(&ExtendedCounters) -> u64,
    fn(&driver::ExtendedCounters) -> u64,
);

const COUNTERS: [Row; 6] = [
    ("words sent", |c| c.xmit_data, |c| c.xmit_data),
    ("words received", |c| c.rcv_data, |c| c.rcv_data),
    ("packets sent", |c| c.xmit_packets, |c| c.xmit_packets),
    ("packets received", |c| c.rcv_packets, |c| c.rcv_packets),
    (
        "multicast packets sent",
        |c| c.multicast_xmit_packets,
        |c| c.multicast_xmit_packets,
    ),
    (
        "multicast packets received",
        |c| c.multicast_rcv_packets,
        |c| c.multicast_rcv_packets,
    ),
];

/// Checks that each 64-bit counter of a port has one of the values that it may have.
pub fn fits(
    port: u8,
    expected: &RangeInclusive<ExtendedCounters>,
    found: &driver::ExtendedCounters,
) -> Result<(), Fault> {
    for (name, modeled, read) in COUNTERS {
        let (least, most, found) = (modeled(expected.start()), modeled(expected.end()), read(found));
        if !(least..=most).contains(&found) {
            return Err(Fault {
                rule: format!("PORT_WIDE of port {port}, {name}: expected {least} to {most}, found {found}"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(seed: u64) -> driver::ExtendedCounters {
        driver::ExtendedCounters {
            xmit_data: seed,
            rcv_data: seed + 1,
            xmit_packets: seed + 2,
            rcv_packets: seed + 3,
            multicast_xmit_packets: seed + 4,
            multicast_rcv_packets: seed + 5,
        }
    }

    fn modeled(seed: u64) -> ExtendedCounters {
        ExtendedCounters {
            xmit_data: seed,
            rcv_data: seed + 1,
            xmit_packets: seed + 2,
            rcv_packets: seed + 3,
            multicast_xmit_packets: seed + 4,
            multicast_rcv_packets: seed + 5,
            ..ExtendedCounters::default()
        }
    }

    #[test]
    fn each_counter_is_within_its_bounds() {
        let expected = modeled(0x1_0000_0000)..=modeled(0x1_0000_0001);
        for seed in [0x1_0000_0000, 0x1_0000_0001] {
            assert_eq!(fits(2, &expected, &found(seed)), Ok(()));
        }
        let wrong: [fn(&mut driver::ExtendedCounters) -> &mut u64; 6] = [
            |c| &mut c.xmit_data,
            |c| &mut c.rcv_data,
            |c| &mut c.xmit_packets,
            |c| &mut c.rcv_packets,
            |c| &mut c.multicast_xmit_packets,
            |c| &mut c.multicast_rcv_packets,
        ];
        for of in wrong {
            for (seed, other) in [(0x1_0000_0000, -1), (0x1_0000_0001, 1)] {
                let mut found = found(seed);
                let count = of(&mut found);
                *count = count.wrapping_add_signed(other);
                assert!(fits(2, &expected, &found).is_err(), "{found:?}");
            }
        }
        let lost = driver::ExtendedCounters::default();
        let rule = "PORT_WIDE of port 2, words sent: expected 4294967296 to 4294967297, found 0";
        assert_eq!(fits(2, &expected, &lost).unwrap_err().rule, rule);
    }
}
