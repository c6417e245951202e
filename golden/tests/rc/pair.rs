//! Two models back to back, X and Y, as `scenario_seed001.md` section 1 sets them up.
use hca_golden::capabilities::Capabilities;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Output, Rule};
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::packet::{Packet, Route};

pub const X_QPN: u32 = 0x12;
pub const Y_QPN: u32 = 0x34;
pub const X_LID: u16 = 0x10;
pub const Y_LID: u16 = 0x20;
pub const CQN: u32 = 0;
/// Protection domain of either QP.
pub const PD: u32 = 7;
/// Keys of a region that is all memory, with all rights.
pub const L_KEY: u32 = 0;
pub const R_KEY: u32 = 0x5A5A;
pub const MESSAGE_AT: u64 = 0x10_0000;
pub const BUFFER_AT: u64 = 0x20_0123;

/// X sends, Y receives.
pub struct Pair {
    pub x: Hca,
    pub y: Hca,
}

/// Attributes of X's QP.
pub fn x_attributes() -> QpAttributes {
    QpAttributes {
        qpn: X_QPN,
        service: Service::Rc,
        send_cq: CQN,
        receive_cq: CQN,
        port: 1,
        p_key_index: 0,
        dest_qpn: Y_QPN,
        dlid: Y_LID,
        sl: 3,
        source_path_bits: 0,
        static_rate: 0,
        sgid_index: 0,
        global: None,
        ethernet: None,
        pmtu: Pmtu::B2048,
        sq_psn: 100,
        rq_psn: 2000,
        min_rnr_timer: 12,
        timeout: 14,
        retry_cnt: 7,
        rnr_retry: 7,
        pd: PD,
        access: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        max_rd_atomic: 4,
        max_dest_rd_atomic: 4,
        credits: EndToEndCredits::default(),
        q_key: 0,
        dry_event: false,
    }
}

/// Attributes of Y's QP.
pub fn y_attributes() -> QpAttributes {
    QpAttributes {
        qpn: Y_QPN,
        dest_qpn: X_QPN,
        dlid: X_LID,
        sq_psn: 2000,
        rq_psn: 100,
        ..x_attributes()
    }
}

/// A device with one CQ and one QP in RTS.
pub fn connected(lid: u16, attributes: &QpAttributes) -> Hca {
    connected_with(lid, attributes, Capabilities::FULL)
}

/// The same device, able to do no more than this.
pub fn connected_with(lid: u16, attributes: &QpAttributes, capabilities: Capabilities) -> Hca {
    let port = PortConfig {
        lid,
        lmc: 0,
        ..PortConfig::default()
    };
    let mut hca = Hca::with(port, capabilities);
    hca.create_cq(CQN, 64).unwrap();
    hca.reg_mr(all_memory()).unwrap();
    hca.create_qp(attributes).unwrap();
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        hca.move_qp(attributes, state).unwrap();
    }
    hca
}

/// A region that is all memory, with all rights.
pub fn all_memory() -> MemoryRegion {
    MemoryRegion {
        l_key: L_KEY,
        r_key: R_KEY,
        pd: PD,
        base: 0,
        length: u64::MAX,
        access: MemoryAccess {
            local_write: true,
            remote_write: true,
            remote_read: true,
            remote_atomic: true,
        },
        zero_based: false,
    }
}

pub fn sge(addr: u64, length: u32) -> Sge {
    Sge {
        addr,
        length,
        l_key: L_KEY,
    }
}

pub fn send(wr_id: u64, sges: &[Sge]) -> SendRequest {
    SendRequest {
        wr_id,
        operation: SendOperation::Send,
        sges: sges.to_vec(),
        signaled: true,
        ..SendRequest::default()
    }
}

pub fn receive(wr_id: u64, sges: &[Sge]) -> ReceiveRequest {
    ReceiveRequest {
        wr_id,
        sges: sges.to_vec(),
    }
}

/// `length` bytes that repeat nowhere near.
pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 251) as u8).collect()
}

/// The one packet that an event brings out.
pub fn transmitted(hca: &mut Hca, event: Event) -> Vec<u8> {
    match hca.apply(&event).unwrap().as_slice() {
        [Output::Transmit { bytes, .. }] => bytes.clone(),
        other => panic!("{event:?} gave {other:?}"),
    }
}

impl Pair {
    /// X and Y in RTS with these attributes.
    pub fn new(x: &QpAttributes, y: &QpAttributes) -> Pair {
        Pair {
            x: connected(X_LID, x),
            y: connected(Y_LID, y),
        }
    }
}

/// A request from X to Y, as X would address it.
pub fn request(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    Packet {
        route: Route::Local(Lrh {
            sl: 3,
            dlid: Y_LID,
            slid: X_LID,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            p_key: 0xFFFF,
            dest_qp: Y_QPN,
            a: true,
            psn,
            ..Bth::default()
        },
        extensions: Opcode::of(opcode)
            .map_or(&[][..], |o| o.headers)
            .iter()
            .map(|&h| Extension::parse(h, &vec![0; h.bytes()]).unwrap())
            .collect(),
        payload: payload.to_vec(),
    }
}

/// An Acknowledge from Y to X.
pub fn response(psn: u32, syndrome: u8, msn: u32) -> Packet {
    let mut packet = request(0x11, psn, &[]);
    redirect(&mut packet, Y_LID, X_LID);
    packet.bth.dest_qp = X_QPN;
    packet.bth.a = false;
    packet.extensions = vec![Extension::Aeth(Aeth { syndrome, msn })];
    packet
}

/// Between these LIDs instead.
pub fn redirect(packet: &mut Packet, slid: u16, dlid: u16) {
    let lrh = packet.lrh_mut().unwrap();
    (lrh.slid, lrh.dlid) = (slid, dlid);
}

/// A packet that came out.
pub fn decoded(bytes: &[u8]) -> Packet {
    let frame = Frame::decode(Link::InfiniBand, bytes).unwrap();
    frame.packet().unwrap()
}

/// Takes the model's own choices until none is left; the packets that came out and the events.
pub fn settle(hca: &mut Hca) -> (Vec<Packet>, Vec<Event>) {
    let (mut packets, mut events) = (Vec::new(), Vec::new());
    while let Some(event) = hca.choices().first().copied() {
        for output in hca.apply(&event).unwrap() {
            if let Output::Transmit { bytes, .. } = output {
                packets.push(decoded(&bytes));
            }
        }
        events.push(event);
    }
    (packets, events)
}

/// PSN, syndrome and MSN of each ack that the packets bring out.
pub fn answers(hca: &mut Hca, packets: &[Packet]) -> Vec<(u32, u8, u32)> {
    for packet in packets {
        hca.receive(1, &packet.encode().unwrap());
    }
    let (packets, _) = settle(hca);
    packets
        .iter()
        .map(|p| {
            assert_eq!(p.bth.opcode, 0x11);
            let aeth = p.aeth().unwrap();
            (p.bth.psn, aeth.syndrome, aeth.msn)
        })
        .collect()
}

/// Why a packet is dropped; panics if it is not, or if anything comes out.
pub fn drop_reason(hca: &mut Hca, bytes: &[u8]) -> DropReason {
    hca.receive(1, bytes);
    let (packets, mut events) = settle(hca);
    assert!(packets.is_empty());
    // CQ_CONSUMER covers meanwhile what a test has polled before.
    events.retain(|e| !matches!(e, Event::CqConsumed { .. }));
    match events.as_slice() {
        [Event::PacketDropped { reason, .. }] => *reason,
        other => panic!("{other:?}"),
    }
}

/// Every completion of the CQ: WR id, status, bytes.
pub fn completions(hca: &mut Hca) -> Vec<(u64, Status, u32)> {
    std::iter::from_fn(|| hca.poll_cq(CQN))
        .map(|c| (c.wr_id, c.status, c.byte_count))
        .collect()
}

/// The rule that an event breaks.
pub fn refused(y: &mut Hca, event: Event) -> Rule {
    let before = format!("{y:?}");
    let violation = y.apply(&event).unwrap_err();
    assert_eq!(format!("{y:?}"), before, "nothing changed");
    assert!(!violation.to_string().is_empty());
    violation.rule
}

/// Takes all events that wait in the event queue, oldest first.
pub fn told(y: &mut Hca) -> Vec<HostEvent> {
    std::iter::from_fn(|| y.poll_event()).collect()
}
