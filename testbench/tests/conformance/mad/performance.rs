//! The agent of performance management (`mad.md` section 7, `port_counters.csv`).
use super::*;
use crate::bench::on_both;
use hca_golden::verbs::PortCounter;
use hca_sim::subnet::mad::PerformanceMad;
use hca_sim::subnet::performance;

on_both!(behind super::managed();
    cf466_a_set_clears_what_it_selects,
    cf485_port_counters_are_the_registers,
);

const PORT_COUNTERS: u16 = 0x0012;

fn get(port_select: u8) -> MadBytes {
    let mut mad = smp(GET, PORT_COUNTERS, 0, &[0, port_select, 0xFF, 0xFF]);
    mad[1] = 4;
    mad
}

impl Node<'_> {
    /// The answer of QP1 to a MAD for it, as it leaves.
    fn ask_qp1(&mut self, mad: &MadBytes) -> MadBytes {
        let (slid, mad) = self.arrive(1, Node::packet(1, ASKER, self.lid, mad));
        let request = PerformanceMad::decode(&mad);
        let Ok(answer) = performance::answer(&mut self.registers(), PORT, &request);
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
        (PortCounter::Vl15Dropped, 0x0C0C),
    ] {
        node.y.submit(Verb::SetPortCounter { counter, count });
    }
    let answer = node.ask_qp1(&get(1));
    assert_eq!(answer[..6], [1, 4, 1, GET_RESP, 0, 0]);
    assert_eq!(answer[DATA..DATA + 4], [0, 1, 0xFF, 0xFF]);
    let counters = [
        0, 0, 0x02, 0x03, 0, 0, 0, 0, 0, 0, 0x07, 0x07, 0, 0, 0, 0, 0, 0, 0x0C, 0x0C,
    ];
    assert_eq!(answer[DATA + 4..DATA + 24], counters);
    // Nothing has left so far; the request has come, a packet of 72 words.
    let counters = [0, 0, 0, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(answer[DATA + 24..DATA + 40], counters);
    assert_eq!(answer[DATA + 40..], [0; 152]);
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
        PortCounter::RcvPackets,
    ];
    for counter in counters {
        node.y.submit(Verb::SetPortCounter { counter, count: 7 });
    }
    // Each request is a packet that arrives.
    for (select, expected) in [
        (0x0040, [7, 0, 8]),
        (0x8000, [7, 0, 0]),
        (0x0004, [0, 0, 1]),
        (0, [0, 0, 2]),
    ] {
        let mut set = get(1);
        set[3] = SET;
        set[DATA + 2..DATA + 4].copy_from_slice(&u16::to_be_bytes(select));
        node.ask_qp1(&set);
        let counts = counters.map(|counter| node.y.port_counter(counter));
        assert_eq!(counts, expected, "{select:04X}h");
    }
}
