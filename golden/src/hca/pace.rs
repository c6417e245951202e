//! The pace of packets whose source has a static rate (`link.md` section 7, CF460).
use super::paces::{Holder, Pace};
use super::queue_pair::QueuePair;
use super::{Hca, Rule, Violation};
use crate::decision::static_rate::{ipd, spacing};
use crate::event::Event;
use crate::port::Link;
use crate::verbs::Service;

impl Hca {
    /// Returns the pace of the packet that leaves by this event; `None` if it need not wait for others. The event has
    /// not been applied.
    pub fn pace(&self, event: &Event) -> Option<Pace> {
        let (Event::RequestEmitted { qpn, .. }
        | Event::AckEmitted { qpn, .. }
        | Event::ReadResponseEmitted { qpn, .. }
        | Event::AtomicAckEmitted { qpn, .. }) = *event
        else {
            return None;
        };
        let qp = self.qps.get(&qpn)?;
        let (holder, code) = match *event {
            Event::RequestEmitted { psn, .. } if qp.attributes.service == Service::Ud => {
                self.handle_of(qp, psn)?
            }
            Event::RequestEmitted { .. } => (Holder::QueuePair(qpn), qp.send_attributes.static_rate),
            // The NAK in place of a response that host memory spoiled does not wait.
            Event::AckEmitted { psn, syndrome, .. } if qp.memory.has_nak(psn, syndrome) => return None,
            _ => (Holder::QueuePair(qpn), qp.attributes.static_rate),
        };
        let ipd = ipd(code, self.capabilities.port_rate);
        let is_native = self.port(qp.attributes.port).config.link == Link::InfiniBand;
        let source = self.paces.source(holder);
        (ipd > 0 && is_native).then_some(Pace { source, ipd })
    }

    /// Returns the address handle of the datagram that leaves next, and its static rate.
    fn handle_of(&self, qp: &QueuePair, psn: u32) -> Option<(Holder, u8)> {
        let plan = self.next_request(qp.attributes.qpn, psn, "").ok()?;
        let handle = qp.started(plan.index)?.request.datagram?.handle;
        Some((Holder::Handle(handle), self.handles.get(&handle)?.static_rate))
    }

    /// Returns the time, in picoseconds, from which no source of packets has to wait because of its static rate; 0 if
    /// none ever had to.
    pub fn pace_ends(&self) -> u64 {
        self.paces.earliest.values().copied().max().unwrap_or(0)
    }

    /// Notes that a packet of this pace starts on the link at this time, in picoseconds.
    pub fn packet_starts(&mut self, pace: Pace, bytes: &[u8], at: u64) -> Result<(), Violation> {
        let Pace { source, ipd } = pace;
        if let Some(&earliest) = self
            .paces
            .earliest
            .get(&source)
            .filter(|&&earliest| at < earliest)
        {
            let expected = format!("no packet of {} before {earliest} ps", source.holder);
            return Err(Rule::StaticRate.broken(None, expected, format!("starts at {at} ps")));
        }
        if self.paces.source(source.holder) == source {
            let next = at + spacing(bytes.len(), ipd, self.capabilities.port_rate);
            self.paces.earliest.insert(source, next);
        }
        Ok(())
    }
}
