//! The commands and what they take, word by word.
use super::command::{self, create_cq, dereg_mr, invalidate, modify_qp, reg_mr};
use super::field::{code, field, Code, Field};

/// Words `index` and up of `ARGUMENT`.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Upper case.
    pub name: &'static str,
    pub index: usize,
    /// The same fields in each; of more than one word the first is the most significant.
    pub words: usize,
    /// By ascending bits; the others are 0.
    pub fields: &'static [Field],
}

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Upper case.
    pub name: &'static str,
    pub code: u32,
    /// By ascending index.
    pub arguments: &'static [Argument],
    /// Results beside `OK`.
    pub refusals: &'static [u32],
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

/// Every command, by ascending code.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "CREATE_CQ",
        code: command::CREATE_CQ,
        refusals: &[command::BAD_INDEX],
        meaning: "a completion queue starts empty, over what stood at its number",
        arguments: &[
            word("CQN", create_cq::CQN, &[field("cqn", 31, 0, "number, from 0")]),
            words(
                "BASE",
                create_cq::BASE_HIGH,
                2,
                &[field("address", 31, 0, "ring, 64-byte aligned")],
            ),
            word(
                "LOG_SIZE",
                create_cq::LOG_SIZE,
                &[field("log_size", 3, 0, "log2 of CQEs, 0 to 15")],
            ),
        ],
    },
    Command {
        name: "MODIFY_QP",
        code: command::MODIFY_QP,
        refusals: &[command::BAD_SIZE],
        meaning: "sets the whole context of a queue pair. The state says what else happens: Reset clears both \
                  queues; RTR loads the receive side (ePSN, MSN 0); RTS, coming from RTR, loads the send side",
        arguments: &[
            word(
                "QPN",
                modify_qp::QPN,
                &[field(
                    "qpn",
                    23,
                    0,
                    "the low bits, as many as the profile has, are the index",
                )],
            ),
            word(
                "STATE",
                modify_qp::STATE,
                &[
                    field("state", 2, 0, "QP state"),
                    field("service", 6, 4, "transport service"),
                    field("pmtu", 10, 8, "1: 256 bytes, up to 5: 4096"),
                ],
            ),
            word(
                "LOG_SIZES",
                modify_qp::LOG_SIZES,
                &[
                    field("send", 3, 0, "log2 of send WQEs, at most 6"),
                    field("receive", 11, 8, "log2 of receive WQEs, at most 15"),
                ],
            ),
            words(
                "SQ_BASE",
                modify_qp::SQ_BASE_HIGH,
                2,
                &[field("address", 31, 0, "send ring, 64-byte aligned")],
            ),
            words(
                "RQ_BASE",
                modify_qp::RQ_BASE_HIGH,
                2,
                &[field("address", 31, 0, "receive ring, 64-byte aligned")],
            ),
            word(
                "CQNS",
                modify_qp::CQNS,
                &[field("send", 15, 0, "send CQ"), field("receive", 31, 16, "receive CQ")],
            ),
            word(
                "DEST_QPN",
                modify_qp::DEST_QPN,
                &[field("qpn", 23, 0, "of the peer")],
            ),
            word(
                "ADDRESS",
                modify_qp::ADDRESS,
                &[
                    field("dlid", 15, 0, "DLID; native InfiniBand only"),
                    field("sl", 19, 16, "SL; native InfiniBand only"),
                    field("source_path_bits", 30, 24, "added to the base LID"),
                ],
            ),
            word("P_KEY", modify_qp::P_KEY, &[field("p_key", 15, 0, "P_Key")]),
            word(
                "SQ_PSN",
                modify_qp::SQ_PSN,
                &[field("psn", 23, 0, "of the first request")],
            ),
            word(
                "RQ_PSN",
                modify_qp::RQ_PSN,
                &[field("psn", 23, 0, "expected of the peer's first request")],
            ),
            word(
                "TIMERS",
                modify_qp::TIMERS,
                &[
                    field("min_rnr_timer", 4, 0, "code that RNR NAKs carry"),
                    field("timeout", 12, 8, "local ack timeout, 4.096 us * 2^n; 0: none"),
                    field("retry_cnt", 18, 16, "retries"),
                    field("rnr_retry", 26, 24, "retries after RNR NAKs; 7: without end"),
                ],
            ),
            word(
                "GRH",
                modify_qp::GRH,
                &[
                    field("flow_label", 19, 0, "flow label"),
                    field("grh", 31, 31, "packets carry a GRH; RoCEv2: 1"),
                ],
            ),
            word(
                "HOP",
                modify_qp::HOP,
                &[
                    field("hop_limit", 7, 0, "hop limit, or IP's TTL"),
                    field("traffic_class", 15, 8, "traffic class"),
                ],
            ),
            words(
                "DGID",
                modify_qp::DGID,
                4,
                &[field("word", 31, 0, "DGID; RoCEv2: IP address, IPv4 as ::ffff:a.b.c.d")],
            ),
            word(
                "MAC_HIGH",
                modify_qp::MAC_HIGH,
                &[
                    field("bytes", 15, 0, "first two bytes of the destination MAC address; RoCEv2 only"),
                    field("source_port", 31, 16, "UDP source port; RoCEv2 only"),
                ],
            ),
            word(
                "MAC_LOW",
                modify_qp::MAC_LOW,
                &[field("bytes", 31, 0, "its last four bytes; RoCEv2 only")],
            ),
            word(
                "LIMITS",
                modify_qp::LIMITS,
                &[
                    field("max_rd_atomic", 4, 0, "reads and atomics under way as requester, 0 to 16"),
                    field("max_dest_rd_atomic", 12, 8, "the same as responder"),
                    field("remote_write", 16, 16, "the peer may write"),
                    field("remote_read", 17, 17, "the peer may read"),
                    field("remote_atomic", 18, 18, "the peer may do atomics"),
                    field("credits_supplied", 19, 19, "end-to-end credits are supplied to the peer"),
                    field("credits_expected", 20, 20, "end-to-end credits are expected from the peer"),
                ],
            ),
            word("PD", modify_qp::PD, &[field("pd", 23, 0, "protection domain")]),
        ],
    },
    Command {
        name: "REG_MR",
        code: command::REG_MR,
        refusals: &[command::BAD_INDEX],
        meaning: "a memory region enters the protection table, over what stood at its entry. Bits 8 and up of both \
                  keys, as many as the table has, are the entry and equal; the low eight are a tag",
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
    },
    Command {
        name: "DEREG_MR",
        code: command::DEREG_MR,
        refusals: &[],
        meaning: "a memory region leaves the protection table",
        arguments: &[word("L_KEY", dereg_mr::L_KEY, &[field("key", 31, 0, "L_Key")])],
    },
    Command {
        name: "INVALIDATE",
        code: command::INVALIDATE,
        refusals: &[],
        meaning: "both keys of a memory region go out of use, as by the peer's Send with invalidate",
        arguments: &[word(
            "R_KEY",
            invalidate::R_KEY,
            &[field("key", 31, 0, "R_Key")],
        )],
    },
];

/// Results in `COMMAND_STATUS`.
pub const RESULTS: &[Code] = &[
    code("OK", command::OK, "done"),
    code("BAD_COMMAND", command::BAD_COMMAND, "no command has this code"),
    code(
        "BAD_INDEX",
        command::BAD_INDEX,
        "CQ number outside the limits; L_Key and R_Key of a region that name different entries",
    ),
    code(
        "BAD_SIZE",
        command::BAD_SIZE,
        "ring size, or depth of reads and atomics, outside the limits",
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
pub const SERVICES: &[Code] = &[code("RC", command::SERVICE_RC, "Reliable Connection")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::register;

    #[test]
    fn arguments_ascend_without_overlap_and_fit() {
        for command in COMMANDS {
            let mut free = 0;
            for argument in command.arguments {
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
    }
}
