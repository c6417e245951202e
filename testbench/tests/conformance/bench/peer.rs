//! Packets of the peer.
use super::QPN;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;
use hca_testbench::scenario::region::r_key_of_all;

/// The packet for another QP of Y.
pub fn to(qpn: u32, mut packet: Packet) -> Packet {
    packet.bth.dest_qp = qpn;
    packet
}

/// A request of the peer, AckReq set.
pub fn request(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    Packet {
        route: Route::Local(Lrh {
            dlid: 2,
            slid: 1,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            p_key: 0xFFFF,
            dest_qp: QPN,
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

/// The bytes of [`request`].
pub fn packet(opcode: u8, psn: u32, payload: &[u8]) -> Vec<u8> {
    request(opcode, psn, payload).encode().unwrap()
}

/// A response of the peer.
pub fn response(psn: u32, syndrome: u8, msn: u32) -> Vec<u8> {
    response_packet(psn, syndrome, msn).encode().unwrap()
}

pub fn response_packet(psn: u32, syndrome: u8, msn: u32) -> Packet {
    let mut packet = request(0x11, psn, &[]);
    packet.bth.a = false;
    packet.extensions = vec![Extension::Aeth(Aeth { syndrome, msn })];
    packet
}

/// A request with a RETH: this address and length, under the R_Key of all of Y's memory.
pub fn rdma(opcode: u8, psn: u32, va: u64, dma_len: u32, payload: &[u8]) -> Packet {
    with_reth(request(opcode, psn, payload), va, r_key_of_all(), dma_len)
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
        r_key: r_key_of_all(),
        swap_dt_add_dt: swap_add,
        cmp_dt: compare,
    })];
    packet
}

pub fn with_immediate(mut packet: Packet, imm_data: [u8; 4]) -> Packet {
    packet.extensions.retain(|e| !matches!(e, Extension::ImmDt(_)));
    packet.extensions.push(Extension::ImmDt(ImmDt { imm_data }));
    packet
}

/// A Send only with invalidate.
pub fn send_with_invalidate(psn: u32, r_key: u32, payload: &[u8]) -> Packet {
    let mut packet = request(0x17, psn, payload);
    packet.extensions = vec![Extension::Ieth(Ieth { r_key })];
    packet
}

/// An Acknowledge packet.
pub fn acknowledge(psn: u32, syndrome: u8) -> Packet {
    response_packet(psn, syndrome, 0)
}

/// A read response: 0Dh first, 0Eh middle, which has no AETH, 0Fh last, 10h only.
pub fn data(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    let mut packet = response_packet(psn, 0x1F, 1);
    packet.bth.opcode = opcode;
    packet.payload = payload.to_vec();
    if opcode == 0x0E {
        packet.extensions.clear();
    }
    packet
}

pub fn atomic_ack(psn: u32, orig_rem_dt: u64) -> Packet {
    let mut packet = response_packet(psn, 0x1F, 1);
    packet.bth.opcode = 0x12;
    let (syndrome, msn) = (0x1F, 1);
    packet.extensions = vec![
        Extension::Aeth(Aeth { syndrome, msn }),
        Extension::AtomicAckEth(AtomicAckEth { orig_rem_dt }),
    ];
    packet
}

/// The response with these credits and this MSN.
pub fn with_aeth(mut packet: Packet, syndrome: u8, msn: u32) -> Packet {
    for extension in &mut packet.extensions {
        if let Extension::Aeth(aeth) = extension {
            *aeth = Aeth { syndrome, msn };
        }
    }
    packet
}
