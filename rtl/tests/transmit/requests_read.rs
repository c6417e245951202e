//! When requests are read, against a list of packets.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::transmit::{RequestsRead, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};

/// Clocks between the last that it waits for and the pulse: up to 20 packets before it take one each.
const LATE: usize = 22;

struct Packet {
    kind: u8,
    carries: bool,
    departed: Option<usize>,
    ended: Option<usize>,
}

/// Each request is reported once, in order, when it has departed and its payload was read, whichever comes first.
#[test]
fn tells_of_requests_that_have_left_and_are_read() {
    let library = library::<RequestsRead>("requests_read");
    let mut rng = Rng::with_seed(0x11E);
    for (departs, reads) in [(90, 20), (50, 50), (20, 90), (90, 95)] {
        let mut bench = Bench::new(&library, rng.u64(..));
        let packets = (0..3000).map(|_| {
            let kind = [
                KIND_REQUEST, KIND_REQUEST, KIND_READ_RESPONSE, KIND_ATOMIC_ACK, KIND_ACK,
            ][rng.usize(..5)];
            Packet {
                kind,
                carries: kind == KIND_READ_RESPONSE || (kind == KIND_REQUEST && rng.bool()),
                departed: None,
                ended: None,
            }
        });
        let mut packets: Vec<Packet> = packets.collect();
        let (mut next, mut reading, mut told, mut last) = (0, 0, 0, 0);
        for clock in 0..40_000 {
            while packets.get(reading).is_some_and(|p| !p.carries) {
                reading += 1;
            }
            while packets.get(told).is_some_and(|p| p.kind != KIND_REQUEST) {
                told += 1;
            }
            // Up to 32 between departure and link, up to 128 read before they depart.
            let leaves = next < packets.len() && next < told + 20 && rng.u8(..100) < departs;
            let ends = reading < packets.len() && reading < next + 60 && rng.u8(..100) < reads;
            bench.set("departs_valid", leaves.into());
            bench.set("departs_kind", packets.get(next).map_or(0, |p| p.kind.into()));
            bench.set(
                "departs_carries",
                packets.get(next).is_some_and(|p| p.carries).into(),
            );
            bench.set("ended_valid", ends.into());
            bench.settle();
            if bench.is_set("read_valid") {
                let packet = packets.get(told).expect("nothing is told twice");
                assert!(packet.departed.is_some(), "clock {clock}: {told} has not left");
                assert!(
                    !packet.carries || packet.ended.is_some(),
                    "clock {clock}: {told} is read"
                );
                (told, last) = (told + 1, clock);
            } else if let Some(packet) = packets.get(told) {
                let over = packets[..=told]
                    .iter()
                    .map(|p| p.departed.zip(if p.carries { p.ended } else { Some(0) }))
                    .map(|both| both.map(|(left, read)| left.max(read)))
                    .try_fold(last, |most, over| over.map(|clock| most.max(clock)));
                assert!(packet.kind == KIND_REQUEST);
                assert!(
                    over.is_none_or(|over| clock < over + LATE),
                    "clock {clock}: {told}"
                );
            }
            if leaves {
                packets[next].departed = Some(clock);
                next += 1;
            }
            if ends {
                packets[reading].ended = Some(clock);
                reading += 1;
            }
            bench.tick();
        }
        let requests = packets.iter().rposition(|p| p.kind == KIND_REQUEST);
        assert!(requests.is_some_and(|last| told > last), "all are told");
    }
}
