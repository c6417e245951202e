//! What the output of `--list` shows for a scenario.

/// A scenario in the output of `--list`.
pub struct Entry {
    pub name: &'static str,
    pub about: &'static str,
}
