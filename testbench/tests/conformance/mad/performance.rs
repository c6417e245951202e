//! The agent of performance management (`mad.md` section 7, `port_counters.csv`).
use super::*;
use crate::bench::on_both;
use hca_golden::verbs::PortCounter;
use hca_sim::subnet::mad::PerformanceMad;
use hca_sim::subnet::performance;

on_both!(behind super::managed(); cf485_port_counters_are_the_registers);

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
    assert_eq!(answer[DATA + 24..], [0; 168]);
    for other in [0, 2, 0xFF] {
        let answer = node.ask_qp1(&get(other));
        assert_eq!(answer[4..6], [0x00, 0x1C], "port {other}");
    }
}
