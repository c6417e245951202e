//! Bugs of the model's port.
use crate::bug::{bug, Bug};

#[rustfmt::skip]
pub const BUGS: [Bug; 15] = [
    // A port in Init takes data.
    bug("CF429", "decision/port.rs",
        "(Init, _) => is_management,",
        "(Init, side) => is_management || side == QueueSide::Receive,",
        "port::state::model::cf429_in_init_smps_alone_leave_and_arrive"),
    // A port in Armed sends data.
    bug("CF430", "decision/port.rs",
        "(Armed, QueueSide::Send) => is_management,",
        "(Armed, QueueSide::Send) => true,",
        "port::state::model::cf430_an_armed_port_sends_no_data_and_takes_it"),
    // An SMP wakes an Armed port.
    bug("CF432", "hca/port_state.rs",
        "let is_data = meeting.is_some_and(|m| m.traffic == Traffic::Data);",
        "let is_data = meeting.is_some_and(|m| m.traffic != Traffic::Invalid);",
        "port::steps::model::cf432_a_data_packet_makes_an_armed_port_active"),
    // So does a packet that the link drops.
    bug("CF432", "hca/port_state.rs",
        "let is_data = meeting.is_some_and(|m| m.traffic == Traffic::Data);",
        "let is_data = meeting.is_some_and(|m| m.traffic != Traffic::Management);",
        "port::steps::model::cf432_what_fails_a_check_of_the_link_does_not"),
    // Active is one step from Init.
    bug("CF433", "decision/port.rs",
        "(Init, Armed) | (Armed, Active)",
        "(Init, Armed) | (Init | Armed, Active)",
        "port::steps::model::cf433_other_steps_change_nothing"),
    // A discarded packet does not count.
    bug("CF437", "hca/port_state.rs",
        "        self.counters.count(PortCounter::XmitDiscards);\n",
        "",
        "port::state::model::cf437_messages_of_uc_complete_and_are_counted"),
    // A port that goes down has no event.
    bug("CF438", "hca/port_state.rs",
        "(PortState::Active | PortState::ActiveDefer, PortState::Down) =>",
        "(PortState::ActiveDefer, PortState::Down) =>",
        "port::steps::model::cf438_events_of_the_port"),
    // A port without a link takes SMPs.
    bug("CF431", "decision/port.rs",
        "(Down | ActiveDefer, _) => false,",
        "(Down | ActiveDefer, _) => is_management,",
        "port::link::model::cf431_without_a_link_nothing_leaves_or_arrives"),
    // A disabled port comes up.
    bug("CF434", "decision/port.rs",
        "(is_up && !is_disabled).then_some(Init)",
        "is_up.then_some(Init)",
        "port::link::model::cf434_a_disabled_port_stays_down"),
    // A port sends while its link trains.
    bug("CF435", "decision/port.rs",
        "(Down | ActiveDefer, _) => false,",
        "(Down, _) => false,\n        (ActiveDefer, side) => side == QueueSide::Send,",
        "port::link::model::cf435_nothing_leaves_or_arrives_while_the_link_trains"),
    // It gives its link up too soon.
    bug("CF435", "decision/port.rs",
        "(4_900_000_000, 10_300_000_000)",
        "(2_900_000_000, 3_300_000_000)",
        "port::link::model::cf435_a_link_that_is_back_in_4_ms_was_never_down"),
    // A recovery does not count.
    bug("CF435", "hca/port_state.rs",
        "self.counters.count(PortCounter::LinkErrorRecovery);",
        "",
        "port::link::model::cf435_a_link_that_is_back_in_4_ms_was_never_down"),
    // A step to Down that software asked for counts as a lost link.
    bug("CF435", "hca/port_state.rs",
        "(_, PortState::Down) if !is_asked =>",
        "(_, PortState::Down) =>",
        "port::link::model::cf435_software_may_take_the_port_down_meanwhile"),
    // A changed P_Key does not count.
    bug("CF464", "hca/p_keys.rs",
        "let replaced = std::mem::replace(entry, p_key);",
        "let replaced = *entry;",
        "port::p_keys::model::cf464_a_request_is_checked_by_the_entry_of_now"),
    // A multicast packet that does not leave is copied.
    bug("CF359", "hca/outbound.rs",
        "is_datagram && answers && self.port_sends(qpn)",
        "is_datagram && answers",
        "ud::multicast::loopback::model::cf359_a_port_that_is_not_active_makes_no_copy"),
];
