//! The subject of a case, and the weights that follow from it.
use super::draw::volley;
use crate::case::Volley;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// Weight of steps that make progress.
pub(super) const LIKELY: u32 = 12;

/// The subject that a case concentrates on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// Verbs and their traffic; no forged packets.
    #[default]
    Friendly,
    /// Everything in turn.
    All,
    /// Forged packets, with any field, in any order.
    Hostile,
    /// Any verbs.
    Verbs,
    /// Messages of every kind.
    Traffic,
    /// Messages of every kind over a faulty link.
    Faults,
    /// Messages of every kind while host memory and streams are slow.
    Host,
    /// Datagrams, address handles and multicast groups.
    Datagrams,
    /// Messages over a native link with flow control whose ports go down, whose VLs change, and that gets link packets
    /// that nobody sent.
    Link,
}

impl Area {
    /// Returns the weight of arbitrary steps, sensible or not.
    pub(super) fn anything(self) -> u32 {
        match self {
            Area::Friendly | Area::All => 8,
            Area::Verbs => 60,
            Area::Datagrams => 4,
            Area::Traffic | Area::Faults | Area::Host | Area::Hostile | Area::Link => 1,
        }
    }

    /// Returns the weight of a forged packet to an existing queue pair.
    pub(super) fn forgery(self) -> u32 {
        match self {
            Area::Hostile => 4 * LIKELY,
            Area::All => 3,
            Area::Datagrams => 6,
            Area::Friendly | Area::Verbs | Area::Traffic | Area::Faults | Area::Host | Area::Link => 0,
        }
    }

    /// Returns the weight of forged link packets.
    pub(super) fn link_forgery(self) -> u32 {
        match self {
            Area::Hostile | Area::Link => LIKELY,
            Area::All | Area::Datagrams => 2,
            Area::Friendly | Area::Verbs | Area::Traffic | Area::Faults | Area::Host => 0,
        }
    }

    /// Draws the forged packets that follow a forged packet, or that come during a burst.
    pub(super) fn volleys(self) -> BoxedStrategy<Option<Volley>> {
        match self {
            Area::Hostile => prop::option::of(volley()).boxed(),
            _ => Just(None).boxed(),
        }
    }

    /// Returns the weight of creating a connection anew, because software does not know when a queue pair has failed.
    pub(super) fn reconnection(self) -> u32 {
        match self {
            Area::Friendly => 0,
            Area::Verbs => 1,
            Area::All => 4,
            Area::Traffic | Area::Faults | Area::Host | Area::Datagrams | Area::Link => LIKELY / 2,
            Area::Hostile => 2 * LIKELY,
        }
    }

    /// Returns the share of bursts that arm the completion queues.
    pub(super) fn armed_bursts(self) -> f64 {
        match self {
            Area::Friendly | Area::Hostile => 0.0,
            Area::All | Area::Verbs | Area::Traffic | Area::Faults | Area::Datagrams | Area::Link => 0.3,
            Area::Host => 0.6,
        }
    }

    /// Returns the weight of removing a region, whatever is under way.
    pub(super) fn deregistration(self) -> u32 {
        match self {
            Area::Friendly => 0,
            Area::All | Area::Verbs | Area::Hostile | Area::Datagrams | Area::Link => 2,
            Area::Traffic | Area::Faults | Area::Host => 4,
        }
    }

    /// Returns the weight of taking a port down, which ends most of what is under way.
    pub(super) fn port_down(self) -> u32 {
        match self {
            Area::All | Area::Verbs | Area::Link => 1,
            _ => 0,
        }
    }

    /// Returns the weight of taking a port with flow control down, on a link whose software brings both ends up again.
    pub(super) fn link_down(self) -> u32 {
        match self {
            Area::Link => LIKELY,
            Area::All | Area::Verbs | Area::Hostile | Area::Traffic => 3,
            _ => 1,
        }
    }

    /// Returns the weight of each kind of change of the VLs of a port with flow control.
    pub(super) fn vl_change(self) -> u32 {
        match self {
            Area::Friendly => 0,
            Area::Link => LIKELY,
            Area::All | Area::Verbs | Area::Traffic => 3,
            Area::Hostile | Area::Faults | Area::Host | Area::Datagrams => 2,
        }
    }

    /// Returns the weight of changing an entry of the P_Key table, which may end what is under way.
    pub(super) fn p_key_change(self) -> u32 {
        match self {
            Area::All | Area::Verbs | Area::Datagrams => 2,
            _ => 0,
        }
    }

    /// Returns the weights of joining a multicast group and of leaving it, for a member or not.
    pub(super) fn memberships(self, is_member: bool) -> (u32, u32) {
        match (self, is_member) {
            (Area::Datagrams, false) => (LIKELY, 1),
            (Area::Datagrams, true) => (1, LIKELY / 2),
            (_, false) => (LIKELY / 3, 1),
            (_, true) => (1, 3),
        }
    }

    /// Returns true if messages are the subject, or meet other steps.
    pub(super) fn is_traffic(self) -> bool {
        matches!(
            self,
            Area::Traffic | Area::Faults | Area::Host | Area::Hostile | Area::Link
        )
    }

    /// Returns the weight of many messages at once, over a queue pair in RTS.
    pub(super) fn burst(self) -> u32 {
        match self {
            Area::Friendly => 0,
            Area::All | Area::Verbs => 4,
            Area::Hostile | Area::Datagrams => 2 * LIKELY,
            Area::Traffic | Area::Faults | Area::Host | Area::Link => 3 * LIKELY,
        }
    }
}
