//! Whatever a capture holds, it is judged.
use super::*;
use hca_testbench::check::{Ahead, Observed, Seen, Tenant, What};
use proptest::prelude::*;
use proptest::sample::Index;

/// What is done to a packet of a capture.
#[derive(Clone, Debug)]
enum Edit {
    Remove,
    Repeat(Index),
    Move(Index),
    Opcode(u8),
    Psn(u32),
    Queue(u32),
    Flags(bool, bool),
    Payload(usize),
    Aeth(u8, u32),
    Reth(u64, u32),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        Just(Edit::Remove),
        any::<Index>().prop_map(Edit::Repeat),
        any::<Index>().prop_map(Edit::Move),
        (0..0x20_u8).prop_map(Edit::Opcode),
        prop_oneof![0..20_u32, 0xFF_FFE0..=0xFF_FFFF_u32, any::<u32>()].prop_map(Edit::Psn),
        (0..3_u32).prop_map(Edit::Queue),
        any::<(bool, bool)>().prop_map(|(a, se)| Edit::Flags(a, se)),
        (0..5000_usize).prop_map(Edit::Payload),
        any::<(u8, u32)>().prop_map(|(syndrome, msn)| Edit::Aeth(syndrome, msn)),
        any::<(u64, u32)>().prop_map(|(va, length)| Edit::Reth(va, length)),
    ]
}

fn apply(packets: &mut Vec<Packet>, at: Index, edit: Edit) {
    if packets.is_empty() {
        return;
    }
    let at = at.index(packets.len());
    let packet = &mut packets[at];
    match edit {
        Edit::Remove => drop(packets.remove(at)),
        Edit::Repeat(to) => {
            let again = packet.clone();
            packets.insert(to.index(packets.len()), again);
        }
        Edit::Move(to) => {
            let moved = packets.remove(at);
            packets.insert(to.index(packets.len() + 1), moved);
        }
        Edit::Opcode(opcode) => packet.bth.opcode = opcode,
        Edit::Psn(step) => packet.bth.psn = packet.bth.psn.wrapping_add(step) & 0xFF_FFFF,
        Edit::Queue(step) => packet.bth.dest_qp += step,
        Edit::Flags(a, se) => (packet.bth.a, packet.bth.se) = (a, se),
        Edit::Payload(bytes) => packet.payload.resize(bytes, 0),
        Edit::Aeth(syndrome, msn) => {
            for extension in &mut packet.extensions {
                if let Extension::Aeth(aeth) = extension {
                    (aeth.syndrome, aeth.msn) = (syndrome, msn & 0xFF_FFFF);
                }
            }
        }
        Edit::Reth(va, length) => {
            for extension in &mut packet.extensions {
                if let Extension::Reth(reth) = extension {
                    (reth.va, reth.dma_len) = (va, length);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_traffic_is_judged(
        name in prop_oneof![
            Just("rc_send.pcap"), Just("rc_write.pcap"), Just("rc_read.pcap"), Just("rc_cas.pcap"),
        ],
        edits in proptest::collection::vec((any::<Index>(), edit()), 1..60),
    ) {
        let mut packets = packets(name);
        for (at, edit) in edits {
            apply(&mut packets, at, edit);
        }
        let mut ahead = Ahead::default();
        for (number, packet) in (1..).zip(&packets) {
            let what = What::Sound(Observed::of(Tenant::default(), packet));
            ahead.packet(Seen { number, time: 1000 * number, is_repeated: false, is_copied: false, what });
        }
        ahead.end();
        let counts = ahead.judge.counts();
        prop_assert_eq!(counts.packets + counts.others, packets.len() as u64 - unknown(&packets));
    }
}

/// Packets of opcodes that there are not.
fn unknown(packets: &[Packet]) -> u64 {
    packets.iter().filter(|packet| packet.opcode().is_none()).count() as u64
}
