//! How a call of `hca` ends.

/// What a run came to; the number is the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything held.
    Held = 0,
    /// Something differed or broke a rule.
    Differed = 1,
    /// The call or the input was wrong; the user has read why.
    Refused = 2,
    /// Nothing was there to be judged.
    Unjudged = 3,
}
