//! Draws frames.
use crate::case::frame::{Devices, Events, Frame, Timing};
use crate::case::lanes::Lanes;
use crate::case::SecondPort;
use crate::faults::Faults;
use crate::life::Area;
use hca_golden::arbitration::ENTRIES;
use hca_golden::port::Link;
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
            credits: credits(link, seed),
            lanes: credits(link, seed).and_then(|_| lanes(seed)),
            second_port: None,
            mtus: None,
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

/// Draws flow control: one native link of four has it.
pub(super) fn credits(link: Link, seed: u32) -> Option<u16> {
    let is_on = link == Link::InfiniBand && seed >> 8 & 3 == 0;
    is_on.then_some((seed >> 16) as u16)
}

/// Draws what is on port 2: in one case of four nothing, as on adapters with one port.
pub(super) fn second_port(frame: &Frame) -> Option<SecondPort> {
    let seed = frame.seed;
    let is_used = frame.has_two_ports() && seed >> 10 & 3 != 0;
    is_used.then_some(SecondPort {
        qps: (seed >> 20) as u8 & 7,
        is_managed: seed >> 12 & 1 == 1,
    })
}

/// Draws the active MTUs: in one case of eight not those after a reset.
pub(super) fn mtus(frame: &Frame) -> Option<[u8; 2]> {
    let seed = frame.seed;
    let code = |shift: u32| [1, 2, 3, 5][(seed >> shift & 3) as usize];
    (seed >> 5 & 7 == 0).then(|| [code(24), code(28)])
}

/// Draws the arbitration of a link with flow control: one of four has it as after a reset.
fn lanes(seed: u32) -> Option<Lanes> {
    let mut state = u64::from(seed) << 1 | 1;
    let mut below = |number: usize| {
        state = state
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x14057B7EF767814F);
        (state >> 33) as usize % number
    };
    if below(4) == 0 {
        return None;
    }
    let mut table = || -> Vec<(u8, u8)> {
        let entries = below(ENTRIES + 1);
        let mut entry = |_| {
            // Few entries are of VLs that the port or the case does not use.
            let vl = [0, 1, 0, 1, 0, 1, 2, 14][below(8)];
            let weight = [0, 1, 2, 4, 17, 64, 65, 255][below(8)];
            (vl, weight)
        };
        (0..entries).map(&mut entry).collect()
    };
    let (high, low) = (table(), table());
    let high_limit = [0, 0, 1, 2, 4, 254, 255, 255][below(8)];
    Some(
        Lanes {
            high,
            low,
            high_limit,
        }
        .serving(),
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
