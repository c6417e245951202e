//! The link of a golden device: the packets that wait for it, and the flow-control packets that the device adds.
use super::Transmitted;
use hca_golden::hca::Hca;
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::lrh::MANAGEMENT_VL;
use std::collections::VecDeque;

/// Largest number of clock cycles between two flow-control packets of a VL: 65,536 symbol times of four lanes that
/// carry 8 bytes in a cycle (`protocol/link.md` section 4.2).
const PERIOD: u64 = 32_768;

/// The packets between the decision to send them and the link.
#[derive(Default)]
pub struct Leaving {
    /// Waiting packets in the order of hand-over.
    waiting: VecDeque<Vec<u8>>,
    /// The last flow-control packet of each data VL since flow control began, and its clock cycle.
    announced: [Option<(u64, FlowControl)>; MANAGEMENT_VL as usize],
    /// The VL to consider first for a flow-control packet: the one after the last.
    turn: u8,
}

impl Leaving {
    /// Takes a packet that is handed over.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.waiting.push_back(bytes);
    }

    /// Returns true if no packet waits that needs no credits.
    pub fn is_still(&self, hca: &Hca) -> bool {
        self.first(hca).is_none()
    }

    /// Returns the place of the first packet whose VL has the credits for it. Packets of a VL keep the order of
    /// hand-over.
    fn first(&self, hca: &Hca) -> Option<usize> {
        let mut waiting_vls = 0_u16;
        self.waiting.iter().position(|bytes| {
            let vl = bytes.first().map_or(0, |first| 1 << (first >> 4));
            let starts = waiting_vls & vl == 0 && hca.may_start(bytes);
            waiting_vls |= vl;
            starts
        })
    }

    /// Returns the packet that starts in this clock cycle: SMPs first, then flow-control packets that are due, then the
    /// first packet that has the credits (`protocol/link.md` section 6).
    pub fn start(&mut self, hca: &mut Hca, cycle: u64) -> Option<Transmitted> {
        if !hca.is_flow_controlled() {
            self.announced = Default::default();
        }
        let is_smp = |bytes: &Vec<u8>| bytes.first().is_some_and(|first| first >> 4 == MANAGEMENT_VL);
        let smp = self.waiting.iter().position(is_smp);
        if let Some(smp) = smp.filter(|_| hca.is_flow_controlled()) {
            return self.starts(smp, hca, cycle);
        }
        self.waiting.retain(|bytes| !hca.gives_up(bytes));
        if let Some(bytes) = self.flow_control(hca, cycle) {
            return Some(sent(cycle, bytes, true));
        }
        self.starts(self.first(hca)?, hca, cycle)
    }

    fn starts(&mut self, at: usize, hca: &mut Hca, cycle: u64) -> Option<Transmitted> {
        let bytes = self.waiting.remove(at)?;
        hca.starts(&bytes, hca.round()).ok()?;
        Some(sent(cycle, bytes, false))
    }

    /// Returns the flow-control packet that is due.
    fn flow_control(&mut self, hca: &Hca, cycle: u64) -> Option<Vec<u8>> {
        let vls = hca.flow_controlled_vls();
        let turns = (0..vls).map(|n| (self.turn + n) % vls);
        let is_due = |vl: &u8| {
            let own = hca.flow_control(*vl);
            let is_news = |last: FlowControl| (last.op, last.fccl) != (own.op, own.fccl);
            let last = self.announced[usize::from(*vl)];
            last.is_none_or(|(at, last)| is_news(last) || cycle - at >= PERIOD)
        };
        let vl = turns.into_iter().find(is_due)?;
        let packet = hca.flow_control(vl);
        self.announced[usize::from(vl)] = Some((cycle, packet));
        self.turn = vl + 1;
        packet.encode().ok()
    }
}

fn sent(cycle: u64, bytes: Vec<u8>, is_link: bool) -> Transmitted {
    Transmitted {
        first_beat: cycle,
        cycle,
        bytes,
        is_link,
    }
}
