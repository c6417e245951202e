//! The responder: decides on inbound requests (`protocol/responder.md`).
//!
//! [`RequestChecks`] checks each rule by itself, [`RequestDecision`] applies them in order, [`FaultDecision`] judges
//! faults of keys, [`RequestEffect`] and [`RequestAnswer`] form the new context and the answer; [`Responder`] leads
//! packets through them.
mod access;
mod answer;
mod answered;
mod checks;
mod completion;
mod context;
mod decision;
mod effect;
mod engine;
mod events;
mod fault;
mod flush;
mod length;
mod notice;
mod opcode;
mod psn_region;
mod replay;
mod report;
mod resources;
mod sequence;
mod settings;
mod steps;
mod stored;
mod transition;
mod uc;
mod ud;
mod walk;

pub use access::OperationAccess;
pub use answer::RequestAnswer;
pub use answered::AnswerCount;
pub use checks::{RequestChecks, RequestFlags};
pub use completion::RequestCompletion;
pub use context::ResponderContext;
pub use decision::{RequestDecision, Verdict};
pub use effect::RequestEffect;
pub use engine::Responder;
pub use events::{EventKind, ResponderEvents};
pub use fault::FaultDecision;
pub use flush::FlushScan;
pub use length::LengthCheck;
pub use notice::RequestNotice;
pub use opcode::RequestOpcode;
pub use psn_region::PsnRegion;
pub use replay::ReplaySearch;
pub use report::ResponderReport;
pub use resources::ResourceCheck;
pub use sequence::OpcodeSequence;
pub use settings::{ModifiedSettings, ResponderSettings};
pub use steps::RequestSteps;
pub use stored::{ReplayMatch, StoredOperation};
pub use transition::Transition;
pub use uc::{UcDecision, UcEffect, UcFault};
pub use ud::UdDecision;
pub use walk::RequestWalk;
