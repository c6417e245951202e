//! CF265, CF268 to CF271, CF279 to CF281, CF461: which VL leaves first (`link.md` sections 3 and 6). While the link
//! takes nothing SMPs stand in front, packets gather behind them, and all of them get their credits.
use crate::bench::requester::{work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, PEER_QPN, QPN};
use crate::ud::qp0::connect;
use crate::ud::qp0::four_lids;
use crate::ud::qp0::requester::message;
use crate::ud::{attributes, peer, success};
use hca_golden::arbitration::{Arbitration, Entry, Table};
use hca_golden::port::PortState::{Active, Armed, Down};
use hca_golden::port::SLS;
use hca_golden::verbs::{AddressHandle, Datagram, QpAttributes, SendRequest};
use hca_golden::wire::flow_control::FlowControl;
use hca_testbench::device::Verb;

on_both!(behind super::four_lids();
    cf265_a_packet_that_waits_keeps_its_vl,
    cf268_the_high_table_goes_first_within_its_limit,
    cf269_entries_of_weight_0_are_skipped,
    cf269_what_no_entry_serves_waits_for_one,
    cf270_shares_follow_the_weights,
    cf270_a_vl_has_the_weights_of_all_its_entries,
    cf270_after_a_reset_the_vls_are_alike,
    cf271_packets_of_a_vl_keep_their_order,
    cf279_with_limit_0_the_low_table_follows_each_high_packet,
    cf280_with_limit_255_the_low_table_waits,
    cf281_a_table_with_nothing_eligible_yields,
    cf461_entries_of_vls_that_are_not_operational_are_skipped,
);

/// SL 1 is on VL 1, all others on VL 0.
const VLS: [u8; SLS] = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Address handle of each of the SLs 0 and 1.
const HANDLES: [u32; 2] = [7, 8];
/// SMPs in front of packets that gather. One may pass into the device's last stage as a whole.
pub const IN_FRONT: usize = 2;
/// The CQ of Y's QP of datagrams, and its entries.
pub const CQN: u32 = 5;
const ENTRIES: u32 = 64;

/// QP0, and a QP of datagrams, behind a port with flow control.
pub fn lanes(y: &mut Bench) {
    connect(y, peer(), 0);
    y.submit(Verb::CreateCq {
        cqn: CQN,
        entries: 128,
    });
    let attributes = QpAttributes {
        send_cq: CQN,
        receive_cq: CQN,
        ..attributes()
    };
    y.submit(Verb::CreateQp {
        attributes,
        send_entries: ENTRIES,
        receive_entries: ENTRIES,
    });
    for (sl, handle) in (0..).zip(HANDLES) {
        y.address(handle, AddressHandle { sl, ..peer() });
    }
    y.turn_to(QPN);
    y.enter_rts();
    assert_eq!(y.attempt(Verb::SetSlToVl { table: VLS }), DONE);
    assert_eq!(y.attempt(Verb::SetFlowControl { is_on: true }), DONE);
    restart(y);
}

/// Takes the port from Down to Active: the counts of blocks are 0, and no VL has credits.
pub fn restart(y: &mut Bench) {
    y.set_port_state(&[Down, Armed, Active]);
    y.told();
    y.link_packets();
    y.sequence();
}

/// An FCCL for this VL.
pub fn credits(vl: u8, fccl: u16) -> Vec<u8> {
    let (op, fctbs) = (0, 0);
    FlowControl { op, fctbs, vl, fccl }.encode().unwrap()
}

/// Entries of a table, VL and weight.
pub fn table(entries: &[(u8, u8)]) -> Table {
    let mut table = Table::default();
    for (entry, &(vl, weight)) in table.iter_mut().zip(entries) {
        *entry = Entry { vl, weight };
    }
    table
}

pub fn arbitrate(y: &mut Bench, high: &[(u8, u8)], low: &[(u8, u8)], high_limit: u8) {
    let arbitration = Arbitration {
        high: table(high),
        low: table(low),
        high_limit,
    };
    assert_eq!(y.attempt(Verb::SetArbitration { arbitration }), DONE);
    y.run_cycles(100);
}

/// Posts a datagram on this SL of so many blocks.
pub fn post(y: &mut Bench, sl: u8, blocks: u32) {
    post_from(y, QPN, sl, blocks);
}

/// The same from another queue pair.
pub fn post_from(y: &mut Bench, qpn: u32, sl: u8, blocks: u32) {
    // With LRH, BTH, DETH, ICRC and VCRC it fills its blocks.
    let length = 64 * blocks - 36;
    y.turn_to(qpn);
    y.post(SendRequest {
        datagram: Some(Datagram {
            handle: HANDLES[usize::from(sl)],
            dest_qpn: PEER_QPN,
            q_key: 0,
            p_key_index: 3,
        }),
        ..work(1, SEND, length)
    });
}

/// Holds the link, and posts `IN_FRONT` SMPs. The first one is offered to the link and waits there, so no device has
/// decided yet which packet follows the last one.
pub fn stand_in_front(y: &mut Bench) {
    y.hold_link(true);
    (0..IN_FRONT).for_each(|_| post_smp(y));
    y.gather(IN_FRONT);
}

/// Posts an SMP.
pub fn post_smp(y: &mut Bench) {
    y.turn_to(0);
    y.post(message(1, SEND, 256));
}

/// Everything that waits leaves: the VLs in their order, without flow-control packets. Each packet has its completion.
pub fn leave(y: &mut Bench) -> Vec<u8> {
    y.hold_link(false);
    y.settle();
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(left.len(), y.packets().len());
    for (qpn, is_its) in [(0, [false, true]), (QPN, [true, false])] {
        let number = left.iter().filter(|vl| is_its[usize::from(**vl == 15)]).count();
        y.turn_to(qpn);
        assert_eq!(y.completions(), vec![success(1, 0); number], "of QP {qpn:06X}h");
    }
    left
}

/// VLs of what leaves after the SMPs in front, if such packets, SL and blocks, are posted, and none has credits before
/// all wait.
fn schedule(y: &mut Bench, packets: &[(u8, u32)]) -> Vec<u8> {
    restart(y);
    stand_in_front(y);
    packets.iter().for_each(|&(sl, blocks)| post(y, sl, blocks));
    y.gather(IN_FRONT + packets.len());
    y.submit_link(&[credits(0, 500), credits(1, 500)]);
    y.run_cycles(2_000);
    let left = leave(y);
    assert_eq!(left[..IN_FRONT], [15; IN_FRONT]);
    left[IN_FRONT..].to_vec()
}

/// So many packets of each SL in turn, with these blocks.
fn alternating(numbers: [usize; 2], blocks: [u32; 2]) -> Vec<(u8, u32)> {
    let of = |n: usize, sl: usize| (n < numbers[sl]).then_some((sl as u8, blocks[sl]));
    (0..numbers[0].max(numbers[1]))
        .flat_map(|n| [of(n, 0), of(n, 1)])
        .flatten()
        .collect()
}

/// The limit is 4096 bytes, which are 64 blocks. Of packets of 10 blocks the high table sends seven, because the
/// seventh starts below the limit. Then the low table sends one packet, of whatever size.
fn cf268_the_high_table_goes_first_within_its_limit(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(1, 255)], &[(0, 255)], 1);
    let left = schedule(y, &alternating([4, 9], [3, 10]));
    assert_eq!(left, [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0]);
    // Exactly 64 blocks, and one less.
    for (fourth, expected) in [
        (16, [0, 0, 0, 0, 1, 0, 0, 1, 1]),
        (15, [0, 0, 0, 0, 0, 1, 0, 1, 1]),
    ] {
        arbitrate(y, &[(0, 255)], &[(1, 255)], 1);
        let low = [(1, 1); 3];
        let high = [(0, 16), (0, 16), (0, 16), (0, fourth), (0, 16), (0, 1)];
        let left = schedule(y, &[low.as_slice(), &high].concat());
        assert_eq!(left, expected, "a fourth packet of {fourth} blocks");
    }
}

fn cf269_entries_of_weight_0_are_skipped(y: &mut Bench) {
    lanes(y);
    let four_of_each = alternating([4, 4], [1, 1]);
    arbitrate(y, &[(1, 0)], &[(0, 0), (0, 2), (1, 0), (1, 1)], 255);
    let left = schedule(y, &four_of_each);
    assert_eq!(left, [0, 0, 1, 0, 0, 1, 1, 1]);
}

/// A packet behind the change has the new VL, and passes the one that waits for credits.
fn cf265_a_packet_that_waits_keeps_its_vl(y: &mut Bench) {
    lanes(y);
    post(y, 1, 2);
    y.settle();
    let table = [0; SLS];
    assert_eq!(y.attempt(Verb::SetSlToVl { table }), DONE);
    post(y, 1, 2);
    y.submit_link(&[credits(0, 500)]);
    assert_eq!(leave_on(y, 0), [0]);
    y.submit_link(&[credits(1, 500)]);
    assert_eq!(leave_on(y, 1), [1]);
    assert_eq!(y.xmit_discards(), 0);
}

/// It keeps nothing waiting that has a turn.
fn cf269_what_no_entry_serves_waits_for_one(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(0, 0)], &[(1, 1)], 0);
    y.submit_link(&[credits(0, 500), credits(1, 500)]);
    for sl in [0, 1, 0, 1] {
        post(y, sl, 2);
    }
    y.settle();
    assert_eq!(y.sequence().into_iter().flatten().collect::<Vec<_>>(), [1, 1]);
    arbitrate(y, &[], &[], 0);
    post(y, 1, 2);
    post_smp(y);
    y.settle();
    assert_eq!(y.sequence().into_iter().flatten().collect::<Vec<_>>(), [15]);
    // Both have a turn again.
    arbitrate(y, &[(1, 1)], &[(0, 1)], 255);
    y.settle();
    let mut left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    left.sort_unstable();
    assert_eq!(left, [0, 0, 1]);
    assert_eq!(y.packets().len(), 6);
    y.turn_to(0);
    assert_eq!(y.completions().len(), 1);
    y.turn_to(QPN);
    assert_eq!(y.completions().len(), 5);
    assert_eq!(y.xmit_discards(), 0);
}

/// 20 blocks to 10: in a round three packets of 7 and four of 3, which exceed their weights by less than a packet.
fn cf270_shares_follow_the_weights(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[], &[(0, 20), (1, 10)], 0);
    let left = schedule(y, &alternating([9, 12], [7, 3]));
    assert_eq!(
        left,
        [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1]
    );
    // The same shares in the high table.
    arbitrate(y, &[(0, 20), (1, 10)], &[], 0);
    let left = schedule(y, &alternating([6, 8], [7, 3]));
    assert_eq!(left, [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1]);
}

/// Each entry has its own count.
fn cf270_a_vl_has_the_weights_of_all_its_entries(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[], &[(1, 2), (0, 1), (1, 1), (0, 3)], 0);
    let left = schedule(y, &alternating([8, 6], [1, 1]));
    assert_eq!(left, [1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0]);
    // An entry in either table.
    arbitrate(y, &[(0, 1)], &[(1, 1), (0, 1)], 0);
    let left = schedule(y, &alternating([6, 2], [1, 1]));
    assert_eq!(left, [0, 1, 0, 0, 0, 1, 0, 0]);
}

/// 64 blocks each in a turn.
fn cf270_after_a_reset_the_vls_are_alike(y: &mut Bench) {
    lanes(y);
    let left = schedule(y, &alternating([6, 6], [15, 15]));
    assert_eq!(left, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1]);
}

/// The PSNs grow in the order of posting.
fn cf271_packets_of_a_vl_keep_their_order(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(1, 5)], &[(0, 3)], 0);
    stand_in_front(y);
    let packets = [(1, 3), (0, 9), (0, 1), (1, 1), (1, 8), (0, 2), (1, 1)];
    packets.iter().for_each(|&(sl, blocks)| post(y, sl, blocks));
    y.gather(IN_FRONT + packets.len());
    y.submit_link(&[credits(0, 500), credits(1, 500)]);
    y.hold_link(false);
    y.settle();
    let sent = y.sent();
    for vl in [0, 1] {
        let of_vl = sent.iter().filter(|packet| packet.lrh().unwrap().vl == vl);
        // The first PSN is FFFFFEh.
        let places: Vec<u32> = of_vl.map(|p| p.bth.psn.wrapping_add(2) & 0xFF_FFFF).collect();
        assert_eq!(places, [[1, 2, 5].as_slice(), &[0, 3, 4, 6]][usize::from(vl)]);
    }
    y.completions();
    y.turn_to(0);
    y.completions();
}

fn cf279_with_limit_0_the_low_table_follows_each_high_packet(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(0, 255)], &[(1, 255)], 0);
    let left = schedule(y, &alternating([6, 4], [1, 12]));
    assert_eq!(left, [0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
    arbitrate(y, &[(1, 255)], &[(0, 255)], 0);
    let left = schedule(y, &alternating([6, 4], [1, 12]));
    assert_eq!(left, [1, 0, 1, 0, 1, 0, 1, 0, 0, 0]);
}

/// With limit 1 it would not wait so long.
fn cf280_with_limit_255_the_low_table_waits(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(0, 1)], &[(1, 255)], 255);
    let left = schedule(y, &alternating([9, 3], [10, 1]));
    assert_eq!(left, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
}

/// Whatever the limit, a VL of the high table without packets, or without credits, leaves the link to the low table,
/// and the other way round.
fn cf281_a_table_with_nothing_eligible_yields(y: &mut Bench) {
    lanes(y);
    for limit in [0, 1, 255] {
        arbitrate(y, &[(0, 9)], &[(1, 9)], limit);
        assert_eq!(schedule(y, &[(1, 3); 3]), [1, 1, 1]);
        assert_eq!(schedule(y, &[(0, 3); 3]), [0, 0, 0]);
        for (vl, other) in [(1, 0), (0, 1)] {
            restart(y);
            y.submit_link(&[credits(vl, 500)]);
            for sl in [other, vl, other, vl] {
                post(y, sl, 3);
            }
            assert_eq!(leave_on(y, vl), [vl, vl]);
            y.submit_link(&[credits(other, 500)]);
            assert_eq!(leave_on(y, other), [other, other]);
        }
    }
}

/// VLs of what leaves while the packets of other VLs than this one wait for credits.
fn leave_on(y: &mut Bench, vl: u8) -> Vec<u8> {
    y.settle();
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(left.len(), y.packets().len(), "VL {vl}");
    y.completions();
    left
}

/// VL 14 is beyond those of any profile. What waits on a VL that ceases to be operational is discarded.
fn cf461_entries_of_vls_that_are_not_operational_are_skipped(y: &mut Bench) {
    lanes(y);
    arbitrate(y, &[(14, 255)], &[(14, 255), (0, 1), (8, 7), (1, 1)], 255);
    let left = schedule(y, &alternating([2, 2], [1, 1]));
    assert_eq!(left, [0, 1, 0, 1]);
    assert_eq!(y.attempt(Verb::SetDataVls { data_vls: 1 }), DONE);
    arbitrate(y, &[(1, 255)], &[(1, 255), (0, 1)], 255);
    let left = schedule(y, &[(0, 1); 3]);
    assert_eq!(left, [0, 0, 0]);
    assert_eq!(y.xmit_discards(), 0);
}
