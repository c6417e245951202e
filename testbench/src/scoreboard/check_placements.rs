//! Checks that what decisions have placed is in memory by the time that software relies on it.
use super::failure::Failure;
use super::verbs::Started;
use super::Checked;
use crate::device::Verb;
use hca_golden::event::Event;
use hca_golden::verbs::QpState;
use hca_golden::wire::opcode::{Header, Opcode, Operation};
use std::ops::Range;

impl Checked {
    /// Notes the memory that an event has written. `opcode` is that of its packet, if the packet is not one of many
    /// copies of a datagram.
    pub(super) fn placed(&mut self, event: &Event, opcode: Option<u8>) {
        let written = self.model.memory_mut().take_written();
        match *event {
            Event::RequestExecuted { qpn, .. } => {
                let ends = opcode.is_none_or(ends_receive);
                self.placements.place(qpn, true, written, ends);
            }
            Event::ResponseAccepted { qpn, .. } => self.placements.place(qpn, false, written, false),
            _ => self.placements.overwrite(written),
        }
    }

    /// Checks what a verb that ends well leaves behind: nothing is on its way to the memory of a region that is gone or
    /// to that of a QP in Reset.
    pub(super) fn nothing_on_its_way(&mut self, started: &Started) -> Result<(), Box<Failure>> {
        let verb = &started.asked.verb;
        let due = match *verb {
            Verb::DeregMr { l_key } => self.placements.of_region(l_key, started.placements),
            Verb::ModifyQp { qpn, state } | Verb::SetQp { qpn, state, .. } if state == QpState::Reset => {
                self.placements.of_queue_pair(qpn)
            }
            Verb::DestroyQp { qpn } => self.placements.of_queue_pair(qpn),
            _ => return Ok(()),
        };
        self.are_in_memory(None, &format!("what was placed before the end of {verb}"), due)
    }

    /// Checks that the placements that a receive request follows are in memory: those of its own message, and those of
    /// the messages before it (`responder.md` section 4, `requester.md` section 8).
    pub(super) fn nothing_after_receive(
        &mut self,
        event: &Event,
        qpn: u32,
        until: u64,
    ) -> Result<(), Box<Failure>> {
        let due = self.placements.of_requests(qpn, until);
        self.are_in_memory(
            Some(*event),
            "what was placed before the CQE of a receive request",
            due,
        )
    }

    fn are_in_memory(
        &mut self,
        event: Option<Event>,
        what: &str,
        placed: Vec<Range<u64>>,
    ) -> Result<(), Box<Failure>> {
        placed
            .into_iter()
            .try_for_each(|range| self.compare_memory(event, what, range.start, range.end - range.start))
    }
}

/// Returns true if a request with this opcode ends the message of a receive request.
fn ends_receive(opcode: u8) -> bool {
    Opcode::of(opcode).is_some_and(|opcode| {
        let takes = opcode.operation == Operation::Send || opcode.headers.contains(&Header::ImmDt);
        takes && opcode.ends()
    })
}
