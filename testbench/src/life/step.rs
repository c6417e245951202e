//! One thing that software does.
use crate::Side;
use hca_golden::verbs::{QpState, QueueSide};

/// One thing that software of one side does. Queues, queue pairs and regions are named by small numbers, which the run turns
/// into CQNs, QPNs and keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub side: Side,
    pub act: Act,
}

/// What a modify_qp gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// What the transition requires.
    Required,
    /// The same without the n-th.
    Without(u8),
    /// The same and the n-th of all.
    With(u8),
    /// The same with an attribute whose value is outside its limits.
    Wrong(u8),
}

/// A work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Number of the operation, in the order of `SendOperation`.
    pub operation: u8,
    /// Bytes.
    pub length: u32,
    /// SGEs that the bytes are spread over.
    pub sges: u8,
    pub signaled: bool,
    pub solicited: bool,
    pub fence: bool,
    pub inline: bool,
    /// Region whose key it names.
    pub region: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
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
    },
    ModifyQp {
        qp: u8,
        to: QpState,
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
    PostSend {
        qp: u8,
        work: Work,
    },
    PostReceive {
        qp: u8,
        work: Work,
    },
    /// A doorbell past the driver, so many WQEs beyond those that are posted; negative: behind.
    Ring {
        qp: u8,
        queue: QueueSide,
        ahead: i16,
    },
    /// Clock cycles.
    Wait {
        cycles: u16,
    },
}
