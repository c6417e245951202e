//! Requests that others have overtaken before the capture, in the middle of a replay.
//!
//! A packet that comes after its successor seems to be left out of a replay, and the responder may ask for it with a
//! NAK. When the packet comes at last, it looks like an answer to that NAK. The requester's next packet decides. A
//! requester that has sent the packet because of the NAK continues behind it. One that goes back to the same packet
//! once more had sent it before it got the NAK, and has left nothing out.
use super::super::finding::Rule;
use super::super::found::Findings;
use super::Requests;
use hca_golden::psn;

impl Requests {
    /// Takes a repeated packet with this PSN: it was overtaken, or it shows that another one was.
    pub(super) fn may_be_overtaken(&mut self, psn: u32, findings: &mut Findings<'_>) {
        let Requests { overtaken, holes, .. } = self;
        if let Some(left_out) = overtaken.left_out.take_if(|(of, _)| *of == psn) {
            overtaken.late = Some(left_out);
            return;
        }
        let goes_back = |(late, _): &mut (u32, u64)| psn::difference(psn, *late) <= 0;
        let Some((_, since)) = overtaken.late.take_if(goes_back) else {
            return;
        };
        for packet in overtaken.found.extract_if(.., |packet| *packet >= since) {
            findings.withdraw(packet, Rule::GoneBack);
            holes.retain(|hole| hole.packet != packet || hole.rule != Rule::GoneBack);
        }
    }
}
