//! The link of a port of a golden device: the packets that wait for it, and the flow-control packets that the port
//! adds.
use super::Transmitted;
use hca_golden::hca::Port;
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::lrh::MANAGEMENT_VL;
use std::collections::VecDeque;

/// Largest time between two flow-control packets of a VL, in bytes that four lanes of 2.5 Gb/s carry: 65,536 symbol
/// times (`protocol/link.md` section 4.2).
const INTERVAL: u32 = 4 * 65_536;

/// Bytes that a port carries in a clock cycle for each 2.5 Gb/s of its rate.
const BYTES: u32 = 2;

/// The packets between the decision to send them and the link.
pub struct Leaving {
    /// Largest number of clock cycles between two flow-control packets of a VL.
    period: u64,
    /// Waiting packets in the order of hand-over.
    waiting: VecDeque<Vec<u8>>,
    /// The last flow-control packet of each data VL since flow control began, and its clock cycle.
    announced: [Option<(u64, FlowControl)>; MANAGEMENT_VL as usize],
    /// The VL to consider first for a flow-control packet: the one after the last.
    turn: u8,
    /// The link takes nothing.
    pub is_held: bool,
    /// The packet that has started while the link takes nothing.
    held: Option<Transmitted>,
}

impl Leaving {
    /// The link of a port with this rate, in units of 2.5 Gb/s.
    pub fn new(port_rate: u32) -> Self {
        Self {
            period: u64::from(INTERVAL / (BYTES * port_rate)),
            waiting: VecDeque::new(),
            announced: Default::default(),
            turn: 0,
            is_held: false,
            held: None,
        }
    }

    /// Takes a packet that is handed over.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.waiting.push_back(bytes);
    }

    /// Returns true if no packet has started that the link has not taken, and none that waits may start.
    pub fn is_still(&self, port: &Port) -> bool {
        self.held.is_none() && port.next_to_start(&self.waiting).is_none()
    }

    /// Returns true if this packet waits for the link, or the link has not taken all of it.
    pub fn has(&self, bytes: &[u8]) -> bool {
        let mut all = self
            .waiting
            .iter()
            .chain(self.held.iter().map(|packet| &packet.bytes));
        all.any(|packet| packet == bytes)
    }

    /// Runs one clock cycle, and returns the packet that the link takes.
    pub fn step(&mut self, port: &mut Port, cycle: u64) -> Option<Transmitted> {
        if self.held.is_none() {
            self.held = self.start(port, cycle);
        }
        match self.is_held {
            true => None,
            false => self.held.take(),
        }
    }

    /// Returns the packet that starts in this clock cycle: SMPs first, then flow-control packets that are due, then the
    /// packet that the arbitration tables choose (`protocol/link.md` section 6).
    fn start(&mut self, port: &mut Port, cycle: u64) -> Option<Transmitted> {
        if !port.is_flow_controlled() {
            self.announced = Default::default();
        }
        self.waiting
            .retain(|bytes| !port.gives_up(bytes) && !port.discards_in_init(bytes));
        let is_smp = |bytes: &Vec<u8>| bytes.first().is_some_and(|first| first >> 4 == MANAGEMENT_VL);
        let next = port.next_to_start(&self.waiting);
        let starts_smp = next.is_some_and(|(place, _)| is_smp(&self.waiting[place]));
        if !(starts_smp && port.is_flow_controlled()) {
            if let Some(bytes) = self.flow_control(port, cycle) {
                return Some(sent(port, cycle, bytes, true));
            }
        }
        let (place, turns) = next?;
        port.take_turn(turns);
        let bytes = self.waiting.remove(place)?;
        port.starts(&bytes, port.round()).ok()?;
        Some(sent(port, cycle, bytes, false))
    }

    /// Returns the flow-control packet that is due.
    fn flow_control(&mut self, port: &Port, cycle: u64) -> Option<Vec<u8>> {
        let vls = port.flow_controlled_vls();
        let turns = (0..vls).map(|n| (self.turn + n) % vls);
        let is_due = |vl: &u8| {
            let own = port.flow_control(*vl);
            let is_news = |last: FlowControl| (last.op, last.fccl) != (own.op, own.fccl);
            let last = self.announced[usize::from(*vl)];
            last.is_none_or(|(at, last)| is_news(last) || cycle - at >= self.period)
        };
        let vl = turns.into_iter().find(is_due)?;
        let packet = port.flow_control(vl);
        self.announced[usize::from(vl)] = Some((cycle, packet));
        self.turn = vl + 1;
        packet.encode().ok()
    }
}

fn sent(port: &Port, cycle: u64, bytes: Vec<u8>, is_link: bool) -> Transmitted {
    Transmitted {
        port: port.number(),
        first_beat: cycle,
        cycle,
        bytes,
        is_link,
    }
}
