//! The send side of the link: credits, states of the port, and switches of flow control beside packets.
mod world;

use crate::bench::library;
use hca_rtl::link::LinkSend;
use hca_sim::verilated::Library;
use world::{Packet, State, World};

fn goes_through_all_states(library: &Library, lanes: u64, vls: usize, seed: u64) {
    let mut world = World::new(library, lanes, vls, seed);
    world.run(200);
    assert_eq!((world.packets, world.links), (0, 0));
    for round in 0..6 {
        world.smps = round % 2 == 1;
        for state in [State::Init, State::Armed, State::Active, State::Down] {
            world.enter(state);
            let clocks = 12_000 + world.rng.u64(..3_000);
            world.run(if state == State::Active {
                3 * clocks
            } else {
                clocks / 4
            });
            world.settle();
            if state == State::Active {
                // A largest packet may be on its way meanwhile.
                let most = 16 + 60 + 1_000 / lanes;
                let behind = (0..vls).find(|vl| world.fccl[*vl] >= world.last_fccl[*vl] + most);
                assert_eq!(behind, None, "round {round}");
                world.silent = u64::MAX;
                world.run(10_000);
                world.settle();
                assert!(
                    world.kept.iter().any(|kept| !kept.is_empty()),
                    "round {round}: there are credits without end"
                );
                world.silent = 0;
            }
        }
        // What has departed is built and discarded.
        world.run(8_000);
        assert!(world.kept[..15].iter().flatten().all(|(packet, _)| packet.may_go));
        world.missing += world.kept[..15]
            .iter_mut()
            .map(|kept| kept.drain(..).count() as u64)
            .sum::<u64>();
        assert_eq!(world.given_up, world.missing, "round {round}");
    }
    let counts = [world.packets, world.links, world.given_up];
    assert!(
        counts[0] > 3_000 && counts[1] > 300 && counts[2] > 30,
        "{counts:?}"
    );
}

#[test]
fn beats_of_8_bytes_and_2_vls() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    goes_through_all_states(&library, 8, 2, 1);
}

#[test]
fn beats_of_64_bytes_and_8_vls() {
    let library = library::<LinkSend<512, 64, 520, 9, 8>>("link_send_of_8");
    for seed in 1..4 {
        goes_through_all_states(&library, 64, 8, seed);
    }
}

/// CF449: VL 0 has no credits, and VL 1 and VL 15 send as long as no more waits on VL 0 than it has room for.
#[test]
fn a_vl_without_credits_holds_up_no_other() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    let mut world = World::new(&library, 8, 2, 9);
    for state in [State::Init, State::Armed, State::Active] {
        world.enter(state);
    }
    world.silent = 1;
    world.smps = true;
    while world.kept[0].is_empty() {
        world.clock();
    }
    let before = world.of_vl.clone();
    for vl in [1, 15] {
        while world.of_vl[vl] < before[vl] + 3 {
            world.clock();
            assert!(world.bench.cycle < 50_000, "VL {vl}: {:?}", world.of_vl);
        }
    }
    assert_eq!(world.of_vl[0], before[0]);
}

/// Packets on their way when flow control is switched, and those of later, come through whole and in the order of
/// their VL; only those that depart with flow control are counted.
#[test]
fn flow_control_is_switched_beside_packets() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    for seed in 0..4 {
        let mut world = World::new(&library, 8, 2, seed);
        for state in [State::Init, State::Armed, State::Active] {
            world.enter(state);
        }
        world.smps = true;
        for round in 0..250 {
            world.switch(round % 2 == 1);
            world.odds = [1, 1, 32, 32][round % 4];
            let longest = [4, 300, 4, 3_000, 30][round % 5];
            let clocks = world.rng.u64(1..longest);
            world.run(clocks);
        }
        assert!(world.packets > 500, "{} packets", world.packets);
        assert_eq!((world.given_up, world.missing), (0, 0));
    }
}

/// A Send Only without payload, or an SMP.
fn one(vl: u64, number: u16) -> Packet {
    let is_smp = vl == 15;
    Packet {
        vl,
        opcode: if is_smp { 0x64 } else { 0x04 },
        payload: if is_smp { 256 } else { 0 },
        has_grh: false,
        words: if is_smp { 72 } else { 6 },
        discards: false,
        number,
        epoch: 1,
        may_go: false,
    }
}

/// A port in Active, before any packet has departed; none is drawn.
fn active(library: &Library) -> World {
    let mut world = World::new(library, 8, 2, 5);
    world.odds = 0;
    for state in [State::Init, State::Armed, State::Active] {
        world.enter(state);
    }
    world
}

/// A packet departs with flow control, which is then off for one clock before the packet is built: it needs no credits
/// and is not counted.
#[test]
fn a_packet_that_needed_no_credits_meanwhile_never_does() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    let mut world = active(&library);
    // No credits come.
    world.silent = u64::MAX;
    let packet = one(0, 77);
    world.bench.set("builds", 0);
    for (input, value) in [
        ("vl", packet.vl),
        ("opcode", packet.opcode),
        ("payload", packet.payload),
        ("discards", 0),
        ("departs_valid", 1),
        ("departs_valid", 0),
        ("flow_control", 0),
        ("flow_control", 1),
        ("builds", 1),
        ("builds", 0),
    ] {
        world.bench.set(input, value);
        world.bench.settle();
        world.bench.tick();
    }
    world.epoch += 2;
    world.way.push_back((packet, 0));
    world.run(500);
    assert_eq!(world.packets, 1);
}

/// A packet waits for credits, or because its VL has no entry in the tables; without one, or while one is under way,
/// nothing waits.
#[test]
fn a_packet_waits_for_credits_or_arbitration() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    for has_credits in [false, true] {
        let mut world = active(&library);
        // An entry of VL 1 alone.
        world
            .bench
            .set_bytes("arbitration_low", &[8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        if has_credits {
            while world.granted.iter().any(|granted| granted.unwrap_or(0) < 8) {
                world.clock();
            }
        }
        world.silent = u64::MAX;
        world.settle();
        let waits = |world: &mut World, clocks: u64| {
            let mut waits = 0;
            for _ in 0..clocks {
                world.clock();
                waits += u64::from(world.bench.is_set("waits"));
            }
            waits
        };
        assert_eq!(waits(&mut world, 500), 0);
        world.planned.push_back(one(1, 1));
        let waited = waits(&mut world, 500);
        match has_credits {
            true => assert!((1..8).contains(&waited), "{waited} clocks"),
            false => assert!((400..500).contains(&waited), "{waited} clocks"),
        }
        if has_credits {
            assert_eq!(world.packets, 1);
            world.planned.push_back(one(0, 2));
            let waited = waits(&mut world, 500);
            assert!((400..500).contains(&waited), "{waited} clocks");
            assert_eq!(world.packets, 1);
        }
    }
}

/// What goes straight to the link waits until a packet from the store has left it.
#[test]
fn no_packet_passes_one_that_is_under_way() {
    let library = library::<LinkSend<64, 8, 72, 10, 2>>("link_send");
    // The first packet is at the link, or has only begun to be built.
    for (vl, clocks) in [(0, 60), (15, 60), (0, 0), (15, 0)] {
        let mut world = active(&library);
        while world.granted[0].unwrap_or(0) < 8 {
            world.clock();
        }
        world.settle();
        world.planned.push_back(one(vl, 1));
        world.is_held = true;
        while world.way.is_empty() {
            world.clock();
        }
        world.run(clocks);
        world.switch(false);
        world.planned.push_back(one(1, 2));
        world.run(60);
        world.is_held = false;
        world.run(500);
        assert_eq!(world.packets, 2, "behind VL {vl} after {clocks} clocks");
    }
}
