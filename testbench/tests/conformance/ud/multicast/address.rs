//! CF353 to CF355: the address of a group (`ud.md` section 3.1 steps 1 to 3, section 4).
use super::{each, eight_lids, members, multicast, to_group, MGID, MLID};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN};
use crate::ud::{packet, success};
use hca_golden::event::DropReason;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::device::Verb;

on_both!(behind super::super::eight_lids();
    cf353_a_group_is_known_by_both_its_addresses,
    cf353_every_bit_of_a_group_gid_counts,
    cf354_cf355_half_an_address_is_none,
    cf354_the_checks_of_the_link_come_first,
    other_opcodes_are_dropped,
);

/// The same GID with another LID, the same LID with another GID.
fn cf353_a_group_is_known_by_both_its_addresses(y: &mut Bench) {
    members(y);
    let mut other = MGID;
    other[15] ^= 1;
    for (mgid, mlid) in [(MGID, MLID + 1), (other, MLID), (MGID, 0xFFFE)] {
        y.take(&[to_group(packet(0x64, 0, &[7; 4]), mgid, mlid)]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)], "{mlid:04X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

/// Of the 112 bits behind flags and scope, which are all ones.
fn cf353_every_bit_of_a_group_gid_counts(y: &mut Bench) {
    y.datagrams();
    let mgid: [u8; 16] = std::array::from_fn(|n| if n == 1 { 0x12 } else { 0xFF });
    let (qpn, mlid) = (QPN, MLID);
    assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid }), DONE);
    y.post_receive(1, 0, 64);
    for bit in 0..112 {
        let mut other = mgid;
        other[15 - bit / 8] ^= 1 << (bit % 8);
        y.take(&[to_group(packet(0x64, 0, &[7; 4]), other, mlid)]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)], "bit {bit}");
    }
    y.take(&[to_group(packet(0x64, 0, &[7; 4]), mgid, mlid)]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

fn cf354_cf355_half_an_address_is_none(y: &mut Bench) {
    members(y);
    let local = |packet: Packet| Packet {
        route: Route::Local(*packet.lrh().unwrap()),
        ..packet
    };
    let without_grh = local(multicast(0, &[7; 4]));
    let mut to_unicast = without_grh.clone();
    to_unicast.lrh_mut().unwrap().dlid = 0x28;
    let unicast_gid = to_group(packet(0x64, 0, &[7; 4]), [0xFE; 16], MLID);
    let mut to_one = multicast(0, &[7; 4]);
    to_one.bth.dest_qp = QPN;
    for wrong in [
        without_grh,
        to_unicast,
        unicast_gid,
        local(to_one.clone()),
        to_one,
    ] {
        y.take(&[wrong]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)]);
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

/// A unicast LID has to be the port's, and the GID with it.
fn cf354_the_checks_of_the_link_come_first(y: &mut Bench) {
    members(y);
    let gid = eight_lids().gid;
    for (gid, lid, reason) in [
        (gid, 0x28, DropReason::MulticastAddress),
        (MGID, 0x28, DropReason::Dgid),
        (MGID, 0x30, DropReason::Dlid),
        (MGID, 0xFFFF, DropReason::Dlid),
    ] {
        y.take(&[to_group(packet(0x64, 0, &[7; 4]), gid, lid)]);
        assert_eq!(y.drops(), [(reason, 1)], "{lid:04X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

fn other_opcodes_are_dropped(y: &mut Bench) {
    members(y);
    for opcode in [0x04, 0x24, 0x66] {
        y.take(&[to_group(packet(opcode, 0, &[]), MGID, MLID)]);
        assert_eq!(y.drops(), [(DropReason::Opcode, 1)], "{opcode:02X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}
