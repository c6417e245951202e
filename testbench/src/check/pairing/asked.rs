//! What one flow of requests has asked for, as far as answers to it are compared.
use super::super::flow::Flow;
use super::super::history::read_psns;
use super::super::observed::Observed;
use hca_golden::psn;
use hca_golden::wire::opcode::{Opcode, Operation, Position};
use std::collections::VecDeque;

/// Number of request packets of a flow that are remembered.
const REMEMBERED: usize = 1024;

/// The kind of answer that a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Atomic,
    Other,
    /// The opcode is not judged: any answer fits.
    Any,
}

impl Kind {
    pub fn of(opcode: &Opcode) -> Kind {
        match opcode.operation {
            Operation::Read | Operation::ReadResponse => Kind::Read,
            Operation::CompareSwap | Operation::FetchAdd | Operation::AtomicAcknowledge => Kind::Atomic,
            _ => Kind::Other,
        }
    }
}

/// The PSNs of a request packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    psn: u32,
    last: u32,
    pub kind: Kind,
    /// Number of messages that had ended with this packet.
    pub messages: u32,
}

/// The requests of one flow.
#[derive(Debug)]
pub(super) struct Asked {
    pub flow: Flow,
    spans: VecDeque<Span>,
    next: Option<u32>,
    pmtu: Option<u32>,
    messages: u32,
    /// The latest two places of the flow among those that requested a PSN near by.
    pub near: [Option<u32>; 2],
    /// True once the flow is paired.
    pub claimed: bool,
}

impl Asked {
    pub fn new(flow: Flow) -> Asked {
        Asked {
            flow,
            spans: VecDeque::new(),
            next: None,
            pmtu: None,
            messages: 0,
            near: [None; 2],
            claimed: false,
        }
    }

    /// Forgets the details of the flow.
    pub fn forget(&mut self) {
        self.spans = VecDeque::new();
    }

    /// Takes a request packet.
    pub fn packet(&mut self, packet: &Observed, opcode: &Opcode) {
        let sent = packet.psn;
        if matches!(opcode.position, Position::First | Position::Middle) {
            self.pmtu = Some(u32::from(packet.body.bytes.max(1)));
        }
        if let Some(ahead) = self.next.map(|next| psn::difference(sent, next)) {
            if ahead.unsigned_abs() as usize > REMEMBERED {
                self.spans.clear();
            } else if ahead < 0 {
                return;
            }
        }
        self.messages += u32::from(opcode.ends());
        // A Read may take as many PSNs as this. The next packet shows how many it took.
        let pmtu = self.pmtu.unwrap_or(256);
        let psns = match (Kind::of(opcode), packet.reth()) {
            (Kind::Read, Some(reth)) => read_psns(reth.dma_len, pmtu),
            _ => 1,
        };
        self.remember(Span {
            psn: sent,
            last: psn::add(sent, psns - 1),
            kind: Kind::of(opcode),
            messages: self.messages,
        });
        self.next = Some(psn::add(sent, if self.pmtu.is_some() { psns } else { 1 }));
    }

    /// Takes a request of an opcode that was added to RC later.
    pub fn newer(&mut self, sent: u32) {
        self.messages += 1;
        self.next = Some(psn::add(sent, 1));
        self.remember(Span {
            psn: sent,
            last: sent,
            kind: Kind::Any,
            messages: self.messages,
        });
    }

    fn remember(&mut self, span: Span) {
        if self.spans.len() == REMEMBERED {
            self.spans.pop_front();
        }
        self.spans.push_back(span);
    }

    /// True if this PSN was sent before all packets that are remembered.
    pub fn is_before(&self, wanted: u32) -> bool {
        let first = self.spans.front();
        first.is_none_or(|first| psn::difference(wanted, first.psn) < 0)
    }

    /// Returns the request to which this PSN belongs.
    pub fn of(&self, wanted: u32) -> Option<&Span> {
        let after = self
            .spans
            .partition_point(|span| psn::difference(span.psn, wanted) <= 0);
        let span = self.spans.get(after.checked_sub(1)?)?;
        (psn::difference(wanted, span.last) <= 0).then_some(span)
    }
}
