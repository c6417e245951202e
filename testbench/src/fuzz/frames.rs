//! Draws frames.
use crate::case::frame::{Devices, Events, Frame, Timing};
use crate::case::lanes::Lanes;
use crate::case::{LinkLayer, SecondPort, SlowVl};
use crate::faults::Faults;
use crate::life::Area;
use crate::Side;
use hca_golden::arbitration::ENTRIES;
use hca_golden::port::{Link, SLS};
use hca_host::profile::{LINE, MID, SMALL};
use proptest::prelude::*;

/// Frames for cases that concentrate on this subject.
pub(super) fn frames(area: Area) -> impl Strategy<Value = Frame> {
    let profile = prop_oneof![6 => Just(SMALL.name), 1 => Just(MID.name), 1 => Just(LINE.name)];
    let link = prop_oneof![Just(Link::InfiniBand), Just(Link::Roce)];
    let spread = prop_oneof![1 => Just(0), 3 => any::<u32>()];
    let reset = prop_oneof![7 => Just(None), 1 => (200u32..=20_000).prop_map(Some)];
    (
        profile,
        link,
        any::<u32>(),
        spread,
        reset,
        faults(area),
        timing(area),
    )
        .prop_map(|(profile, link, seed, spread, reset, faults, timing)| Frame {
            devices: Devices::Hardware,
            profile: profile.to_owned(),
            link,
            seed,
            spread,
            reset,
            management: management(seed),
            credits: None,
            lanes: None,
            link_layer: None,
            second_port: None,
            mtus: None,
            polls_every: 0,
            faults,
            timing,
        })
}

/// Draws QP0 twice as often as QP1, and mostly neither.
fn management(seed: u32) -> Option<u8> {
    match seed % 16 {
        0 | 1 => Some(0),
        2 => Some(1),
        _ => None,
    }
}

/// Adds to a frame, whose profile and link stand, what its seed draws for them.
pub(super) fn completed(frame: Frame, area: Area) -> Frame {
    let frame = Frame {
        credits: credits(frame.link, frame.seed, area),
        second_port: second_port(&frame),
        mtus: mtus(&frame),
        polls_every: polls_every(frame.seed),
        ..frame
    };
    let frame = Frame {
        link_layer: link_layer(&frame),
        ..frame
    };
    Frame {
        lanes: frame.credits.and_then(|_| lanes(frame.seed, frame.data_vls())),
        ..frame
    }
}

/// Draws numbers by a seed: [`Numbers::below`] returns the next.
struct Numbers(u64);

impl Numbers {
    fn of(seed: u32) -> Numbers {
        Numbers(u64::from(seed) << 1 | 1)
    }

    fn below(&mut self, number: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x14057B7EF767814F);
        (self.0 >> 33) as usize % number
    }
}

/// Draws how ports with flow control are set up. One of eight has two VLs, and software that leaves its ports alone.
fn link_layer(frame: &Frame) -> Option<LinkLayer> {
    frame.credits?;
    let mut numbers = Numbers::of(!frame.seed);
    if numbers.below(8) == 0 {
        return None;
    }
    let frame = Frame {
        link_layer: Some(LinkLayer {
            sl_to_vl: [0; SLS],
            slow: None,
        }),
        ..frame.clone()
    };
    let vls = usize::from(frame.data_vls());
    // Few SLs have no VL that carries them.
    let sl_to_vl = std::array::from_fn(|_| match numbers.below(48) {
        0 => 15,
        1 => vls as u8,
        _ => numbers.below(vls) as u8,
    });
    // Few blocks often, or many seldom.
    let (blocks, every) = match numbers.below(2) {
        0 => (1 + numbers.below(16), 50 + numbers.below(400)),
        _ => (40 + numbers.below(100), 2_000 + numbers.below(6_000)),
    };
    let slow = (numbers.below(3) == 0).then(|| SlowVl {
        to: Side::BOTH[numbers.below(2)],
        vl: numbers.below(vls) as u8,
        blocks: blocks as u16,
        every: every as u16,
    });
    Some(LinkLayer { sl_to_vl, slow })
}

/// Draws how often software polls its completion queues: in half of the cases so seldom that entries wait in the ring.
fn polls_every(seed: u32) -> u32 {
    let mut numbers = Numbers::of(seed.rotate_left(16));
    let (least, most) = [(1, 1), (1, 1), (1, 1), (20, 120), (100, 1_000), (1_000, 5_000)][numbers.below(6)];
    match most {
        1 => 0,
        _ => (least + numbers.below(most - least + 1)) as u32,
    }
}

/// Draws flow control: one native link of four has it, or each if the link is the subject.
fn credits(link: Link, seed: u32, area: Area) -> Option<u16> {
    let is_wanted = seed >> 8 & 3 == 0 || area == Area::Link;
    let is_on = link == Link::InfiniBand && is_wanted;
    is_on.then_some((seed >> 16) as u16)
}

/// Draws what is on port 2: in one case of four nothing, as on adapters with one port.
fn second_port(frame: &Frame) -> Option<SecondPort> {
    let seed = frame.seed;
    let is_used = frame.has_two_ports() && seed >> 10 & 3 != 0;
    is_used.then_some(SecondPort {
        qps: (seed >> 20) as u8 & 7,
        is_managed: seed >> 12 & 1 == 1,
    })
}

/// Draws the active MTUs: in one case of eight not those after a reset.
fn mtus(frame: &Frame) -> Option<[u8; 2]> {
    let seed = frame.seed;
    let code = |shift: u32| [1, 2, 3, 5][(seed >> shift & 3) as usize];
    (seed >> 5 & 7 == 0).then(|| [code(24), code(28)])
}

/// Draws the arbitration of a link with flow control: one of four has it as after a reset.
fn lanes(seed: u32, vls: u8) -> Option<Lanes> {
    let mut numbers = Numbers::of(seed);
    if numbers.below(4) == 0 {
        return None;
    }
    let mut table = || -> Vec<(u8, u8)> {
        let entries = numbers.below(ENTRIES + 1);
        let mut entry = |_| {
            // Few entries are of VLs that the port or the case does not use.
            let vl = match numbers.below(8) {
                6 => vls,
                7 => 14,
                n => n as u8 % vls,
            };
            let weight = [0, 1, 2, 4, 17, 64, 65, 255][numbers.below(8)];
            (vl, weight)
        };
        (0..entries).map(&mut entry).collect()
    };
    let (high, low) = (table(), table());
    let high_limit = [0, 0, 1, 2, 4, 254, 255, 255][numbers.below(8)];
    Some(
        Lanes {
            high,
            low,
            high_limit,
        }
        .serving(vls),
    )
}

fn faults(area: Area) -> impl Strategy<Value = Faults> {
    // Some links change the order all the time, and lose few packets.
    let overtaken = || prop_oneof![2 => 0..=100u32, 1 => 100..=400u32];
    let up_to = move |most| {
        let echoed = prop_oneof![1 => Just(0u32), 1 => 0..=most, 1 => most..=200u32];
        (0..=most, 0..=most, 0..=most / 2, 0..=most, overtaken(), echoed).prop_map(
            |(lost, repeated, corrupted, delayed, overtaken, echoed)| Faults {
                lost,
                repeated,
                corrupted,
                delayed,
                overtaken,
                echoed,
            },
        )
    };
    let sound = match area {
        Area::Faults => 0,
        Area::Traffic | Area::Host => 1,
        _ => 3,
    };
    // Per thousand packets.
    prop_oneof![
        sound => Just(Faults::default()),
        2 => up_to(60u32),
        1 => up_to(200u32),
    ]
}

fn timing(area: Area) -> impl Strategy<Value = Timing> {
    let even = if area == Area::Host { 0 } else { 3 };
    let latency = prop_oneof![
        even => Just((4, 40)),
        1 => Just((1, 1)),
        1 => Just((200, 200)),
        1 => (1u32..=20, 100u32..=700),
    ];
    let pauses = move || prop_oneof![even => Just(0u32), 1 => Just(32), 1 => Just(128), 1 => Just(225)];
    let full = (1u32..=2, 500u64..=12_000).prop_map(|(entries, lag)| Events { entries, lag });
    let events = prop_oneof![1 => Just(Events::ROOMY), 1 => full];
    let pauses = (pauses(), pauses(), pauses(), pauses());
    (latency, pauses, events).prop_map(
        |(memory_latency, (memory_pauses, stream_gaps, stream_stalls, register_pauses), events)| Timing {
            memory_latency,
            memory_pauses,
            stream_gaps,
            stream_stalls,
            register_pauses,
            events,
        },
    )
}
