//! The link receive side: every check, every field, every byte, and no clock lost.
mod crc;
mod judge;
mod named;
mod packet;
mod random;
mod rate;
mod state;

use hca_host::profile::Link;
use hca_rtl::export::link_receive;
use hca_sim::verilated::Library;
use hca_sim::wire::receive::{Manners, Outcome, Receiver};
use packet::{Route, PORT};

/// Manners to cross with everything random: gaps and stalls, each and both.
const MANNERS: [Manners; 5] = [
    Manners::EAGER,
    Manners {
        gap: 0,
        stall: 128,
        discard: 40,
    },
    Manners {
        gap: 128,
        stall: 0,
        discard: 0,
    },
    Manners {
        gap: 60,
        stall: 200,
        discard: 0,
    },
    Manners {
        gap: 100,
        stall: 100,
        discard: 128,
    },
];

/// The block under test.
pub struct Block {
    library: Library,
    stream_bits: usize,
    routes: [Route; 2],
}

impl Block {
    fn new(stream_bits: usize, link: Link) -> Block {
        let design = link_receive(stream_bits, link).expect("the block exports");
        Block {
            library: hca_sim::wire::library(&design).expect("it builds without warnings"),
            stream_bits,
            routes: match link {
                Link::InfiniBand => Route::NATIVE,
                Link::Roce => Route::FRAMES,
            },
        }
    }

    fn receiver(&self, seed: u64) -> Receiver {
        Receiver::new(&self.library, self.stream_bits, &PORT, seed).expect("the model runs")
    }

    fn judge(&self, packet: &[u8]) -> judge::Verdict {
        match self.routes {
            Route::NATIVE => judge::native(packet),
            _ => judge::frame(packet),
        }
    }

    /// Every outcome is what `judge` says of the bytes.
    fn agrees(&self, packets: &[Vec<u8>], manners: Manners, seed: u64) {
        let arrivals = self.receiver(seed).run(packets, manners);
        let arrivals = arrivals.unwrap_or_else(|e| panic!("{e} (seed {seed}, {manners:?})"));
        for (number, (arrival, packet)) in arrivals.into_iter().zip(packets).enumerate() {
            let context = format!("packet {number} of {} bytes, seed {seed}", packet.len());
            let expected = self.judge(packet).map(|(mut header, payload)| {
                header.packet = number as u32;
                (header, payload)
            });
            match arrival.outcome {
                Outcome::Accepted { header, payload } => {
                    assert_eq!(Ok((header, payload)), expected, "{context}")
                }
                Outcome::Discarded(header) => assert_eq!(Ok(header), expected.map(|e| e.0), "{context}"),
                Outcome::Dropped(reason) => assert_eq!(Err(reason), expected, "{context}"),
            }
        }
    }

    fn legal(&self) {
        let mut rng = fastrand::Rng::with_seed(1);
        for (seed, manners) in MANNERS.into_iter().enumerate() {
            let packets: Vec<_> = (0..120)
                .map(|_| random::legal(&mut rng, self.routes, 600).bytes())
                .collect();
            self.agrees(&packets, manners, seed as u64);
        }
        // The largest, so that the buffer fills up.
        let full: Vec<_> = (0..10)
            .map(|_| {
                let mut packet = random::legal(&mut rng, self.routes, 4096);
                packet.payload.resize(4096, 0x5A);
                packet.bytes()
            })
            .collect();
        self.agrees(&full, Manners::EAGER, 5);
        self.agrees(&full, MANNERS[3], 6);
    }

    fn mutants(&self) {
        let mut rng = fastrand::Rng::with_seed(2);
        for (seed, manners) in MANNERS.into_iter().enumerate() {
            let packets: Vec<_> = (0..150)
                .flat_map(|_| {
                    [
                        random::mutant(&mut rng, self.routes, 90),
                        random::legal(&mut rng, self.routes, 40).bytes(),
                    ]
                })
                .collect();
            self.agrees(&packets, manners, 10 + seed as u64);
        }
    }

    /// Packets of every length from nothing, and far too long ones, each with a good one behind.
    fn lengths(&self) {
        let mut rng = fastrand::Rng::with_seed(3);
        let long = [4222, 4223, 4226, 6000, 8190, 8194, 16_390, 20_002, 140_000];
        let mut packets = Vec::new();
        for length in (0..200).chain(long) {
            for route in self.routes {
                packets.push(random::resized(&mut rng, route, length));
                packets.push(random::legal(&mut rng, self.routes, 40).bytes());
            }
        }
        self.agrees(&packets, Manners::EAGER, 21);
        self.agrees(&packets, MANNERS[3], 22);
    }
}

macro_rules! at_width {
    ($name:ident, $bits:literal, $link:ident) => {
        mod $name {
            use super::*;

            #[test]
            fn receives() {
                let block = Block::new($bits, Link::$link);
                named::named(&block);
                if block.routes == Route::NATIVE {
                    state::states(&block);
                    state::counts(&block);
                }
                block.legal();
                block.mutants();
                block.lengths();
                rate::full(&block);
            }
        }
    };
}

at_width!(infiniband_64, 64, InfiniBand);
at_width!(infiniband_128, 128, InfiniBand);
at_width!(infiniband_256, 256, InfiniBand);
at_width!(infiniband_512, 512, InfiniBand);
at_width!(roce_64, 64, Roce);
at_width!(roce_128, 128, Roce);
at_width!(roce_256, 256, Roce);
at_width!(roce_512, 512, Roce);
