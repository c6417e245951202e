//! CF277, CF436, CF439 to CF448, CF450, CF453: flow control of the link (`link.md` sections 4 and 5).
use super::steps::{data, PORT_ERROR};
use crate::bench::requester::SEND;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, profile, Bench, QPN};
use crate::ud::qp0::requester::message;
use crate::ud::qp0::{connect, four_lids};
use crate::ud::{peer, send};
use hca_golden::event::DropReason;
use hca_golden::port::PortState;
use hca_golden::verbs::{PortCounter, QpState};
use hca_golden::wire::flow_control::FlowControl;
use hca_testbench::device::Verb;
use PortState::{Active, Armed, Down, Init};

on_both!(behind super::four_lids();
    cf277_a_packet_waits_for_credits_for_all_of_it,
    cf277_a_neighbour_takes_credits_back,
    cf277_a_short_packet_does_not_overtake_one_of_its_vl,
    cf436_an_initialising_neighbour_restarts_an_active_port,
    cf436_in_armed_it_does_not,
    cf437_what_waits_for_credits_is_discarded_when_the_port_goes_down,
    cf437_a_port_that_goes_down_ends_a_reset_that_waits_for_credits,
    cf439_flow_control_packets_are_accepted,
    cf440_a_wrong_bit_is_an_error_and_changes_no_credits,
    cf441_another_op_is_an_error_and_changes_no_credits,
    cf442_a_vl_without_flow_control,
    cf443_op_is_1_in_init_alone,
    cf444_no_data_before_the_first_flow_control_packet,
    cf445_fctbs_counts_the_blocks_that_left,
    cf446_fccl_is_what_came_and_what_is_free,
    cf447_a_lost_packet_costs_no_credits,
    cf448_the_table_of_starts,
    cf448_the_counts_wrap_around,
    cf450_each_vl_speaks_in_time,
    cf453_what_is_dropped_gives_its_credits_back,
);

/// Returns the number of clock cycles in which every VL speaks: 65,536 symbol times of four lanes, and a packet on its
/// way.
fn period() -> u64 {
    4 * 65_536 / (profile().stream_bits as u64 / 8) + 1_024
}

/// A flow-control packet.
fn packet(op: u8, vl: u8, fctbs: u16, fccl: u16) -> Vec<u8> {
    FlowControl { op, fctbs, vl, fccl }.encode().unwrap()
}

/// Credits for VL 0, up to this FCCL.
pub fn grant(y: &mut Bench, fccl: u16) {
    y.receive_link(&[packet(0, 0, 0, fccl)]);
}

fn set_flow_control(y: &mut Bench, is_on: bool) {
    assert_eq!(y.attempt(Verb::SetFlowControl { is_on }), DONE);
}

/// Y's QP of datagrams behind an Active port with flow control, whose neighbour has granted nothing.
fn datagrams(y: &mut Bench) {
    y.datagrams();
    restart(y);
}

/// Takes the port from Down to Active, with flow control; the counts are 0.
pub fn restart(y: &mut Bench) {
    set_flow_control(y, true);
    y.set_port_state(&[Down, Armed, Active]);
    assert_eq!(y.port_state(), Active);
    y.told();
    y.link_packets();
}

/// Posts a datagram of so many words from LRH to ICRC.
fn post(y: &mut Bench, words: u32) {
    // LRH, BTH, DETH and ICRC have 8 words.
    y.post(send(1, 4 * (words - 8)));
    y.settle();
}

/// Number of datagrams that left.
fn left(y: &mut Bench) -> usize {
    y.packets().len()
}

/// The completions of so many datagrams.
fn complete(y: &mut Bench, datagrams: usize) {
    assert_eq!(y.completions().len(), datagrams);
}

/// The last flow-control packet of a VL; each has one within the time.
pub fn last(y: &mut Bench, vl: u8) -> FlowControl {
    y.link_packets();
    y.run_for(period());
    let mut all = y.link_packets().into_iter().rev();
    let of_vl = all.find(|(_, packet)| packet.vl == vl);
    of_vl.expect("a flow-control packet").1
}

/// 158 words are 10 blocks.
fn cf277_a_packet_waits_for_credits_for_all_of_it(y: &mut Bench) {
    datagrams(y);
    grant(y, 9);
    post(y, 158);
    assert_eq!(left(y), 0);
    grant(y, 10);
    assert_eq!(left(y), 1);
    // Those of the next are counted from there.
    post(y, 158);
    grant(y, 19);
    assert_eq!(left(y), 0);
    grant(y, 20);
    assert_eq!(left(y), 1);
    complete(y, 2);
    assert_eq!(y.xmit_discards(), 0);
}

/// The last FCCL counts, not the largest.
fn cf277_a_neighbour_takes_credits_back(y: &mut Bench) {
    datagrams(y);
    grant(y, 10);
    grant(y, 9);
    post(y, 158);
    assert_eq!(left(y), 0);
    // 4095 is one block less than nothing.
    grant(y, 4095);
    post(y, 9);
    assert_eq!(left(y), 0);
    grant(y, 11);
    assert_eq!(left(y), 2);
    complete(y, 2);
}

/// 10 blocks, then 1 (`link.md` section 6, within a VL).
fn cf277_a_short_packet_does_not_overtake_one_of_its_vl(y: &mut Bench) {
    datagrams(y);
    grant(y, 9);
    post(y, 158);
    post(y, 9);
    assert_eq!(left(y), 0);
    grant(y, 11);
    let sizes: Vec<usize> = y.packets().iter().map(Vec::len).collect();
    assert_eq!(sizes, [4 * 158 + 2, 4 * 9 + 2]);
    complete(y, 2);
}

fn cf436_an_initialising_neighbour_restarts_an_active_port(y: &mut Bench) {
    datagrams(y);
    grant(y, 100);
    y.receive_link(&[packet(1, 0, 0, 64)]);
    assert_eq!(y.port_state(), Init);
    assert_eq!(y.told(), [PORT_ERROR]);
    assert_eq!(y.port_counter(PortCounter::LinkDowned), 0);
    // The credits of before are gone.
    y.set_port_state(&[Armed, Active]);
    post(y, 9);
    assert_eq!(left(y), 0);
    grant(y, 1);
    assert_eq!(left(y), 1);
    complete(y, 1);
}

fn cf436_in_armed_it_does_not(y: &mut Bench) {
    y.datagrams();
    set_flow_control(y, true);
    y.set_port_state(&[Down, Armed]);
    y.receive_link(&[packet(1, 0, 0, 1)]);
    assert_eq!(y.port_state(), Armed);
    y.set_port_state(&[Active]);
    post(y, 9);
    assert_eq!(left(y), 1);
    complete(y, 1);
}

/// The rows F1, F4, F5 and F6 of `fcp_vectors.csv`.
fn cf439_flow_control_packets_are_accepted(y: &mut Bench) {
    y.datagrams();
    set_flow_control(y, true);
    y.set_port_state(&[Down, Armed]);
    let rows = [
        [0x10, 0x00, 0x00, 0x40, 0x5C, 0x6D],
        [0x10, 0x00, 0x00, 0x00, 0x58, 0x05],
        [0x0F, 0xFF, 0x00, 0x3F, 0x69, 0xA6],
        [0x00, 0x20, 0x18, 0x20, 0x29, 0x8F],
    ];
    y.receive_link(&rows.map(Vec::from));
    assert_eq!(y.port_counter(PortCounter::RcvErrors), 0);
    assert_eq!(y.port_counter(PortCounter::RcvPackets), 0);
    // The third row: FCCL 63. The first packet is one of 1 block.
    y.set_port_state(&[Active]);
    post(y, 1000);
    post(y, 9);
    assert_eq!(left(y), 1);
    grant(y, 64);
    assert_eq!(left(y), 1);
    complete(y, 2);
}

fn cf440_a_wrong_bit_is_an_error_and_changes_no_credits(y: &mut Bench) {
    datagrams(y);
    post(y, 9);
    let sound = packet(0, 0, 0, 1);
    for bit in 0..8 * sound.len() {
        let mut wrong = sound.clone();
        wrong[bit / 8] ^= 0x80 >> (bit % 8);
        y.receive_link(&[wrong]);
        assert_eq!(y.port_counter(PortCounter::RcvErrors), bit as u32 + 1);
    }
    assert_eq!(left(y), 0);
    assert_eq!(last(y, 0).fctbs, 0);
    y.receive_link(&[sound]);
    assert_eq!(left(y), 1);
    complete(y, 1);
}

/// With a correct LPCRC.
fn cf441_another_op_is_an_error_and_changes_no_credits(y: &mut Bench) {
    datagrams(y);
    post(y, 9);
    for op in 2..16 {
        y.receive_link(&[packet(op, 0, 7, 1)]);
        assert_eq!(y.port_counter(PortCounter::RcvErrors), u32::from(op) - 1);
    }
    assert_eq!(left(y), 0);
    let buffer = last(y, 0).fccl;
    y.receive_link(&[packet(0, 0, 7, 1)]);
    assert_eq!(left(y), 1);
    assert_eq!(last(y, 0).fccl, buffer + 7);
    complete(y, 1);
}

/// VL 15, and a VL beyond those of any profile, are errors; VL 1, which is not operational, is one in Active alone.
fn cf442_a_vl_without_flow_control(y: &mut Bench) {
    datagrams(y);
    assert_eq!(y.attempt(Verb::SetDataVls { data_vls: 1 }), DONE);
    for (errors, vl) in (1..).zip([15, 8, 1]) {
        y.receive_link(&[packet(0, vl, 0, 64)]);
        assert_eq!(y.port_counter(PortCounter::RcvErrors), errors, "VL {vl}");
    }
    y.set_port_state(&[Down]);
    y.receive_link(&[packet(1, 1, 0, 64)]);
    assert_eq!(y.port_counter(PortCounter::RcvErrors), 3);
    y.receive_link(&[packet(1, 15, 0, 64)]);
    assert_eq!(y.port_counter(PortCounter::RcvErrors), 4);
}

/// For every VL that the port has, each state on its own.
fn cf443_op_is_1_in_init_alone(y: &mut Bench) {
    set_flow_control(y, true);
    let vls = |y: &mut Bench| {
        y.link_packets();
        y.run_for(period());
        let mut said: Vec<(u8, u8)> = y.link_packets().iter().map(|(_, p)| (p.op, p.vl)).collect();
        said.sort_unstable();
        said.dedup();
        said
    };
    for (state, op) in [(Down, 1), (Armed, 0), (Active, 0)] {
        y.set_port_state(&[state]);
        let said = vls(y);
        let expected: Vec<(u8, u8)> = (0..said.len() as u8).map(|vl| (op, vl)).collect();
        assert!(said.len() >= 2, "{said:?}");
        assert_eq!(said, expected, "after a step to {state:?}");
    }
    set_flow_control(y, false);
    assert_eq!(vls(y), []);
}

fn cf444_no_data_before_the_first_flow_control_packet(y: &mut Bench) {
    datagrams(y);
    post(y, 9);
    y.run_for(period());
    assert_eq!(left(y), 0);
    // One for another VL grants nothing.
    y.receive_link(&[packet(0, 1, 0, 100)]);
    assert_eq!(left(y), 0);
    grant(y, 1);
    assert_eq!(left(y), 1);
    complete(y, 1);
}

/// 1 block, 10 blocks, and 65; SMPs are not counted.
fn cf445_fctbs_counts_the_blocks_that_left(y: &mut Bench) {
    datagrams(y);
    grant(y, 500);
    assert_eq!(last(y, 0).fctbs, 0);
    for (words, fctbs) in [(9, 1), (158, 11), (1032, 76), (15, 77), (16, 79)] {
        post(y, words);
        assert_eq!(left(y), 1);
        assert_eq!(last(y, 0).fctbs, fctbs);
        assert_eq!(last(y, 1).fctbs, 0);
    }
    complete(y, 5);
}

/// At first a whole buffer, of 66 blocks at least.
fn cf446_fccl_is_what_came_and_what_is_free(y: &mut Bench) {
    connect(y, peer(), 0);
    restart(y);
    let buffer = last(y, 0).fccl;
    assert_eq!(usize::from(buffer), profile().receive_blocks);
    let mut came = 0;
    for (words, blocks) in [(9, 1), (15, 1), (16, 2), (158, 10), (1032, 65)] {
        let mut datagram = data();
        datagram.payload = vec![3; 4 * (words - 8)];
        y.take(&[datagram]);
        assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
        came += blocks;
        assert_eq!(last(y, 0).fccl, buffer + came);
    }
    assert_eq!(last(y, 1).fccl, buffer);
    // SMPs leave and arrive without credits.
    y.post(message(1, SEND, 256));
    y.settle();
    assert_eq!((left(y), last(y, 0).fctbs), (1, 0));
    complete(y, 1);
}

fn cf447_a_lost_packet_costs_no_credits(y: &mut Bench) {
    restart(y);
    let buffer = last(y, 0).fccl;
    y.take(&[data()]);
    assert_eq!(last(y, 0).fccl, buffer + 1);
    // A packet of 65 blocks was lost, and one that came with a wrong VCRC is as good as lost.
    let mut bad_vcrc = data().encode().unwrap();
    *bad_vcrc.last_mut().unwrap() ^= 1;
    y.receive(&[bad_vcrc]);
    y.receive_bad(data().encode().unwrap());
    assert_eq!(last(y, 0).fccl, buffer + 1);
    y.receive_link(&[packet(0, 0, 68, 0)]);
    assert_eq!(last(y, 0).fccl, buffer + 68);
    let drops = [(DropReason::Vcrc, 2), (DropReason::DestQp, 1)];
    assert_eq!(y.drops(), drops);
}

/// CreditLimit and words, with nothing sent: 1020 words are 64 blocks, 1032 are 65.
fn cf448_the_table_of_starts(y: &mut Bench) {
    datagrams(y);
    for (limit, words, starts) in [
        (64, 1020, true),
        (64, 1032, false),
        (0, 9, false),
        (2048, 9, true),
        (2049, 9, true),
        (2050, 9, false),
        (4095, 9, false),
    ] {
        restart(y);
        grant(y, limit);
        post(y, words);
        assert_eq!(left(y), usize::from(starts), "CreditLimit {limit}, {words} words");
        if !starts {
            grant(y, 100);
            assert_eq!(left(y), 1);
        }
        complete(y, 1);
    }
}

/// 4090 blocks: 62 packets of 65, and one of 60; then 16 blocks more, and 1 more than that.
fn cf448_the_counts_wrap_around(y: &mut Bench) {
    datagrams(y);
    let mut sent = 0;
    for words in [1032; 62].into_iter().chain([956]) {
        let blocks = if words == 1032 { 65 } else { 60 };
        sent += blocks;
        grant(y, sent);
        post(y, words);
        assert_eq!(left(y), 1, "{sent} blocks");
        complete(y, 1);
    }
    assert_eq!((sent, last(y, 0).fctbs), (4090, 4090));
    grant(y, 10);
    // 17 blocks.
    post(y, 262);
    assert_eq!(left(y), 0);
    grant(y, 11);
    assert_eq!((left(y), last(y, 0).fctbs), (1, 11));
    // 16 blocks, with CreditLimit 27.
    grant(y, 27);
    post(y, 250);
    assert_eq!((left(y), last(y, 0).fctbs), (1, 27));
    complete(y, 2);
}

/// With data under way and without.
fn cf450_each_vl_speaks_in_time(y: &mut Bench) {
    datagrams(y);
    for rounds in [0, 40] {
        y.link_packets();
        for _ in 0..rounds {
            let granted = last(y, 0).fctbs.wrapping_add(130) % 4096;
            grant(y, granted);
            post(y, 1032);
            post(y, 1032);
        }
        let begin = y.now();
        y.run_cycles(5 * period());
        let said = y.link_packets();
        for vl in 0..2 {
            let mut before = begin;
            for (at, _) in said.iter().filter(|(_, packet)| packet.vl == vl) {
                assert!(
                    at.saturating_sub(before) <= period(),
                    "VL {vl} from {before} to {at}"
                );
                before = *at;
            }
            assert!(y.now() - before <= period(), "VL {vl} ends with {before}");
        }
        assert_eq!(left(y), 2 * rounds);
        complete(y, 2 * rounds);
    }
}

/// More than the buffer holds, one after the other.
fn cf453_what_is_dropped_gives_its_credits_back(y: &mut Bench) {
    restart(y);
    let buffer = last(y, 0).fccl;
    let mut datagram = data();
    datagram.payload = vec![3; 4096];
    for packets in 1..=3 {
        y.take(&[datagram.clone(), datagram.clone()]);
        assert_eq!(y.drops(), [(DropReason::DestQp, 2)]);
        assert_eq!(last(y, 0).fccl, buffer + 130 * packets);
    }
    assert_eq!(y.port_counter(PortCounter::RcvErrors), 0);
}

/// Whatever waits blocks nothing after that.
/// A device may wait with a queue pair's reset until the packets before it have left. Without credits they never do.
fn cf437_a_port_that_goes_down_ends_a_reset_that_waits_for_credits(y: &mut Bench) {
    datagrams(y);
    post(y, 9);
    let (qpn, state) = (QPN, QpState::Reset);
    y.submit(Verb::ModifyQp { qpn, state });
    y.run_cycles(2_000);
    assert_eq!(left(y), 0);
    y.submit(Verb::SetPortState { state: Down });
    y.settle();
    assert_eq!(y.query().0, QpState::Reset);
    complete(y, 1);
    assert_eq!(y.xmit_discards(), 1);
}

fn cf437_what_waits_for_credits_is_discarded_when_the_port_goes_down(y: &mut Bench) {
    datagrams(y);
    post(y, 9);
    assert_eq!(left(y), 0);
    restart(y);
    assert_eq!(y.xmit_discards(), 1);
    grant(y, 1);
    assert_eq!(left(y), 0);
    post(y, 9);
    assert_eq!(left(y), 1);
    complete(y, 2);
}
