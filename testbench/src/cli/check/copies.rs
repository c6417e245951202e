//! Copies of packets in captures of mirrors and in merged captures, next to the packet or a few packets behind it.
use super::look::Mark;
use crate::check::Tenant;
use std::collections::VecDeque;

/// Largest distance of a copy in packets, and in nanoseconds. A retry comes later, because it waits for an ack timeout
/// or a NAK.
const WITHIN: usize = 64;
const SOON: u64 = 1_000_000;

/// A packet compared with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    /// The packet equals the one before it: it is a copy, or a retry.
    pub is_repeated: bool,
    /// The packet equals one of the latest packets, which had no copy yet.
    pub is_copied: bool,
}

/// A packet, and whether its copy has come.
#[derive(Clone, Copy, Debug)]
struct Recent {
    mark: Mark,
    tenant: Tenant,
    time: u64,
    has_copy: bool,
}

/// The latest packets.
#[derive(Debug, Default)]
pub struct Copies {
    recent: VecDeque<Recent>,
    latest: Option<(Mark, Tenant)>,
}

/// Returns true if both may be the same packet: one interface may show it with its tag, and another one without.
fn may_be_one([a, b]: [Tenant; 2]) -> bool {
    a == b || [a, b].contains(&Tenant::default())
}

impl Copies {
    /// Takes the next packet, captured at this time in nanoseconds since 1970.
    pub fn next(&mut self, mark: Mark, tenant: Tenant, time: u64) -> Alike {
        let is_one = |(of, other): (Mark, Tenant)| of == mark && may_be_one([tenant, other]);
        let is_repeated = self.latest.is_some_and(is_one);
        if !is_repeated {
            self.latest = Some((mark, tenant));
        }
        let original = self.recent.iter_mut().rev().find(|recent| {
            let is_soon = time.abs_diff(recent.time) <= SOON;
            !recent.has_copy && is_soon && is_one((recent.mark, recent.tenant))
        });
        let is_copied = original.is_some();
        match original {
            Some(original) => original.has_copy = true,
            None => {
                if self.recent.len() == WITHIN {
                    self.recent.pop_front();
                }
                self.recent.push_back(Recent {
                    mark,
                    tenant,
                    time,
                    has_copy: false,
                });
            }
        }
        Alike {
            is_repeated,
            is_copied,
        }
    }
}
