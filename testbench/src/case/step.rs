//! One thing that software does. In a case file a step is a line: `{ side = "X", act = "post_send", qp = 1, ... }`.
use super::datagram::{Address, Destination};
use super::forged::{Forged, ForgedLink};
use super::terms::Terms;
use crate::Side;
use hca_golden::port::PortState;
use hca_golden::verbs::{QpState, QueueSide};
use serde::{Deserialize, Serialize};

/// One thing that software of one side does. Queues, queue pairs and regions are named by small numbers, which the run
/// turns into CQNs, QPNs and keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub side: Side,
    #[serde(flatten)]
    pub act: Act,
}

/// What a modify_qp gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// What the transition requires.
    #[default]
    Required,
    /// The same without the n-th.
    Without(u8),
    /// The same and the n-th of all.
    With(u8),
    /// The same with an attribute whose value is outside its limits.
    Wrong(u8),
}

impl Given {
    fn is_required(&self) -> bool {
        *self == Given::Required
    }
}

/// What an entry of a port's P_Key table becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PKey {
    /// What it was at first.
    First,
    /// The same with the other kind of membership.
    OtherMember,
    Empty,
}

/// What a send request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    #[default]
    Send,
    SendWithImmediate,
    SendWithInvalidate,
    Write,
    WriteWithImmediate,
    Read,
    CompareSwap,
    FetchAdd,
}

impl Operation {
    pub const ALL: [Operation; 8] = [
        Operation::Send,
        Operation::SendWithImmediate,
        Operation::SendWithInvalidate,
        Operation::Write,
        Operation::WriteWithImmediate,
        Operation::Read,
        Operation::CompareSwap,
        Operation::FetchAdd,
    ];

    /// Uses up a receive request of the peer.
    pub fn takes_receive(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Send | SendWithImmediate | SendWithInvalidate | WriteWithImmediate
        )
    }
}

/// A work request; of a receive request length, SGEs and region count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    #[serde(default)]
    pub operation: Operation,
    /// Bytes.
    pub length: u32,
    /// SGEs that the bytes are spread over.
    pub sges: u8,
    #[serde(default, skip_serializing_if = "is_no")]
    pub signaled: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub solicited: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub fence: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub inline: bool,
    /// Region whose key it names.
    #[serde(default, skip_serializing_if = "is_first")]
    pub region: u8,
    /// A receive request of a queue pair of datagrams has room for its length, and no more.
    #[serde(default, skip_serializing_if = "is_no")]
    pub tight: bool,
    /// Of a datagram; none: the queue pair, and the handle, of the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Destination>,
}

fn is_no(flag: &bool) -> bool {
    !flag
}

fn is_at_once(late: &u16) -> bool {
    *late == 0
}

fn is_first(region: &u8) -> bool {
    *region == 0
}

/// Receive requests of a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receives {
    pub count: u8,
    /// Clock cycles that they come after the send requests; 0: before them.
    pub late: u16,
}

/// Packets that the peer never sent, one right behind the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volley {
    /// Clock cycles that they come later.
    pub late: u16,
    pub packets: Vec<Forged>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    CreateCq {
        cq: u8,
        entries: u32,
    },
    QueryCq {
        cq: u8,
    },
    ResizeCq {
        cq: u8,
        entries: u32,
    },
    DestroyCq {
        cq: u8,
    },
    RequestNotify {
        cq: u8,
        solicited: bool,
        /// Clock cycles since the CQs were polled: what is written meanwhile is not seen.
        #[serde(default, skip_serializing_if = "is_at_once")]
        late: u16,
    },
    CreateQp {
        qp: u8,
        send_cq: u8,
        receive_cq: u8,
        send_entries: u32,
        receive_entries: u32,
    },
    /// This queue pair and its peer are made, where they are not, and go to RTS, over CQs of this number.
    Connect {
        qp: u8,
        cq: u8,
        /// Of that CQ, where it is made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<u32>,
        /// They stay in Init.
        #[serde(default, skip_serializing_if = "is_no")]
        initial: bool,
        /// Queue pairs of datagrams join the first multicast group, and the last handle is its address, unless there is
        /// one; otherwise it is the peer's, with a GRH.
        #[serde(default, skip_serializing_if = "is_no")]
        joins: bool,
        /// None: those that they had, at first those of the queue pair's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Terms>,
    },
    ModifyQp {
        qp: u8,
        to: QpState,
        #[serde(default, skip_serializing_if = "Given::is_required")]
        given: Given,
    },
    QueryQp {
        qp: u8,
    },
    DestroyQp {
        qp: u8,
    },
    RegMr {
        region: u8,
    },
    DeregMr {
        region: u8,
    },
    Invalidate {
        region: u8,
    },
    /// Asks the port for a state; over Ethernet, and for an illegal step, nothing happens.
    SetPortState {
        state: PortState,
    },
    /// Disables the port: it goes Down, and leaves Down only after a `SetPortState` of Down. Over Ethernet nothing
    /// happens.
    DisablePort,
    /// Pulls the cable out of the port, or plugs it in; at the end of the case it is in.
    SetCable {
        is_in: bool,
    },
    /// Sets an entry of the port's P_Key table.
    SetPKey {
        index: u8,
        p_key: PKey,
    },
    /// Nothing happens while a WQE that is not complete names the handle: the outcome would be open (`ud.md` section
    /// 1). The same of modify and destroy.
    CreateAh {
        handle: u8,
        address: Address,
    },
    ModifyAh {
        handle: u8,
        address: Address,
    },
    QueryAh {
        handle: u8,
    },
    DestroyAh {
        handle: u8,
    },
    /// Attaches a queue pair to a multicast group.
    Attach {
        qp: u8,
        group: u8,
    },
    Detach {
        qp: u8,
        group: u8,
    },
    PostSend {
        qp: u8,
        work: Work,
    },
    PostReceive {
        qp: u8,
        work: Work,
    },
    /// A doorbell past the driver, so many WQEs beyond those that are posted; negative: behind. Beyond the end of every
    /// ring, or the device believes it.
    Ring {
        qp: u8,
        queue: QueueSide,
        ahead: i16,
    },
    /// The peer posts as many receive requests, then this side as many send requests, in one go.
    Burst {
        qp: u8,
        count: u8,
        work: Work,
        /// Take turns with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<Work>,
        /// Other than as many as messages: with room for any of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receives: Option<Receives>,
        /// This side asks for an event of each CQ before, and again so many clock cycles after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        armed: Option<u16>,
        /// Both post once more, so many clock cycles later; each message is of the kind behind the one that it was of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<u16>,
        /// Arrives at this side meanwhile.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<Volley>,
    },
    /// A packet that the peer never sent arrives at this side's queue pair.
    Forge {
        qp: u8,
        packet: Forged,
        /// More of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        others: Option<Volley>,
    },
    /// Link packets that the peer never sent arrive at this side, one behind the other; over Ethernet nothing happens.
    ForgeLink {
        packets: Vec<ForgedLink>,
    },
    /// Clock cycles.
    Wait {
        cycles: u16,
    },
}
