//! The faults of the wire: frames of RoCEv2 that are lost, come twice or change places. All of them follow from a seed.
use super::frame;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of clock cycles after which a frame that was to change places continues alone, if none followed.
const HELD: u64 = 20_000;

/// The direction of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the peer.
    Out,
    /// To the adapter.
    In,
}

/// The rates of faults, in frames of a thousand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub drop: u32,
    pub duplicate: u32,
    /// Frames that the next one overtakes.
    pub swap: u32,
}

/// A loss of frames with a given opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    pub way: Way,
    pub opcode: u8,
    /// Number of frames of the opcode that pass before.
    pub skip: u32,
    /// Number of frames that are lost then.
    pub times: u32,
}

/// The number of faults of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suffered {
    pub dropped: u64,
    pub duplicated: u64,
    pub swapped: u64,
}

/// The faults of the wire.
#[derive(Debug)]
pub struct Noise {
    rates: Rates,
    random: ChaCha8Rng,
    /// For each direction, a held frame and the clock cycle in which it came.
    held: [Option<(u64, Vec<u8>)>; 2],
    losses: Vec<Loss>,
    suffered: Suffered,
}

impl Noise {
    /// Makes faults with these rates. The seed decides which frames suffer them.
    pub fn new(rates: Rates, seed: u64) -> Noise {
        Noise {
            rates,
            random: ChaCha8Rng::seed_from_u64(seed),
            held: [None, None],
            losses: Vec::new(),
            suffered: Suffered::default(),
        }
    }

    /// Returns the present rates.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// Changes the rates from now on.
    pub fn set_rates(&mut self, rates: Rates) {
        self.rates = rates;
    }

    /// Loses frames by their opcode, in addition to all other faults.
    pub fn lose(&mut self, loss: Loss) {
        self.losses.push(loss);
    }

    /// Ends the losses by opcode.
    pub fn forget_losses(&mut self) {
        self.losses.clear();
    }

    /// Returns the number of faults of each kind so far.
    pub fn suffered(&self) -> Suffered {
        self.suffered
    }

    /// Returns the frames that arrive in place of this one, in order. A frame that is not RoCEv2 passes unchanged.
    pub fn pass(&mut self, now: u64, way: Way, frame: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(bth) = frame::bth(&frame) else {
            return vec![frame];
        };
        if self.loses(way, bth.opcode) || self.hits(self.rates.drop) {
            self.suffered.dropped += 1;
            return Vec::new();
        }
        if self.held[way as usize].is_none() && self.hits(self.rates.swap) {
            self.suffered.swapped += 1;
            self.held[way as usize] = Some((now, frame));
            return Vec::new();
        }
        let mut frames = Vec::new();
        if self.hits(self.rates.duplicate) {
            self.suffered.duplicated += 1;
            frames.push(frame.clone());
        }
        frames.push(frame);
        frames.extend(self.held[way as usize].take().map(|(_, held)| held));
        frames
    }

    /// Returns a frame that was to change places with one that did not come.
    pub fn overdue(&mut self, now: u64, way: Way) -> Option<Vec<u8>> {
        let held = &mut self.held[way as usize];
        held.take_if(|(since, _)| now >= *since + HELD)
            .map(|(_, frame)| frame)
    }

    /// Returns true if a frame waits to change places.
    pub fn holds(&self) -> bool {
        self.held.iter().any(Option::is_some)
    }

    fn loses(&mut self, way: Way, opcode: u8) -> bool {
        let fits = |loss: &&mut Loss| loss.way == way && loss.opcode == opcode && loss.times > 0;
        let Some(loss) = self.losses.iter_mut().find(fits) else {
            return false;
        };
        match loss.skip {
            0 => loss.times -= 1,
            _ => {
                loss.skip -= 1;
                return false;
            }
        }
        true
    }

    fn hits(&mut self, parts: u32) -> bool {
        parts != 0 && self.random.next_u32() % 1000 < parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;

    fn frame(opcode: u8, number: u32) -> Vec<u8> {
        let mut payload = vec![0; 16];
        payload[0] = opcode;
        payload[8..12].copy_from_slice(&number.to_be_bytes());
        let builder = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64);
        let mut frame = Vec::new();
        builder.udp(0xC000, 4791).write(&mut frame, &payload).unwrap();
        frame
    }

    fn psns(frames: &[Vec<u8>]) -> Vec<u32> {
        frames.iter().map(|f| frame::bth(f).unwrap().psn).collect()
    }

    fn passed(rates: Rates) -> (Vec<u32>, Suffered) {
        let mut noise = Noise::new(rates, 7);
        let mut came = Vec::new();
        for number in 0..4000 {
            came.extend(noise.pass(number.into(), Way::Out, frame(4, number)));
        }
        came.extend(noise.overdue(4000 + HELD, Way::Out));
        (psns(&came), noise.suffered())
    }

    #[test]
    fn each_fault_comes_as_often_as_asked_and_no_other_does() {
        let all: Vec<u32> = (0..4000).collect();
        let none = Rates::default();
        assert_eq!(passed(none), (all.clone(), Suffered::default()));
        let (came, suffered) = passed(Rates { drop: 100, ..none });
        assert!((300..500).contains(&suffered.dropped), "{suffered:?}");
        assert_eq!(came.len() as u64 + suffered.dropped, 4000);
        let (mut came, suffered) = passed(Rates {
            duplicate: 100,
            ..none
        });
        assert!((300..500).contains(&suffered.duplicated), "{suffered:?}");
        came.dedup();
        assert_eq!(came, all, "a copy comes right behind");
        let (mut came, suffered) = passed(Rates { swap: 100, ..none });
        assert!((300..500).contains(&suffered.swapped), "{suffered:?}");
        let late = came.windows(2).filter(|pair| pair[0] == pair[1] + 1).count() as u64;
        assert_eq!(late, suffered.swapped);
        came.sort_unstable();
        assert_eq!(came, all);
    }

    #[test]
    fn a_frame_that_nothing_follows_goes_on_alone() {
        let mut noise = Noise::new(
            Rates {
                swap: 1000,
                ..Rates::default()
            },
            1,
        );
        assert!(noise.pass(5, Way::In, frame(4, 1)).is_empty());
        assert_eq!(noise.overdue(4 + HELD, Way::In), None);
        assert_eq!(noise.overdue(5 + HELD, Way::Out), None);
        assert_eq!(psns(noise.overdue(5 + HELD, Way::In).as_slice()), [1]);
        assert_eq!(noise.overdue(5 + HELD, Way::In), None);
    }

    #[test]
    fn frames_are_lost_by_opcode_and_way_after_those_that_pass() {
        let mut noise = Noise::new(Rates::default(), 1);
        noise.lose(Loss {
            way: Way::Out,
            opcode: 1,
            skip: 1,
            times: 2,
        });
        let mut arrives = |way, opcode| !noise.pass(0, way, frame(opcode, 0)).is_empty();
        assert!(arrives(Way::Out, 1));
        assert!(arrives(Way::In, 1) && arrives(Way::Out, 2));
        assert!(!arrives(Way::Out, 1) && !arrives(Way::Out, 1));
        assert!(arrives(Way::Out, 1));
        assert_eq!(noise.suffered().dropped, 2);
    }

    #[test]
    fn what_is_no_roce_suffers_nothing() {
        let everything = Rates {
            drop: 1000,
            duplicate: 1000,
            swap: 1000,
        };
        let mut noise = Noise::new(everything, 1);
        assert_eq!(noise.pass(0, Way::Out, vec![0xFF; 60]), [vec![0xFF; 60]]);
    }
}
