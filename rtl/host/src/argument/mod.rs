//! The commands, with their arguments and answers word by word.
pub mod cq;
pub mod group;
pub mod handle;
pub mod qp;
pub mod region;

use super::command;
use super::field::{code, field, Code, Field};

/// An argument: one or more words of `ARGUMENT`.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Name in upper case.
    pub name: &'static str,
    /// Index of its first word.
    pub index: usize,
    /// Number of its words. If there is more than one, the first is the most significant.
    pub words: usize,
    /// Fields of each word, by ascending bits. Bits that belong to no field are 0.
    pub fields: &'static [Field],
}

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Name in upper case.
    pub name: &'static str,
    /// Code in `COMMAND`.
    pub code: u32,
    /// Arguments, by ascending index.
    pub arguments: &'static [Argument],
    /// Words of `ARGUMENT` that hold the answer, by ascending index.
    pub answer: &'static [Argument],
    /// Results other than `OK`, in the order in which they are checked.
    pub refusals: &'static [u32],
    /// Text for the documentation.
    pub meaning: &'static str,
}

const fn word(name: &'static str, index: usize, fields: &'static [Field]) -> Argument {
    words(name, index, 1, fields)
}

const fn words(name: &'static str, index: usize, words: usize, fields: &'static [Field]) -> Argument {
    Argument {
        name,
        index,
        words,
        fields,
    }
}

/// The low word of a 64-bit ring address.
const RING: &[Field] = &[field("address", 31, 0, "ring, 64-byte aligned")];

/// Every command, by ascending code.
pub const COMMANDS: &[Command] = &[
    cq::CREATE,
    qp::MODIFY,
    region::REGISTER,
    region::DEREGISTER,
    region::INVALIDATE,
    cq::DESTROY,
    cq::RESIZE,
    cq::QUERY,
    qp::CREATE,
    qp::QUERY,
    qp::DESTROY,
    handle::CREATE,
    handle::MODIFY,
    handle::QUERY,
    handle::DESTROY,
    group::ATTACH,
    group::DETACH,
];

/// Results in `COMMAND_STATUS`.
pub const RESULTS: &[Code] = &[
    code("OK", command::OK, "done"),
    code("BAD_COMMAND", command::BAD_COMMAND, "no command has this code"),
    code(
        "BAD_INDEX",
        command::BAD_INDEX,
        "QPN, CQN or address handle outside the limits; L_Key and R_Key of a region that name different entries",
    ),
    code(
        "BAD_SIZE",
        command::BAD_SIZE,
        "ring size outside the limits, or too small for what it holds; a service that there is not; no room in a group",
    ),
    code("IN_USE", command::IN_USE, "it exists already, or is used"),
    code(
        "NOT_FOUND",
        command::NOT_FOUND,
        "no such QP, CQ, memory region or address handle, or the QP is no member of the group",
    ),
    code(
        "BAD_TRANSITION",
        command::BAD_TRANSITION,
        "the QP's state does not lead to that one",
    ),
    code(
        "MISSING_ATTRIBUTE",
        command::MISSING_ATTRIBUTE,
        "the transition requires one that is not given",
    ),
    code(
        "FORBIDDEN_ATTRIBUTE",
        command::FORBIDDEN_ATTRIBUTE,
        "one is given that the transition does not allow",
    ),
    code(
        "BAD_ATTRIBUTE",
        command::BAD_ATTRIBUTE,
        "the value of a given one is outside its limits",
    ),
    code("CQ_FAILED", command::CQ_FAILED, "the CQ is in error"),
    code(
        "BAD_ADDRESS",
        command::BAD_ADDRESS,
        "a ring that is not 64-byte aligned",
    ),
    code(
        "CQ_RESERVED",
        command::CQ_RESERVED,
        "a CQ of QP0 or QP1 for another QP, or the reverse",
    ),
];

/// QP states.
pub const STATES: &[Code] = &[
    code("RESET", command::STATE_RESET, "Reset"),
    code("INIT", command::STATE_INIT, "Init"),
    code("RTR", command::STATE_RTR, "RTR"),
    code("RTS", command::STATE_RTS, "RTS"),
    code("SQD", command::STATE_SQD, "SQD"),
    code("SQE", command::STATE_SQE, "SQE"),
    code("ERROR", command::STATE_ERROR, "Error"),
];

/// Transport services.
pub const SERVICES: &[Code] = &[
    code("RC", command::SERVICE_RC, "Reliable Connection"),
    code("UC", command::SERVICE_UC, "Unreliable Connection"),
    code("UD", command::SERVICE_UD, "Unreliable Datagram"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register;

    fn fit(command: &Command, words: &[Argument]) {
        let mut free = 0;
        for argument in words {
            assert!(argument.index >= free, "{} {}", command.name, argument.name);
            free = argument.index + argument.words;
            let fields = argument.fields;
            assert!(
                fields.windows(2).all(|f| f[0].high < f[1].low),
                "{}",
                argument.name
            );
        }
        assert!(free <= register::ARGUMENT_COUNT as usize, "{}", command.name);
    }

    #[test]
    fn arguments_and_answers_ascend_without_overlap_and_fit() {
        for command in COMMANDS {
            fit(command, command.arguments);
            fit(command, command.answer);
        }
    }

    #[test]
    fn commands_and_results_ascend() {
        assert!(COMMANDS.windows(2).all(|c| c[0].code < c[1].code));
        assert!(RESULTS.windows(2).all(|r| r[0].value < r[1].value));
    }
}
