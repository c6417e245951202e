//! What the responder decides of an unreliable connection (`protocol/uc.md` section 3).
mod decision;
mod effect;
mod fault;

pub use decision::UcDecision;
pub use effect::UcEffect;
pub use fault::UcFault;
