//! Real traffic through the Verilated RoCEv2 receive path, at every width.
use crate::flips::{every_bit, sample, Flip};
use crate::traffic::{frames, port};
use hca_golden::decision::link::judge;
use hca_golden::port::PortConfig;
use hca_host::profile::Link;
use hca_rtl::export::link_receive;
use hca_sim::wire::library;
use hca_sim::wire::receive::{Arrival, Manners, Outcome, Receiver};
use hca_testbench::report::side_by_side::table;
use hca_testbench::wire::framing::addresses;
use hca_testbench::wire::receive::differing;

const HELD_BACK: Manners = Manners {
    gap: 60,
    stall: 120,
    discard: 0,
};

/// What comes of the frames at a stream width, each at its port; the order of frames of one port is kept.
fn outcomes<'a>(
    width: usize,
    frames: &[(PortConfig, &'a [u8])],
    manners: Manners,
) -> Vec<(PortConfig, &'a [u8], Arrival)> {
    let library = library(&link_receive(width, Link::Roce).unwrap()).unwrap();
    let mut ports: Vec<PortConfig> = Vec::new();
    for (port, _) in frames {
        if !ports.contains(port) {
            ports.push(*port);
        }
    }
    let mut outcomes = Vec::new();
    for port in ports {
        let own: Vec<&[u8]> = frames
            .iter()
            .filter(|(p, _)| *p == port)
            .map(|(_, f)| *f)
            .collect();
        let mut receiver = Receiver::new(&library, width, &addresses(&port), 1).unwrap();
        let arrivals = receiver.run(&own, manners).unwrap();
        outcomes.extend(
            own.into_iter()
                .zip(arrivals)
                .map(|(frame, arrival)| (port, frame, arrival)),
        );
    }
    assert_eq!(outcomes.len(), frames.len());
    outcomes
}

/// Reason, fields and payload are the model's.
fn agrees(port: &PortConfig, frame: &[u8], arrival: &Arrival) {
    let rows = differing(&judge(port, frame), &arrival.outcome);
    let same = rows.iter().all(|r| !r.differs);
    assert!(same, "{frame:02x?}\n{}", table(&rows, ["model", "hardware"]));
}

/// Every frame is accepted, with the model's fields and payload.
fn takes_all(width: usize) {
    let frames = frames();
    let frames: Vec<(PortConfig, &[u8])> = frames.iter().map(|f| (port(f), &f[..])).collect();
    for manners in [Manners::EAGER, HELD_BACK] {
        for (port, frame, arrival) in outcomes(width, &frames, manners) {
            assert!(
                matches!(arrival.outcome, Outcome::Accepted { .. }),
                "{frame:02x?}"
            );
            agrees(&port, frame, &arrival);
        }
    }
}

/// A flipped frame is dropped for the model's reason; where nothing protects the bit, accepted with the model's fields.
fn drops(width: usize, flips: &[Flip]) {
    let frames: Vec<(PortConfig, &[u8])> = flips.iter().map(|f| (f.port, &f.frame[..])).collect();
    let mut accepted = 0;
    for (port, frame, arrival) in outcomes(width, &frames, Manners::EAGER) {
        agrees(&port, frame, &arrival);
        accepted += usize::from(!matches!(arrival.outcome, Outcome::Dropped(_)));
    }
    let unprotected = flips.iter().filter(|f| !f.is_protected()).count();
    assert_eq!(accepted, unprotected);
}

macro_rules! at_width {
    ($name:ident, $width:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn takes_all() {
                super::takes_all($width);
            }

            #[test]
            fn drops_every_flipped_bit() {
                drops($width, &every_bit(&frames()));
            }

            #[test]
            fn drops_a_sample_of_flipped_bits() {
                drops($width, &sample(&frames(), 8));
            }
        }
    };
}

at_width!(at_64, 64);
at_width!(at_128, 128);
at_width!(at_256, 256);
at_width!(at_512, 512);
