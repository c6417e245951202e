//! Packets whose data host memory did not give, among others: they leave with their last byte inverted, and a read
//! response has its NAK.
use crate::bench::{bits, library, Bench};
use crate::packet::{KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};
use fastrand::Rng;
use hca_rtl::transmit::Spoil;
use std::collections::VecDeque;

const LANES: usize = 8;
/// Bytes of a `TxHeader` of 998 bits.
const HEADER: usize = 125;
/// Bit of its opcode.
const OPCODE_AT: usize = 446;
/// NAKs that may wait.
const NAKS: usize = 16;

#[derive(Clone, Debug)]
struct Packet {
    header: Vec<u8>,
    kind: u8,
    qpn: u32,
    p_key_index: u8,
    carries: bool,
    fails: bool,
    bytes: Vec<u8>,
}

impl Packet {
    fn any(rng: &mut Rng) -> Packet {
        let mut header: Vec<u8> = (0..HEADER).map(|_| rng.u8(..)).collect();
        header[HEADER - 1] &= 0x3F;
        let kind = [KIND_REQUEST, KIND_READ_RESPONSE, KIND_ATOMIC_ACK, KIND_ACK][rng.usize(..4)];
        let carries = matches!(kind, KIND_REQUEST | KIND_READ_RESPONSE) && rng.u8(..4) > 0;
        if !carries {
            // Its payload's length.
            header[HEADER - 1] = 0;
            header[HEADER - 2] &= 1;
        }
        let carries = bits(&header, 985, 13) > 0;
        Packet {
            header,
            kind,
            qpn: rng.u32(..1 << 24),
            p_key_index: rng.u8(..4),
            carries,
            fails: carries && rng.u8(..3) == 0,
            bytes: (0..rng.usize(20..60)).map(|_| rng.u8(..)).collect(),
        }
    }

    fn field(&self, at: usize, width: usize) -> u64 {
        bits(&self.header, at, width)
    }

    fn psn(&self) -> u64 {
        self.field(497, 24)
    }

    /// Whether it is a request of UC or UD, as bit 5 of its opcode says.
    fn is_unreliable(&self) -> bool {
        self.kind == KIND_REQUEST && self.field(OPCODE_AT, 8) & 0x20 != 0
    }

    /// Place, width and value of all fields of the NAK.
    fn nak(&self) -> [(usize, usize, u64); 18] {
        [
            (0, 2, KIND_ACK.into()),
            (2, 1, 0),
            (3, 24, self.qpn.into()),
            (27, 16, self.field(0, 16)),
            (43, 16, self.field(16, 16)),
            (59, 4, self.field(32, 4)),
            (63, 8, 0x11),
            (71, 1, 0),
            (72, 2, self.p_key_index.into()),
            (74, 24, self.field(472, 24)),
            (98, 1, 0),
            (99, 24, self.psn()),
            (123, 64, 0),
            (187, 24, self.field(865, 24)),
            (211, 8, 0x63),
            (219, 64, 0),
            (283, 64, 0),
            (347, 13, 0),
        ]
    }

    /// What enters the link.
    fn on_the_link(&self) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        if self.fails {
            *bytes.last_mut().expect("it has some") ^= 0xFF;
        }
        bytes
    }
}

/// A beat's data and the lanes that count.
fn beat(bytes: &[u8]) -> (u64, u64) {
    let data = bytes
        .iter()
        .rev()
        .fold(0, |data, byte| data << 8 | u64::from(*byte));
    (data, (1 << bytes.len()) - 1)
}

#[test]
fn packets_leave_as_they_are_or_with_their_last_byte_inverted_once_that_is_told() {
    let mut bench = Bench::new(&library::<Spoil<64, 8>>("spoil"), 1);
    let mut rng = Rng::with_seed(0x5901);
    // Departed; of them those whose data is not read; those not at the link in whole; the NAKs that are due.
    let mut way: VecDeque<Packet> = VecDeque::new();
    let mut unread: VecDeque<bool> = VecDeque::new();
    let mut naks: VecDeque<Packet> = VecDeque::new();
    let (mut sent, mut out, mut told, mut offered) = (0, Vec::new(), false, false);
    let (mut left, mut spoiled, mut answered, mut handed) = (0, 0, 0, 0);
    for clock in 0..60_000 {
        let next = Packet::any(&mut rng);
        let departs = rng.u8(..12) == 0 && unread.len() < 100;
        bench.set_bytes("header", &next.header);
        bench.set("kind", next.kind.into());
        bench.set("qpn", next.qpn.into());
        bench.set("p_key_index", next.p_key_index.into());
        let ends = !unread.is_empty() && rng.u8(..10) == 0;
        bench.set("ended_valid", ends.into());
        bench.set("ended_error", (ends && unread[0]).into());
        offered |= !way.is_empty() && rng.u8(..4) > 0;
        if let Some(packet) = way.front().filter(|_| offered) {
            let end = packet.bytes.len().min(sent + LANES);
            let (data, keep) = beat(&packet.bytes[sent..end]);
            bench.set("s_axis_tdata", data);
            bench.set("s_axis_tkeep", keep);
            bench.set("s_axis_tlast", (end == packet.bytes.len()).into());
        }
        bench.set("s_axis_tvalid", offered.into());
        for (port, odds) in [("m_axis_tready", 3), ("fault_ready", 2), ("nak_ready", 2)] {
            bench.set(port, (rng.u8(..4) < odds).into());
        }
        bench.set("fault_first", rng.bool().into());
        bench.settle();
        let departs = departs && bench.is_set("room");
        bench.set("departed_valid", departs.into());
        bench.settle();

        if bench.is_set("nak_valid") && bench.is_set("nak_ready") {
            let packet = naks.pop_front().expect("a NAK is due");
            let nak = bench.bytes("nak");
            for (at, width, value) in packet.nak() {
                assert_eq!(
                    bits(&nak, at, width),
                    value,
                    "bit {at} of the NAK for {packet:x?}"
                );
            }
            answered += 1;
        }
        if bench.is_set("fault_valid") {
            let packet = way.front().expect("one is on its way");
            assert!(packet.fails && !told, "clock {clock}");
            assert_eq!(bench.get("fault_qpn"), u64::from(packet.qpn));
            assert_eq!(bench.get("fault_psn"), packet.psn());
            let response = packet.kind == KIND_READ_RESPONSE;
            assert_eq!(bench.is_set("fault_response"), response);
            assert_eq!(bench.is_set("fault_unreliable"), packet.is_unreliable());
            if bench.is_set("fault_ready") {
                told = true;
                if response && bench.is_set("fault_first") && naks.len() < NAKS {
                    naks.push_back(packet.clone());
                }
            }
        }
        let moved = bench.is_set("m_axis_tvalid") && bench.is_set("m_axis_tready");
        assert_eq!(moved, offered && bench.is_set("s_axis_tready"), "clock {clock}");
        let ends_packet = moved && bench.is_set("m_axis_tlast");
        assert_eq!(bench.is_set("left_valid"), ends_packet);
        assert!(ends_packet || !bench.is_set("handed_valid"));
        if moved {
            let lanes = bench.get("m_axis_tkeep").count_ones() as usize;
            out.extend_from_slice(&bench.bytes("m_axis_tdata")[..lanes]);
            (sent, offered) = (sent + LANES, false);
        }
        if ends_packet {
            let packet = way.pop_front().expect("one is on its way");
            assert_eq!(out, packet.on_the_link(), "clock {clock}: {packet:x?}");
            assert_eq!(told, packet.fails, "clock {clock}: told before it leaves");
            assert_eq!(
                bench.is_set("handed_valid"),
                packet.is_unreliable(),
                "clock {clock}"
            );
            if packet.is_unreliable() {
                assert_eq!(bench.is_set("handed_spoiled"), told, "clock {clock}");
                handed += 1;
            }
            left += 1;
            spoiled += u32::from(told);
            (sent, told) = (0, false);
            out.clear();
        }
        if ends {
            unread.pop_front();
        }
        if departs {
            unread.extend(next.carries.then_some(next.fails));
            way.push_back(next);
        }
        bench.tick();
    }
    assert!(
        left > 2_000 && spoiled > 300 && answered > 50 && handed > 200,
        "{left}, {spoiled}, {answered}, {handed}"
    );
}
