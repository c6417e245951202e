//! The transmit side on its bench.
use crate::bench::{set_bits, Bench};
use crate::packet::Packet;
use hca_sim::verilated::Library;

/// Has the packets built, and gathers their bytes; also the clocks it took.
pub fn run(
    library: &Library,
    bytes: usize,
    packets: &[Packet],
    gap: u8,
    stall: u8,
    seed: u64,
) -> (Vec<Vec<u8>>, u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut bench = Bench::new(library, seed);
    let mut built: Vec<Vec<u8>> = Vec::new();
    let mut sent = 0;
    let mut current = Vec::new();
    let (mut header, mut header_offered) = (0, false);
    let (mut packet, mut at, mut payload_offered) = (0, 0, false);
    let mut garbage = rng.fork();
    let mut chance = |of_256: u8| rng.u8(..) < of_256;
    let mut waiting: Option<(Vec<u8>, u64, bool)> = None;
    let mut quiet = 0;
    while built.len() < packets.len() && quiet < 2000 {
        header_offered = header < packets.len() && (header_offered || !chance(gap));
        bench.set("header_valid", u64::from(header_offered));
        if header_offered {
            bench.set_bytes("header", &flat(&packets[header]));
        }
        while packets.get(packet).is_some_and(|p| at >= p.payload.len()) {
            (packet, at) = (packet + 1, 0);
        }
        payload_offered = packet < packets.len() && (payload_offered || !chance(gap));
        bench.set("payload_valid", u64::from(payload_offered));
        if payload_offered {
            let rest = &packets[packet].payload[at..];
            let mut beat = rest[..rest.len().min(bytes)].to_vec();
            beat.resize_with(bytes, || garbage.u8(..));
            beat.reverse();
            bench.set_bytes("payload_data", &beat);
        }
        let ready = !chance(stall);
        bench.set("m_axis_tready", u64::from(ready));
        bench.settle();

        quiet += 1;
        if header_offered && bench.is_set("header_ready") {
            header_offered = false;
            header += 1;
            quiet = 0;
        }
        if payload_offered && bench.is_set("payload_ready") {
            payload_offered = false;
            at += bytes;
            quiet = 0;
        }
        let beat = bench.is_set("m_axis_tvalid").then(|| {
            (
                bench.bytes("m_axis_tdata"),
                bench.get("m_axis_tkeep"),
                bench.is_set("m_axis_tlast"),
            )
        });
        if waiting.is_some() {
            assert_eq!(beat, waiting, "a beat must wait unchanged");
        }
        waiting = beat.filter(|_| !ready);
        let mut leaves = false;
        if bench.is_set("m_axis_tvalid") && ready {
            quiet = 0;
            let keep = bench.get("m_axis_tkeep");
            let n = keep.trailing_ones() as usize;
            assert!(keep.count_ones() as usize == n && n > 0, "keep {keep:x}");
            current.extend(&bench.bytes("m_axis_tdata")[..n]);
            leaves = bench.is_set("m_axis_tlast");
            assert!(leaves || n == bytes, "a partial beat before the last");
            if leaves {
                built.push(std::mem::take(&mut current));
            }
        }
        assert_eq!(bench.is_set("sent"), leaves);
        sent += usize::from(leaves);
        bench.tick();
    }
    assert_eq!(sent, packets.len(), "packets are missing");
    (built, bench.cycle)
}

fn flat(p: &Packet) -> Vec<u8> {
    let (syndrome, msn) = p.aeth.unwrap_or_default();
    let fields = [
        (16, u64::from(p.dlid)),
        (16, u64::from(p.slid)),
        (4, u64::from(p.sl)),
        (4, u64::from(p.vl)),
        (8, u64::from(p.opcode)),
        (1, u64::from(p.solicited)),
        (16, u64::from(p.p_key)),
        (24, u64::from(p.dest_qp)),
        (1, u64::from(p.ack_req)),
        (24, u64::from(p.psn)),
        (1, u64::from(p.aeth.is_some())),
        (8, u64::from(syndrome)),
        (24, u64::from(msn)),
        (1, u64::from(p.immediate.is_some())),
        (32, u64::from(p.immediate.unwrap_or_default())),
        (13, p.payload.len() as u64),
    ];
    let mut vector = vec![0; 25];
    let mut at = 0;
    for (width, value) in fields {
        set_bits(&mut vector, at, width, value);
        at += width;
    }
    vector
}
