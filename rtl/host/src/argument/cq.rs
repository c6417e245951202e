//! Commands of completion queues.
use super::{word, words, Command, RING};
use crate::command::{self, create_cq, destroy_cq, query_cq, resize_cq};
use crate::field::{field, Field};

const CQN: &[Field] = &[field("cqn", 31, 0, "number, from 0")];
const LOG_SIZE: &[Field] = &[field("log_size", 31, 0, "log2 of CQEs, 0 to 15")];

/// Field of `COUNTS`.
pub const PRODUCER: Field = field("producer", 15, 0, "CQEs written, modulo 2^16");
/// Field of `COUNTS`.
pub const CONSUMER: Field = field("consumer", 31, 16, "of them those that CQ_CONSUMER has told of");
/// Field of `STATUS`.
pub const FAILED: Field = field("failed", 0, 0, "in error");
/// Field of `STATUS`.
pub const ARMED: Field = field(
    "armed",
    9,
    8,
    "0: not; 1: for solicited completions; 2: for the next one",
);

pub const CREATE: Command = Command {
    name: "CREATE_CQ",
    code: command::CREATE_CQ,
    refusals: &[
        command::BAD_INDEX,
        command::IN_USE,
        command::BAD_SIZE,
        command::BAD_ADDRESS,
    ],
    meaning: "a completion queue starts empty",
    arguments: &[
        word("CQN", create_cq::CQN, CQN),
        words("BASE", create_cq::BASE_HIGH, 2, RING),
        word("LOG_SIZE", create_cq::LOG_SIZE, LOG_SIZE),
    ],
    answer: &[],
};

pub const DESTROY: Command = Command {
    name: "DESTROY_CQ",
    code: command::DESTROY_CQ,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND, command::IN_USE],
    meaning: "a completion queue that no QP uses goes",
    arguments: &[word("CQN", destroy_cq::CQN, CQN)],
    answer: &[],
};

pub const RESIZE: Command = Command {
    name: "RESIZE_CQ",
    code: command::RESIZE_CQ,
    refusals: &[
        command::BAD_INDEX,
        command::NOT_FOUND,
        command::CQ_FAILED,
        command::BAD_SIZE,
        command::BAD_ADDRESS,
    ],
    meaning: "from now on CQEs go to another ring, entry i and phase as if the queue had always been there; those \
              written before are read from the former one. It has to hold all that are written and not told to be polled",
    arguments: &[
        word("CQN", resize_cq::CQN, CQN),
        words("BASE", resize_cq::BASE_HIGH, 2, RING),
        word("LOG_SIZE", resize_cq::LOG_SIZE, LOG_SIZE),
    ],
    answer: &[word(
        "PRODUCER",
        resize_cq::PRODUCER,
        &[field("producer", 15, 0, "the first CQE, modulo 2^16, in the new ring")],
    )],
};

pub const QUERY: Command = Command {
    name: "QUERY_CQ",
    code: command::QUERY_CQ,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND],
    meaning: "tells how a completion queue stands",
    arguments: &[word("CQN", query_cq::CQN, CQN)],
    answer: &[
        words("BASE", query_cq::BASE_HIGH, 2, RING),
        word("LOG_SIZE", query_cq::LOG_SIZE, LOG_SIZE),
        word("COUNTS", query_cq::COUNTS, &[PRODUCER, CONSUMER]),
        word("STATUS", query_cq::STATUS, &[FAILED, ARMED]),
    ],
};
