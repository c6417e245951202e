//! CF310 to CF315: address handles, and the work that names them (`ud.md` section 1).
use super::{attributes, flushed, peer, send, success, HANDLE};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, PEER_QPN, QPN};
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{AddressHandle, GlobalRoute, QpAttributes, QpState, Status};
use hca_testbench::device::{port_on, Outcome, Reason, Verb};
use hca_testbench::Side;

on_both!(
    cf310_attributes_that_no_packet_can_have,
    cf310_attributes_at_their_limits,
    cf311_handles_that_are_taken_or_cannot_be,
    cf312_a_query_answers_what_was_set,
    cf313_a_modified_handle_counts_for_the_work_after_it,
    cf313_a_refused_modification_changes_nothing,
    cf314_a_destroyed_handle_is_none,
    cf315_a_handle_of_another_protection_domain,
);

mod roce {
    use super::*;

    on_both!(behind super::super::roce_port(); cf310_attributes_that_no_roce_packet_can_have);
}

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

const GLOBAL: GlobalRoute = GlobalRoute {
    dgid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    flow_label: 0xA_BCDE,
    traffic_class: 0x5A,
    hop_limit: 0x3F,
};

fn global() -> AddressHandle {
    AddressHandle {
        global: Some(GLOBAL),
        ..peer()
    }
}

fn create(handle: u32, attributes: AddressHandle) -> Verb {
    Verb::CreateAh { handle, attributes }
}

fn modify(handle: u32, attributes: AddressHandle) -> Verb {
    Verb::ModifyAh { handle, attributes }
}

fn query(handle: u32) -> Verb {
    Verb::QueryAh { handle }
}

/// Each attribute is refused alike by create and modify.
fn refused(y: &mut Bench, legal: AddressHandle, cases: &[(&str, AddressHandle)]) {
    assert_eq!(y.attempt(create(HANDLE, legal)), DONE);
    for (what, attributes) in cases {
        let reason = y.refusal_of(create(HANDLE + 1, *attributes));
        assert_eq!(reason, Reason::BadAttribute, "{what}");
        let reason = y.refusal_of(query(HANDLE + 1));
        assert_eq!(reason, Reason::NotFound, "{what}");
        let reason = y.refusal_of(modify(HANDLE, *attributes));
        assert_eq!(reason, Reason::BadAttribute, "{what}");
    }
    assert_eq!(y.attempt(query(HANDLE)), Ok(Outcome::Ah(legal)));
}

fn cf310_attributes_that_no_packet_can_have(y: &mut Bench) {
    let rate = |static_rate| AddressHandle {
        static_rate,
        ..peer()
    };
    let to = |dlid| AddressHandle { dlid, ..peer() };
    refused(
        y,
        peer(),
        &[
            ("port 0", AddressHandle { port: 0, ..peer() }),
            ("a port too many", AddressHandle { port: 3, ..peer() }),
            (
                "SGID index beyond the table",
                AddressHandle {
                    sgid_index: 255,
                    ..global()
                },
            ),
            ("static rate 1", rate(1)),
            ("static rate 11", rate(11)),
            ("static rate 63", rate(63)),
            ("DLID 0000h", to(0)),
            ("DLID C000h without GRH", to(0xC000)),
            ("DLID FFFEh without GRH", to(0xFFFE)),
            ("SL 16", AddressHandle { sl: 16, ..peer() }),
            (
                "path bits 128",
                AddressHandle {
                    source_path_bits: 128,
                    ..peer()
                },
            ),
        ],
    );
}

fn cf310_attributes_at_their_limits(y: &mut Bench) {
    let legal = [
        AddressHandle {
            sl: 15,
            source_path_bits: 127,
            static_rate: 10,
            ..peer()
        },
        AddressHandle {
            static_rate: 2,
            ..peer()
        },
        AddressHandle {
            dlid: 0xBFFF,
            ..peer()
        },
        AddressHandle {
            dlid: 0xFFFF,
            ..peer()
        },
        AddressHandle {
            dlid: 0xC000,
            ..global()
        },
        // Without GRH nobody looks at the index.
        AddressHandle {
            sgid_index: 255,
            ..peer()
        },
    ];
    for (handle, attributes) in (0..).zip(legal) {
        assert_eq!(y.attempt(create(handle, attributes)), DONE, "{attributes:?}");
    }
}

fn cf310_attributes_that_no_roce_packet_can_have(y: &mut Bench) {
    let legal = AddressHandle {
        port: 1,
        sl: 7,
        global: Some(GlobalRoute {
            dgid: port_on(Link::Roce, Side::X).gid,
            ..GLOBAL
        }),
        dest_mac: Some([2, 0, 0, 0, 0, 1]),
        ..AddressHandle::default()
    };
    refused(
        y,
        legal,
        &[
            (
                "no GRH",
                AddressHandle {
                    global: None,
                    ..legal
                },
            ),
            ("SL 8", AddressHandle { sl: 8, ..legal }),
            ("port 0", AddressHandle { port: 0, ..legal }),
            (
                "SGID index beyond the table",
                AddressHandle {
                    sgid_index: 255,
                    ..legal
                },
            ),
        ],
    );
}

fn cf311_handles_that_are_taken_or_cannot_be(y: &mut Bench) {
    assert_eq!(y.attempt(create(0, peer())), DONE);
    assert_eq!(y.attempt(create(63, global())), DONE, "64 at least");
    assert_eq!(y.refusal_of(create(0, global())), Reason::InUse);
    assert_eq!(y.attempt(query(0)), Ok(Outcome::Ah(peer())));
    // The handle is tested before its attributes.
    let wrong = AddressHandle { port: 9, ..peer() };
    assert_eq!(y.refusal_of(create(0, wrong)), Reason::InUse);
    assert_eq!(y.refusal_of(modify(7, wrong)), Reason::NotFound);
    // One that is too wide for its field, too.
    let wide = AddressHandle {
        source_path_bits: 128,
        ..peer()
    };
    assert_eq!(y.refusal_of(create(0, wide)), Reason::InUse);
    assert_eq!(y.refusal_of(modify(7, wide)), Reason::NotFound);
    assert_eq!(y.refusal_of(modify(0, wide)), Reason::BadAttribute);
    let outside = 0xFF_FFFF;
    for verb in [
        create(outside, wrong),
        modify(outside, wrong),
        query(outside),
        Verb::DestroyAh { handle: outside },
    ] {
        assert_eq!(y.refusal_of(verb.clone()), Reason::BadIndex, "{verb}");
    }
}

fn cf312_a_query_answers_what_was_set(y: &mut Bench) {
    let whole = AddressHandle {
        pd: 0xAB_CDEF,
        port: 1,
        dlid: 0x1234,
        sl: 9,
        source_path_bits: 0x55,
        static_rate: 7,
        global: Some(GLOBAL),
        sgid_index: 0,
        dest_mac: None,
    };
    for (handle, attributes) in [(3, whole), (4, peer())] {
        assert_eq!(y.attempt(create(handle, attributes)), DONE);
    }
    assert_eq!(y.attempt(query(3)), Ok(Outcome::Ah(whole)));
    assert_eq!(y.attempt(query(4)), Ok(Outcome::Ah(peer())));
    // The protection domain stays.
    assert_eq!(y.attempt(modify(3, AddressHandle { pd: 1, ..peer() })), DONE);
    let other = AddressHandle {
        pd: 0xAB_CDEF,
        ..peer()
    };
    assert_eq!(y.attempt(query(3)), Ok(Outcome::Ah(other)));
}

fn cf313_a_modified_handle_counts_for_the_work_after_it(y: &mut Bench) {
    y.datagrams();
    y.post(send(1, 4));
    let dlids = |y: &mut Bench| -> Vec<u16> { y.sent().iter().map(|p| p.lrh().unwrap().dlid).collect() };
    assert_eq!(dlids(y), [1]);
    let other = AddressHandle { dlid: 0x77, ..peer() };
    assert_eq!(y.attempt(modify(HANDLE, other)), DONE);
    y.post(send(2, 4));
    assert_eq!(dlids(y), [0x77]);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
}

fn cf313_a_refused_modification_changes_nothing(y: &mut Bench) {
    y.datagrams();
    let wrong = AddressHandle {
        dlid: 0x77,
        sl: 16,
        ..peer()
    };
    assert_eq!(y.refusal_of(modify(HANDLE, wrong)), Reason::BadAttribute);
    assert_eq!(y.attempt(query(HANDLE)), Ok(Outcome::Ah(peer())));
    y.post(send(1, 4));
    let sent = y.sent();
    assert_eq!(sent[0].lrh().unwrap().dlid, 1);
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf314_a_destroyed_handle_is_none(y: &mut Bench) {
    y.datagrams();
    let destroy = Verb::DestroyAh { handle: HANDLE };
    assert_eq!(y.attempt(destroy.clone()), DONE);
    assert_eq!(y.refusal_of(query(HANDLE)), Reason::NotFound);
    assert_eq!(y.refusal_of(destroy), Reason::NotFound);
    ends_in_sqe(y);
    y.modify(QpState::Rts);
    assert_eq!(y.attempt(create(HANDLE, peer())), DONE);
    y.post(send(3, 4));
    assert_eq!(y.sent_rows(), [(0x64, 0xFF_FFFE)]);
    assert_eq!(y.completions(), [success(3, 0)]);
}

/// The QP's is 0.
fn cf315_a_handle_of_another_protection_domain(y: &mut Bench) {
    y.datagrams_to(AddressHandle { pd: 1, ..peer() });
    ends_in_sqe(y);
    // One of that domain may use it, and not another.
    y.create_another(&QpAttributes {
        qpn: PEER_QPN,
        pd: 1,
        ..attributes()
    });
    y.enter_rts();
    y.post(send(3, 0));
    assert_eq!(y.sent_rows(), [(0x64, 0xFF_FFFE)]);
    assert_eq!(y.completions(), [success(3, 0)]);
    y.turn_to(QPN);
}

/// A Send to [`HANDLE`] fails, and the rest is flushed.
fn ends_in_sqe(y: &mut Bench) {
    y.post(send(1, 4));
    y.post(send(2, 4));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed(2)]);
    assert_eq!((y.query().0, y.told()), (QpState::Sqe, vec![]));
}
