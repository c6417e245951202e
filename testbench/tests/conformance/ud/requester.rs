//! CF004, CF022, CF167, CF208, CF219, CF225, CF226, CF319 to CF323: what a queue pair of datagrams sends, and what its
//! work comes to (`ud.md` section 2).
use super::{attributes, datagram, flushed, packet, peer, send, success, FIRST_PSN, HANDLE, PEER_KEY, Q_KEY};
use crate::bench::requester::{
    source_byte, COMPARE_SWAP, FETCH_ADD, IMMEDIATE, READ, R_KEY, SEND, WRITE, WRITE_WITH_IMMEDIATE,
};
use crate::bench::{on_both, Bench, PEER_QPN, QPN, SOURCE};
use hca_golden::verbs::{
    AddressHandle, CompletedOperation, Datagram, Defect, PortCounter, QpState, SendOperation, SendRequest,
    Sge, Status,
};
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf004_cf167_the_fields_of_a_datagram,
    cf208_nothing_limits_what_is_sent,
    cf219_bit_31_of_the_q_key_stands_for_the_key_of_the_queue_pair,
    cf225_cf319_a_message_longer_than_the_mtu_is_discarded_with_success,
    cf022_cf225_a_length_beyond_2_to_the_31_is_discarded_as_well,
    cf225_every_bit_of_a_length_counts,
    cf225_nothing_of_a_message_that_is_too_long_is_read,
    cf226_work_completes_once_it_has_left,
    cf320_operations_that_datagrams_have_not_end_in_sqe,
    cf321_one_psn_for_each_message,
    cf322_each_request_has_its_own_destination,
    cf323_a_key_that_fails_ends_in_sqe,
    cf323_an_entry_that_is_none_ends_in_sqe,
    inline_data_needs_no_key,
    nothing_begins_in_sqd,
);

const WITH_IMMEDIATE: SendOperation = SendOperation::SendWithImmediate { immediate: IMMEDIATE };

fn sge(length: u32, l_key: u32) -> Sge {
    Sge {
        addr: SOURCE,
        length,
        l_key,
    }
}

/// LRH to DETH, byte by byte, of the four kinds of datagram; no GRH.
fn cf004_cf167_the_fields_of_a_datagram(y: &mut Bench) {
    y.datagrams();
    for (n, (operation, length, solicited, expected)) in [
        (
            SEND,
            0,
            false,
            "0002000100080002 6400ffff00000a1200fffffe 0055667700000b23",
        ),
        (
            SEND,
            5,
            true,
            "00020001000a0002 64b0ffff00000a1200ffffff 0055667700000b23",
        ),
        (
            WITH_IMMEDIATE,
            0,
            true,
            "0002000100090002 6580ffff00000a1200000000 0055667700000b23 deadbeef",
        ),
        (
            WITH_IMMEDIATE,
            256,
            false,
            "0002000100490002 6500ffff00000a1200000001 0055667700000b23 deadbeef",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        y.post(SendRequest {
            solicited,
            fence: true,
            ..datagram(n as u64, operation, length)
        });
        y.settle();
        let packets = y.packets();
        let headers = crate::wire_bench::bytes(expected);
        let payload: Vec<u8> = (0..length as usize).map(source_byte).collect();
        let pad = vec![0; payload.len().wrapping_neg() % 4];
        let [packet] = &packets[..] else {
            panic!("one packet, not {}", packets.len());
        };
        let before_the_crcs = &packet[..packet.len() - 6];
        assert_eq!(before_the_crcs, [headers, payload, pad].concat(), "{operation:?}");
        assert_eq!(y.completions(), [success(n as u64, 0)]);
    }
}

/// The peer has announced no receive WQE, and never answers.
fn cf208_nothing_limits_what_is_sent(y: &mut Bench) {
    y.datagrams();
    for wr_id in 0..40 {
        y.post(send(wr_id, 16));
        if wr_id % 8 == 7 {
            assert_eq!(y.sent().len(), 8);
        }
    }
    let done: Vec<_> = (0..40).map(|wr_id| success(wr_id, 0)).collect();
    assert_eq!(y.completions(), done);
}

fn cf219_bit_31_of_the_q_key_stands_for_the_key_of_the_queue_pair(y: &mut Bench) {
    y.datagrams();
    for (q_key, sent) in [
        (0x8000_0000, Q_KEY),
        (0xFFFF_FFFF, Q_KEY),
        (0x7FFF_FFFF, 0x7FFF_FFFF),
        (0, 0),
    ] {
        let mut request = send(1, 4);
        request.datagram.as_mut().unwrap().q_key = q_key;
        y.post(request);
        let keys: Vec<u32> = y.sent().iter().map(|p| p.deth().unwrap().q_key).collect();
        assert_eq!(keys, [sent], "{q_key:08X}h");
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

/// C10-93.1.1: no packet and no error, and the PSN is left out.
fn cf225_cf319_a_message_longer_than_the_mtu_is_discarded_with_success(y: &mut Bench) {
    y.datagrams();
    y.post(send(1, 4096));
    y.post(send(2, 4097));
    y.post(SendRequest {
        signaled: false,
        ..datagram(3, WITH_IMMEDIATE, 0x10_0000)
    });
    y.post(send(4, 1));
    let sent: Vec<_> = y.sent().iter().map(|p| (p.bth.psn, p.payload.len())).collect();
    assert_eq!(sent, [(0xFF_FFFE, 4096), (1, 1)]);
    assert_eq!(y.completions(), [1, 2, 4].map(|wr_id| success(wr_id, 0)));
    assert_eq!(y.port_counter(PortCounter::XmitDiscards), 2);
    assert_eq!((y.query().0, y.told()), (QpState::Rts, vec![]));
}

fn cf225_every_bit_of_a_length_counts(y: &mut Bench) {
    y.datagrams();
    for bit in (0..31).filter(|bit| *bit != 12) {
        y.post(send(1, 4096 | 1 << bit));
        assert_eq!(
            (y.sent_rows(), y.completions()),
            (vec![], vec![success(1, 0)]),
            "bit {bit}"
        );
    }
}

fn cf022_cf225_a_length_beyond_2_to_the_31_is_discarded_as_well(y: &mut Bench) {
    y.datagrams();
    y.submit(Verb::PostDefective {
        qpn: QPN,
        request: send(1, 8),
        defect: Defect::Length(0x8000_0001),
    });
    y.post(send(2, 1));
    assert_eq!(y.sent_rows(), [(0x64, 0xFF_FFFF)]);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
}

/// Step 3 comes before step 4, and after step 2.
fn cf225_nothing_of_a_message_that_is_too_long_is_read(y: &mut Bench) {
    y.datagrams();
    y.post(SendRequest {
        sges: vec![sge(4000, L_KEY), sge(97, 0x7777_7777)],
        ..send(1, 0)
    });
    assert_eq!(y.sent_rows(), []);
    assert_eq!(
        (y.completions(), y.query().0),
        (vec![success(1, 0)], QpState::Rts)
    );
    let mut nowhere = send(2, 4097);
    nowhere.datagram.as_mut().unwrap().handle = HANDLE + 1;
    y.post(nowhere);
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0)]);
    assert_eq!(y.query().0, QpState::Sqe);
}

/// In the order of posting, and an unsignaled one makes no completion.
fn cf226_work_completes_once_it_has_left(y: &mut Bench) {
    y.datagrams();
    for (wr_id, signaled) in [(1, true), (2, false), (3, true)] {
        y.post(SendRequest {
            signaled,
            ..send(wr_id, 100)
        });
    }
    assert_eq!(y.sent_rows(), [(0x64, 0xFF_FFFE), (0x64, 0xFF_FFFF), (0x64, 0)]);
    let completed: Vec<_> = y
        .taken()
        .iter()
        .map(|c| (c.wr_id, c.status, c.operation, c.datagram))
        .collect();
    let sent = |wr_id| (wr_id, Status::Success, CompletedOperation::Send, None);
    assert_eq!(completed, [sent(1), sent(3)]);
}

fn cf320_operations_that_datagrams_have_not_end_in_sqe(y: &mut Bench) {
    y.datagrams();
    let invalidate = SendOperation::SendWithInvalidate { r_key: R_KEY };
    for (n, operation) in [
        READ, FETCH_ADD, COMPARE_SWAP, invalidate, WRITE, WRITE_WITH_IMMEDIATE,
    ]
    .into_iter()
    .enumerate()
    {
        y.post(send(1, 1));
        y.post(SendRequest {
            signaled: false,
            ..datagram(2, operation, 8)
        });
        y.post(send(3, 1));
        let psn = (FIRST_PSN + n as u32) & 0xFF_FFFF;
        assert_eq!(y.sent_rows(), [(0x64, psn)], "{operation:?}");
        let failed = (2, Status::LocQpOpErr, 0);
        assert_eq!(
            y.completions(),
            [success(1, 0), failed, flushed(3)],
            "{operation:?}"
        );
        assert_eq!((y.query().0, y.told()), (QpState::Sqe, vec![]), "{operation:?}");
        y.modify(QpState::Rts);
    }
}

fn cf321_one_psn_for_each_message(y: &mut Bench) {
    y.datagrams();
    let elsewhere = AddressHandle { dlid: 7, ..peer() };
    y.address(HANDLE + 1, elsewhere);
    for n in 0..6 {
        let mut request = send(1, n * 50);
        let to = request.datagram.as_mut().unwrap();
        (to.handle, to.dest_qpn) = (HANDLE + n % 2, 100 + n);
        y.post(request);
    }
    let sent: Vec<_> = y.sent().iter().map(|p| (p.bth.psn, p.bth.dest_qp)).collect();
    assert_eq!(
        sent,
        [
            (0xFF_FFFE, 100),
            (0xFF_FFFF, 101),
            (0, 102),
            (1, 103),
            (2, 104),
            (3, 105)
        ]
    );
    y.completions();
}

fn cf322_each_request_has_its_own_destination(y: &mut Bench) {
    y.datagrams();
    y.address(
        HANDLE + 1,
        AddressHandle {
            dlid: 0xBFFF,
            sl: 5,
            ..peer()
        },
    );
    let to = |handle, dest_qpn, q_key| Datagram {
        handle,
        dest_qpn,
        q_key,
        p_key_index: 0,
    };
    for datagram in [to(HANDLE + 1, 0xFF_FFFE, 3), to(HANDLE, PEER_QPN, PEER_KEY)] {
        y.post(SendRequest {
            datagram: Some(datagram),
            ..send(1, 4)
        });
    }
    let sent: Vec<_> = y
        .sent()
        .iter()
        .map(|p| {
            let (lrh, deth) = (p.lrh().unwrap(), p.deth().unwrap());
            (lrh.dlid, lrh.sl, p.bth.dest_qp, deth.q_key, deth.src_qp)
        })
        .collect();
    assert_eq!(
        sent,
        [(0xBFFF, 5, 0xFF_FFFE, 3, QPN), (1, 0, PEER_QPN, PEER_KEY, QPN)]
    );
    y.completions();
}

/// C10-96; the receive side works as in RTS (SH-97). Not even the part before the bad key leaves.
fn cf323_a_key_that_fails_ends_in_sqe(y: &mut Bench) {
    y.datagrams();
    y.post_receive(70, 0, 64);
    y.post(SendRequest {
        sges: vec![sge(100, L_KEY), sge(1, 0x7777_7777)],
        signaled: false,
        ..send(1, 0)
    });
    y.post(send(2, 1));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocProtErr, 0), flushed(2)]);
    assert_eq!((y.query().0, y.told()), (QpState::Sqe, vec![]));
    y.take(&[packet(0x64, 9, &[3; 4])]);
    assert_eq!(y.completions(), [success(70, 44)]);
    y.post(send(3, 1));
    assert_eq!((y.sent_rows(), y.completions()), (vec![], vec![flushed(3)]));
    y.modify(QpState::Rts);
    y.post(send(4, 1));
    assert_eq!(y.sent_rows(), [(0x64, FIRST_PSN)]);
    assert_eq!(y.completions(), [success(4, 0)]);
}

fn cf323_an_entry_that_is_none_ends_in_sqe(y: &mut Bench) {
    y.datagrams();
    for defect in [Defect::Operation(0x3F), Defect::Sges(60)] {
        y.submit(Verb::PostDefective {
            qpn: QPN,
            request: send(1, 8),
            defect,
        });
        assert_eq!(y.sent_rows(), [], "{defect:?}");
        assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)], "{defect:?}");
        assert_eq!(y.query().0, QpState::Sqe, "{defect:?}");
        y.modify(QpState::Rts);
    }
}

fn inline_data_needs_no_key(y: &mut Bench) {
    y.datagrams();
    y.post(SendRequest {
        sges: vec![sge(33, 0x7777_7777)],
        inline: true,
        ..send(1, 0)
    });
    let sent = y.sent();
    let expected: Vec<u8> = (0..33).map(source_byte).collect();
    assert_eq!(
        sent.iter().map(|p| p.payload.clone()).collect::<Vec<_>>(),
        [expected]
    );
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn nothing_begins_in_sqd(y: &mut Bench) {
    y.create(&attributes());
    y.address(HANDLE, peer());
    y.enter_rts();
    y.modify(QpState::Sqd);
    y.post(send(1, 4));
    y.post(send(2, 5000));
    assert_eq!((y.sent_rows(), y.completions()), (vec![], vec![]));
    y.modify(QpState::Rts);
    assert_eq!(y.sent_rows(), [(0x64, FIRST_PSN)]);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
}
