//! The receive side on its bench.
use crate::bench::{bits, Bench};
use crate::packet::{Accepted, PORT_LID, PORT_LMC};
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// What came of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted(Accepted),
    /// Accepted and then discarded by the engine.
    Discarded,
    Dropped(u64),
}

/// How often the bench holds back, of 256.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    pub gap: u8,
    pub stall: u8,
    pub discard: u8,
}

impl Manners {
    pub const EAGER: Manners = Manners {
        gap: 0,
        stall: 0,
        discard: 0,
    };
}

/// As [`run_at`] for the bench's own port.
pub fn run(
    library: &Library,
    bytes: usize,
    packets: &[Vec<u8>],
    manners: Manners,
    seed: u64,
) -> (Vec<Outcome>, u64) {
    run_at((PORT_LID, PORT_LMC), library, bytes, packets, manners, seed)
}

/// At a port of this LID and LMC, sends the packets and gathers outcomes, one a packet, in order; also the clocks it
/// took.
pub fn run_at(
    port: (u16, u8),
    library: &Library,
    bytes: usize,
    packets: &[Vec<u8>],
    manners: Manners,
    seed: u64,
) -> (Vec<Outcome>, u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut bench = Bench::new(library, seed);
    bench.set("port_lid", u64::from(port.0));
    bench.set("port_lmc", u64::from(port.1));
    let mut outcomes: Vec<Option<Outcome>> = vec![None; packets.len()];
    let mut chance = |of_256: u8| rng.u8(..) < of_256;
    let (mut packet, mut at, mut offered) = (0, 0, false);
    // Headers taken that wait for a command, and packets whose payload is on its way.
    let mut taken: VecDeque<(usize, Accepted, usize)> = VecDeque::new();
    let mut draining: VecDeque<(usize, Accepted, usize)> = VecDeque::new();
    let (mut command, mut discard) = (false, false);
    let mut quiet = 0;
    let mut last_drop = None;
    while quiet < 2000 && outcomes.contains(&None) {
        // Stream in: once offered a beat stays.
        offered = packet < packets.len() && (offered || !chance(manners.gap));
        bench.set("s_axis_tvalid", u64::from(offered));
        if offered {
            let rest = &packets[packet][at..];
            let n = rest.len().min(bytes);
            let mut beat = rest[..n].to_vec();
            beat.resize_with(bytes, || 0xA5);
            bench.set_bytes("s_axis_tdata", &beat);
            bench.set("s_axis_tkeep", u64::MAX >> (64 - n));
            bench.set("s_axis_tlast", u64::from(n == rest.len()));
        }
        bench.set("header_ready", u64::from(!chance(manners.stall)));
        if !command && !taken.is_empty() && !chance(manners.stall) {
            command = true;
            discard = chance(manners.discard);
        }
        bench.set("payload_command_valid", u64::from(command));
        bench.set("payload_command_discard", u64::from(discard));
        let ready = !chance(manners.stall);
        bench.set("payload_ready", u64::from(ready));
        bench.settle();

        quiet += 1;
        if offered && bench.is_set("s_axis_tready") {
            offered = false;
            quiet = 0;
            at += bytes;
            if at >= packets[packet].len() {
                (packet, at) = (packet + 1, 0);
            }
        }
        if bench.is_set("drop_valid") {
            let number = bench.get("drop_packet") as usize;
            assert!(last_drop < Some(number), "drops out of order");
            last_drop = Some(number);
            assert_eq!(outcomes[number], None, "packet {number} judged twice");
            outcomes[number] = Some(Outcome::Dropped(bench.get("drop_reason")));
        }
        if bench.is_set("payload_valid") && ready {
            quiet = 0;
            let (_, header, left) = draining.front_mut().expect("payload belongs to a packet");
            let mut beat = bench.bytes("payload_data");
            beat.reverse();
            beat.truncate(*left);
            header.payload.extend(&beat);
            *left -= beat.len();
            assert_eq!(bench.is_set("payload_last"), *left == 0);
        }
        if command && bench.is_set("payload_command_ready") {
            command = false;
            let taken = taken.pop_front().expect("a command follows a header");
            if discard {
                outcomes[taken.0] = Some(Outcome::Discarded);
            } else {
                draining.push_back(taken);
            }
        }
        while draining.front().is_some_and(|(_, _, left)| *left == 0) {
            let (number, header, _) = draining.pop_front().expect("it is there");
            assert_eq!(outcomes[number], None, "packet {number} judged twice");
            outcomes[number] = Some(Outcome::Accepted(header));
        }
        if bench.is_set("header_valid") && bench.is_set("header_ready") {
            quiet = 0;
            taken.push_back(read(&bench.bytes("header")));
        }
        bench.tick();
    }
    let outcomes = outcomes
        .into_iter()
        .enumerate()
        .map(|(n, outcome)| outcome.unwrap_or_else(|| panic!("nothing came of packet {n}")))
        .collect();
    (outcomes, bench.cycle)
}

/// Arrival number, fields, payload length.
fn read(flat: &[u8]) -> (usize, Accepted, usize) {
    let widths = [32, 16, 16, 4, 8, 1, 16, 24, 1, 24, 8, 24, 32, 13];
    let mut at = 0;
    let mut fields = widths.into_iter().map(|width| {
        at += width;
        bits(flat, at - width, width)
    });
    let mut next = || fields.next().expect("fourteen fields");
    let number = next() as usize;
    let header = Accepted {
        slid: next(),
        dlid: next(),
        sl: next(),
        opcode: next(),
        solicited: next(),
        p_key: next(),
        dest_qp: next(),
        ack_req: next(),
        psn: next(),
        syndrome: next(),
        msn: next(),
        immediate: next(),
        payload: Vec::new(),
    };
    (number, header, next() as usize)
}
