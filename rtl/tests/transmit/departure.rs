//! What leaves next: its header as the engines gave it, and what is reported of it.
use crate::bench::{bits, library, Bench};
use crate::packet::{Packet, Route, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST, TABLE};
use fastrand::Rng;
use hca_host::retire::kind;
use hca_rtl::transmit::Departure;

/// Place, width and value in a `TxHeader`.
type Field = (usize, usize, u64);

/// The fields that a packet has, and then those that an ack has not.
fn fields(packet: &Packet) -> ([Field; 12], [Field; 7]) {
    let h = &packet.routed(&Route::default());
    (
        [
            (0, 16, h.dlid.into()),
            (16, 16, h.slid.into()),
            (32, 4, h.sl.into()),
            (446, 8, h.opcode.into()),
            (454, 1, h.solicited.into()),
            (456, 16, h.p_key.into()),
            (472, 24, h.dest_qp.into()),
            (496, 1, h.ack_req.into()),
            (497, 24, h.psn.into()),
            (857, 8, h.syndrome.into()),
            (865, 24, h.msn.into()),
            (985, 13, packet.payload() as u64),
        ],
        [
            (601, 64, h.va),
            (665, 32, h.r_key.into()),
            (697, 32, h.dma_len.into()),
            (729, 64, h.swap_add),
            (793, 64, h.compare),
            (889, 64, h.original),
            (953, 32, h.immediate.into()),
        ],
    )
}

fn any(rng: &mut Rng, kind: u8) -> Packet {
    let (qpn, psn) = (rng.u32(..1 << 24), rng.u32(..1 << 24));
    let payload = kind == KIND_READ_RESPONSE || (kind == KIND_REQUEST && rng.bool());
    Packet::any(rng, kind, qpn, psn, payload)
}

fn of_queue(rng: &mut Rng) -> Packet {
    let kind = *rng
        .choice(&[KIND_REQUEST, KIND_READ_RESPONSE, KIND_ATOMIC_ACK])
        .expect("there are some");
    any(rng, kind)
}

/// The report's kind and code. The first and last packet of a Read and an atomic ack have a syndrome.
fn told(packet: &Packet) -> (u8, u8) {
    match packet.kind {
        KIND_REQUEST => (kind::REQUEST_EMITTED, 0),
        KIND_READ_RESPONSE if packet.header.opcode == 0x0E => (kind::READ_RESPONSE_EMITTED, 0),
        KIND_READ_RESPONSE => (kind::READ_RESPONSE_EMITTED, packet.header.syndrome),
        KIND_ATOMIC_ACK => (kind::ATOMIC_ACK_EMITTED, packet.header.syndrome),
        _ => (kind::ACK_EMITTED, packet.header.syndrome),
    }
}

#[test]
fn a_header_has_the_fields_of_its_packet_and_the_report_says_which_it_is() {
    let mut bench = Bench::new(&library::<Departure<4, 7>>("departure"), 1);
    bench.set("port_p_keys", TABLE);
    let mut rng = Rng::with_seed(0xDE9A);
    let (mut packet, mut ack) = (of_queue(&mut rng), any(&mut rng, KIND_ACK));
    let (mut packets, mut acks, mut begins) = (0, 0, false);
    for _ in 0..20_000 {
        // Each packet waits for its payload.
        let carries = packet.payload() > 0;
        let starts = carries && !begins && rng.bool();
        bench.set("payload_begins", starts.into());
        packet.drive(&mut bench, "packet");
        bench.set("packet_carries", carries.into());
        bench.set("packet_valid", 1);
        ack.drive(&mut bench, "ack");
        bench.set("ack_valid", (rng.u8(..8) == 0).into());
        bench.set("header_ready", (rng.u8(..4) > 0).into());
        bench.settle();
        let leaves = [("packet_ready", &packet), ("ack_ready", &ack)]
            .into_iter()
            .filter(|(ready, _)| bench.is_set(ready))
            .map(|(_, packet)| packet)
            .collect::<Vec<_>>();
        assert!(leaves.len() < 2, "one at a time");
        assert_eq!(bench.is_set("emitted_valid"), leaves.len() == 1);
        assert_eq!(bench.is_set("retire_valid"), leaves.len() == 1);
        begins |= starts;
        if let Some(leaving) = leaves.first().copied().cloned() {
            let is_ack = leaving.kind == KIND_ACK;
            assert!(bench.is_set("header_valid"));
            let header = bench.bytes("header");
            assert_eq!(bench.get("header_p_key_index"), u64::from(leaving.p_key_index));
            let (of_all, of_others) = fields(&leaving);
            let of_others: &[_] = if is_ack { &[] } else { &of_others };
            for (at, width, value) in of_all.iter().chain(of_others) {
                assert_eq!(bits(&header, *at, *width), *value, "bit {at} for {leaving:x?}");
            }
            let (kind, code) = told(&leaving);
            let record = bench.bytes("retire_record");
            let got =
                [(88, 8), (80, 8), (56, 24), (32, 24), (0, 32)].map(|(at, width)| bits(&record, at, width));
            let psn = u64::from(leaving.header.psn);
            assert_eq!(got, [kind.into(), code.into(), leaving.qpn.into(), psn, 0]);
            assert_eq!(bench.get("emitted_index"), u64::from(leaving.qpn % 16));
            assert_eq!(bench.get("emitted_qpn"), u64::from(leaving.qpn));
            assert_eq!(bench.get("emitted_kind"), u64::from(leaving.kind));
            assert_eq!(bench.get("emitted_psn"), psn);
            let last = leaving.kind == KIND_READ_RESPONSE && leaving.last;
            assert_eq!(bench.is_set("emitted_last"), last);
            if is_ack {
                acks += 1;
                ack = any(&mut rng, KIND_ACK);
            } else {
                assert!(!carries || begins, "its payload is not here");
                packets += 1;
                begins = false;
                packet = of_queue(&mut rng);
            }
        }
        bench.tick();
    }
    assert!(packets > 4_000 && acks > 500, "{packets} packets, {acks} acks");
}
