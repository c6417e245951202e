//! Commands of multicast groups (`protocol/ud.md` section 4.1).
use super::qp::{DGID_WORDS, QPN_WORD};
use super::{word, Argument, Command};
use crate::command::{self, multicast};
use crate::field::{field, Field};

pub const MLID: Field = field("mlid", 15, 0, "LID of the group; native InfiniBand only");

const MLID_WORD: Argument = word("ADDRESS", multicast::MLID, &[MLID]);

pub const ATTACH: Command = Command {
    name: "ATTACH",
    code: command::ATTACH,
    refusals: &[
        command::BAD_INDEX,
        command::NOT_FOUND,
        command::BAD_ATTRIBUTE,
        command::BAD_TRANSITION,
        command::BAD_ATTRIBUTE,
        command::BAD_SIZE,
    ],
    meaning: "a QP of UD, not in Reset, gets the packets of a multicast group; a group exists while a QP is attached",
    arguments: &[QPN_WORD, MLID_WORD, DGID_WORDS],
    answer: &[],
};

pub const DETACH: Command = Command {
    name: "DETACH",
    code: command::DETACH,
    refusals: &[
        command::BAD_INDEX,
        command::NOT_FOUND,
        command::BAD_ATTRIBUTE,
        command::BAD_TRANSITION,
        command::BAD_ATTRIBUTE,
        command::NOT_FOUND,
    ],
    meaning: "a QP gets the packets of a multicast group no longer",
    arguments: &[QPN_WORD, MLID_WORD, DGID_WORDS],
    answer: &[],
};
