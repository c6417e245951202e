//! Opcode sequence (`responder.md` section 3, CF068 to CF077).
use super::case::*;
use super::pair::*;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

/// A Send of more than one packet is open, then this comes.
fn inside_a_send(packet: Packet) {
    let mut y = responder(1);
    let first = request(0x00, 100, &[1; 256]);
    let text = format!("{packet:?}");
    assert_eq!(
        replies(&mut y, &[first, packet]),
        [ack(100, 0), nak(101, 0x61, 0)],
        "{text}"
    );
    assert_eq!(statuses(&mut y), [(70, Status::RemInvReqErr)]);
    assert_eq!(state(&y), QpState::Error);
}

/// A Write of 512 bytes is open, then this comes.
fn inside_a_write(packet: Packet) {
    let mut y = responder(1);
    let first = rdma(0x06, 100, TARGET, 512, &[1; 256]);
    let text = format!("{packet:?}");
    assert_eq!(
        replies(&mut y, &[first, packet]),
        [ack(100, 0), nak(101, 0x61, 0)],
        "{text}"
    );
    assert_eq!(y.poll_async(), Some(AsyncEvent::RequestError { qpn: Y_QPN }));
}

#[test]
fn cf068_send_middle_or_last_without_first() {
    for opcode in [0x01, 0x02, 0x03, 0x16] {
        refused_by(responder(1), request(opcode, 100, &[1; 256]), 0x61);
    }
}

#[test]
fn cf069_write_middle_or_last_without_first() {
    for opcode in [0x07, 0x08, 0x09] {
        refused_by(responder(1), request(opcode, 100, &[1; 256]), 0x61);
    }
}

#[test]
fn cf070_a_new_message_while_a_send_is_open() {
    for opcode in [0x00, 0x04, 0x05, 0x17] {
        inside_a_send(request(opcode, 101, &[1; 256]));
    }
    for opcode in [0x06, 0x0A, 0x0B] {
        inside_a_send(rdma(opcode, 101, TARGET, 256, &[1; 256]));
    }
}

#[test]
fn cf071_write_middle_inside_an_open_send() {
    for opcode in [0x07, 0x08, 0x09] {
        inside_a_send(request(opcode, 101, &[1; 256]));
    }
    for opcode in [0x01, 0x02, 0x03] {
        inside_a_write(request(opcode, 101, &[1; 256]));
    }
}

#[test]
fn cf072_a_read_or_atomic_inside_an_open_message() {
    for inside in [inside_a_send, inside_a_write] {
        inside(read(101, TARGET, 4));
        inside(atomic(0x13, 101, TARGET, 1, 2));
        inside(atomic(0x14, 101, TARGET, 1, 0));
    }
}

#[test]
fn cf073_a_reserved_opcode() {
    for opcode in [0x15].into_iter().chain(0x18..0x20) {
        refused_by(responder(1), request(opcode, 100, &[]), 0x61);
    }
}

/// FB02.
#[test]
fn cf074_a_duplicate_read_does_not_disturb_an_open_write() {
    let mut y = responder(0);
    let packets = [
        read(100, TARGET, 8),
        rdma(0x06, 101, TARGET + 0x100, 300, &[7; 256]),
        read(100, TARGET, 8),
        request(0x08, 102, &[8; 44]),
    ];
    assert_eq!(
        replies(&mut y, &packets),
        [
            (0x10, 100, Some((0x1F, 1))),
            ack(101, 1),
            (0x10, 100, Some((0x1F, 1))),
            ack(102, 2)
        ]
    );
    assert_eq!(y.memory().read(TARGET + 0x200, 44), [8; 44]);
}

fn without(change: fn(&mut RemoteAccess)) -> hca_golden::hca::Hca {
    let mut attributes = responder_attributes();
    change(&mut attributes.access);
    responder_with(&attributes, 1)
}

#[test]
fn cf075_remote_write_not_enabled() {
    for packet in [
        rdma(0x06, 100, TARGET, 512, &[1; 256]),
        rdma(0x0A, 100, TARGET, 4, &[1; 4]),
        rdma(0x0B, 100, TARGET, 4, &[1; 4]),
    ] {
        refused_by(without(|a| a.write = false), packet, 0x61);
    }
}

#[test]
fn cf076_remote_read_not_enabled() {
    refused_by(without(|a| a.read = false), read(100, TARGET, 4), 0x61);
}

#[test]
fn cf077_remote_atomic_not_enabled() {
    for opcode in [0x13, 0x14] {
        refused_by(
            without(|a| a.atomic = false),
            atomic(opcode, 100, TARGET, 1, 1),
            0x61,
        );
    }
}
