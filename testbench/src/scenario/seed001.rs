//! The first test of a device (`protocol/scenario_seed001.md` section 1): a 5 KB Send from X to Y.
//!
//! The packets are compared literally with the values of the table, besides the comparison with the model.
use super::connection::{qpn_of, Connection};
use super::region::L_KEY;
use super::send::message;
use crate::device::Verb;
use crate::fabric::{Fabric, Reaped, Stop};
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    CompletedOperation, Completion, Pmtu, ReceiveRequest, SendOperation, SendRequest, Sge, Status,
};

/// Bytes of the message.
const MESSAGE: usize = 5120;
/// Length of the receive buffer in bytes. The bytes behind the message stay unchanged.
const BUFFER: usize = 6144;
/// Initial content of the receive buffer.
const UNTOUCHED: u8 = 0xA5;
const SOURCE: u64 = 0x1000_0000;
const TARGET: u64 = 0x2000_0000;
const SEND_WR: u64 = 0x5E4D;
const RECEIVE_WR: u64 = 0x4ECE;

/// A request of the table: opcode, PSN, payload bytes, A, PktLen in words. In middle packets A is optional.
const REQUESTS: [(u64, u64, usize, Option<u64>, u64); 3] = [
    (0x00, 100, 2048, Some(1), 518),
    (0x01, 101, 2048, None, 518),
    (0x02, 102, 1024, Some(1), 262),
];

/// Runs the scenario.
pub fn run(fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
    let connection = Connection {
        link: fabric.link(),
        pmtu: Pmtu::B2048,
        x_psn: 100,
        y_psn: 2000,
        entries: 16,
    };
    connection.establish(fabric)?;
    fabric.keep_packets();
    let bytes = message(seed, MESSAGE);
    fabric.station(Side::X).register(SOURCE, MESSAGE as u64);
    fabric.station(Side::X).write_memory(SOURCE, &bytes);
    fabric.station(Side::Y).register(TARGET, BUFFER as u64);
    fabric.station(Side::Y).write_memory(TARGET, &[UNTOUCHED; BUFFER]);
    let segment = |addr, length: usize| {
        vec![Sge {
            addr,
            length: length as u32,
            l_key: L_KEY,
        }]
    };
    fabric.verbs(
        Side::Y,
        [Verb::PostReceive {
            qpn: qpn_of(Side::Y),
            request: ReceiveRequest {
                wr_id: RECEIVE_WR,
                sges: segment(TARGET, BUFFER),
            },
        }],
    )?;
    fabric.verbs(
        Side::X,
        [Verb::PostSend {
            qpn: qpn_of(Side::X),
            request: SendRequest {
                wr_id: SEND_WR,
                operation: SendOperation::Send,
                sges: segment(SOURCE, MESSAGE),
                signaled: true,
                ..SendRequest::default()
            },
        }],
    )?;
    let received = fabric.wait_for_completion(Side::Y)?;
    let sent = fabric.wait_for_completion(Side::X)?;
    let packets = fabric.kept_packets().to_vec();
    let (requests, acks): (Vec<_>, Vec<_>) = packets.into_iter().partition(|p| p.from == Side::X);
    check_requests(fabric, &requests, &bytes)?;
    check_acks(fabric, &acks)?;
    check_completions(fabric, &received, &sent)?;
    check_order(fabric, &requests, &acks, &received, &sent)?;
    let mut buffer = vec![0; BUFFER];
    fabric.station(Side::Y).read_memory(TARGET, &mut buffer);
    fabric.expect(
        "receive buffer equals the message",
        true,
        buffer[..MESSAGE] == bytes,
    )?;
    let behind = buffer[MESSAGE..].iter().all(|b| *b == UNTOUCHED);
    fabric.expect("bytes behind the message untouched", true, behind)
}

fn check_requests(fabric: &Fabric<'_>, requests: &[PacketRecord], bytes: &[u8]) -> Result<(), Stop> {
    fabric.expect("number of requests", REQUESTS.len(), requests.len())?;
    let mut offset = 0;
    for (packet, (opcode, psn, payload, a, words)) in requests.iter().zip(REQUESTS) {
        let d = packet.dissection();
        let field = |name: &str| format!("{name} of request PSN {psn}");
        for (name, value) in [
            ("BTH.Opcode", opcode),
            ("BTH.PSN", psn),
            ("BTH.PadCnt", 0),
            ("BTH.DestQP", u64::from(qpn_of(Side::Y))),
        ] {
            fabric.expect(&field(name), Some(value), d.value(name))?;
        }
        if fabric.link() == Link::InfiniBand {
            fabric.expect(&field("LRH.PktLen"), Some(words), d.value("LRH.PktLen"))?;
        }
        if a.is_some() {
            fabric.expect(&field("BTH.A"), a, d.value("BTH.A"))?;
        }
        fabric.expect(&field("payload"), payload, d.payload.len())?;
        let same = packet.bytes[d.payload] == bytes[offset..offset + payload];
        fabric.expect(&field("payload bytes as in the message"), true, same)?;
        offset += payload;
    }
    Ok(())
}

/// Checks the acks. Those of PSNs 100 and 101 may be coalesced into a later one; that of 102 must come. Only that one
/// counts the message.
fn check_acks(fabric: &Fabric<'_>, acks: &[PacketRecord]) -> Result<(), Stop> {
    let mut last_psn = 99;
    for packet in acks {
        let d = packet.dissection();
        let psn = d.value("BTH.PSN").unwrap_or_default();
        let field = |name: &str| format!("{name} of the ack for PSN {psn}");
        fabric.expect(
            "acks in PSN order, 100 to 102",
            true,
            last_psn < psn && psn <= 102,
        )?;
        last_psn = psn;
        for (name, value) in [
            ("BTH.Opcode", 0x11),
            ("BTH.A", 0),
            ("BTH.PadCnt", 0),
            ("BTH.DestQP", u64::from(qpn_of(Side::X))),
            ("AETH.MSN", u64::from(psn == 102)),
        ] {
            fabric.expect(&field(name), Some(value), d.value(name))?;
        }
        if fabric.link() == Link::InfiniBand {
            for (name, value) in [("LRH.PktLen", 7), ("LRH.DLID", 1), ("LRH.SLID", 2)] {
                fabric.expect(&field(name), Some(value), d.value(name))?;
            }
        }
        let is_ack = d.value("AETH.Syndrome").is_some_and(|s| s < 0x20);
        fabric.expect(&field("AETH.Syndrome of type ACK"), true, is_ack)?;
    }
    fabric.expect("PSN of the last ack", 102, last_psn)
}

fn check_completions(fabric: &Fabric<'_>, received: &Reaped, sent: &Reaped) -> Result<(), Stop> {
    let expected = Completion {
        wr_id: RECEIVE_WR,
        status: Status::Success,
        qpn: qpn_of(Side::Y),
        operation: CompletedOperation::Receive,
        byte_count: MESSAGE as u32,
        immediate: None,
        invalidated: None,
        p_key_index: None,
        datagram: None,
    };
    fabric.expect("CQE of Y", &expected, &received.completion)?;
    let expected = Completion {
        wr_id: SEND_WR,
        status: Status::Success,
        qpn: qpn_of(Side::X),
        operation: CompletedOperation::Send,
        byte_count: 0,
        immediate: None,
        invalidated: None,
        p_key_index: None,
        datagram: None,
    };
    fabric.expect("CQE of X", &expected, &sent.completion)
}

/// Checks that Y completes after the last request, and X after the ack that covers it.
fn check_order(
    fabric: &Fabric<'_>,
    requests: &[PacketRecord],
    acks: &[PacketRecord],
    received: &Reaped,
    sent: &Reaped,
) -> Result<(), Stop> {
    let last = |packets: &[PacketRecord]| packets.last().map_or(0, |p| p.cycle);
    fabric.expect(
        "CQE of Y after the last request",
        true,
        received.cycle > last(requests),
    )?;
    fabric.expect("CQE of X after the last ack", true, sent.cycle > last(acks))
}
