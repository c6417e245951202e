//! How well the answers of one flow fit the requests of another.
use super::super::observed::Observed;
use super::asked::{Asked, Kind};
use hca_golden::psn;
use hca_golden::wire::aeth::{NakCode, Syndrome};
use hca_golden::wire::opcode::Opcode;

/// Weight of an answer that does not fit. Answers that fit may do so by chance.
const MISFIT: i64 = 4;
/// A flow of requests with this many answers that do not fit, and fewer that do, is not examined any more.
const HOPELESS: i64 = 8;

/// How answers fit requests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    pub fits: i64,
    misfits: i64,
    /// MSN before the first message.
    base: Option<u32>,
}

impl Fit {
    pub fn score(&self) -> i64 {
        self.fits - MISFIT * self.misfits
    }

    /// Returns true if every answer fits, and there is at least one.
    pub fn is_perfect(&self) -> bool {
        self.fits > 0 && self.misfits == 0
    }

    pub fn is_hopeless(&self) -> bool {
        self.misfits >= HOPELESS && self.fits < self.misfits
    }

    pub fn answer(&mut self, asked: &Asked, packet: &Observed, opcode: &Opcode) {
        let answered = packet.psn;
        if asked.is_before(answered) {
            // This answers a request from before the capture.
            return;
        }
        let positive = packet.is_positive();
        let Some(span) = asked.of(answered) else {
            // A sequence NAK may be for a packet that the capture lacks.
            let missing = packet
                .aeth
                .is_some_and(|aeth| aeth.meaning() == Syndrome::Nak(NakCode::PsnSequence));
            self.misfits += i64::from(!missing);
            return;
        };
        if positive && span.kind != Kind::Any && span.kind != Kind::of(opcode) {
            self.misfits += 1;
            return;
        }
        self.fits += 1;
        if let Some(aeth) = packet.aeth.filter(|_| positive) {
            let base = psn::subtract(aeth.msn, span.messages);
            match self.base.map(|before| psn::difference(base, before)) {
                Some(behind) if behind < 0 => self.misfits += 1,
                Some(0) => self.fits += 1,
                _ => {}
            }
            // Messages behind the PSN may be complete. The smallest base is the nearest.
            self.base = Some(match self.base {
                Some(before) if psn::difference(base, before) > 0 => before,
                _ => base,
            });
        }
    }
}
