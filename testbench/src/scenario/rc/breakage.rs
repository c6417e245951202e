//! Errors of host memory, at places drawn from the seed.
use super::plan::{counter, Flow, Message, Plan, Random};
use super::traffic::qpn_of;
use crate::fabric::Fabric;
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::Side;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{QueueSide, SendOperation, Sge};

/// Number of bytes that fail together, and number of SGEs of a list in that many bytes.
const LINE: u64 = 64;
const SGES_OF_LINE: u32 = 4;
/// Number of SGEs that an entry itself holds. With more there is a list.
const DIRECT_SGES: usize = 2;
/// Number of CQEs among which one fails.
const CQES: u32 = 64;

/// A failing part of the memory of one device.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The 64-byte line of this address.
    Line(u64),
    Part(RingPart),
}

/// The failing parts of a run.
pub struct Breakage {
    places: Vec<(Side, Place)>,
    /// Connections that may meet some of these failures.
    connections: Vec<u32>,
}

impl Breakage {
    /// Draws the failing parts. For one message in `rate`, something fails that belongs to one of its two ends: its
    /// WQEs, their lists, or its inline copy; with 0 nothing ever does. CQEs fail independently of messages.
    pub fn random(random: &mut Random, plan: &Plan, rate: u32) -> Breakage {
        let mut breakage = Breakage {
            places: Vec::new(),
            connections: Vec::new(),
        };
        if rate == 0 {
            return breakage;
        }
        for flow in plan.flows.iter().flatten() {
            let mut receives = 0;
            for message in &flow.messages {
                if random.once_in(rate) {
                    let places = places_of(random, flow, message, receives);
                    let place = places[random.below(places.len() as u32) as usize];
                    breakage.places.push(place);
                    breakage.connections.push(flow.shape.n);
                }
                receives += u16::from(message.received.is_some());
            }
            debug_assert_eq!(usize::from(receives), flow.receiving().count());
        }
        for side in Side::BOTH {
            for cqn in [SEND_CQ, RECEIVE_CQ] {
                let index = random.below(CQES);
                let cqe = RingPart::Cqe { cqn, index };
                breakage.places.push((side, Place::Part(cqe)));
            }
        }
        breakage
    }

    /// Makes the part fail from now on.
    pub fn begin(&self, fabric: &mut Fabric<'_>) {
        for &(side, place) in &self.places {
            let station = fabric.station(side);
            match place {
                Place::Line(addr) => station.fail_memory(addr & !(LINE - 1), LINE),
                Place::Part(part) => station.lose(part),
            }
        }
    }

    /// Returns true if something of this connection fails.
    pub fn meets(&self, n: u32) -> bool {
        self.connections.contains(&n)
    }
}

/// Returns the parts of a message that may fail. `receives` is its number among the flow's receive WQEs.
fn places_of(random: &mut Random, flow: &Flow, message: &Message, receives: u16) -> Vec<(Side, Place)> {
    let (from, peer, n) = (flow.from, flow.from.other(), flow.shape.n);
    let request = &message.request;
    let index = request.wr_id as u16;
    let here = qpn_of(from, n);
    let there = qpn_of(peer, n);
    let (send, receive) = (QueueSide::Send, QueueSide::Receive);
    let part = |side, part| (side, Place::Part(part));
    let mut places = vec![part(
        from,
        RingPart::Wqe {
            qpn: here,
            side: send,
            index,
        },
    )];
    let from_side = message.source_side(from);
    places.extend(line_of(random, &message.source).map(|line| (from_side, line)));
    let to_side = match request.operation {
        o if o.is_atomic() => from,
        _ => from_side.other(),
    };
    places.extend(line_of(random, &message.target).map(|line| (to_side, line)));
    let which = match request.operation {
        SendOperation::FetchAdd { .. } => Some(0),
        SendOperation::CompareSwap { .. } => Some(1),
        _ => None,
    };
    places.extend(which.map(|which| (peer, Place::Line(counter(from, n, which)))));
    let mut list = |side, queue, qpn, index, sges: &[Sge]| {
        let lines = (sges.len() as u32).div_ceil(SGES_OF_LINE);
        let first = (sges.len() > DIRECT_SGES).then(|| (SGES_OF_LINE * random.below(lines)) as u8);
        first.map(|first| {
            let part = RingPart::Sges {
                qpn,
                side: queue,
                index,
                first,
            };
            (side, Place::Part(part))
        })
    };
    if !request.inline {
        places.extend(list(from, send, here, index, &request.sges));
    }
    if let Some(received) = &message.received {
        let (qpn, side, index) = (there, receive, receives);
        places.push(part(peer, RingPart::Wqe { qpn, side, index }));
        places.extend(list(peer, receive, there, receives, &received.buffer));
    }
    if request.inline && message.length != 0 {
        let lines = message.length.div_ceil(RingPart::INLINE_LINE.into());
        let offset = random.below(lines) as u16 * RingPart::INLINE_LINE;
        let qpn = here;
        places.push(part(from, RingPart::Inline { qpn, index, offset }));
    }
    places
}

/// Returns the 64-byte line of one of these bytes.
fn line_of(random: &mut Random, sges: &[Sge]) -> Option<Place> {
    let length: u32 = sges.iter().map(|sge| sge.length).sum();
    let mut at = random.below(length.max(1));
    let holds = sges.iter().find_map(|sge| {
        let addr = (at < sge.length).then(|| sge.addr + u64::from(at));
        at = at.saturating_sub(sge.length);
        addr
    });
    holds.map(Place::Line)
}
