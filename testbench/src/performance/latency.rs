//! Measures the clock cycles from one port to another for a single message.
use super::{attributes, create_handle, datagram, qpn_of, AREA, ENTRIES};
use crate::device::verilated::VerilatedDevice;
use crate::device::{port_on, Device, Fault, Transmitted, Verb};
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::{all_memory, L_KEY};
use crate::Side;
use hca_golden::decision::ud::requester::source_port;
use hca_golden::port::{Link, PortConfig, FIRST};
use hca_golden::verbs::{Pmtu, QpState, ReceiveRequest, SendOperation, SendRequest, Service, Sge};
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_sim::driver::{RINGS, RINGS_SIZE};

const SOURCE: u64 = 0x1_0000_0000;
const TARGET: u64 = 0x2_0000_0000;
/// Number of clock cycles in which every step completes.
const ENOUGH: u64 = 20_000;
/// Number of clock cycles without activity, after which a device is idle.
const IDLE: u64 = 500;
/// First PSN that X sends.
const FIRST_PSN: u32 = 100;
/// NAK, PSN sequence error (`protocol/aeth.md` section 3).
const SEQUENCE_NAK: u8 = 0x60;

/// The latencies of a single Send, in clock cycles.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// From the write of the doorbell to the request's first beat out.
    pub doorbell_to_request: u64,
    /// From the request's last beat in to its ack's first beat out.
    pub request_to_ack: u64,
    /// From the ack's last beat in to the last beat of its CQE.
    pub ack_to_cqe: u64,
}

fn timed_out(what: &str) -> Fault {
    Fault {
        rule: format!("{what} did not come in {ENOUGH} cycles"),
    }
}

fn difference(what: &str, from: Option<u64>, to: u64) -> Result<u64, Fault> {
    let from = from.filter(|from| *from <= to).ok_or_else(|| timed_out(what))?;
    Ok(to - from)
}

/// Runs clocks until a packet has left.
fn packet_of(device: &mut VerilatedDevice, what: &str) -> Result<Transmitted, Fault> {
    for _ in 0..ENOUGH {
        device.step()?;
        while device.retired()?.is_some() {}
        if let Some(packet) = device.transmitted() {
            return Ok(packet);
        }
    }
    Err(timed_out(what))
}

/// Runs clocks until nothing has moved for a while. Packets that leave are dropped.
fn settle(device: &mut VerilatedDevice) -> Result<(), Fault> {
    let mut still = 0;
    for _ in 0..ENOUGH {
        device.step()?;
        let mut moved = !device.quiet();
        while device.retired()?.is_some() {
            moved = true;
        }
        while device.transmitted().is_some() {
            moved = true;
        }
        still = if moved { 0 } else { still + 1 };
        if still == IDLE {
            return Ok(());
        }
    }
    Err(timed_out("rest"))
}

/// Carries verbs out and waits until the device is idle.
fn carry_out(device: &mut VerilatedDevice, verbs: Vec<Verb>) -> Result<(), Fault> {
    let tickets: Vec<_> = verbs.into_iter().map(|verb| device.submit(verb)).collect();
    settle(device)?;
    for ticket in tickets {
        let outcome = device.outcome(ticket).ok_or_else(|| timed_out("a verb"))?;
        outcome.map_err(|refusal| Fault { rule: refusal.reason })?;
    }
    Ok(())
}

/// Moves the QP of a side to RTS.
fn connect(device: &mut VerilatedDevice, side: Side, service: Service, pmtu: Pmtu) -> Result<(), Fault> {
    let link = device.link();
    let qpn = qpn_of(side, 0);
    let cq = |cqn| Verb::CreateCq {
        cqn,
        entries: 2 * ENTRIES,
    };
    let modify = |state| Verb::ModifyQp { qpn, state };
    let mut verbs = vec![
        cq(SEND_CQ),
        cq(RECEIVE_CQ),
        Verb::RegMr { region: all_memory() },
        Verb::CreateQp {
            attributes: attributes(link, side, 0, service, pmtu),
            send_entries: ENTRIES,
            receive_entries: ENTRIES,
        },
        modify(QpState::Init),
        modify(QpState::Rtr),
        modify(QpState::Rts),
    ];
    if service == Service::Ud {
        verbs.push(create_handle(link, side));
    }
    carry_out(device, verbs)
}

fn list(addr: u64, length: u32) -> Vec<Sge> {
    let l_key = L_KEY;
    vec![Sge { addr, length, l_key }]
}

fn send(service: Service, length: u32) -> Verb {
    Verb::PostSend {
        qpn: qpn_of(Side::X, 0),
        request: SendRequest {
            wr_id: 1,
            operation: SendOperation::Send,
            sges: list(SOURCE, length),
            signaled: true,
            datagram: datagram(service, Side::X, 0),
            ..SendRequest::default()
        },
    }
}

/// Measures a Send of one packet from X to Y. Both devices are out of reset.
pub fn of_a_send(x: &mut VerilatedDevice, y: &mut VerilatedDevice, bytes: u32) -> Result<Latencies, Fault> {
    let (doorbell, request) = request_of(x, y, Service::Rc, bytes)?;
    y.receive(FIRST, request.bytes);
    let ack = packet_of(y, "the ack")?;
    let request_in = y.marks().packet_in;
    x.receive(FIRST, ack.bytes);
    let ack_to_cqe = cqe_of(x)?;
    Ok(Latencies {
        doorbell_to_request: difference("the doorbell", doorbell, request.first_beat)?,
        request_to_ack: difference("the request", request_in, ack.first_beat)?,
        ack_to_cqe,
    })
}

/// The latencies of a single Send of an unreliable service, in clock cycles.
#[derive(Clone, Copy, Debug)]
pub struct Unanswered {
    /// From the write of the doorbell to the message's first beat out.
    pub doorbell_to_packet: u64,
    /// From the message's last beat in to the last beat of the receiver's CQE.
    pub packet_to_cqe: u64,
}

/// Measures a Send of one packet of an unreliable service from X to Y. Both devices are out of reset.
pub fn of_an_unreliable_send(
    x: &mut VerilatedDevice,
    y: &mut VerilatedDevice,
    service: Service,
    bytes: u32,
) -> Result<Unanswered, Fault> {
    let (doorbell, packet) = request_of(x, y, service, bytes)?;
    y.receive(FIRST, packet.bytes);
    Ok(Unanswered {
        doorbell_to_packet: difference("the doorbell", doorbell, packet.first_beat)?,
        packet_to_cqe: cqe_of(y)?,
    })
}

/// Returns the packet of a Send of X, and the clock cycle in which its doorbell was written. Y has a receive buffer for
/// it.
fn request_of(
    x: &mut VerilatedDevice,
    y: &mut VerilatedDevice,
    service: Service,
    bytes: u32,
) -> Result<(Option<u64>, Transmitted), Fault> {
    connect(x, Side::X, service, Pmtu::B4096)?;
    connect(y, Side::Y, service, Pmtu::B4096)?;
    let area = if service == Service::Ud { AREA } else { 0 };
    let request = ReceiveRequest {
        wr_id: 2,
        sges: list(TARGET, bytes + area),
    };
    let qpn = qpn_of(Side::Y, 0);
    carry_out(y, vec![Verb::PostReceive { qpn, request }])?;
    x.submit(send(service, bytes));
    let request = packet_of(x, "the request")?;
    Ok((x.marks().register_write, request))
}

/// Returns the clock cycles from the last beat of the packet that has just come to that of its CQE.
fn cqe_of(device: &mut VerilatedDevice) -> Result<u64, Fault> {
    settle(device)?;
    let rings = RINGS..RINGS + RINGS_SIZE;
    let marks = device.marks();
    let cqe = marks.memory_write.filter(|(addr, _)| rings.contains(addr));
    let cqe = cqe.ok_or_else(|| timed_out("the CQE"))?.1;
    difference("the packet", marks.packet_in, cqe)
}

/// Returns the clock cycles from the last beat of a sequence NAK to the first beat of the packet that is sent again. X,
/// out of reset, has sent three packets of this many bytes, and the second was lost.
pub fn of_a_rewind(x: &mut VerilatedDevice, pmtu: Pmtu) -> Result<u64, Fault> {
    connect(x, Side::X, Service::Rc, pmtu)?;
    x.submit(send(Service::Rc, 3 * pmtu.bytes() as u32));
    settle(x)?;
    x.receive(FIRST, sequence_nak(x.link(), FIRST_PSN + 1)?);
    let again = packet_of(x, "the packet sent again")?;
    difference("the NAK", x.marks().packet_in, again.first_beat)
}

fn sequence_nak(link: Link, psn: u32) -> Result<Vec<u8>, Fault> {
    let [x, y] = Side::BOTH.map(|side| port_on(link, side));
    let end = |PortConfig { mac, gid, .. }| Endpoint { mac, gid };
    let packet = Packet {
        route: match link {
            Link::InfiniBand => Route::Local(Lrh {
                dlid: x.lid,
                slid: y.lid,
                ..Lrh::default()
            }),
            Link::Roce => Route::Roce(Roce::between(end(y), end(x), source_port(0))),
        },
        bth: Bth {
            opcode: 0x11,
            p_key: 0xFFFF,
            dest_qp: qpn_of(Side::X, 0),
            psn,
            ..Bth::default()
        },
        extensions: vec![Extension::Aeth(Aeth {
            syndrome: SEQUENCE_NAK,
            msn: 0,
        })],
        payload: Vec::new(),
    };
    packet.encode().map_err(|e| Fault { rule: e.to_string() })
}
