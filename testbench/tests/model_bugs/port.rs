//! Bugs of the model's port.
use crate::bug::{bug, Bug};

#[rustfmt::skip]
pub const BUGS: [Bug; 61] = [
    // A port in Init takes data.
    bug("CF429", "decision/port_state.rs",
        "(Init, _) => is_management,",
        "(Init, side) => is_management || side == QueueSide::Receive,",
        "port::state::model::cf429_in_init_smps_alone_leave_and_arrive"),
    // A port in Armed sends data.
    bug("CF430", "decision/port_state.rs",
        "(Armed, QueueSide::Send) => is_management,",
        "(Armed, QueueSide::Send) => true,",
        "port::state::model::cf430_an_armed_port_sends_no_data_and_takes_it"),
    // An SMP wakes an Armed port.
    bug("CF432", "hca/port_state.rs",
        "let is_data = meeting.as_ref().is_some_and(|m| m.traffic == Traffic::Data) && !is_idle;",
        "let is_data = meeting.as_ref().is_some_and(|m| m.traffic != Traffic::Invalid) && !is_idle;",
        "port::steps::model::cf432_a_data_packet_makes_an_armed_port_active"),
    // So does a packet that the link drops.
    bug("CF432", "hca/port_state.rs",
        "let is_data = meeting.as_ref().is_some_and(|m| m.traffic == Traffic::Data) && !is_idle;",
        "let is_data = meeting.as_ref().is_some_and(|m| m.traffic != Traffic::Management) && !is_idle;",
        "port::steps::model::cf432_what_fails_a_check_of_the_link_does_not"),
    // Active is one step from Init.
    bug("CF433", "decision/port_state.rs",
        "(Init, Armed) | (Armed, Active)",
        "(Init, Armed) | (Init | Armed, Active)",
        "port::steps::model::cf433_other_steps_change_nothing"),
    // A discarded packet does not count.
    bug("CF437", "hca/port_state.rs",
        "            false => port.discard(),\n",
        "            false => {}\n",
        "port::state::model::cf437_messages_of_uc_complete_and_are_counted"),
    // A port that goes down has no event.
    bug("CF438", "hca/port_state.rs",
        "(PortState::Active | PortState::ActiveDefer, PortState::Down) =>",
        "(PortState::ActiveDefer, PortState::Down) =>",
        "port::steps::model::cf438_events_of_the_port"),
    // A port without a link takes SMPs.
    bug("CF431", "decision/port_state.rs",
        "(Down | ActiveDefer, _) => false,",
        "(Down | ActiveDefer, _) => is_management,",
        "port::link::model::cf431_without_a_link_nothing_leaves_or_arrives"),
    // A disabled port comes up.
    bug("CF434", "decision/port_state.rs",
        "(is_up && !is_disabled).then_some(Init)",
        "is_up.then_some(Init)",
        "port::link::model::cf434_a_disabled_port_stays_down"),
    // A port sends while its link trains.
    bug("CF435", "decision/port_state.rs",
        "(Down | ActiveDefer, _) => false,",
        "(Down, _) => false,\n        (ActiveDefer, side) => side == QueueSide::Send,",
        "port::link::model::cf435_nothing_leaves_or_arrives_while_the_link_trains"),
    // It gives its link up too soon.
    bug("CF435", "decision/port_state.rs",
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
        "(_, PortState::Down) if is_surely_asked || surely_restarts => {}",
        "(_, PortState::Down) if surely_restarts => {}
            (_, PortState::Down) if is_surely_asked => self.counters.count(PortCounter::LinkDowned),",
        "port::link::model::cf435_software_may_take_the_port_down_meanwhile"),
    // A changed P_Key does not count.
    bug("CF464", "hca/p_key_table.rs",
        "        *entry = p_key;\n",
        "        let _ = entry;\n",
        "port::p_keys::model::cf464_a_request_is_checked_by_the_entry_of_now"),
    // A multicast packet that does not leave is copied.
    bug("CF359", "hca/outbound.rs",
        "is_datagram && answers && self.port_sends(port, qpn, &bytes)",
        "is_datagram && answers",
        "ud::multicast::loopback::model::cf359_a_port_that_is_not_active_makes_no_copy"),
    // A packet keeps VL 0 whatever the table says.
    bug("CF265", "hca/transmit.rs",
        "vl: port.vl(lrh.sl),",
        "vl: lrh.vl,",
        "port::lanes::model::cf265_a_request_has_the_vl_of_its_sl"),
    // The entries of eight SLs are read from the wrong end.
    bug("CF265", "hca/sl_to_vl_table.rs",
        "(vls >> (4 * n)) as u8 & 15",
        "(vls >> (4 * (7 - n))) as u8 & 15",
        "port::lanes::model::cf265_a_datagram_has_the_vl_of_its_handle_sl"),
    // A packet leaves on a VL that is not operational.
    bug("CF455", "decision/vl.rs",
        "_ => vl < port.data_vls,",
        "_ => vl != MANAGEMENT_VL,",
        "port::lanes::model::cf455_fewer_operational_vls_carry_less"),
    // An error of the link does not count.
    bug("CF456", "hca/port_counters.rs",
        "AtLink::Error => vec![(PortCounter::RcvErrors, 1)],",
        "AtLink::Error => vec![],",
        "port::counters::model::cf456_a_vl_that_is_not_operational_is_an_error"),
    // The longest packet that arrives is that of the largest MTU.
    bug("CF457", "wire/check/native.rs",
        "max_words(port.mtu.bytes())",
        "max_words(port.mtu.bytes().max(4096))",
        "port::mtu::model::cf457_the_longest_packet_that_arrives_follows_from_the_active_mtu"),
    // A packet of a connection leaves whatever the active MTU is.
    bug("CF457", "decision/mtu.rs",
        "Ok(Frame::Iba(packet)) => packet.payload.len() <= mtu.bytes(),",
        "Ok(Frame::Iba(packet)) => packet.payload.len() <= 4096,",
        "port::mtu::model::requests_of_a_connection_with_more_than_the_active_mtu_are_discarded"),
    // A packet for another LID counts as an error.
    bug("CF457", "wire/check/native.rs",
        "match first_fault(before_address, |check| check(&native)) {",
        "let _ = before_address;\n        match first_fault(&LINK, |check| check(&native)) {",
        "port::counters::model::cf457_errors_of_the_link_count_and_others_do_not"),
    // A packet that ended as bad counts as an error.
    bug("CF459", "hca/port_counters.rs",
        "AtLink::EndedBad => vec![(PortCounter::RcvRemotePhysicalErrors, 1)],",
        "AtLink::EndedBad => vec![(PortCounter::RcvErrors, 1)],",
        "port::counters::model::cf459_a_packet_that_ends_as_bad_counts_apart"),
    // Bytes are counted in place of words.
    bug("CF465", "hca/port_counters.rs",
        "(packet.len() / 4) as u32",
        "packet.len() as u32",
        "port::counters::model::cf465_words_of_datagrams_are_counted"),
    // A full counter begins anew.
    bug("CF466", "hca/port_counters.rs",
        "count.saturating_add(number).min(full(counter))",
        "count.wrapping_add(number) & full(counter)",
        "port::counters::model::cf466_counts_stay_at_their_largest_value"),
    // A multicast packet that leaves counts as unicast.
    bug("CF485", "extended_counters.rs",
        "true => self.multicast_xmit_packets += 1,",
        "true => self.unicast_xmit_packets += 1,",
        "mad::performance::model::cf485_extended_counters_tell_unicast_from_multicast"),
    // The permissive LID counts as that of a group.
    bug("CF466", "wire/check/native.rs",
        "is_multicast: multicast::LIDS.contains(&native.lrh.dlid),",
        "is_multicast: native.lrh.dlid >= 0xC000,",
        "port::counters::model::cf466_counts_of_64_bits_go_on"),
    // The last block of a packet is free.
    bug("CF277", "decision/credits.rs",
        "(4 * words + VCRC_BYTES).div_ceil(BLOCK)",
        "((4 * words + VCRC_BYTES) / BLOCK)",
        "port::credits::model::cf277_a_packet_waits_for_credits_for_all_of_it"),
    // A restarted neighbour changes nothing.
    bug("CF436", "decision/link_packet.rs",
        "None if initialises && facts.state == PortState::Active",
        "None if initialises && facts.state == PortState::Down",
        "port::credits::model::cf436_an_initialising_neighbour_restarts_an_active_port"),
    // An Armed port takes no credits of a neighbour in Init.
    bug("CF436", "decision/link_packet.rs",
        "None if initialises && facts.state == PortState::Active",
        "None if initialises && facts.state != PortState::Init",
        "port::credits::model::cf436_in_armed_it_does_not"),
    // What waits for credits when the port goes down does not count.
    bug("CF437", "hca/flow_control.rs",
        "        if gives_up {\n            self.discard();\n        }\n",
        "",
        "port::credits::model::cf437_what_waits_for_credits_is_discarded_when_the_port_goes_down"),
    // Half of the LPCRC is not looked at.
    bug("CF440", "wire/flow_control.rs",
        "if received != computed {",
        "if received[0] != computed[0] {",
        "port::credits::model::cf440_a_wrong_bit_is_an_error_and_changes_no_credits"),
    // Every Op is taken.
    bug("CF441", "wire/flow_control.rs",
        "None => Err(Defect::Op(packet.op)),",
        "None => Ok(packet),",
        "port::credits::model::cf441_another_op_is_an_error_and_changes_no_credits"),
    // A VL that is not operational is an error in Init, too.
    bug("CF442", "decision/link_packet.rs",
        "f.is_not_operational() && f.state != PortState::Init",
        "f.is_not_operational() && f.state != PortState::Down",
        "port::credits::model::cf442_a_vl_without_flow_control"),
    // A port in Init does not say so.
    bug("CF443", "hca/flow_control.rs",
        "PortState::Init => Op::Initialise,",
        "PortState::Init => Op::Normal,",
        "port::credits::model::cf443_op_is_1_in_init_alone"),
    // Before the first flow-control packet data may leave.
    bug("CF444", "decision/credits.rs",
        "limit.is_some_and(|limit|",
        "limit.is_none_or(|limit|",
        "port::credits::model::cf444_no_data_before_the_first_flow_control_packet"),
    // FCTBS counts packets.
    bug("CF445", "hca/flow_control.rs",
        "lane.sent = further(lane.sent, blocks);",
        "lane.sent = further(lane.sent, 1);",
        "port::credits::model::cf445_fctbs_counts_the_blocks_that_left"),
    // FCCL is what is free.
    bug("CF446", "decision/credits.rs",
        "further(received, free.min(MOST_PROMISED))",
        "further(0 * received, free.min(MOST_PROMISED))",
        "port::credits::model::cf446_fccl_is_what_came_and_what_is_free"),
    // A lost packet's credits stay lost.
    bug("CF447", "hca/flow_control.rs",
        "        lane.receive(packet.fctbs, next);\n",
        "        let _ = (packet.fctbs, next);\n",
        "port::credits::model::cf447_a_lost_packet_costs_no_credits"),
    // The largest promise is not used.
    bug("CF448", "decision/credits.rs",
        "% MODULO <= MOST_PROMISED)",
        "% MODULO < MOST_PROMISED)",
        "port::credits::model::cf448_the_table_of_starts"),
    // What came is not counted.
    bug("CF453", "hca/flow_control.rs",
        "lane.receive(further(lane.received, blocks), number);",
        "let _ = (further(lane.received, blocks), number);",
        "port::credits::model::cf453_what_is_dropped_gives_its_credits_back"),
    // A full buffer of VL 15 counts for the data VLs.
    bug("CF283", "hca/port_counters.rs",
        "            Traffic::Management => self.count(PortCounter::Vl15Dropped),\n            _ => {",
        "            _ => {",
        "port::overrun::management::model::cf283_an_smp_without_room_is_dropped_and_counted"),
    // A buffer takes packets for which it has no room.
    bug("CF452", "hca/room.rs",
        "self.is_flow_controlled() && taken > u32::from(buffer)",
        "self.is_flow_controlled() && taken > u32::MAX - u32::from(buffer)",
        "port::overrun::model::cf452_a_data_packet_without_room_is_dropped_and_counted"),
    // A source waits one packet time too few.
    bug("CF460", "decision/static_rate.rs",
        "u64::from(port) * u64::from(ipd + 1)",
        "u64::from(port) * u64::from(ipd)",
        "port::pace::model::cf460_requests_wait_for_their_queue_pair"),
    // Answers have no rate.
    bug("CF460", "hca/pace.rs",
        "_ => (Holder::QueuePair(qpn), qp.attributes.static_rate),",
        "_ => (Holder::QueuePair(qpn), 0),",
        "port::pace::model::cf460_responses_and_acks_wait_for_their_queue_pair"),
    // Each queue pair has the rate of the handle for itself.
    bug("CF460", "hca/pace.rs",
        "Some((Holder::Handle(handle), ",
        "Some((Holder::QueuePair(qp.attributes.qpn), ",
        "port::pace::model::cf460_queue_pairs_with_one_address_handle_wait_for_it"),
    // Every packet has the first GID.
    bug("CF267", "port.rs",
        "        if index == 0 {\n            return self.gid;",
        "        if index < 4 {\n            return self.gid;",
        "port::gids::model::cf267_requests_have_the_gid_of_their_index"),
    // A GID has the prefix of nobody.
    bug("CF267", "port.rs",
        "(prefix | u128::from(*guid)).to_be_bytes()",
        "u128::from(*guid).to_be_bytes()",
        "port::gids::model::cf267_datagrams_have_the_gid_of_their_handles_index"),
    // An empty entry takes packets.
    bug("CF267", "port.rs",
        "(0..self.gid_entries()).any(|index| is_filled(index) && self",
        "(0..self.gid_entries()).any(|index| (is_filled(index) || true) && self",
        "port::gids::model::packets_to_an_empty_entry_are_dropped"),
    // Any index is legal.
    bug("CF267", "hca/qp_verb.rs",
        "0..=u64::from(port.gid_entries()) - 1,",
        "0..=255,",
        "port::gids::model::an_index_beyond_the_table_is_refused"),
    // The high table knows no limit.
    bug("CF268", "decision/arbitration.rs",
        "turns.high_left > 0 {",
        "turns.high_left < u16::MAX {",
        "port::arbitration::model::cf268_the_high_table_goes_first_within_its_limit"),
    // An entry of weight 0 sends a packet.
    bug("CF269", "decision/arbitration.rs",
        "used < u16::from(weight);",
        "used < u16::from(weight.max(1));",
        "port::arbitration::model::cf269_entries_of_weight_0_are_skipped"),
    // Weights count packets.
    bug("CF270", "decision/arbitration.rs",
        "let used = used + blocks;",
        "let used = used + blocks.min(1);",
        "port::arbitration::model::cf270_shares_follow_the_weights"),
    // An entry inherits what the one before has used.
    bug("CF270", "decision/arbitration.rs",
        "let used = if further == 0 { turn.used } else { 0 };",
        "let used = if further < ENTRIES { turn.used } else { 0 };",
        "port::arbitration::model::cf270_a_vl_has_the_weights_of_all_its_entries"),
    // Limit 0 lets no high packet go.
    bug("CF279", "decision/arbitration.rs",
        "        0 => 1,\n",
        "        0 => 0,\n",
        "port::arbitration::model::cf279_with_limit_0_the_low_table_follows_each_high_packet"),
    // A high table without a packet keeps the link.
    bug("CF281", "decision/arbitration.rs",
        "true => high().or_else(low),",
        "true => high(),",
        "port::arbitration::model::cf281_a_table_with_nothing_eligible_yields"),
    // An SMP waits for data.
    bug("CF282", "hca/turns.rs",
        "first.or_else(|| self.next_by_tables(waiting))",
        "self.next_by_tables(waiting).or(first)",
        "port::precedence::model::cf282_an_smp_goes_before_waiting_data_and_flow_control"),
    // A packet without credits keeps those of other VLs waiting.
    bug("CF449", "hca/turns.rs",
        "self.may_start(bytes).then_some(blocks);",
        "(place == 0 && self.may_start(bytes)).then_some(blocks);",
        "port::precedence::model::cf449_without_credits_on_one_vl_the_others_and_smps_leave"),
    // A request may be dropped however few answers wait.
    bug("CF549", "decision/responder/check.rs",
        "request.answers_waiting >= limit", "limit > 0",
        "permitted::cf549_a_request_that_finds_no_room_for_its_answer_may_be_dropped"),
    // What waits on a VL that is taken out of use stays.
    bug("CF455", "hca/flow_control.rs",
        "let gives_up = waits_in_vain || self.is_on_idle_vl(bytes);",
        "let gives_up = waits_in_vain;",
        "port::precedence::model::cf455_what_waits_on_a_vl_that_is_taken_out_of_use_is_discarded"),
    // A new limit counts once the former is used up.
    bug("CF476", "hca/turns.rs",
        "        self.turns = Turns::begin(arbitration);\n",
        "",
        "mad::arbitration::model::cf476_the_high_limit_acts_on_the_packets_that_wait"),
];
