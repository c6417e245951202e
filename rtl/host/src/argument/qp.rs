//! Commands of queue pairs. An attribute has the same word and bits in all of them.
use super::{word, words, Argument, Command, RING};
use crate::command::{self, modify_qp, query_qp};
use crate::field::{field, Field};

pub const QPN: Field = field(
    "qpn",
    23,
    0,
    "the low bits, as many as the profile has, are the index; of QP0 and QP1 alone 0 and 1",
);
pub const STATE: Field = field("state", 2, 0, "QP state");
pub const SERVICE: Field = field("service", 6, 4, "transport service");
pub const PMTU: Field = field("pmtu", 10, 8, "1: 256 bytes, up to 5: 4096");
pub const LOG_SEND: Field = field("send", 7, 0, "log2 of send WQEs, at most 6");
pub const LOG_RECEIVE: Field = field("receive", 15, 8, "log2 of receive WQEs, at most 15");
pub const DRY_EVENT: Field = field(
    "dry_event",
    31,
    31,
    "an event is wanted when an RNR NAK goes out for want of a receive WQE",
);
pub const SEND_CQ: Field = field("send", 15, 0, "send CQ");
pub const RECEIVE_CQ: Field = field("receive", 31, 16, "receive CQ");
pub const DEST_QPN: Field = field("qpn", 23, 0, "of the peer");
pub const DLID: Field = field("dlid", 15, 0, "DLID; native InfiniBand only");
pub const SL: Field = field("sl", 19, 16, "SL; native InfiniBand only");
pub const SOURCE_PATH_BITS: Field = field("source_path_bits", 30, 24, "added to the base LID");
pub const P_KEY_INDEX: Field = field("p_key_index", 15, 0, "entry of PORT_P_KEY");
pub const PORT: Field = field(
    "port",
    23,
    16,
    "1 or 2, up to the number of ports; of no meaning for QP0 and QP1",
);
pub const SQ_PSN: Field = field("psn", 23, 0, "of the first request");
pub const RQ_PSN: Field = field("psn", 23, 0, "expected of the peer's first request");
pub const MIN_RNR_TIMER: Field = field("min_rnr_timer", 4, 0, "code that RNR NAKs carry");
pub const TIMEOUT: Field = field("timeout", 12, 8, "local ack timeout, 4.096 us * 2^n; 0: none");
pub const RETRY_CNT: Field = field("retry_cnt", 18, 16, "retries");
pub const RNR_RETRY: Field = field("rnr_retry", 26, 24, "retries after RNR NAKs; 7: without end");
pub const FLOW_LABEL: Field = field("flow_label", 19, 0, "flow label");
pub const SGID_INDEX: Field = field("sgid_index", 27, 20, "entry of the GID table; with a GRH only");
pub const GRH: Field = field("grh", 31, 31, "packets carry a GRH; RoCEv2: 1");
pub const HOP_LIMIT: Field = field("hop_limit", 7, 0, "hop limit, or IP's TTL");
pub const TRAFFIC_CLASS: Field = field("traffic_class", 15, 8, "traffic class");
pub const STATIC_RATE: Field = field(
    "static_rate",
    21,
    16,
    "code of a rate, 0 for that of the port; over RoCEv2 of no effect",
);
pub const MAC_HIGH: Field = field(
    "bytes",
    15,
    0,
    "first two bytes of the destination MAC address; RoCEv2 only",
);
pub const SOURCE_PORT: Field = field("source_port", 31, 16, "UDP source port; RoCEv2 only");
pub const MAX_RD_ATOMIC: Field = field(
    "max_rd_atomic",
    7,
    0,
    "reads and atomics under way as requester, 0 to 16",
);
pub const MAX_DEST_RD_ATOMIC: Field = field("max_dest_rd_atomic", 15, 8, "the same as responder");
pub const REMOTE_WRITE: Field = field("remote_write", 16, 16, "the peer may write");
pub const REMOTE_READ: Field = field("remote_read", 17, 17, "the peer may read");
pub const REMOTE_ATOMIC: Field = field("remote_atomic", 18, 18, "the peer may do atomics");
pub const CREDITS_SUPPLIED: Field = field(
    "credits_supplied",
    24,
    24,
    "end-to-end credits are supplied to the peer",
);
pub const CREDITS_EXPECTED: Field = field(
    "credits_expected",
    25,
    25,
    "end-to-end credits are expected from the peer",
);
pub const PD: Field = field("pd", 23, 0, "protection domain");

pub const Q_KEY: Field = field("q_key", 31, 0, "Q_Key; UD only");

pub(super) const QPN_WORD: Argument = word("QPN", modify_qp::QPN, &[QPN]);
const LOG_SIZES_WORD: Argument = word(
    "LOG_SIZES",
    modify_qp::LOG_SIZES,
    &[LOG_SEND, LOG_RECEIVE, DRY_EVENT],
);
const SQ_BASE_WORDS: Argument = words("SQ_BASE", modify_qp::SQ_BASE_HIGH, 2, RING);
const RQ_BASE_WORDS: Argument = words("RQ_BASE", modify_qp::RQ_BASE_HIGH, 2, RING);
const CQNS_WORD: Argument = word("CQNS", modify_qp::CQNS, &[SEND_CQ, RECEIVE_CQ]);
const DEST_QPN_WORD: Argument = word("DEST_QPN", modify_qp::DEST_QPN, &[DEST_QPN]);
pub(super) const ADDRESS_WORD: Argument = word("ADDRESS", modify_qp::ADDRESS, &[DLID, SL, SOURCE_PATH_BITS]);
const P_KEY_WORD: Argument = word("P_KEY", modify_qp::P_KEY, &[P_KEY_INDEX, PORT]);
const SQ_PSN_WORD: Argument = word("SQ_PSN", modify_qp::SQ_PSN, &[SQ_PSN]);
const RQ_PSN_WORD: Argument = word("RQ_PSN", modify_qp::RQ_PSN, &[RQ_PSN]);
const TIMERS_WORD: Argument = word(
    "TIMERS",
    modify_qp::TIMERS,
    &[MIN_RNR_TIMER, TIMEOUT, RETRY_CNT, RNR_RETRY],
);
pub(super) const GRH_WORD: Argument = word("GRH", modify_qp::GRH, &[FLOW_LABEL, SGID_INDEX, GRH]);
pub(super) const HOP_WORD: Argument = word("HOP", modify_qp::HOP, &[HOP_LIMIT, TRAFFIC_CLASS, STATIC_RATE]);
pub(super) const DGID_WORDS: Argument = words(
    "DGID",
    modify_qp::DGID,
    4,
    &[field(
        "word",
        31,
        0,
        "DGID; RoCEv2: IP address, IPv4 as ::ffff:a.b.c.d",
    )],
);
const MAC_HIGH_WORD: Argument = word("MAC_HIGH", modify_qp::MAC_HIGH, &[MAC_HIGH, SOURCE_PORT]);
pub(super) const MAC_LOW_WORD: Argument = word(
    "MAC_LOW",
    modify_qp::MAC_LOW,
    &[field("bytes", 31, 0, "its last four bytes; RoCEv2 only")],
);
const LIMITS_WORD: Argument = word(
    "LIMITS",
    modify_qp::LIMITS,
    &[
        MAX_RD_ATOMIC, MAX_DEST_RD_ATOMIC, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, CREDITS_SUPPLIED,
        CREDITS_EXPECTED,
    ],
);
pub(super) const PD_WORD: Argument = word("PD", modify_qp::PD, &[PD]);
const Q_KEY_WORD: Argument = word("Q_KEY", modify_qp::Q_KEY, &[Q_KEY]);

pub const MODIFY: Command = Command {
    name: "MODIFY_QP",
    code: command::MODIFY_QP,
    refusals: &[
        command::BAD_INDEX,
        command::NOT_FOUND,
        command::BAD_TRANSITION,
        command::MISSING_ATTRIBUTE,
        command::FORBIDDEN_ATTRIBUTE,
        command::BAD_ATTRIBUTE,
    ],
    meaning: "a queue pair goes to another state, or stays in its own, and takes the attributes that are given. RTR \
              loads the receive side (ePSN, MSN 0); RTS, coming from RTR, the send side; Reset clears both queues and \
              all attributes but those of CREATE_QP, and ends when nothing is under way any more",
    arguments: &[
        QPN_WORD,
        word("STATE", modify_qp::STATE, &[STATE, PMTU]),
        DEST_QPN_WORD,
        ADDRESS_WORD,
        P_KEY_WORD,
        SQ_PSN_WORD,
        RQ_PSN_WORD,
        TIMERS_WORD,
        GRH_WORD,
        HOP_WORD,
        DGID_WORDS,
        MAC_HIGH_WORD,
        MAC_LOW_WORD,
        LIMITS_WORD,
        word(
            "ATTRIBUTES",
            modify_qp::ATTRIBUTES,
            &[
                field("p_key_index", 0, 0, "this is given"),
                field("port", 1, 1, "this is given"),
                field("access", 2, 2, "what the peer may do is given"),
                field("address", 3, 3, "ADDRESS, GRH to MAC_LOW are given"),
                field("pmtu", 4, 4, "this is given"),
                field("dest_qpn", 5, 5, "this is given"),
                field("rq_psn", 6, 6, "this is given"),
                field("max_dest_rd_atomic", 7, 7, "this is given"),
                field("min_rnr_timer", 8, 8, "this is given"),
                field("sq_psn", 9, 9, "this is given"),
                field("timeout", 10, 10, "this is given"),
                field("retry_cnt", 11, 11, "this is given"),
                field("rnr_retry", 12, 12, "this is given"),
                field("max_rd_atomic", 13, 13, "this is given"),
                field("credits", 14, 14, "credits_supplied and credits_expected are given"),
                field("drained_event", 15, 15, "an event is wanted once the send queue is drained"),
                field("q_key", 16, 16, "this is given"),
            ],
        ),
        Q_KEY_WORD,
    ],
    answer: &[],
};

pub const CREATE: Command = Command {
    name: "CREATE_QP",
    code: command::CREATE_QP,
    refusals: &[
        command::BAD_INDEX,
        command::IN_USE,
        command::NOT_FOUND,
        command::CQ_FAILED,
        command::CQ_RESERVED,
        command::BAD_SIZE,
        command::BAD_ADDRESS,
    ],
    meaning: "a queue pair, in Reset",
    arguments: &[
        QPN_WORD,
        word("STATE", modify_qp::STATE, &[SERVICE]),
        LOG_SIZES_WORD,
        SQ_BASE_WORDS,
        RQ_BASE_WORDS,
        CQNS_WORD,
        PD_WORD,
    ],
    answer: &[],
};

pub const QUERY: Command = Command {
    name: "QUERY_QP",
    code: command::QUERY_QP,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND],
    meaning: "tells the state of a queue pair and the attributes that it has",
    arguments: &[word("QPN", query_qp::QPN, &[QPN])],
    answer: &[
        word("STATE", modify_qp::STATE, &[STATE, SERVICE, PMTU]),
        LOG_SIZES_WORD,
        SQ_BASE_WORDS,
        RQ_BASE_WORDS,
        CQNS_WORD,
        DEST_QPN_WORD,
        ADDRESS_WORD,
        P_KEY_WORD,
        SQ_PSN_WORD,
        RQ_PSN_WORD,
        TIMERS_WORD,
        GRH_WORD,
        HOP_WORD,
        DGID_WORDS,
        MAC_HIGH_WORD,
        MAC_LOW_WORD,
        LIMITS_WORD,
        PD_WORD,
        Q_KEY_WORD,
    ],
};

pub const DESTROY: Command = Command {
    name: "DESTROY_QP",
    code: command::DESTROY_QP,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND, command::IN_USE],
    meaning: "a queue pair goes, whatever its state; ends when nothing of it is under way any more",
    arguments: &[word("QPN", query_qp::QPN, &[QPN])],
    answer: &[],
};
