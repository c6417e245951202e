//! The credits of a positive answer.
use crate::wire::credit::NO_CREDITS;

/// The credit codes that an answer may carry: those of all counts since it was decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CreditCodes {
    /// Bit n is set if code n is permitted.
    permitted: u32,
    newest: u8,
}

impl Default for CreditCodes {
    fn default() -> CreditCodes {
        CreditCodes::of(NO_CREDITS)
    }
}

impl CreditCodes {
    pub fn of(code: u8) -> CreditCodes {
        CreditCodes {
            permitted: 1 << code,
            newest: code,
        }
    }

    pub fn add(&mut self, code: u8) {
        self.permitted |= 1 << code;
        self.newest = code;
    }

    /// Returns true for the syndrome of a positive ack with one of these codes.
    pub fn contains(&self, syndrome: u8) -> bool {
        syndrome <= NO_CREDITS && self.permitted >> syndrome & 1 == 1
    }

    /// Returns the code of the present count, which the model's own ack carries.
    pub fn newest(&self) -> u8 {
        self.newest
    }
}
