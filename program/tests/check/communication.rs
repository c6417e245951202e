//! What the communication managers agree on: who is connected with whom, and how often either may try again.
use super::*;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::packet::Route;

/// Times of the ack timeout's code 1, 8.192 us, and a bit.
const TIMEOUT: Duration = Duration::from_micros(20);

/// A MAD of the communication manager from the sender of `like` to its receiver: its attribute, and bytes behind its
/// header with where they stand.
fn message(like: &Packet, attribute: u16, fields: &[(usize, &[u8])]) -> Packet {
    let mut packet = like.clone();
    (packet.bth.opcode, packet.bth.dest_qp, packet.bth.psn) = (0x64, 1, 0);
    (packet.bth.a, packet.bth.se) = (false, false);
    packet.extensions = vec![Extension::Deth(Deth {
        q_key: 0x8001_0000,
        resv8: 0,
        src_qp: 1,
    })];
    packet.payload = vec![0; 256];
    packet.payload[..4].copy_from_slice(&[1, 7, 2, 3]);
    packet.payload[16..18].copy_from_slice(&attribute.to_be_bytes());
    for (at, bytes) in fields {
        packet.payload[24 + at..24 + at + bytes.len()].copy_from_slice(bytes);
    }
    packet
}

/// ConnectRequest and ConnectReply of the connection of these two packets, a request and an answer: ids 5 and 6, a
/// retry count, the RNR retry count of who asks, and ack timeout code 1.
pub(super) fn agreement(request: &Packet, answer: &Packet, retries: u8, rnr_retries: u8) -> [Packet; 2] {
    let qp = |packet: &Packet| packet.bth.dest_qp.to_be_bytes()[1..].to_vec();
    let Route::Roce(roce) = &request.route else {
        unreachable!("the captures are of RoCEv2")
    };
    let asks = message(
        request,
        0x0010,
        &[
            (0, &[0, 0, 0, 5]),
            (32, &qp(answer)),
            (47, &[retries]),
            (50, &[0x07]),
            (56, &roce.network.sgid()),
            (72, &roce.network.dgid()),
            (95, &[1 << 3]),
        ],
    );
    let replies = message(
        answer,
        0x0013,
        &[
            (0, &[0, 0, 0, 6]),
            (4, &[0, 0, 0, 5]),
            (12, &qp(request)),
            (27, &[rnr_retries << 5]),
        ],
    );
    [asks, replies]
}

/// A Send of one packet and its ack.
fn exchange() -> [Packet; 2] {
    let captured = packets("rc_send.pcap");
    let mut send = captured[0].clone();
    (send.bth.opcode, send.bth.a) = (0x04, true);
    let mut ack = captured[nth(&captured, Operation::Acknowledge, 0)].clone();
    ack.bth.psn = send.bth.psn;
    [send, ack]
}

/// Judges packets that come this long after one another.
fn slowly(packets: &[Packet], apart: Duration) -> assert_cmd::assert::Assert {
    let records = packets.iter().zip(1..).map(|(packet, n)| {
        let bytes = packet.encode().unwrap();
        (Duration::from_secs(1) + apart * n, bytes.len(), bytes)
    });
    recorded_at(records)
}

#[test]
fn more_retries_than_were_agreed_on() {
    let [send, ack] = exchange();
    let [asks, replies] = agreement(&send, &ack, 2, 7);
    let mut next = send.clone();
    next.bth.psn += 1;
    // In pairs, so that no packet equals the one before it.
    let sent = |times: usize| {
        let both = vec![[send.clone(), next.clone()]; times].concat();
        [vec![asks.clone(), replies.clone()], both].concat()
    };
    slowly(&sent(3), TIMEOUT).code(0);
    slowly(&sent(4), TIMEOUT)
        .code(1)
        .stdout(starts_with("      9  CF189  ").and(contains("1 finding")));
    // A packet that comes again sooner than the timeout is a copy, or a NAK asked for it.
    slowly(&sent(4), Duration::from_micros(2)).code(0);
    // The capture does not show the retry count that was agreed on.
    slowly(&sent(9)[2..], TIMEOUT).code(0).stdout(contains(
        "; 1 direction whose requests were sent again and again and never answered",
    ));
    // The count begins anew when an answer acknowledges something.
    let mut progress = sent(3);
    progress.push(ack);
    let mut behind = next.clone();
    behind.bth.psn += 1;
    progress.extend(vec![[next.clone(), behind]; 2].concat());
    slowly(&progress, TIMEOUT).code(0);
}

/// A retry count of 7 is seven in one reading and endless in another.
#[test]
fn seven_retries_are_not_counted() {
    let [send, ack] = exchange();
    let [asks, replies] = agreement(&send, &ack, 7, 7);
    let mut next = send.clone();
    next.bth.psn += 1;
    let sent = [vec![asks, replies], vec![[send, next]; 12].concat()].concat();
    slowly(&sent, TIMEOUT).code(0);
}

#[test]
fn more_rnr_retries_than_were_agreed_on() {
    let [send, ack] = exchange();
    let mut nak = ack.clone();
    // 0.01 ms.
    aeth(&mut nak).syndrome = 0x21;
    aeth(&mut nak).msn -= 1;
    for (most, rounds, is_found) in [(2, 2, false), (2, 3, true), (7, 9, false)] {
        let [asks, replies] = agreement(&send, &ack, 1, most);
        let mut packets = vec![asks, replies, send.clone()];
        for _ in 0..rounds {
            packets.extend([nak.clone(), send.clone()]);
        }
        packets.push(ack.clone());
        let judged = slowly(&packets, TIMEOUT);
        match is_found {
            true => judged
                .code(1)
                .stdout(starts_with("      9  CF114  ").and(contains("1 finding"))),
            false => judged.code(0),
        };
    }
}

/// Connections that use the same PSNs at the same time are all judged if the capture has the REQ and REP of each.
#[test]
fn connections_alike_that_the_managers_tell_apart() {
    const CONNECTIONS: u32 = 60;
    let [send, ack] = exchange();
    let of = |packet: &Packet, n: u32, psn: u32| {
        let mut packet = packet.clone();
        let answers = packet.aeth().is_some();
        packet.bth.dest_qp = if answers { 0x9000 - n } else { 0x100 + n };
        packet.bth.psn = psn;
        packet
    };
    let mut packets = Vec::new();
    for n in 0..CONNECTIONS {
        let [mut asks, mut replies] = agreement(&of(&send, n, 0), &of(&ack, n, 0), 7, 7);
        asks.payload[24..28].copy_from_slice(&n.to_be_bytes());
        replies.payload[28..32].copy_from_slice(&n.to_be_bytes());
        packets.extend([asks, replies]);
    }
    for psn in 0..4 {
        packets.extend((0..CONNECTIONS).map(|n| of(&send, n, psn)));
        packets.extend((0..CONNECTIONS).map(|n| {
            let mut ack = of(&ack, n, psn);
            aeth(&mut ack).msn = psn + 1;
            ack
        }));
    }
    judged(&packets).code(0).stdout(contains(
        "480 packets of RC, requests of 60 directions, 120 datagrams: no rule is broken; MADs: 60 CM ConnectRequest",
    ));
    let last = packets.len() - 7;
    aeth(&mut packets[last]).msn += 40;
    finds(&packets, last + 1, "CF135");
}
