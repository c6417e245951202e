//! The agent of performance management (`mad.md` section 7, `port_counters.csv`).
use super::*;
use crate::bench::on_both;
use hca_golden::verbs::{GlobalRoute, PortCounter};
use hca_sim::subnet::mad::PerformanceMad;
use hca_sim::subnet::performance;

on_both!(behind super::managed();
    cf466_a_set_clears_what_it_selects,
    cf485_port_counters_are_the_registers,
    cf485_extended_counters_tell_unicast_from_multicast,
);

const PORT_COUNTERS: u16 = 0x0012;
pub(super) const EXTENDED: u16 = 0x001D;

pub(super) fn get(port_select: u8) -> MadBytes {
    get_of(PORT_COUNTERS, port_select)
}

pub(super) fn get_of(attribute: u16, port_select: u8) -> MadBytes {
    let mut mad = smp(GET, attribute, 0, &[0, port_select, 0xFF, 0xFF]);
    mad[1] = 4;
    mad
}

impl Node<'_> {
    /// The answer of QP1 to a MAD for it, as it leaves.
    pub(super) fn ask_qp1(&mut self, mad: &MadBytes) -> MadBytes {
        let packet = Node::packet(1, ASKER, self.lid(), mad);
        let (slid, mad) = self.arrive(1, packet);
        let port = self.port;
        let request = PerformanceMad::decode(&mad);
        let Ok(answer) = performance::answer(&mut self.registers(), port, &request);
        let (_, dlid, sent) = self.send(1, slid, &answer.expect("an answer").encode());
        assert_eq!(dlid, ASKER);
        sent
    }
}

fn cf485_port_counters_are_the_registers(y: &mut Bench) {
    let mut node = Node::new(y);
    for (counter, count) in [
        (PortCounter::LinkErrorRecovery, 0x02),
        (PortCounter::LinkDowned, 0x03),
        (PortCounter::XmitDiscards, 0x0707),
        (PortCounter::BufferOverrun, 0xB),
        (PortCounter::Vl15Dropped, 0x0C0C),
        // No packet waits, because none needs credits.
        (PortCounter::XmitWait, 0x1112_1314),
    ] {
        node.y.submit(Verb::SetPortCounter { counter, count });
    }
    let answer = node.ask_qp1(&get(1));
    assert_eq!(answer[..6], [1, 4, 1, GET_RESP, 0, 0]);
    assert_eq!(answer[DATA..DATA + 4], [0, 1, 0xFF, 0xFF]);
    let counters = [
        0, 0, 0x02, 0x03, 0, 0, 0, 0, 0, 0, 0x07, 0x07, 0, 0, 0, 0x0B, 0, 0, 0x0C, 0x0C,
    ];
    assert_eq!(answer[DATA + 4..DATA + 24], counters);
    // Nothing has left so far; the request has come, a packet of 72 words.
    let counters = [0, 0, 0, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(answer[DATA + 24..DATA + 40], counters);
    assert_eq!(answer[DATA + 40..DATA + 44], [0x11, 0x12, 0x13, 0x14]);
    assert_eq!(answer[DATA + 44..], [0; 148]);
    for other in [0, 2, 0xFF] {
        let answer = node.ask_qp1(&get(other));
        assert_eq!(answer[4..6], [0x00, 0x1C], "port {other}");
    }
}

fn cf466_a_set_clears_what_it_selects(y: &mut Bench) {
    let mut node = Node::new(y);
    let counters = [
        PortCounter::LinkDowned,
        PortCounter::XmitDiscards,
        PortCounter::BufferOverrun,
        PortCounter::XmitWait,
        PortCounter::RcvPackets,
    ];
    for counter in counters {
        node.y.submit(Verb::SetPortCounter { counter, count: 7 });
    }
    // Each request is a packet that arrives.
    for (select, select2, expected) in [
        (0x0040, 0, [7, 0, 7, 7, 8]),
        (0x8000, 0xFE, [7, 0, 7, 7, 0]),
        (0x0400, 0, [7, 0, 0, 7, 1]),
        (0x0004, 0, [0, 0, 0, 7, 2]),
        (0, 1, [0, 0, 0, 0, 3]),
        (0, 0, [0, 0, 0, 0, 4]),
    ] {
        let mut set = get(1);
        set[3] = SET;
        set[DATA + 2..DATA + 4].copy_from_slice(&u16::to_be_bytes(select));
        set[DATA + 18] = select2;
        node.ask_qp1(&set);
        let counts = counters.map(|counter| node.y.port_counter(counter));
        assert_eq!(counts, expected, "{select:04X}h {select2:02X}h");
    }
}

/// Counters of 64 bits: words sent and received, packets sent and received, of them unicast sent and received,
/// multicast sent and received.
fn extended(mad: &MadBytes) -> [u64; 8] {
    assert_eq!(mad[3..6], [GET_RESP, 0, 0], "method and status");
    std::array::from_fn(|n| u64::from_be_bytes(mad[DATA + 8 + 8 * n..][..8].try_into().unwrap()))
}

/// A MAD has 72 words, 82 with a GRH.
fn cf485_extended_counters_tell_unicast_from_multicast(y: &mut Bench) {
    let mut node = Node::new(y);
    let group = AddressHandle {
        dlid: 0xC005,
        global: Some(GlobalRoute {
            dgid: [0xFF; 16],
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        ..peer()
    };
    assert_eq!(node.send_to(1, group, &get(1)).len(), 1);
    // Packets for groups that Y is not in.
    for dlid in [0xC000, 0xFFFE] {
        let stray = Node::packet(1, ASKER, dlid, &get(1));
        node.y.take(&[stray]);
        assert_eq!(node.y.drops().len(), 1);
    }
    // The answer leaves once it is made.
    let answer = node.ask_qp1(&get_of(EXTENDED, 1));
    assert_eq!(extended(&answer), [82, 3 * 72, 1, 3, 0, 1, 1, 2]);
    let answer = node.ask_qp1(&get_of(EXTENDED, 1));
    assert_eq!(extended(&answer), [82 + 72, 4 * 72, 2, 4, 1, 2, 1, 2]);
    // PortCounters count them all, and a Set there changes no counter of 64 bits.
    let mut set = get(1);
    set[3] = SET;
    let answer = node.ask_qp1(&set);
    assert_eq!(answer[DATA + 24..DATA + 40], [0; 16]);
    // A Set clears what it selects: words sent, unicast packets received, multicast packets sent.
    let mut set = get_of(EXTENDED, 1);
    set[3] = SET;
    (set[DATA + 2], set[DATA + 3]) = (0, 0x61);
    let answer = node.ask_qp1(&set);
    assert_eq!(extended(&answer), [0, 6 * 72, 4, 6, 3, 0, 0, 2]);
    let answer = node.ask_qp1(&get_of(EXTENDED, 1));
    assert_eq!(extended(&answer), [72, 7 * 72, 5, 7, 4, 1, 0, 2]);
}
