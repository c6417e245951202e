//! Directed routes at a channel adapter, which does not forward SMPs (`protocol/mad.md` section 3).
use super::mad::Smp;

/// The LID that reaches the node at the other end of the link.
pub const PERMISSIVE_LID: u16 = 0xFFFF;
/// Largest number of hops of a route.
const MAX_HOPS: u8 = 63;

/// Where an SMP that arrived goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// The agent of the port takes it.
    ForAgent,
    /// A manager on this adapter takes it as the response to its request.
    ForManager,
    /// The SMP is dropped: there is no answer, and nothing changes.
    Dropped,
}

/// Where the request of a manager goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The agent of the manager's own port takes it, as if it had arrived there.
    Here,
    /// The request leaves by the port's link, to [`PERMISSIVE_LID`].
    ByLink,
    /// The request is dropped.
    Dropped,
}

/// Takes an SMP that arrived at `port`, and returns where it goes.
pub fn arrive(smp: &mut Smp, port: u8) -> Arrived {
    let (pointer, count) = (smp.header.hop_pointer, smp.header.hop_count);
    if smp.is_returning() {
        if pointer != 1 || smp.dr_slid != PERMISSIVE_LID {
            return Arrived::Dropped;
        }
        smp.header.hop_pointer = 0;
        return Arrived::ForManager;
    }
    if count > MAX_HOPS {
        return Arrived::Dropped;
    }
    if pointer == count {
        if smp.dr_dlid != PERMISSIVE_LID {
            return Arrived::Dropped;
        }
        if count != 0 {
            smp.return_path[usize::from(pointer)] = port;
        }
        smp.header.hop_pointer = pointer + 1;
        return Arrived::ForAgent;
    }
    match pointer == count + 1 {
        true => Arrived::ForAgent,
        false => Arrived::Dropped,
    }
}

/// Prepares a response that leaves by `port`, at which its request arrived. Returns the LID to which it goes; `None` if
/// it is dropped.
pub fn answer(smp: &mut Smp, port: u8) -> Option<u16> {
    let (pointer, count) = (smp.header.hop_pointer, smp.header.hop_count);
    if count > MAX_HOPS || pointer != count + 1 {
        return None;
    }
    if count != 0 && smp.return_path[usize::from(count)] != port {
        return None;
    }
    smp.header.hop_pointer = count;
    Some(smp.dr_slid)
}

/// Prepares the request of a manager on `port`, and returns where it goes.
pub fn request(smp: &mut Smp, port: u8) -> Leaving {
    let (pointer, count) = (smp.header.hop_pointer, smp.header.hop_count);
    match (pointer, count) {
        (0, 0) => Leaving::Here,
        (0, 1..=MAX_HOPS) if smp.initial_path[1] == port => {
            smp.header.hop_pointer = 1;
            Leaving::ByLink
        }
        _ => Leaving::Dropped,
    }
}
