//! CF265, CF455, CF456: the VL of what leaves and of what arrives (`link.md` section 3).
use crate::bench::peer::{atomic, read};
use crate::bench::requester::{work, SEND};
use crate::bench::responder::TARGET;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, Bench};
use crate::ud::qp0::connect;
use crate::ud::qp0::requester::message;
use crate::ud::{peer, send, success, HANDLE};
use hca_golden::event::DropReason;
use hca_golden::port::SLS;
use hca_golden::verbs::{AddressHandle, Service};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;

on_both!(
    cf265_a_request_has_the_vl_of_its_sl,
    cf265_a_response_has_the_vl_of_the_request_sl,
    cf265_a_datagram_has_the_vl_of_its_handle_sl,
    cf265_an_smp_has_vl_15_whatever_the_table_says,
    cf455_what_has_no_usable_vl_is_discarded,
    cf455_fewer_operational_vls_carry_less,
    cf455_what_is_under_way_may_go_by_the_number_of_after,
    cf456_a_packet_on_a_vl_that_is_not_operational_is_dropped,
);

/// VL 1 for odd SLs.
const ALTERNATING: [u8; SLS] = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1];

fn map(y: &mut Bench, table: [u8; SLS]) {
    assert_eq!(y.attempt(Verb::SetSlToVl { table }), DONE);
    y.settle();
}

fn set_data_vls(y: &mut Bench, data_vls: u8) {
    assert_eq!(y.attempt(Verb::SetDataVls { data_vls }), DONE);
    y.settle();
}

/// SL and VL of what leaves.
fn sent(y: &mut Bench) -> Vec<(u8, u8)> {
    let of = |packet: &Packet| packet.lrh().map(|lrh| (lrh.sl, lrh.vl)).unwrap();
    y.sent().iter().map(of).collect()
}

fn cf265_a_request_has_the_vl_of_its_sl(y: &mut Bench) {
    y.connect_with(|a| (a.service, a.sl) = (Service::Uc, 5));
    y.post(work(1, SEND, 600));
    assert_eq!(sent(y), [(5, 0); 3]);
    map(y, ALTERNATING);
    y.post(work(2, SEND, 600));
    assert_eq!(sent(y), [(5, 1); 3]);
    let mut others = ALTERNATING;
    others[5] = 0;
    map(y, others);
    y.post(work(3, SEND, 4));
    assert_eq!(sent(y), [(5, 0)]);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0), success(3, 0)]);
}

/// Of an ack, of a Read in three packets and of an atomic, whatever the VL of the request.
fn cf265_a_response_has_the_vl_of_the_request_sl(y: &mut Bench) {
    y.responder(2);
    map(y, ALTERNATING);
    let of_sl = |sl: u8, vl: u8, mut packet: Packet| {
        let lrh = packet.lrh_mut().unwrap();
        (lrh.sl, lrh.vl) = (sl, vl);
        packet.encode().unwrap()
    };
    let requests = [
        of_sl(9, 0, request(0x04, 100, &[1; 4])),
        of_sl(15, 1, read(101, TARGET, 600)),
        of_sl(2, 1, atomic(0x14, 104, TARGET, 1, 0)),
    ];
    for (request, expected) in requests
        .into_iter()
        .zip([&[(9, 1)][..], &[(15, 1); 3], &[(2, 0)]])
    {
        y.receive(&[request]);
        assert_eq!(sent(y), expected);
    }
    assert_eq!(y.completions().len(), 1);
}

/// Each SL has its entry: bits do not mix.
fn cf265_a_datagram_has_the_vl_of_its_handle_sl(y: &mut Bench) {
    y.datagrams();
    for sl in 0..16 {
        let mut table = [1; SLS];
        table[usize::from(sl)] = 0;
        for vls in [table, table.map(|vl| 1 - vl)] {
            map(y, vls);
            let attributes = AddressHandle { sl, ..peer() };
            let handle = HANDLE;
            assert_eq!(y.attempt(Verb::ModifyAh { handle, attributes }), DONE);
            y.post(send(1, 4));
            assert_eq!(sent(y), [(sl, vls[usize::from(sl)])]);
            assert_eq!(y.completions(), [success(1, 0)]);
        }
    }
}

fn cf265_an_smp_has_vl_15_whatever_the_table_says(y: &mut Bench) {
    connect(y, peer(), 0);
    for table in [ALTERNATING, [15; SLS], [1; SLS]] {
        map(y, table);
        y.post(message(1, SEND, 256));
        assert_eq!(sent(y), [(0, 15)]);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    assert_eq!(y.xmit_discards(), 0);
}

/// VL 15, and VLs that no port of ours has.
fn cf455_what_has_no_usable_vl_is_discarded(y: &mut Bench) {
    y.datagrams();
    for (discarded, vl) in (0..).zip([15, 14, 8]) {
        map(y, [vl; SLS]);
        y.post(send(1, 4));
        y.settle();
        assert_eq!(sent(y), []);
        assert_eq!(y.completions(), [success(1, 0)]);
        assert_eq!(y.xmit_discards(), discarded + 1);
    }
    map(y, [0; SLS]);
    y.post(send(2, 4));
    assert_eq!(sent(y), [(0, 0)]);
    assert_eq!((y.completions(), y.xmit_discards()), (vec![success(2, 0)], 3));
}

fn cf455_fewer_operational_vls_carry_less(y: &mut Bench) {
    y.datagrams();
    map(y, [1; SLS]);
    // A number that the port does not have, then a smaller one.
    for (data_vls, leave) in [(2, 1), (0, 1), (1, 0), (2, 1)] {
        set_data_vls(y, data_vls);
        y.post(send(1, 4));
        y.settle();
        assert_eq!(sent(y).len(), leave, "{data_vls} data VLs");
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    assert_eq!(y.xmit_discards(), 1);
}

/// The port has more VLs again while a datagram is on its way to it: it leaves, or it is counted.
fn cf455_what_is_under_way_may_go_by_the_number_of_after(y: &mut Bench) {
    y.datagrams();
    map(y, [1; SLS]);
    for cycles in (0..240).step_by(6) {
        set_data_vls(y, 1);
        let discarded = y.xmit_discards();
        y.post(send(1, 64));
        y.run_cycles(cycles);
        y.hold_memory(true);
        assert_eq!(y.attempt(Verb::SetDataVls { data_vls: 2 }), DONE);
        y.hold_memory(false);
        y.settle();
        let left = sent(y).len() as u32;
        assert_eq!(
            left + y.xmit_discards() - discarded,
            1,
            "after {cycles} clock cycles"
        );
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

fn cf456_a_packet_on_a_vl_that_is_not_operational_is_dropped(y: &mut Bench) {
    y.responder(1);
    let on_vl_1 = || {
        let mut packet = request(0x04, 100, &[1; 4]);
        packet.lrh_mut().unwrap().vl = 1;
        packet.encode().unwrap()
    };
    set_data_vls(y, 1);
    y.receive(&[on_vl_1()]);
    assert_eq!(y.drops(), [(DropReason::Vl, 1)]);
    set_data_vls(y, 2);
    y.receive(&[on_vl_1()]);
    assert_eq!((y.drops(), y.completions().len()), (vec![], 1));
    assert_eq!(y.answers().len(), 1);
}
