//! CF456, CF457, CF459, CF465, CF466: what a native port counts of its packets (`port_counters.csv`).
use super::steps::data;
use crate::bench::requester::SEND;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench};
use crate::ud::qp0::requester::message;
use crate::ud::qp0::{connect, four_lids, smp};
use crate::ud::{peer, send, success};
use hca_golden::event::DropReason;
use hca_golden::extended_counters::ExtendedCounters;
use hca_golden::port::PortState;
use hca_golden::verbs::PortCounter::{self, RcvData, RcvErrors, RcvPackets, RcvRemotePhysicalErrors};
use hca_golden::verbs::PortCounter::{XmitData, XmitPackets};
use hca_golden::wire::crc::vcrc;
use hca_testbench::device::Verb;

on_both!(behind super::four_lids();
    cf456_a_vl_that_is_not_operational_is_an_error,
    cf457_a_wrong_length_is_an_error,
    cf457_errors_of_the_link_count_and_others_do_not,
    cf459_a_packet_that_ends_as_bad_counts_apart,
    cf465_words_of_smps_are_counted,
    cf465_words_of_datagrams_are_counted,
    cf465_nothing_is_counted_that_does_not_leave_or_may_not_arrive,
    cf466_counts_stay_at_their_largest_value,
    cf466_counts_of_64_bits_go_on,
);

fn of(y: &mut Bench, counters: [PortCounter; 2]) -> [u32; 2] {
    counters.map(|counter| y.port_counter(counter))
}

/// The bytes with the VCRC that they need.
fn with_vcrc(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = vcrc(&bytes);
    bytes.extend(crc);
    bytes
}

fn cf456_a_vl_that_is_not_operational_is_an_error(y: &mut Bench) {
    for (errors, vl) in (1..).zip([8, 9, 14]) {
        let mut other = data();
        other.lrh_mut().unwrap().vl = vl;
        y.take(&[other]);
        assert_eq!(y.drops(), [(DropReason::Vl, 1)]);
        assert_eq!(of(y, [RcvErrors, RcvPackets]), [errors, 0]);
    }
    y.take(&[data()]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    assert_eq!(of(y, [RcvErrors, RcvPackets]), [3, 1]);
}

/// A word more than PktLen says, a word less, and one packet longer than any.
fn cf457_a_wrong_length_is_an_error(y: &mut Bench) {
    let bytes = data().encode().unwrap();
    let whole = &bytes[..bytes.len() - 2];
    let longer = with_vcrc([whole, &[0; 4]].concat());
    let shorter = with_vcrc(whole[..whole.len() - 4].to_vec());
    let mut giant = [whole, &vec![0; 4 * 1056 - whole.len()]].concat();
    (giant[4], giant[5]) = (4, 32);
    for (errors, wrong) in (1..).zip([longer, shorter, with_vcrc(giant)]) {
        y.receive(&[wrong]);
        assert_eq!(y.drops(), [(DropReason::Length, 1)]);
        assert_eq!(of(y, [RcvErrors, RcvPackets]), [errors, 0]);
    }
}

fn cf457_errors_of_the_link_count_and_others_do_not(y: &mut Bench) {
    let sound = data().encode().unwrap();
    let changed = |at: usize, bits: u8| {
        let mut bytes = sound[..sound.len() - 2].to_vec();
        bytes[at] ^= bits;
        with_vcrc(bytes)
    };
    let mut bad_vcrc = sound.clone();
    *bad_vcrc.last_mut().unwrap() ^= 1;
    let mut no_lid = data();
    no_lid.lrh_mut().unwrap().dlid = 0;
    let mut no_smp = smp(0x81).encode().unwrap();
    no_smp[1] ^= 1;
    no_smp.truncate(no_smp.len() - 2);
    // VCRC, LVer, DLID 0000h, and VL 15 with another LNH than 10.
    let wrong = [
        bad_vcrc,
        changed(0, 1),
        no_lid.encode().unwrap(),
        with_vcrc(no_smp),
    ];
    y.receive(&wrong);
    y.settle();
    assert_eq!(y.drops().len(), 4);
    assert_eq!(of(y, [RcvErrors, RcvPackets]), [4, 0]);
    // Another's LID, and a wrong ICRC: they came whole.
    let mut other_lid = data();
    other_lid.lrh_mut().unwrap().dlid = 0x20;
    y.receive(&[other_lid.encode().unwrap(), changed(sound.len() - 8, 1)]);
    y.settle();
    assert_eq!(y.drops(), [(DropReason::Icrc, 1), (DropReason::Dlid, 1)]);
    assert_eq!(of(y, [RcvErrors, RcvPackets]), [4, 2]);
}

/// Whatever else is wrong with it.
fn cf459_a_packet_that_ends_as_bad_counts_apart(y: &mut Bench) {
    connect(y, peer(), 1);
    let mut bad_vcrc = data().encode().unwrap();
    *bad_vcrc.last_mut().unwrap() ^= 1;
    for bad in [data().encode().unwrap(), bad_vcrc, smp(0x81).encode().unwrap()] {
        y.receive_bad(bad);
        assert_eq!(y.drops(), [(DropReason::Vcrc, 1)]);
    }
    assert_eq!(of(y, [RcvErrors, RcvRemotePhysicalErrors]), [0, 3]);
    assert_eq!(of(y, [RcvPackets, RcvData]), [0, 0]);
    // The next packets are sound.
    y.take(&[smp(0x81), data()]);
    assert_eq!(y.completions().len(), 1);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    assert_eq!(of(y, [RcvErrors, RcvRemotePhysicalErrors]), [0, 3]);
    assert_eq!(of(y, [RcvPackets, RcvData]), [2, 72 + 9]);
}

/// A MAD has 72 words.
fn cf465_words_of_smps_are_counted(y: &mut Bench) {
    connect(y, peer(), 2);
    y.post(message(1, SEND, 256));
    y.settle();
    assert_eq!(y.packets().len(), 1);
    assert_eq!(of(y, [XmitPackets, XmitData]), [1, 72]);
    y.take(&[smp(0x81), data(), smp(0x01)]);
    assert_eq!(of(y, [RcvPackets, RcvData]), [3, 72 + 9 + 72]);
    assert_eq!(y.completions().len(), 3);
}

/// One of 4 bytes has 9 words, one of 600 bytes 158.
fn cf465_words_of_datagrams_are_counted(y: &mut Bench) {
    y.datagrams();
    y.post(send(2, 4));
    y.post(send(3, 600));
    y.settle();
    assert_eq!(y.packets().len(), 2);
    assert_eq!(of(y, [XmitPackets, XmitData]), [2, 9 + 158]);
    assert_eq!(of(y, [RcvPackets, RcvData]), [0, 0]);
    assert_eq!(y.completions().len(), 2);
}

fn cf465_nothing_is_counted_that_does_not_leave_or_may_not_arrive(y: &mut Bench) {
    y.datagrams();
    y.set_port_state(&[PortState::Down]);
    y.post(send(1, 4));
    y.settle();
    y.take(&[data()]);
    assert_eq!(y.drops(), [(DropReason::PortState, 1)]);
    assert_eq!(y.completions(), [success(1, 0)]);
    assert_eq!(of(y, [XmitPackets, XmitData]), [0, 0]);
    assert_eq!(of(y, [RcvPackets, RcvData]), [0, 0]);
    assert_eq!(of(y, [RcvErrors, RcvRemotePhysicalErrors]), [0, 0]);
}

fn cf466_counts_stay_at_their_largest_value(y: &mut Bench) {
    y.datagrams();
    let mut set = |counter, count| assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    for counter in [XmitPackets, RcvPackets] {
        set(counter, u32::MAX - 1);
    }
    // The last words do not all fit.
    for counter in [XmitData, RcvData] {
        set(counter, u32::MAX - 10);
    }
    for counter in [RcvErrors, RcvRemotePhysicalErrors] {
        set(counter, 0xFFFE);
    }
    for _ in 0..2 {
        y.post(send(1, 4));
        y.settle();
        assert_eq!((y.packets().len(), y.completions()), (1, vec![success(1, 0)]));
        y.take(&[data()]);
        let mut bad_vcrc = data().encode().unwrap();
        *bad_vcrc.last_mut().unwrap() ^= 1;
        y.receive(&[bad_vcrc]);
        y.receive_bad(data().encode().unwrap());
    }
    assert_eq!(y.drops(), [(DropReason::Vcrc, 4), (DropReason::PKey, 2)]);
    assert_eq!(of(y, [XmitPackets, RcvPackets]), [u32::MAX; 2]);
    assert_eq!(of(y, [XmitData, RcvData]), [u32::MAX; 2]);
    assert_eq!(of(y, [RcvErrors, RcvRemotePhysicalErrors]), [0xFFFF; 2]);
    let (counter, count) = (RcvData, 0);
    assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    assert_eq!(of(y, [RcvData, XmitData]), [0, u32::MAX]);
}

/// Whatever software writes to the counters of 32 bits. A DLID of FFFFh is no multicast.
fn cf466_counts_of_64_bits_go_on(y: &mut Bench) {
    y.datagrams();
    for counter in [XmitData, XmitPackets, RcvData, RcvPackets] {
        let count = u32::MAX;
        assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    }
    y.post(send(1, 4));
    y.settle();
    assert_eq!((y.packets().len(), y.completions()), (1, vec![success(1, 0)]));
    for dlid in [0x10, 0xBFFF, 0xC000, 0xFFFE, 0xFFFF] {
        let mut packet = data();
        packet.lrh_mut().unwrap().dlid = dlid;
        y.take(&[packet]);
        assert_eq!(y.drops().len(), 1, "{dlid:04X}h");
    }
    let expected = ExtendedCounters {
        xmit_data: 9,
        rcv_data: 5 * 9,
        xmit_packets: 1,
        rcv_packets: 5,
        unicast_xmit_packets: 1,
        unicast_rcv_packets: 3,
        multicast_xmit_packets: 0,
        multicast_rcv_packets: 2,
    };
    assert_eq!(y.extended_counters(), expected);
    assert_eq!(of(y, [XmitPackets, RcvPackets]), [u32::MAX; 2]);
    for counter in [XmitData, XmitPackets, RcvData, RcvPackets] {
        let count = 0;
        assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    }
    assert_eq!(y.extended_counters(), expected);
}
