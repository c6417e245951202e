//! Commands of memory regions.
use super::{word, words, Command};
use crate::command::{self, dereg_mr, invalidate, reg_mr};
use crate::field::field;

pub const REGISTER: Command = Command {
    name: "REG_MR",
    code: command::REG_MR,
    refusals: &[command::BAD_INDEX, command::IN_USE],
    meaning: "a memory region enters the protection table. Bits 8 and up of both keys, as many as the table has, are \
              the entry and equal; the low eight are a tag",
    arguments: &[
        word("L_KEY", reg_mr::L_KEY, &[field("key", 31, 0, "L_Key")]),
        word("R_KEY", reg_mr::R_KEY, &[field("key", 31, 0, "R_Key")]),
        word("PD", reg_mr::PD, &[field("pd", 23, 0, "protection domain")]),
        words(
            "BASE",
            reg_mr::BASE_HIGH,
            2,
            &[field("address", 31, 0, "of the first byte")],
        ),
        words("LENGTH", reg_mr::LENGTH_HIGH, 2, &[field("bytes", 31, 0, "length")]),
        word(
            "RIGHTS",
            reg_mr::RIGHTS,
            &[
                field("local_write", 0, 0, "receive WQEs and results of reads and atomics may write"),
                field("remote_write", 1, 1, "the peer may write"),
                field("remote_read", 2, 2, "the peer may read"),
                field("remote_atomic", 3, 3, "the peer may do atomics"),
                field("zero_based", 4, 4, "addresses in it count from 0, not from its base"),
            ],
        ),
    ],
    answer: &[],
};

pub const DEREGISTER: Command = Command {
    name: "DEREG_MR",
    code: command::DEREG_MR,
    refusals: &[command::NOT_FOUND],
    meaning: "a memory region leaves the protection table, one whose keys are out of use too; done once no access finds it any more",
    arguments: &[word("L_KEY", dereg_mr::L_KEY, &[field("key", 31, 0, "L_Key")])],
    answer: &[],
};

pub const INVALIDATE: Command = Command {
    name: "INVALIDATE",
    code: command::INVALIDATE,
    refusals: &[],
    meaning: "both keys of a memory region go out of use, as by the peer's Send with invalidate; done once no access finds them any more",
    arguments: &[word("R_KEY", invalidate::R_KEY, &[field("key", 31, 0, "R_Key")])],
    answer: &[],
};
