//! The pace of packets whose source has a static rate (`link.md` section 7, CF460).
use super::paces::{Holder, Pace, Source};
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
        let (qpn, holder, code) = match *event {
            Event::RequestEmitted { qpn, psn } => {
                let qp = self.qps.get(&qpn)?;
                match qp.attributes.service {
                    Service::Ud => self.handle_of(qp, qpn, psn)?,
                    _ => (qpn, Holder::QueuePair(qpn), qp.send_attributes.static_rate),
                }
            }
            // The NAK in place of a response that host memory spoiled does not wait.
            Event::AckEmitted { qpn, psn, syndrome } if self.qps.get(&qpn)?.memory.has_nak(psn, syndrome) => {
                return None;
            }
            Event::AckEmitted { qpn, .. }
            | Event::ReadResponseEmitted { qpn, .. }
            | Event::AtomicAckEmitted { qpn, .. } => {
                let code = self.qps.get(&qpn)?.attributes.static_rate;
                (qpn, Holder::QueuePair(qpn), code)
            }
            _ => return None,
        };
        let port = self.port(self.qps.get(&qpn)?.attributes.port);
        let ipd = ipd(code, self.capabilities.port_rate);
        let life = self.paces.lives.get(&holder).copied().unwrap_or_default();
        let source = Source { holder, life };
        (ipd > 0 && port.config.link == Link::InfiniBand).then_some(Pace { source, ipd })
    }

    fn handle_of(&self, qp: &QueuePair, qpn: u32, psn: u32) -> Option<(u32, Holder, u8)> {
        let plan = self.next_request(qpn, psn, "").ok()?;
        let handle = qp.started(plan.index)?.request.datagram?.handle;
        let code = self.handles.get(&handle)?.static_rate;
        Some((qpn, Holder::Handle(handle), code))
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
        let is_present = self.paces.lives.get(&source.holder).copied().unwrap_or_default() == source.life;
        if is_present {
            let next = at + spacing(bytes.len(), ipd, self.capabilities.port_rate);
            self.paces.earliest.insert(source, next);
        }
        Ok(())
    }
}
