//! An action of software. In a case file a step is a line: `{ side = "X", act = "post_send", qp = 1, ... }`.
use super::datagram::{Address, Destination};
use super::forged::{Forged, ForgedLink};
use super::lanes::Lanes;
use super::terms::Terms;
use crate::Side;
use hca_golden::port::{PortState, SLS};
use hca_golden::verbs::{QpState, QueueSide};
use serde::{Deserialize, Serialize};

/// An action of software on one side. Queues, queue pairs and regions are named by small numbers, which the run
/// converts to CQNs, QPNs and keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub side: Side,
    #[serde(flatten)]
    pub act: Act,
}

/// The attributes that a modify_qp gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// The attributes that the transition requires.
    #[default]
    Required,
    /// The required attributes without the n-th.
    Without(u8),
    /// The required attributes, and the n-th of all.
    With(u8),
    /// The required attributes, with one whose value is outside its limits.
    Wrong(u8),
}

impl Given {
    fn is_required(&self) -> bool {
        *self == Given::Required
    }
}

/// The new value of an entry of a port's P_Key table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PKey {
    /// The initial value.
    First,
    /// The initial value with the other kind of membership.
    OtherMember,
    Empty,
}

/// The operation of a send request.
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
    /// All operations.
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

    /// Returns true if the operation takes a receive request of the peer.
    pub fn takes_receive(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Send | SendWithImmediate | SendWithInvalidate | WriteWithImmediate
        )
    }
}

/// A work request. Of a receive request, only length, SGEs and region are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    #[serde(default)]
    pub operation: Operation,
    /// Length in bytes.
    pub length: u32,
    /// Number of SGEs over which the bytes are spread.
    pub sges: u8,
    #[serde(default, skip_serializing_if = "is_no")]
    pub signaled: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub solicited: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub fence: bool,
    #[serde(default, skip_serializing_if = "is_no")]
    pub inline: bool,
    /// Region whose key the request names.
    #[serde(default, skip_serializing_if = "is_first")]
    pub region: u8,
    /// A receive request of a queue pair of datagrams has room for exactly its length.
    #[serde(default, skip_serializing_if = "is_no")]
    pub tight: bool,
    /// Destination of a datagram; `None` for the queue pair and the handle with the same number.
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

/// The receive requests of a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receives {
    pub count: u8,
    /// Clock cycles by which they come after the send requests; 0 if they come before.
    pub late: u16,
}

/// Packets that the peer never sent, one directly behind another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volley {
    /// Clock cycles after which the packets come.
    pub late: u16,
    pub packets: Vec<Forged>,
}

/// What software does in a step.
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
        /// Clock cycles since the CQs were polled. Completions that are written meanwhile are not seen.
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
    /// Creates this queue pair and its peer, if they do not exist, and moves them to RTS. They use the CQs with this
    /// number.
    Connect {
        qp: u8,
        cq: u8,
        /// Number of entries of that CQ, if it is created.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<u32>,
        /// The queue pairs stay in Init.
        #[serde(default, skip_serializing_if = "is_no")]
        initial: bool,
        /// Queue pairs of datagrams join the first multicast group, and the last handle gets its address, unless that
        /// handle exists. Otherwise the handle gets the peer's address, with a GRH.
        #[serde(default, skip_serializing_if = "is_no")]
        joins: bool,
        /// Terms of the connection; `None` for the earlier ones, or at first for those of the queue pair's number.
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
    /// Requests a state of the port. Over Ethernet, and for an illegal step, nothing happens.
    SetPortState {
        state: PortState,
    },
    /// Disables the port: it goes Down, and leaves Down only after a `SetPortState` of Down. Over Ethernet nothing
    /// happens.
    DisablePort,
    /// Pulls the cable out of the port, or plugs it in. At the end of the case it is in.
    SetCable {
        is_in: bool,
    },
    /// Brings the port of both sides to Active, as a subnet manager does, unless it is so. A cable that is out stays
    /// out. Only with `link_layer`, as the next three.
    RaisePort,
    /// Sets the VL of each SL of the port.
    SetSlToVl {
        table: [u8; SLS],
    },
    /// Makes this many data VLs of the port operational, on both sides. Nothing happens while datagrams do not end. At
    /// the end of the case all are.
    SetDataVls {
        data_vls: u8,
    },
    /// Sets the arbitration tables of the port. At the end of the case each VL has a turn.
    SetLanes {
        lanes: Lanes,
    },
    /// Sets an entry of the port's P_Key table.
    SetPKey {
        index: u8,
        p_key: PKey,
    },
    /// Creates an address handle. Nothing happens while a WQE that is not complete names the handle, because the
    /// outcome would be open (`ud.md` section 1). The same holds for modify and destroy.
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
    /// Rings a doorbell without the driver, for this many WQEs beyond those that are posted, or before the first if
    /// negative. The number must be beyond the end of every ring, else the device would accept it.
    Ring {
        qp: u8,
        queue: QueueSide,
        ahead: i16,
    },
    /// The peer posts receive requests, then this side posts as many send requests, all at once.
    Burst {
        qp: u8,
        count: u8,
        work: Work,
        /// Further requests that take turns with the first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<Work>,
        /// Receive requests, if there are not as many as messages. They have room for any message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receives: Option<Receives>,
        /// This side arms each CQ before, and again this many clock cycles after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        armed: Option<u16>,
        /// Both sides post once more, this many clock cycles later. Each message then is of the kind that follows its
        /// former one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<u16>,
        /// Packets that arrive at this side meanwhile.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<Volley>,
    },
    /// Passes a packet that the peer never sent to this side's queue pair.
    Forge {
        qp: u8,
        packet: Forged,
        /// Further such packets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        others: Option<Volley>,
    },
    /// Passes link packets that the peer never sent to this side, one behind another. Over Ethernet nothing happens.
    ForgeLink {
        packets: Vec<ForgedLink>,
    },
    /// Lets this many clock cycles pass.
    Wait {
        cycles: u16,
    },
}
