use super::*;
use crate::decision::requester::Message;
use crate::hca::credit_codes::CreditCodes;
use crate::hca::response::Data;
use crate::port::PortConfig;
use crate::verbs::{Pmtu, QpAttributes, RemoteAccess, SendOperation, Service};
use crate::wire::lrh::Lrh;
use crate::wire::reth::Reth;

/// Returns an HCA whose QP 2 has this many PSNs outstanding, and a message of no bytes to send at PSN 5.
fn outstanding(psns: u64) -> Hca {
    let mut hca = Hca::new(PortConfig {
        lid: 1,
        lmc: 0,
        ..PortConfig::default()
    });
    let attributes = QpAttributes {
        qpn: 2,
        service: Service::Rc,
        send_cq: 0,
        receive_cq: 0,
        port: 1,
        p_key_index: 0,
        dest_qpn: 2,
        dlid: 1,
        sl: 0,
        source_path_bits: 0,
        static_rate: 0,
        sgid_index: 0,
        global: None,
        ethernet: None,
        pmtu: Pmtu::B256,
        sq_psn: 5,
        rq_psn: 0,
        min_rnr_timer: 0,
        timeout: 0,
        retry_cnt: 0,
        rnr_retry: 0,
        pd: 0,
        access: RemoteAccess::default(),
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        credits: Default::default(),
        q_key: 0,
        dry_event: false,
    };
    hca.create_cq(0, 1).unwrap();
    hca.create_qp(&attributes).unwrap();
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        hca.move_qp(&attributes, state).unwrap();
    }
    let qp = hca.qp_mut(2).unwrap();
    qp.requester.unacknowledged -= psns;
    qp.requester.start -= psns;
    qp.requester
        .messages
        .push_back(Message::new(0, SendOperation::Send, 0));
    hca
}

/// CF286.
#[test]
fn no_more_than_2_to_23_psns_are_outstanding() {
    let full = outstanding(1 << 23).emit_request(2, 5);
    assert_eq!(full.unwrap_err().rule, Rule::Window);
    assert!(outstanding((1 << 23) - 1).emit_request(2, 5).is_ok());
    assert_eq!(outstanding(1 << 23).choices(), []);
    assert!(outstanding(1 << 23).idle());
}

/// CF142: the NAK leaves although the QP is already in Error.
#[test]
fn a_read_is_refused_when_the_requester_has_failed() {
    for failed in [false, true] {
        let mut hca = outstanding(1);
        let target = Reth {
            dma_len: 8,
            ..Reth::default()
        };
        hca.qp_mut(2).unwrap().responses.push(Response {
            psn: 7,
            msn: 1,
            lrh: Lrh::default(),
            body: Body::Data(Data::new(target, 256)),
            codes: CreditCodes::default(),
            spare: false,
        });
        if failed {
            hca.qp_mut(2).unwrap().fail(QueueSide::Send);
            hca.report_state(2, QpState::Error).unwrap();
        }
        hca.refuse_data(2, 7, NAK_REMOTE_ACCESS).unwrap();
        assert_eq!(hca.qp(2).unwrap().has_to_fail(), !failed);
        hca.emit_ack(2, 7, NAK_REMOTE_ACCESS).unwrap();
    }
}
