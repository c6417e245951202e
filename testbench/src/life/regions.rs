//! Draws what becomes of the memory regions of a side.
use super::area::{Area, LIKELY};
use crate::case::limits::{INVALIDATED, REGIONS};
use crate::case::{Act, Operation, Work};
use proptest::prelude::*;

/// Returns the steps that take regions away, and those that bring them back soon, with their weights. `gone` are the
/// regions that were deregistered; `is_spent` is true once the peer has sent what invalidates the last one.
pub(super) fn wanted(
    gone: &[bool; REGIONS as usize],
    is_spent: bool,
    area: Area,
) -> Vec<(u32, BoxedStrategy<Act>)> {
    let register = |region| (2 * LIKELY, Just(Act::RegMr { region }).boxed());
    let deregister = |weight, region| (weight, Just(Act::DeregMr { region }).boxed());
    // Most work uses this region.
    let first = match gone[0] {
        false => deregister(area.deregistration(), 0),
        true => register(0),
    };
    // Only a region that is registered anew can be invalidated once more.
    let last = match gone[usize::from(INVALIDATED)] {
        false if is_spent => deregister(2 * area.deregistration(), INVALIDATED),
        false => deregister(0, INVALIDATED),
        true => register(INVALIDATED),
    };
    vec![first, last]
}

/// Returns true for a step that sends what invalidates a region of the peer.
pub(super) fn invalidates(act: &Act) -> bool {
    let is_it = |work: &Work| work.operation == Operation::SendWithInvalidate;
    match act {
        Act::PostSend { work, .. } => is_it(work),
        Act::Burst { work, others, .. } => is_it(work) || others.iter().any(is_it),
        _ => false,
    }
}
