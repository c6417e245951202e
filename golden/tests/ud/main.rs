//! Which events a device may report of a queue pair of datagrams, and by what rule others are refused (`ud.md`).
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Output, Rule};
use hca_golden::port::PortConfig;
use hca_golden::verbs::{
    AddressHandle, Datagram, EndToEndCredits, GlobalRoute, Pmtu, QpAttributes, QpState, QueueSide,
    ReceiveRequest, RemoteAccess, SendRequest, Service, Sge,
};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};

const FIRST: u32 = 0x12;
const SECOND: u32 = 0x13;
const CQN: u32 = 1;
const Q_KEY: u32 = 0x1234;
const HANDLE: u32 = 3;
const MGID: [u8; 16] = [0xFF, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const MLID: u16 = 0xC001;
/// Of the port's own multicast packets.
const OWN: u32 = 1 << 31;

fn attributes(qpn: u32) -> QpAttributes {
    QpAttributes {
        qpn,
        service: Service::Ud,
        send_cq: CQN,
        receive_cq: CQN,
        port: 1,
        p_key_index: 0,
        dest_qpn: 0,
        dlid: 0,
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
        credits: EndToEndCredits::default(),
        q_key: Q_KEY,
        dry_event: false,
    }
}

/// Two members of the group in RTS, each with a receive WQE of 44 bytes that the device knows of.
fn hca() -> Hca {
    let mut hca = Hca::new(PortConfig {
        lid: 2,
        ..PortConfig::default()
    });
    hca.create_cq(CQN, 64).unwrap();
    hca.reg_mr(region()).unwrap();
    for qpn in [FIRST, SECOND] {
        hca.create_qp(&attributes(qpn)).unwrap();
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            hca.move_qp(&attributes(qpn), state).unwrap();
        }
        hca.attach(qpn, MGID, MLID).unwrap();
        let sges = vec![sge(44)];
        hca.post_receive(qpn, ReceiveRequest { wr_id: 1, sges }).unwrap();
        permitted(&mut hca, doorbell(qpn, QueueSide::Receive, 1));
    }
    let address = AddressHandle {
        port: 1,
        dlid: MLID,
        global: Some(GlobalRoute {
            dgid: MGID,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        ..AddressHandle::default()
    };
    hca.create_ah(HANDLE, address).unwrap();
    hca
}

fn region() -> hca_golden::verbs::MemoryRegion {
    hca_golden::verbs::MemoryRegion {
        l_key: 7,
        r_key: 8,
        pd: 0,
        base: 0,
        length: 1 << 32,
        access: hca_golden::verbs::MemoryAccess {
            local_write: true,
            ..Default::default()
        },
        zero_based: false,
    }
}

fn sge(length: u32) -> Sge {
    Sge {
        addr: 0x1000,
        length,
        l_key: 7,
    }
}

fn doorbell(qpn: u32, side: QueueSide, producer: u16) -> Event {
    Event::Doorbell { qpn, side, producer }
}

fn takes(qpn: u32, side: QueueSide) -> Event {
    let index = 0;
    Event::WqeFetched { qpn, side, index }
}

fn executes(packet: u32, qpn: u32, psn: u32) -> Event {
    Event::RequestExecuted { packet, qpn, psn }
}

fn permitted(hca: &mut Hca, event: Event) -> Vec<Output> {
    hca.apply(&event)
        .unwrap_or_else(|violation| panic!("{violation}"))
}

fn refused(hca: &mut Hca, event: Event, rule: Rule) {
    assert_eq!(hca.apply(&event).map_err(|v| v.rule), Err(rule), "{event:?}");
}

/// For one QP, or for the group.
fn packet(qpn: Option<u32>, payload: usize) -> Vec<u8> {
    let (dlid, slid) = (if qpn.is_some() { 2 } else { MLID }, 9);
    let lrh = Lrh {
        dlid,
        slid,
        ..Lrh::default()
    };
    let grh = Grh {
        dgid: MGID,
        ..Grh::default()
    };
    let packet = Packet {
        route: match qpn {
            Some(_) => Route::Local(lrh),
            None => Route::Global(lrh, grh),
        },
        bth: Bth {
            opcode: 0x64,
            p_key: 0xFFFF,
            dest_qp: qpn.unwrap_or(0xFF_FFFF),
            psn: 77,
            ..Bth::default()
        },
        extensions: vec![Extension::Deth(Deth {
            q_key: Q_KEY,
            src_qp: 4,
            ..Deth::default()
        })],
        payload: vec![1; payload],
    };
    packet.encode().unwrap()
}

fn post(hca: &mut Hca, length: u32) {
    let request = SendRequest {
        sges: vec![sge(length)],
        signaled: true,
        datagram: Some(Datagram {
            handle: HANDLE,
            dest_qpn: 0xFF_FFFF,
            q_key: Q_KEY,
            p_key_index: 0,
        }),
        ..SendRequest::default()
    };
    hca.post_send(FIRST, request).unwrap();
    permitted(hca, doorbell(FIRST, QueueSide::Send, 1));
    permitted(hca, takes(FIRST, QueueSide::Send));
}

/// Section 3.1 step 13: the WQE stays, taken or not.
#[test]
fn a_receive_wqe_that_is_too_small_may_be_taken_before_it_is_measured() {
    for early in [true, false] {
        let mut hca = hca();
        let (large, small) = (packet(Some(FIRST), 5), packet(Some(FIRST), 4));
        hca.receive(1, &large);
        hca.receive(1, &small);
        if early {
            permitted(&mut hca, takes(FIRST, QueueSide::Receive));
        }
        refused(&mut hca, executes(0, FIRST, 77), Rule::Decision);
        let reason = DropReason::BufferTooSmall;
        permitted(&mut hca, Event::PacketDropped { packet: 0, reason });
        if !early {
            refused(&mut hca, executes(1, FIRST, 77), Rule::ReceiveWqe);
            permitted(&mut hca, takes(FIRST, QueueSide::Receive));
        }
        permitted(&mut hca, executes(1, FIRST, 77));
    }
}

/// Section 2 step 3.
#[test]
fn a_message_is_discarded_if_and_only_if_it_is_too_long() {
    let (qpn, psn) = (FIRST, 5);
    for (length, sent) in [(4096, true), (4097, false)] {
        let mut hca = hca();
        post(&mut hca, length);
        let events = [
            Event::RequestEmitted { qpn, psn },
            Event::RequestDiscarded { qpn, psn },
        ];
        let (right, wrong) = match sent {
            true => (events[0], events[1]),
            false => (events[1], events[0]),
        };
        refused(&mut hca, wrong, Rule::Datagram);
        permitted(&mut hca, right);
    }
}

/// Section 4.2.
#[test]
fn every_member_decides_once_in_any_order() {
    let mut hca = hca();
    hca.receive(1, &packet(None, 4));
    hca.receive(1, &packet(Some(FIRST), 4));
    let reason = DropReason::MulticastAddress;
    refused(
        &mut hca,
        Event::PacketDropped { packet: 0, reason },
        Rule::Decision,
    );
    let reason = DropReason::QKey;
    let of_first = |packet| Event::CopyDropped {
        packet,
        qpn: FIRST,
        reason,
    };
    refused(&mut hca, of_first(0), Rule::Decision);
    refused(&mut hca, of_first(1), Rule::Decision);
    permitted(&mut hca, takes(SECOND, QueueSide::Receive));
    permitted(&mut hca, executes(0, SECOND, 77));
    refused(&mut hca, executes(0, SECOND, 77), Rule::Decision);
    permitted(&mut hca, takes(FIRST, QueueSide::Receive));
    refused(&mut hca, executes(1, FIRST, 77), Rule::PacketOrder);
    permitted(&mut hca, executes(0, FIRST, 77));
    let reason = DropReason::NoReceiveWqe;
    permitted(&mut hca, Event::PacketDropped { packet: 1, reason });
}

/// Section 4.3: the copy has a number of its own, and the sender none.
#[test]
fn the_other_members_decide_about_what_the_port_sends() {
    let mut hca = hca();
    post(&mut hca, 4);
    let (qpn, psn) = (FIRST, 5);
    permitted(&mut hca, Event::RequestEmitted { qpn, psn });
    refused(&mut hca, executes(OWN, FIRST, 5), Rule::Decision);
    permitted(&mut hca, takes(SECOND, QueueSide::Receive));
    permitted(&mut hca, executes(OWN, SECOND, 5));
    refused(&mut hca, executes(OWN, SECOND, 5), Rule::NoSuchPacket);
}
