//! What the literal cases have in common: Y as a responder at PMTU 256 that expects PSN 100, X as a requester at PMTU
//! 256 that starts at PSN 10.
use super::pair::*;
use hca_golden::hca::Hca;
use hca_golden::verbs::*;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::packet::Packet;
use hca_golden::wire::reth::Reth;

/// A microsecond in the clock's unit.
pub const MICROSECOND: u64 = 1_000_000;
/// Memory that the peer reads and writes.
pub const TARGET: u64 = 0x40_0000;

pub fn responder_attributes() -> QpAttributes {
    QpAttributes {
        pmtu: Pmtu::B256,
        ..y_attributes()
    }
}

/// Y with so many receive WQEs of 1024 bytes, WR ids from 70 on, buffers 4 KiB apart.
pub fn responder(receives: u64) -> Hca {
    responder_with(&responder_attributes(), receives)
}

pub fn responder_with(attributes: &QpAttributes, receives: u64) -> Hca {
    let mut y = connected(Y_LID, attributes);
    for n in 0..receives {
        let buffer = sge(BUFFER_AT + n * 0x1000, 1024);
        y.post_receive(Y_QPN, receive(70 + n, &[buffer])).unwrap();
    }
    y.memory_mut().write(TARGET, &message(4096));
    y
}

/// Y whose keys are other ones than those of all memory: one region at [`TARGET`].
pub fn responder_of_region(change: impl FnOnce(&mut MemoryRegion)) -> Hca {
    let mut y = responder(1);
    let mut region = MemoryRegion {
        l_key: 0x11,
        r_key: 0x22,
        base: TARGET,
        length: 1024,
        ..all_memory()
    };
    change(&mut region);
    y.reg_mr(region).unwrap();
    // Nothing is under way that may not have found it.
    y.invalidate(0xFFFF_FFFF);
    y.region_is_gone();
    y
}

pub fn state(hca: &Hca) -> QpState {
    let of = |qpn| hca.query(qpn);
    of(Y_QPN).or_else(|_| of(X_QPN)).unwrap().state
}

/// A request with a RETH for this address and length.
pub fn rdma(opcode: u8, psn: u32, va: u64, dma_len: u32, payload: &[u8]) -> Packet {
    with_reth(request(opcode, psn, payload), va, R_KEY, dma_len)
}

pub fn with_reth(mut packet: Packet, va: u64, r_key: u32, dma_len: u32) -> Packet {
    for extension in &mut packet.extensions {
        if let Extension::Reth(reth) = extension {
            *reth = Reth { va, r_key, dma_len };
        }
    }
    packet
}

pub fn read(psn: u32, va: u64, dma_len: u32) -> Packet {
    rdma(0x0C, psn, va, dma_len, &[])
}

/// 13h CompareSwap, 14h FetchAdd.
pub fn atomic(opcode: u8, psn: u32, va: u64, swap_add: u64, compare: u64) -> Packet {
    let mut packet = request(opcode, psn, &[]);
    packet.extensions = vec![Extension::AtomicEth(AtomicEth {
        va,
        r_key: R_KEY,
        swap_dt_add_dt: swap_add,
        cmp_dt: compare,
    })];
    packet
}

pub fn send_with_invalidate(psn: u32, r_key: u32) -> Packet {
    let mut packet = request(0x17, psn, &[]);
    packet.extensions = vec![Extension::Ieth(Ieth { r_key })];
    packet
}

/// Opcode, PSN, and syndrome and MSN of the AETH.
pub type Reply = (u8, u32, Option<(u8, u32)>);

/// Each packet that these bring out.
pub fn replies<'a>(hca: &mut Hca, packets: impl IntoIterator<Item = &'a Packet>) -> Vec<Reply> {
    answered(hca, packets)
        .iter()
        .map(|p| {
            let aeth = p.aeth().map(|a| (a.syndrome, a.msn));
            (p.bth.opcode, p.bth.psn, aeth)
        })
        .collect()
}

/// The packets that these bring out.
pub fn answered<'a>(hca: &mut Hca, packets: impl IntoIterator<Item = &'a Packet>) -> Vec<Packet> {
    for packet in packets {
        hca.receive(1, &packet.encode().unwrap());
    }
    settle(hca).0
}

pub fn requester_attributes() -> QpAttributes {
    QpAttributes {
        sq_psn: 10,
        pmtu: Pmtu::B256,
        ..x_attributes()
    }
}

/// X, a message at [`MESSAGE_AT`].
pub fn requester() -> Hca {
    requester_with(|_| {})
}

pub fn requester_with(change: impl FnOnce(&mut QpAttributes)) -> Hca {
    let mut attributes = requester_attributes();
    change(&mut attributes);
    let mut x = connected(X_LID, &attributes);
    x.memory_mut().write(MESSAGE_AT, &message(8192));
    x
}

/// Posts a signaled request with data at [`MESSAGE_AT`], or for a Read or an atomic at [`BUFFER_AT`] + 5.
pub fn post(x: &mut Hca, wr_id: u64, operation: SendOperation, length: u32) {
    x.post_send(X_QPN, work(wr_id, operation, length)).unwrap();
}

pub fn work(wr_id: u64, operation: SendOperation, length: u32) -> SendRequest {
    let addr = match operation {
        o if o.is_atomic() => RESULT,
        SendOperation::Read { .. } => BUFFER_AT,
        _ => MESSAGE_AT,
    };
    SendRequest {
        operation,
        ..send(wr_id, &[sge(addr, length)])
    }
}

/// Where the result of an atomic goes.
pub const RESULT: u64 = 0x50_0008;
pub const SEND: SendOperation = SendOperation::Send;
pub const WRITE: SendOperation = SendOperation::Write {
    va: TARGET,
    r_key: R_KEY,
};
pub const READ: SendOperation = SendOperation::Read {
    va: TARGET,
    r_key: R_KEY,
};
pub const FETCH_ADD: SendOperation = SendOperation::FetchAdd {
    va: TARGET,
    r_key: R_KEY,
    add: 3,
};

/// Opcode and PSN of what goes out by itself.
pub fn sent(x: &mut Hca) -> Vec<(u8, u32)> {
    rows(&settle(x).0)
}

/// Opcode and PSN of what these responses bring out.
pub fn sent_after(x: &mut Hca, responses: &[Packet]) -> Vec<(u8, u32)> {
    rows(&answered(x, responses))
}

pub fn rows(packets: &[Packet]) -> Vec<(u8, u32)> {
    packets.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect()
}

/// A read response from Y to X; 0Eh has no AETH.
pub fn data(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    let mut packet = response(psn, 0x1F, 1);
    packet.bth.opcode = opcode;
    packet.payload = payload.to_vec();
    if opcode == 0x0E {
        packet.extensions.clear();
    }
    packet
}

/// Sends of 257, 1 and 1 bytes at PSN 10 and 11, 12, 13.
pub fn three_sends(change: impl FnOnce(&mut QpAttributes)) -> Hca {
    let mut x = requester_with(change);
    post(&mut x, 1, SEND, 257);
    post(&mut x, 2, SEND, 1);
    post(&mut x, 3, SEND, 1);
    assert_eq!(sent(&mut x), [(0x00, 10), (0x02, 11), (0x04, 12), (0x04, 13)]);
    x
}
