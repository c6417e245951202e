//! Feeds a plan to the hardware and holds what it does to the outcome.
use crate::bench::Bench;
use crate::memory::{Memory, Timing, ATOMIC, CQE, REQUESTER, RESPONDER};
use crate::plan::{Outcome, Packet, Work};
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// A valid/ready source: what it offers stays until it is taken.
struct Source<T> {
    items: VecDeque<T>,
    offers: bool,
}

impl<T> Source<T> {
    fn of(items: impl IntoIterator<Item = T>) -> Source<T> {
        Source {
            items: items.into_iter().collect(),
            offers: false,
        }
    }

    /// What is offered in this clock.
    fn offer(&mut self, rng: &mut fastrand::Rng, eager: u8) -> Option<&T> {
        self.offers = !self.items.is_empty() && (self.offers || rng.u8(..100) < eager);
        self.items.front().filter(|_| self.offers)
    }

    fn take(&mut self) -> T {
        self.offers = false;
        self.items.pop_front().expect("it was offered")
    }
}

/// A piece: address, length, kind, last.
type Piece = (u64, usize, u64, bool);

fn pieces(packets: &[Packet], response: bool) -> Source<Piece> {
    let packets = packets.iter().filter(|packet| packet.response == response);
    Source::of(packets.flat_map(|packet| {
        let kind = u64::from(!matches!(packet.work, Work::Data));
        let count = packet.pieces.len();
        (packet.pieces.iter().enumerate())
            .map(move |(i, (address, length))| (*address, *length, kind, i + 1 == count))
    }))
}

const SIDES: [&str; 2] = ["responder", "requester"];

pub struct Widths {
    /// Bytes of a beat of the stream, and of the bus.
    pub stream: usize,
    pub bus: usize,
}

/// Runs a plan to its end; the clocks from the first beat of payload taken to the last response.
pub fn run(
    library: &Library,
    widths: &Widths,
    packets: &[Packet],
    cqes: &[(u64, Vec<u8>)],
    timing: &Timing,
    seed: u64,
) -> u64 {
    let outcome = Outcome::of(packets, cqes, widths.bus);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut bench = Bench::new(library, seed);
    let mut memory = Memory::new(timing.clone(), widths.bus);
    let mut orders = Source::of(packets.iter().map(|packet| packet.response));
    let mut sides = [pieces(packets, false), pieces(packets, true)];
    let mut operands = Source::of(packets.iter().filter_map(|packet| match packet.work {
        Work::Atomic {
            fetch_add,
            compare,
            swap_add,
            slot,
        } => Some((fetch_add, compare, swap_add, slot)),
        _ => None,
    }));
    let mut originals = Source::of(packets.iter().filter_map(|packet| match packet.work {
        Work::Original(value) => Some(value),
        _ => None,
    }));
    let mut entries = Source::of(cqes.iter().cloned());
    let mut commands: VecDeque<&Packet> = packets.iter().collect();
    let mut stream: Source<(Vec<u8>, bool)> = Source::of([]);
    let mut done = Vec::new();
    let (mut begun, mut cqes_written, mut quiet_since) = (None, 0, 0);
    let eager = timing.eager;

    while quiet_since < 20 {
        assert!(bench.cycle < 2_000_000, "it comes to an end");
        let order = orders.offer(&mut rng, eager);
        bench.set("order_keeps", 0);
        bench.set("order_valid", u64::from(order.is_some()));
        bench.set(
            "order_response",
            order.map_or(rng.u64(..2), |response| u64::from(*response)),
        );
        for (side, name) in sides.iter_mut().zip(SIDES) {
            let piece = side.offer(&mut rng, eager).copied();
            bench.set(&format!("{name}_valid"), u64::from(piece.is_some()));
            let (address, length, kind, last) =
                piece.unwrap_or((rng.u64(..), rng.usize(..4096), rng.u64(..2), rng.bool()));
            bench.set(&format!("{name}_address"), address);
            bench.set(&format!("{name}_length"), length as u64);
            bench.set(&format!("{name}_kind"), kind);
            bench.set(&format!("{name}_last"), u64::from(last));
        }
        let operand = operands.offer(&mut rng, eager).copied();
        bench.set("job_valid", u64::from(operand.is_some()));
        let (fetch_add, compare, swap_add, slot) =
            operand.unwrap_or((rng.bool(), rng.u64(..), rng.u64(..), rng.u64(..256)));
        bench.set("job_fetch_add", u64::from(fetch_add));
        bench.set("job_compare", compare);
        bench.set("job_swap_add", swap_add);
        bench.set("job_slot", slot);
        let original = originals.offer(&mut rng, eager).copied();
        bench.set("original_valid", u64::from(original.is_some()));
        bench.set("original", original.unwrap_or_else(|| rng.u64(..)));
        let entry = entries.offer(&mut rng, eager).cloned();
        bench.set("cqe_valid", u64::from(entry.is_some()));
        let (address, bytes) = entry.unwrap_or((rng.u64(..), vec![0xEE; 32]));
        // An EQE stands in both halves.
        let cqe = bytes.repeat(32 / bytes.len());
        bench.set("cqe_is_event", u64::from(bytes.len() == 16));
        bench.set("cqe_address", address);
        bench.set_bytes("cqe", &cqe.iter().rev().copied().collect::<Vec<u8>>());
        let beat = stream.offer(&mut rng, eager);
        bench.set("payload_valid", u64::from(beat.is_some()));
        bench.set(
            "payload_last",
            beat.map_or(rng.u64(..2), |(_, last)| u64::from(*last)),
        );
        let data = beat.map_or_else(|| vec![0xDD; widths.stream], |(data, _)| data.clone());
        bench.set_bytes("payload_data", &data.iter().rev().copied().collect::<Vec<u8>>());
        bench.set("payload_command_ready", u64::from(rng.u8(..100) < eager));
        memory.drive(&mut bench, &mut rng);
        bench.settle();

        let moved = |bench: &Bench, offers: bool, ready: &str| offers && bench.is_set(ready);
        if moved(&bench, orders.offers, "order_ready") {
            orders.take();
        }
        for (side, name) in sides.iter_mut().zip(SIDES) {
            if moved(&bench, side.offers, &format!("{name}_ready")) {
                side.take();
            }
        }
        if moved(&bench, operands.offers, "job_ready") {
            operands.take();
        }
        if moved(&bench, originals.offers, "original_ready") {
            originals.take();
        }
        if moved(&bench, entries.offers, "cqe_ready") {
            entries.take();
        }
        if moved(&bench, stream.offers, "payload_ready") {
            stream.take();
            begun.get_or_insert(bench.cycle);
        }
        if bench.is_set("payload_command_valid") && bench.is_set("payload_command_ready") {
            let packet = commands.pop_front().expect("one command a packet");
            assert_eq!(
                bench.is_set("payload_command_discard"),
                packet.discards(),
                "{packet:?}"
            );
            if !packet.discards() {
                let beats = packet.payload.len().div_ceil(widths.stream);
                stream.items.extend(
                    packet
                        .payload
                        .chunks(widths.stream)
                        .enumerate()
                        .map(|(i, chunk)| {
                            let mut data = chunk.to_vec();
                            data.resize_with(widths.stream, || rng.u8(..));
                            (data, i + 1 == beats)
                        }),
                );
            }
        }
        if bench.is_set("done_valid") {
            let (slot, value, packets) = outcome.done[done.len()];
            assert_eq!((bench.get("done_slot"), bench.get("done_value")), (slot, value));
            assert!(
                memory.responses[ATOMIC] >= outcome.needed[RESPONDER][packets - 1].1,
                "in memory before it is told"
            );
            done.push(value);
        }
        cqes_written += u64::from(bench.is_set("cqe_written"));
        assert_eq!(cqes_written, memory.responses[CQE]);
        let mut finished = true;
        for (side, name) in [RESPONDER, REQUESTER].into_iter().zip(SIDES) {
            let needed = &outcome.needed[side];
            let there = needed.iter().take_while(|(bursts, atomics)| {
                *bursts <= memory.responses[side] && *atomics <= memory.responses[ATOMIC]
            });
            let written = bench.get(&format!("{name}_written")) as usize;
            assert!(written <= there.count(), "{name}: counted before it is in memory");
            finished &= written == needed.len();
        }
        memory.sample(&bench, &mut rng);
        let over = finished && done.len() == outcome.done.len() && cqes_written == cqes.len() as u64;
        quiet_since = if over { quiet_since + 1 } else { 0 };
        bench.tick();
    }
    assert!(
        commands.is_empty() && stream.items.is_empty(),
        "all of it was used"
    );
    assert!(memory.bytes == outcome.bytes, "memory differs, seed {seed}");
    for (id, bursts) in outcome.bursts.iter().enumerate() {
        assert!(
            memory.bursts[id] == *bursts,
            "bursts of ID {id} differ, seed {seed}"
        );
    }
    memory.last_response - begun.unwrap_or(0)
}
