//! The merge of two ports' packets under Verilator.
#[allow(dead_code)]
mod bench;

use bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::ports::PortMerge;

/// Clocks from the last beat of a packet to the last use of its port's settings, at least.
const CHECKS: u64 = 8;
/// Packets that one port may pass while the other waits.
const TURN: usize = 8;

/// What a port sends: packets of some beats; a beat is its number in the packet, the packet's, and the port's.
struct Port {
    packet: u64,
    beat: u64,
    beats: u64,
    offers: bool,
    /// Of 8 clocks, those in which it has a beat.
    eager: u8,
}

impl Port {
    fn new() -> Port {
        Port {
            packet: 0,
            beat: 0,
            beats: 1,
            offers: false,
            eager: 8,
        }
    }

    fn data(&self, port: u64) -> u64 {
        port << 60 | self.packet << 20 | self.beat
    }
}

/// Each port's packets come whole and in order, neither port waits for more than a turn of the other, and nothing of
/// one port comes while a packet of the other may still be checked.
#[test]
fn packets_pass_whole_and_by_turns() {
    let mut bench = Bench::new(&library::<PortMerge<64, 8>>("port_merge"), 1);
    let mut rng = Rng::with_seed(0x2B);
    let names = ["first", "second"];
    for name in names {
        bench.set(&format!("{name}_tvalid"), 0);
    }
    let mut ports = [Port::new(), Port::new()];
    // What has come of each port, and the packet under way.
    let (mut came, mut inside) = ([0_u64; 2], None);
    let (mut last, mut turn, mut passed) = (0, 0, [0_usize; 2]);
    let mut turns = 0;
    for clock in 0..200_000_u64 {
        if clock % 4_000 == 0 {
            // Both busy, one or the other, or hardly any.
            ports[0].eager = *rng.choice(&[8, 8, 1, 0]).unwrap();
            ports[1].eager = *rng.choice(&[8, 8, 1, 0]).unwrap();
        }
        for (n, name) in names.into_iter().enumerate() {
            let port = &mut ports[n];
            port.offers |= port.beat > 0 && rng.u8(..4) > 0 || rng.u8(..8) < port.eager;
            bench.set(&format!("{name}_tvalid"), port.offers.into());
            bench.set(&format!("{name}_tdata"), port.data(n as u64));
            bench.set(&format!("{name}_tkeep"), 0xFF);
            bench.set(&format!("{name}_tlast"), (port.beat + 1 == port.beats).into());
        }
        bench.set("m_axis_tready", (rng.u8(..8) > 0).into());
        bench.settle();
        let now = bench.get("turn") as usize;
        if now != turn {
            assert!(clock > last + CHECKS, "clock {clock}: the checks are under way");
            turn = now;
            turns += 1;
            passed = [0; 2];
        }
        let takes =
            |name: &str| bench.is_set(&format!("{name}_tready")) && bench.is_set(&format!("{name}_tvalid"));
        let taken = names.map(takes);
        let comes = bench.is_set("m_axis_tvalid") && bench.is_set("m_axis_tready");
        assert_eq!(taken.iter().filter(|taken| **taken).count(), usize::from(comes));
        if comes {
            let n = usize::from(taken[1]);
            assert_eq!(n, now, "clock {clock}: a beat of the port whose turn it is");
            assert_eq!(inside.unwrap_or(n), n, "clock {clock}: a packet is whole");
            assert_eq!(bench.get("m_axis_tdata"), ports[n].data(n as u64));
            let ends = bench.is_set("m_axis_tlast");
            inside = (!ends).then_some(n);
            (last, ports[n].offers) = (clock, false);
            ports[n].beat += 1;
            if ends {
                let waits = ports[1 - n].offers;
                passed[n] = if waits { passed[n] + 1 } else { 0 };
                assert!(passed[n] <= TURN, "clock {clock}: the other port waits");
                came[n] += 1;
                let beats = rng.u64(1..12);
                let eager = ports[n].eager;
                ports[n] = Port {
                    packet: came[n],
                    beats,
                    eager,
                    ..Port::new()
                };
            }
        }
        bench.tick();
    }
    assert!(
        came[0] > 5_000 && came[1] > 5_000 && turns > 500,
        "{came:?}, {turns}"
    );
}
