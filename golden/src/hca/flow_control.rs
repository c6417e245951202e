//! Flow control of the data VLs of a native port (`link.md` sections 4 and 5).
use super::lanes::{charge, Lane, Lanes, Said, LATE, WAITING};
use super::{Port, Rule, Violation};
use crate::decision::credits::{beyond, further, left, limit, may_start, MOST_PROMISED};
use crate::decision::link_packet::Fate;
use crate::decision::port_state::passes;
use crate::port::{Link, PortState};
use crate::verbs::{PortCounter, QueueSide};
use crate::wire::check::native::is_whole;
use crate::wire::flow_control::{FlowControl, Op};

impl Port {
    /// Turns flow control of a native port on or off. While it is off, data packets need no credits and flow-control
    /// packets are ignored; the carrier of the packets pauses the sender instead.
    pub fn set_flow_control(&mut self, is_on: bool) {
        let is_on = is_on && self.config.link == Link::InfiniBand;
        if is_on == self.lanes.is_on {
            return;
        }
        self.remember_lanes();
        self.lanes = Lanes {
            is_on,
            former: std::mem::take(&mut self.lanes.former),
            round: self.lanes.round + 1,
            began: self.now,
            ..Lanes::default()
        };
    }

    /// Returns true if data packets leave by credits.
    pub fn is_flow_controlled(&self) -> bool {
        self.lanes.is_on
    }

    /// Takes a link packet from the wire, first byte to last LPCRC byte.
    pub fn receive_link(&mut self, bytes: &[u8]) {
        if !self.lanes.is_on {
            return;
        }
        let packet = FlowControl::decode(bytes);
        let fates = self.fates(packet);
        self.meet_link_packet(packet, fates);
        if let ([fate @ (Fate::Taken | Fate::Restart), least], Ok(packet)) = (fates, packet) {
            let initialises = packet.op() == Some(Op::Initialise);
            let restarts = initialises && self.neighbour_initialises(fate == Fate::Restart, fate == least);
            if !restarts {
                let (vl, next) = (usize::from(packet.vl), self.next_number());
                let before = self.lanes.lanes[vl].received;
                let mut limits = std::mem::take(&mut self.lanes.lanes[vl].unsure);
                limits.push(self.lanes.lanes[vl].limit);
                self.take_limit(packet);
                let lane = &mut self.lanes.lanes[vl];
                let ahead = beyond(lane.received, before);
                if fate == least {
                    // CF447.
                    lane.corrected(next);
                } else {
                    // The device may not take it, and keep the count and the limit of before.
                    lane.belated.miss(ahead);
                    lane.unsure.clone_from(&limits);
                }
                self.met_ahead(ahead, limits);
            }
        }
    }

    fn take_limit(&mut self, packet: FlowControl) {
        let (now, next) = (self.now, self.next_number());
        let lane = &mut self.lanes.lanes[usize::from(packet.vl)];
        lane.replaced.retain(|(at, _)| now < at + WAITING);
        let brings_less = |limit: &u16| left(packet.fccl, lane.sent) < left(*limit, lane.sent);
        // Once others are sent, such a limit permits a packet.
        let is_far_off = |limit: &u16| beyond(lane.sent, *limit) > MOST_PROMISED;
        let replaced = lane.limit.filter(|limit| is_far_off(limit) || brings_less(limit));
        lane.replaced.extend(replaced.map(|limit| (now, limit)));
        (lane.limit, lane.late) = (Some(packet.fccl), Some((now, packet.fccl)));
        lane.receive(packet.fctbs, next);
    }

    /// Counts the blocks of an arriving packet, before it has its number. A packet whose length cannot be trusted is
    /// not counted: its blocks come back with the next FCTBS.
    pub(super) fn charge(&mut self, bytes: &[u8]) {
        // A port whose link trains may count what it discards (link.md section 5; AD).
        let is_down = self.states.of(QueueSide::Receive) == PortState::Down;
        let is_counted = self.lanes.is_on && !is_down && is_whole(bytes);
        if let Some((lane, blocks)) = charge(bytes).filter(|_| is_counted) {
            let number = self.next_number();
            let lane = &mut self.lanes.lanes[lane];
            lane.receive(further(lane.received, blocks), number);
        }
    }

    /// Returns true if this packet may start now (CF277, CF444, CF448, CF449).
    pub fn may_start(&self, bytes: &[u8]) -> bool {
        let credits = |(lane, blocks): (usize, u16)| {
            let lane = &self.lanes.lanes[lane];
            let late = lane.late.filter(|(at, _)| self.now < at + LATE);
            let limits = [lane.limit, late.map(|(_, limit)| limit)];
            limits
                .into_iter()
                .any(|limit| may_start(limit, lane.sent, blocks))
        };
        !self.lanes.is_on || charge(bytes).is_none_or(credits)
    }

    /// Returns true if this packet may start now by every limit by which the device may go.
    pub fn surely_starts(&self, bytes: &[u8]) -> bool {
        let starts = |(lane, blocks): (usize, u16)| {
            let lane = &self.lanes.lanes[lane];
            let mut unsure = lane.unsure.iter();
            unsure.all(|limit| may_start(*limit, lane.sent, blocks))
        };
        self.may_start(bytes) && (!self.lanes.is_on || charge(bytes).is_none_or(starts))
    }

    /// Returns true if this packet could start now by a limit that a lower one has replaced: the device may not have
    /// taken the lower one yet.
    pub fn might_start(&self, bytes: &[u8]) -> bool {
        charge(bytes).is_some_and(|(lane, blocks)| {
            let lane = &self.lanes.lanes[lane];
            let mut of_now = lane.replaced.iter().filter(|(at, _)| self.now < at + WAITING);
            of_now.any(|(_, limit)| may_start(Some(*limit), lane.sent, blocks))
        })
    }

    /// Returns true if the port gives up this packet, which waits: for credits, while the port's state lets no data
    /// packets leave, or on a VL that is not operational. The packet is then counted as discarded and does not block
    /// those behind it (AD).
    pub fn gives_up(&mut self, bytes: &[u8]) -> bool {
        let waits_in_vain = !self.sends_data() && !self.may_start(bytes);
        let gives_up = waits_in_vain || self.is_on_idle_vl(bytes);
        if gives_up {
            self.discard();
        }
        gives_up
    }

    /// Returns true if the port, with flow control and in Init, discards and counts this packet, which waited for its
    /// turn when the port went down. A port may do so (`link.md` section 1; AD).
    pub fn discards_in_init(&mut self, bytes: &[u8]) -> bool {
        let is_init = self.lanes.is_on && self.states.of(QueueSide::Send) == PortState::Init;
        let discards = is_init && charge(bytes).is_some();
        if discards {
            self.discard();
        }
        discards
    }

    /// Returns true if flow control holds this packet on a data VL that is not operational (`link.md` section 3).
    pub fn is_on_idle_vl(&self, bytes: &[u8]) -> bool {
        let is_idle = |(vl, _): (usize, u16)| vl >= usize::from(self.config.data_vls);
        self.lanes.is_on && charge(bytes).is_some_and(is_idle)
    }

    /// Returns true if the send side lets data packets leave.
    pub fn sends_data(&self) -> bool {
        passes(self.states.of(QueueSide::Send), QueueSide::Send, false)
    }

    /// Counts a packet, or a datagram that is too long for one, that is discarded before it starts on the link.
    pub fn discard(&mut self) {
        self.counters.count(PortCounter::XmitDiscards);
    }

    /// Notes that the device may have discarded a packet, which may still wait for its turn.
    pub fn perhaps_discards(&mut self) {
        self.counters.perhaps(PortCounter::XmitDiscards);
    }

    /// Returns how often the counts of the send side began anew. A packet that started in an earlier round is not
    /// counted.
    pub fn round(&self) -> u32 {
        self.lanes.round
    }

    /// Returns the time at which the present round began, in picoseconds.
    pub fn round_began(&self) -> u64 {
        self.lanes.began
    }

    /// Counts a packet that started in this round and is on the link.
    pub fn starts(&mut self, bytes: &[u8], round: u32) -> Result<(), Violation> {
        if round == self.lanes.round {
            self.take_credits(bytes)?;
        }
        if self.config.link == Link::InfiniBand {
            self.counters.sent(bytes);
        }
        Ok(())
    }

    fn take_credits(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        let is_permitted = self.may_start(bytes) || self.might_start(bytes);
        if let Some((vl, blocks)) = charge(bytes).filter(|_| self.lanes.is_on) {
            let lane = &mut self.lanes.lanes[vl];
            if !is_permitted {
                let Lane { sent, limit, .. } = lane;
                let expected = match limit {
                    Some(limit) => {
                        format!("CreditLimit {limit} to cover {blocks} blocks beyond FCTBS {sent}")
                    }
                    None => "a flow-control packet first".to_owned(),
                };
                let found = format!("starts a packet on VL {vl}");
                return Err(Rule::LinkCredits.broken(None, expected, found));
            }
            lane.sent = further(lane.sent, blocks);
        }
        Ok(())
    }

    /// Returns the number of VLs for which the port sends flow-control packets (`link.md` section 4.2).
    pub fn flow_controlled_vls(&self) -> u8 {
        match self.states.of(QueueSide::Send) {
            _ if !self.lanes.is_on => 0,
            PortState::Init => self.capabilities.data_vls,
            PortState::Armed | PortState::Active => self.config.data_vls,
            PortState::Down | PortState::ActiveDefer => 0,
        }
    }

    /// Returns the flow-control packet of a VL whose buffer is empty.
    pub fn flow_control(&self, vl: u8) -> FlowControl {
        let lane = &self.lanes.lanes[usize::from(vl)];
        FlowControl {
            op: op(self.states.of(QueueSide::Send)) as u8,
            fctbs: lane.sent,
            vl,
            fccl: limit(lane.received, self.capabilities.receive_blocks),
        }
    }

    /// Judges a link packet that the device sends. For a moment after a step of the port, the packet may be one of the
    /// earlier state.
    pub fn link_packet_starts(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        let packet = FlowControl::decode(bytes).map_err(|defect| {
            Rule::FlowControl.broken(None, "a sound flow-control packet", defect.to_string())
        })?;
        let former = self.lanes.former.iter().filter(|(until, _)| self.now < *until);
        let mut by_former = former.map(|(_, former)| self.judge(&packet, former));
        match self.judge(&packet, &self.said()) {
            Err(_) if by_former.any(|judged| judged.is_ok()) => {}
            judged => judged?,
        }
        self.lanes.lanes[usize::from(packet.vl)].said(self.now);
        Ok(())
    }

    /// Returns the contents that link packets have now.
    fn said(&self) -> Said {
        Said {
            op: op(self.states.of(QueueSide::Send)),
            vls: self.flow_controlled_vls(),
            lanes: self.lanes.lanes.clone(),
        }
    }

    fn judge(&self, packet: &FlowControl, said: &Said) -> Result<(), Violation> {
        let refused = |expected: String, found: String| Err(Rule::FlowControl.broken(None, expected, found));
        let Said { op, vls, lanes } = said;
        let vls = if *vls == 0 {
            0
        } else {
            *self.possible_vls().end().max(vls)
        };
        let Some(lane) = lanes.get(usize::from(packet.vl)).filter(|_| packet.vl < vls) else {
            let expected = format!("flow-control packets of the first {vls} VLs");
            return refused(expected, format!("one of VL {}", packet.vl));
        };
        let (op, sent) = (*op as u8, lane.sent);
        if (packet.op, packet.fctbs) != (op, sent) {
            let found = format!("Op {}, FCTBS {}", packet.op, packet.fctbs);
            return refused(format!("Op {op}, FCTBS {sent}"), found);
        }
        let buffer = self.capabilities.receive_blocks;
        if !lane.may_promise(packet.fccl, buffer) {
            let expected = format!("FCCL from {} on, {buffer} blocks at most", lane.received);
            return refused(expected, format!("FCCL {}", packet.fccl));
        }
        Ok(())
    }

    /// Remembers the present contents of link packets before they change: the send side of the port takes another
    /// state, or flow control is turned on or off.
    pub(super) fn remember_lanes(&mut self) {
        let (now, said) = (self.now, self.said());
        self.lanes.former.retain(|(until, _)| now < *until);
        self.lanes.former.push_front((now + LATE, said));
    }
}

/// Returns the Op of link packets in this state (CF443).
fn op(state: PortState) -> Op {
    match state {
        PortState::Init => Op::Initialise,
        _ => Op::Normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of 18 blocks on VL 0.
    fn packet() -> Vec<u8> {
        vec![0; 18 * 64]
    }

    #[test]
    fn a_replaced_limit_may_permit_a_packet_once_others_are_sent() {
        let mut port = Port::flow_controlled();
        port.lanes.lanes[0].sent = 337;
        for fccl in [2413, 2458] {
            let (op, fctbs, vl) = (0, 0, 0);
            let packet = FlowControl { op, fctbs, vl, fccl };
            port.receive_link(&packet.encode().unwrap());
        }
        assert!(!port.might_start(&packet()), "both limits are too far off");
        port.lanes.lanes[0].sent = 349;
        assert!(!port.may_start(&packet()) && port.might_start(&packet()));
        port.now += WAITING;
        assert!(!port.might_start(&packet()));
    }
}
