//! Commands of address handles (`protocol/ud.md` section 1).
use super::qp::{self, ADDRESS_WORD, DGID_WORDS, GRH_WORD, HOP_WORD, MAC_LOW_WORD, PD_WORD};
use super::{word, Argument, Command};
use crate::command::{self, address_handle, modify_qp};
use crate::field::{field, Field};

pub const HANDLE: Field = field("handle", 31, 0, "number, from 0");

const HANDLE_WORD: Argument = word("HANDLE", address_handle::HANDLE, &[HANDLE]);
const PORT_WORD: Argument = word("P_KEY", modify_qp::P_KEY, &[qp::PORT]);
const MAC_HIGH_WORD: Argument = word(
    "MAC_HIGH",
    modify_qp::MAC_HIGH,
    &[field(
        "bytes",
        15,
        0,
        "first two bytes of the destination MAC address; RoCEv2 only",
    )],
);

pub const CREATE: Command = Command {
    name: "CREATE_AH",
    code: command::CREATE_AH,
    refusals: &[command::BAD_INDEX, command::IN_USE, command::BAD_ATTRIBUTE],
    meaning: "an address handle, which send WQEs of UD name. RoCEv2 derives the UDP source port from the flow label",
    arguments: &[
        HANDLE_WORD,
        ADDRESS_WORD,
        PORT_WORD,
        GRH_WORD,
        HOP_WORD,
        DGID_WORDS,
        MAC_HIGH_WORD,
        MAC_LOW_WORD,
        PD_WORD,
    ],
    answer: &[],
};

pub const MODIFY: Command = Command {
    name: "MODIFY_AH",
    code: command::MODIFY_AH,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND, command::BAD_ATTRIBUTE],
    meaning: "an address handle gets another address, for the WQEs that are carried out from then on",
    arguments: &[
        HANDLE_WORD, ADDRESS_WORD, PORT_WORD, GRH_WORD, HOP_WORD, DGID_WORDS, MAC_HIGH_WORD, MAC_LOW_WORD,
    ],
    answer: &[],
};

pub const QUERY: Command = Command {
    name: "QUERY_AH",
    code: command::QUERY_AH,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND],
    meaning: "tells the address of an address handle",
    arguments: &[HANDLE_WORD],
    answer: &[
        ADDRESS_WORD, PORT_WORD, GRH_WORD, HOP_WORD, DGID_WORDS, MAC_HIGH_WORD, MAC_LOW_WORD, PD_WORD,
    ],
};

pub const DESTROY: Command = Command {
    name: "DESTROY_AH",
    code: command::DESTROY_AH,
    refusals: &[command::BAD_INDEX, command::NOT_FOUND],
    meaning: "an address handle goes; no WQE that names it may be under way",
    arguments: &[HANDLE_WORD],
    answer: &[],
};
