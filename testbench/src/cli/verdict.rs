//! How a call of `hca` ends.

/// The result of a run. Its number is the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything held.
    Held = 0,
    /// Something differed or broke a rule.
    Differed = 1,
    /// The call or the input was wrong. The reason was printed.
    Refused = 2,
    /// There was nothing to judge.
    Unjudged = 3,
}
