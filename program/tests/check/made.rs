//! Packets of one connection, made field by field.
use super::*;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::reth::Reth;

/// Acknowledged, and no credits are counted.
pub(super) const ACK: u8 = 0x1F;

/// A request packet: its opcode, PSN and bytes of payload. One that ends a message asks for an ack.
pub(super) fn request(opcode: u8, psn: u32, bytes: usize) -> Packet {
    let mut packet = packets("rc_send.pcap").swap_remove(0);
    let row = Opcode::of(opcode).unwrap();
    (packet.bth.opcode, packet.bth.psn, packet.bth.se) = (opcode, psn, false);
    packet.bth.a = row.ends();
    packet.payload = vec![7; bytes];
    packet.extensions.clear();
    packet
}

/// A Send of one packet.
pub(super) fn only(psn: u32) -> Packet {
    request(0x04, psn, 64)
}

/// A packet with a RETH that says so many bytes: a Write's first (06h) or only (0Ah), or a Read (0Ch).
pub(super) fn remote(opcode: u8, psn: u32, bytes: usize, dma_len: u32) -> Packet {
    let mut packet = request(opcode, psn, bytes);
    let (va, r_key) = (0x1000, 0x77);
    packet.extensions = vec![Extension::Reth(Reth { va, r_key, dma_len })];
    packet
}

/// A FetchAdd.
pub(super) fn atomic(psn: u32, va: u64) -> Packet {
    let mut packet = request(0x14, psn, 0);
    packet.extensions = vec![Extension::AtomicEth(AtomicEth {
        va,
        r_key: 0x77,
        swap_dt_add_dt: 1,
        cmp_dt: 0,
    })];
    packet
}

pub(super) fn answer(opcode: u8, psn: u32, syndrome: u8, msn: u32) -> Packet {
    let captured = packets("rc_send.pcap");
    let mut packet = captured[nth(&captured, Operation::Acknowledge, 0)].clone();
    (packet.bth.opcode, packet.bth.psn) = (opcode, psn);
    packet.extensions = vec![Extension::Aeth(Aeth { syndrome, msn })];
    packet
}

pub(super) fn ack(psn: u32, msn: u32) -> Packet {
    answer(0x11, psn, ACK, msn)
}

pub(super) fn nak(psn: u32, syndrome: u8, msn: u32) -> Packet {
    answer(0x11, psn, syndrome, msn)
}

/// A read response: first (0Dh), middle, last or only (10h).
pub(super) fn response(opcode: u8, psn: u32, bytes: usize) -> Packet {
    let mut packet = answer(opcode, psn, ACK, 1);
    packet.payload = vec![9; bytes];
    if opcode == 0x0E {
        packet.extensions.clear();
    }
    packet
}

pub(super) fn atomic_answer(psn: u32, syndrome: u8, original: u64) -> Packet {
    let mut packet = answer(0x12, psn, syndrome, 1);
    let original = AtomicAckEth {
        orig_rem_dt: original,
    };
    packet.extensions.push(Extension::AtomicAckEth(original));
    packet
}
