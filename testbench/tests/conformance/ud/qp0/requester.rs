//! What QP0 sends (`special_qps.md` section 2).
use super::super::{flushed, success};
use super::{between, connect, peer, qp0, AddressHandle, Bench, QpAttributes, DIRECTED_ROUTE, HANDLE};
use crate::bench::attributes as connected;
use crate::bench::requester::{source_byte, IMMEDIATE, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request};
use hca_golden::modification::{Attribute, QpChanges};
use hca_golden::verbs::{Datagram, GlobalRoute, QpState, SendOperation, SendRequest, Status};
use hca_testbench::device::{Reason, Verb};

mod of_four_lids {
    use super::*;

    on_both!(behind super::super::super::four_lids();
        cf266_smps_alone_leave_on_vl_15,
        cf416_an_smp_leaves_on_vl_15_without_grh,
        cf417_to_the_neighbour_the_slid_is_ffff,
        cf418_a_message_that_is_not_of_256_bytes_ends_in_sqe,
        cf418_a_send_with_immediate_ends_in_sqe,
        cf419_the_request_names_the_p_key,
        its_transitions_take_no_port,
    );
}

mod of_no_lid {
    use super::*;

    on_both!(behind super::super::super::no_lid(); cf417_without_lid_the_slid_is_ffff);
}

/// A message for the QP0 of the peer.
pub fn message(wr_id: u64, operation: SendOperation, length: u32) -> SendRequest {
    SendRequest {
        datagram: Some(Datagram {
            handle: HANDLE,
            dest_qpn: 0,
            q_key: 0,
            p_key_index: 3,
        }),
        ..super::super::datagram(wr_id, operation, length)
    }
}

/// QP1 sends on VL 0, and so does a connection that answers.
fn cf266_smps_alone_leave_on_vl_15(y: &mut Bench) {
    connect(y, peer(), 0);
    y.create_another(&QpAttributes { qpn: 1, ..qp0() });
    y.enter_rts();
    for (qpn, vl) in [(0, 15), (1, 0), (0, 15)] {
        y.turn_to(qpn);
        y.post(message(1, SEND, 256));
        let sent: Vec<_> = y
            .sent()
            .iter()
            .map(|p| (p.lrh().unwrap().vl, p.deth().unwrap().src_qp))
            .collect();
        assert_eq!(sent, [(vl, qpn)]);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    let (cqn, entries) = (5, 128);
    y.submit(Verb::CreateCq { cqn, entries });
    y.create_another(&QpAttributes {
        send_cq: cqn,
        receive_cq: cqn,
        ..connected(100)
    });
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let mut send = request(0x04, 100, &[7; 4]);
    send.lrh_mut().unwrap().dlid = 0x10;
    send.bth.p_key = 0x9234;
    y.receive(&[send.encode().unwrap()]);
    let answers = y.packets();
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0][0], answers[0][8]), (0x00, 0x11));
    assert_eq!(y.completions(), [success(1, 4)]);
}

/// LRH, BTH and DETH, 256 bytes, both CRCs. The address handle has a GRH, SL 5 and path bits 3; the Q_Key is the
/// request's, with bit 31, too.
fn cf416_an_smp_leaves_on_vl_15_without_grh(y: &mut Bench) {
    let address = AddressHandle {
        sl: 5,
        source_path_bits: 3,
        global: Some(GlobalRoute {
            dgid: [0x20; 16],
            flow_label: 1,
            traffic_class: 2,
            hop_limit: 3,
        }),
        ..peer()
    };
    connect(y, address, 0);
    for q_key in [0_u32, 0x8001_0000, 0x0000_0007] {
        let mut request = message(1, SEND, 256);
        request.datagram.as_mut().unwrap().q_key = q_key;
        y.post(request);
        let sent = y.packets_after();
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].len(), 8 + 12 + 8 + 256 + 4 + 2);
        assert_eq!(sent[0][..8], [0xF0, 0x52, 0x00, 0x01, 0x00, 72, 0x00, 0x13]);
        assert_eq!((sent[0][8], &sent[0][12..16]), (0x64, &[0; 4][..]));
        assert_eq!(sent[0][20..24], q_key.to_be_bytes());
        assert_eq!(sent[0][24..28], [0; 4], "from QP0");
        let expected: Vec<u8> = (0..256).map(source_byte).collect();
        assert_eq!(sent[0][28..284], expected);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

fn cf417_to_the_neighbour_the_slid_is_ffff(y: &mut Bench) {
    let neighbour = AddressHandle {
        dlid: 0xFFFF,
        ..peer()
    };
    connect(y, neighbour, 0);
    y.post(message(1, SEND, 256));
    let sent = y.packets_after();
    assert_eq!(sent[0][..8], [0xF0, 0x02, 0xFF, 0xFF, 0x00, 72, 0xFF, 0xFF]);
    assert_eq!(y.completions(), [success(1, 0)]);
}

/// It receives by DLID FFFFh.
fn cf417_without_lid_the_slid_is_ffff(y: &mut Bench) {
    connect(y, peer(), 1);
    y.post(message(1, SEND, 256));
    let sent = y.packets_after();
    assert_eq!(sent[0][..8], [0xF0, 0x02, 0x00, 0x01, 0x00, 72, 0xFF, 0xFF]);
    assert_eq!(y.completions(), [success(1, 0)]);
    y.take(&[between(0xFFFF, 0xFFFF, DIRECTED_ROUTE)]);
    assert_eq!(y.completions(), [success(70, 296)]);
    assert_eq!(y.drops(), []);
}

fn cf418_a_message_that_is_not_of_256_bytes_ends_in_sqe(y: &mut Bench) {
    connect(y, peer(), 0);
    for length in [0, 255, 257, 4097] {
        y.post(message(1, SEND, length));
        y.post(message(2, SEND, 256));
        assert_eq!(y.sent_rows(), [], "{length}");
        assert_eq!(
            y.completions(),
            [(1, Status::LocLenErr, 0), flushed(2)],
            "{length}"
        );
        assert_eq!(y.query().0, QpState::Sqe, "{length}");
        y.modify(QpState::Rts);
    }
}

fn cf418_a_send_with_immediate_ends_in_sqe(y: &mut Bench) {
    connect(y, peer(), 0);
    let operation = SendOperation::SendWithImmediate { immediate: IMMEDIATE };
    y.post(message(1, operation, 256));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    assert_eq!(y.query().0, QpState::Sqe);
}

/// The table has four entries.
fn cf419_the_request_names_the_p_key(y: &mut Bench) {
    connect(y, peer(), 0);
    for (p_key_index, p_key) in [(0, 0x9234), (1, 0x1235), (2, 0x1234), (3, 0xFFFF)] {
        let mut request = message(1, SEND, 256);
        request.datagram.as_mut().unwrap().p_key_index = p_key_index;
        y.post(request);
        let p_keys: Vec<u16> = y.sent().iter().map(|packet| packet.bth.p_key).collect();
        assert_eq!(p_keys, [p_key]);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    let mut request = message(1, SEND, 256);
    request.datagram.as_mut().unwrap().p_key_index = 4;
    y.post(request);
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
}

/// The port is part of its name (section 5).
fn its_transitions_take_no_port(y: &mut Bench) {
    y.create(&qp0());
    let of = |given: &[Attribute]| QpChanges::of(&qp0(), given.iter().copied().collect());
    use Attribute::{PKeyIndex, Port, QKey, SqPsn};
    let with_port = y.attempt_set(QpState::Init, &of(&[PKeyIndex, Port, QKey]));
    assert_eq!(with_port, Err(Reason::ForbiddenAttribute));
    for (state, given) in [
        (QpState::Init, &[PKeyIndex, QKey][..]),
        (QpState::Rtr, &[]),
        (QpState::Rts, &[SqPsn, QKey]),
    ] {
        assert_eq!(y.attempt_set(state, &of(given)), DONE, "{state:?}");
    }
}
