//! Violations of the rules by a device.
use thiserror::Error;

/// An event that was not permitted. The model's state is as before the event.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: expected {expected}, the device {actual} [{}]", rule.name(), rule.citation())]
pub struct Violation {
    pub rule: Rule,
    /// The QP concerned, if there is one.
    pub qpn: Option<u32>,
    /// The behaviour that the rules permit here.
    pub expected: String,
    /// The behaviour of the device.
    pub actual: String,
}

/// A rule that an event can break. Each comment states the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// An event names a QP that exists.
    QueuePair,
    /// A doorbell announces posted WQEs, never fewer than before.
    Doorbell,
    /// WQEs are taken in post order, and only when they are announced.
    WqeOrder,
    /// An event names a port that exists.
    Port,
    /// An event decides about a packet that has arrived and is not decided about.
    NoSuchPacket,
    /// Requests of a QP are decided in order of arrival, and so are its responses.
    PacketOrder,
    /// The device decides about a packet as the model does: it executes, refuses or drops it.
    Decision,
    /// A request is executed only with its receive WQE.
    ReceiveWqe,
    /// The PSN of an event is the one that is next or due.
    Psn,
    /// The syndrome of a response is one that it may carry.
    Syndrome,
    /// An ack has a cause, and no later ack has covered it.
    AckNotPermitted,
    /// No ack overtakes a NAK; only a later equal NAK may replace one.
    NakSkipped,
    /// A QP sends requests only in a state that permits it.
    SendState,
    /// A request packet belongs to a WQE that was taken.
    NoSendWqe,
    /// Nothing is read for a WQE once its completion has returned its memory to software.
    GivenBack,
    /// At most 2^23 PSNs are outstanding.
    Window,
    /// A fenced WQE waits for all earlier reads and atomics.
    Fence,
    /// At most max_rd_atomic Reads and atomics are under way.
    ReadDepth,
    /// A message that takes a receive WQE which the peer has not announced is sent only as far as the rules permit, and
    /// nothing is sent behind it.
    Credits,
    /// An unsolicited ack announces new receive WQEs, and repeats no NAK.
    UnsolicitedAck,
    /// A read response or atomic ack leaves only if one with this PSN is owed.
    ResponseNotPermitted,
    /// A duplicate of an atomic is answered, unless a newer atomic has taken its resource.
    ReplayDropped,
    /// No response to a later request overtakes the responses to a Read or an atomic.
    ResponsePassed,
    /// A datagram is sent only if its address handle and its length permit it, and discarded only if it is too long.
    Datagram,
    /// Memory is accessed only with keys that permit it, and a permitted access is not refused.
    Protection,
    /// The requester goes back when it has to, to the right place, and for the reported cause.
    Rewind,
    /// After an RNR NAK nothing is sent before its delay is over.
    RnrWait,
    /// The ack timer runs while requests are outstanding, and expires in its window.
    AckTimer,
    /// A completion is written only if it is due.
    NoSuchCompletion,
    /// Completions carry the index of the WQE that completes.
    CompletionIndex,
    /// Completions carry the status that the rules give them.
    CompletionStatus,
    /// Completions are written to the queue of their QP and side.
    CompletionQueue,
    /// The device moves a QP only to the state that the rules require.
    QpState,
    /// Errors of host memory are reported, and no others.
    HostMemory,
    /// A modification takes effect only if software requested it, on the receive side first.
    Modification,
    /// A completion is lost only if its queue has no room.
    Overflow,
    /// An arming causes one event, once a fitting completion is there.
    Notification,
    /// A CQ that fails causes one event.
    CqError,
    /// Each occurrence at a QP causes one event.
    AsyncEvent,
    /// The port changes its state only as software and the link require, once on each side.
    PortState,
    /// The port uses the P_Keys that software writes.
    PKeyTable,
    /// The port uses the VLs that software writes.
    SlToVl,
    /// A data packet starts only with credits for all of it.
    LinkCredits,
    /// A packet of a source with a static rate starts only when the source has waited.
    StaticRate,
    /// A flow-control packet carries the counts of what the port has sent and can take.
    FlowControl,
    /// A port that becomes Active, or no longer is, causes one event.
    PortEvent,
    /// The violation latch causes one event for each violation that it takes.
    ViolationEvent,
}

impl Rule {
    /// Makes the violation of this rule at `qpn`.
    pub(super) fn broken(
        self,
        qpn: impl Into<Option<u32>>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Violation {
        Violation {
            rule: self,
            qpn: qpn.into(),
            expected: expected.into(),
            actual: actual.into(),
        }
    }

    /// Returns the short name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Rule::QueuePair => "QP",
            Rule::Doorbell => "doorbell",
            Rule::WqeOrder => "WQE order",
            Rule::Port => "port",
            Rule::NoSuchPacket => "no such packet",
            Rule::PacketOrder => "packet order",
            Rule::Decision => "decision differs",
            Rule::ReceiveWqe => "receive WQE",
            Rule::Psn => "PSN",
            Rule::Syndrome => "syndrome",
            Rule::AckNotPermitted => "ack not permitted",
            Rule::NakSkipped => "NAK skipped",
            Rule::SendState => "QP state does not send",
            Rule::NoSendWqe => "no send WQE",
            Rule::GivenBack => "memory given back",
            Rule::Window => "outstanding PSNs",
            Rule::Fence => "fence",
            Rule::ReadDepth => "reads under way",
            Rule::Credits => "credits",
            Rule::UnsolicitedAck => "unsolicited ack",
            Rule::ResponseNotPermitted => "response not permitted",
            Rule::ReplayDropped => "replay dropped",
            Rule::ResponsePassed => "response passed",
            Rule::Datagram => "datagram",
            Rule::Protection => "memory protection",
            Rule::Rewind => "going back",
            Rule::RnrWait => "RNR wait",
            Rule::AckTimer => "ack timer",
            Rule::NoSuchCompletion => "no such completion",
            Rule::CompletionIndex => "completion WQE index",
            Rule::CompletionStatus => "completion status",
            Rule::CompletionQueue => "completion queue",
            Rule::QpState => "QP state",
            Rule::HostMemory => "host memory",
            Rule::Modification => "modification",
            Rule::Overflow => "CQ overflow",
            Rule::Notification => "notification",
            Rule::CqError => "CQ error event",
            Rule::AsyncEvent => "asynchronous event",
            Rule::PortState => "port state",
            Rule::PKeyTable => "P_Key table",
            Rule::SlToVl => "SLtoVL table",
            Rule::LinkCredits => "link credits",
            Rule::StaticRate => "static rate",
            Rule::FlowControl => "flow control",
            Rule::PortEvent => "port event",
            Rule::ViolationEvent => "violation event",
        }
    }

    /// Returns the source of the rule.
    pub fn citation(self) -> &'static str {
        match self {
            Rule::QueuePair => "qp_cq.md section 2",
            Rule::Doorbell => "qp_cq.md section 3",
            Rule::WqeOrder => "requester.md section 2, CF095, CF157",
            Rule::Port => "link.md section 8",
            Rule::NoSuchPacket | Rule::PacketOrder => "responder.md section 1",
            Rule::Decision => "responder.md section 1, requester.md section 5",
            Rule::ReceiveWqe => "responder.md section 4",
            Rule::Psn => "responder.md section 2, CF128, CF155",
            Rule::Syndrome => "responder.md section 5, aeth.md section 2",
            Rule::AckNotPermitted => "responder.md section 8, CF134",
            Rule::NakSkipped => "responder.md section 7",
            Rule::SendState => "qp_cq.md section 1",
            Rule::NoSendWqe => "requester.md section 2",
            Rule::GivenBack => "requester.md section 7 and 9, AD",
            Rule::Window => "requester.md section 1, CF286",
            Rule::Fence => "requester.md section 3, CF162",
            Rule::ReadDepth => "requester.md section 3, CF164",
            Rule::Credits => "requester.md section 4, CF197 to CF202",
            Rule::UnsolicitedAck => "responder.md section 8, CF150 to CF153",
            Rule::ResponseNotPermitted => "responder.md section 9, CF140",
            Rule::ReplayDropped => "responder.md section 6, CF122, AD",
            Rule::ResponsePassed => "responder.md section 8, CF133, CF134",
            Rule::Datagram => "ud.md section 2",
            Rule::Protection => "responder.md section 1 step 14, requester.md section 8",
            Rule::Rewind => "requester.md section 6 and 7",
            Rule::RnrWait => "aeth.md section 6, CF112",
            Rule::AckTimer => "aeth.md section 6, CF187, CF188",
            Rule::NoSuchCompletion | Rule::CompletionIndex => "requester.md section 8, CF096, CF192",
            Rule::CompletionStatus => "qp_cq.md section 5",
            Rule::CompletionQueue => "qp_cq.md section 4",
            Rule::QpState => "qp_cq.md section 1",
            Rule::HostMemory => "qp_cq.md section 8, AD",
            Rule::Modification => "qp_cq.md section 1, CF233",
            Rule::Overflow | Rule::CqError => "qp_cq.md section 6, CF255",
            Rule::Notification => "qp_cq.md section 7, CF256 to CF262",
            Rule::AsyncEvent => "qp_cq.md section 8, CF105, CF239",
            Rule::PortState => "link.md section 1, CF431 to CF435",
            Rule::PKeyTable => "link.md section 2, CF464",
            Rule::SlToVl => "link.md section 3, CF265",
            Rule::LinkCredits => "link.md section 5, CF277",
            Rule::StaticRate => "link.md section 7, CF460",
            Rule::FlowControl => "link.md sections 4.2 and 5, CF443, CF445, CF446",
            Rule::PortEvent => "link.md section 1, CF438",
            Rule::ViolationEvent => "mad.md section 6.1, CF482",
        }
    }
}
