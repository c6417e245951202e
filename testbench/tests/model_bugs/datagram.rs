//! Bugs of datagrams, address handles, QP1 and multicast, by row of `conformance.csv`.
use crate::bug::{bug, Bug};

#[rustfmt::skip]
pub const BUGS: [Bug; 55] = [
    // A UD request sends the Q_Key of its WQE, whatever its bit 31 says.
    bug("CF219", "decision/ud/requester.rs",
        "        _ => of_qp,\n",
        "        _ => of_wqe,\n",
        "ud::requester::model::cf219_bit_31_of_the_q_key_stands_for_the_key_of_the_queue_pair"),
    // A UD message of exactly the MTU is discarded.
    bug("CF319", "decision/ud/requester.rs",
        "(w.length > w.active_mtu as u64)",
        "(w.length >= w.active_mtu as u64)",
        "ud::requester::model::cf225_cf319_a_message_longer_than_the_mtu_is_discarded_with_success"),
    // A UD message that is too long ends in error.
    bug("CF225", "decision/ud/requester.rs",
        ".then_some(Outcome::Discarded)",
        ".then_some(IMPOSSIBLE)",
        "ud::requester::model::cf225_nothing_of_a_message_that_is_too_long_is_read"),
    // A UD message that is too long does not count.
    bug("CF319", "hca/datagram.rs",
        "if port.config.link == Link::InfiniBand {\n            port.discard();",
        "if port.config.link == Link::Roce {\n            port.discard();",
        "ud::requester::model::cf225_cf319_a_message_longer_than_the_mtu_is_discarded_with_success"),
    // A code that names no MTU stands for the largest one.
    bug("CF319", "hca/port.rs",
        "Pmtu::of_code(code).unwrap_or(self.config.mtu)",
        "Pmtu::of_code(code).unwrap_or(Pmtu::B4096)",
        "port::mtu::model::cf319_a_code_that_is_none_changes_nothing"),
    // The active MTU is that of the largest packet, whatever a manager says.
    bug("CF476", "hca/datagram.rs",
        "self.port(port).config.mtu.bytes()",
        "self.port(port).config.mtu.bytes().max(4096)",
        "mad::port_info::of_a_lid::model::cf476_the_mtu_acts_on_the_next_packets"),
    // The longest datagram over Ethernet is as long as a frame lets it be.
    bug("CF319", "wire/check/transport.rs",
        "Class::Ud => self.datagram_bytes,",
        "Class::Ud => self.datagram_bytes + 48,",
        "ud::roce::v4::model::the_longest_frame_that_arrives_follows_from_the_active_mtu"),
    // An address handle serves any protection domain.
    bug("CF315", "decision/ud/requester.rs",
        "handle.pd == w.pd && handle.port == w.port",
        "handle.port == w.port",
        "ud::handles::model::cf315_a_handle_of_another_protection_domain"),
    // A WQE that names no address handle goes on.
    bug("CF314", "decision/ud/requester.rs",
        "(!w.handle.is_some_and(usable))",
        "(!w.handle.is_none_or(usable))",
        "ud::handles::model::cf314_a_destroyed_handle_is_none"),
    // UD carries out every operation.
    bug("CF320", "verbs.rs",
        "Service::Ud => matches!(",
        "Service::Ud => true || matches!(",
        "ud::requester::model::cf320_operations_that_datagrams_have_not_end_in_sqe"),
    // The UDP source port has the low bits of the flow label alone.
    bug("CF318", "decision/ud/requester.rs",
        "((flow_label & 0x3FFF) ^ (flow_label >> 14))",
        "(flow_label & 0x3FFF)",
        "ud::roce::v4::model::cf318_the_udp_source_port_follows_from_the_flow_label"),
    // The path bits are not masked by the LMC.
    bug("CF316", "hca/transmit.rs",
        "u16::from(handle.source_path_bits) & port.path_bits()",
        "u16::from(handle.source_path_bits)",
        "ud::routes::model::cf316_one_lid_has_no_path_bits"),
    // A UD packet has SL 0.
    bug("CF317", "hca/transmit.rs",
        "sl: handle.sl,",
        "sl: 0,",
        "ud::routes::model::cf317_the_route_is_that_of_the_handle"),
    // A UD message takes two PSNs.
    bug("CF321", "decision/ud/requester.rs",
        "let next = plan.position + 1;",
        "let next = plan.position + 2;",
        "ud::requester::model::cf321_one_psn_for_each_message"),
    // The keys of a UD message are not looked at.
    bug("CF323", "decision/ud/requester.rs",
        "w.fault_of_sges?;",
        "w.fault_of_sges.filter(|_| w.length == 0)?;",
        "ud::requester::model::cf323_a_key_that_fails_ends_in_sqe"),
    // 31 bits of the Q_Key are compared.
    bug("CF335", "decision/ud/responder.rs",
        "deth.q_key == d.qp.q_key)",
        "(deth.q_key ^ d.qp.q_key) << 1 == 0)",
        "ud::responder::model::cf218_cf335_a_wrong_q_key_is_dropped"),
    // The Q_Key is looked at before the P_Key.
    bug("CF336", "decision/ud/responder.rs",
        "P_KEY, Q_KEY,",
        "Q_KEY, P_KEY,",
        "ud::responder::model::cf336_a_wrong_p_key_is_dropped_before_the_q_key"),
    // A datagram may come from the permissive LID.
    bug("CF340", "decision/ud/responder.rs",
        "lrh.slid != PERMISSIVE_LID",
        "lrh.slid != 0",
        "ud::responder::model::cf340_the_permissive_lid_is_no_source"),
    // A receive WQE takes a byte more than it has.
    bug("CF333", "decision/ud/responder.rs",
        "bytes <= wqe.room)",
        "bytes <= wqe.room + 1)",
        "ud::placement::model::cf223_cf333_a_buffer_that_is_too_small_takes_the_next"),
    // The byte count of a datagram is that of its payload.
    bug("CF222", "hca/datagram.rs",
        "byte_count: (AREA_BYTES + packet.payload.len()) as u32,",
        "byte_count: packet.payload.len() as u32,",
        "ud::placement::model::cf220_cf222_cf327_without_grh_the_first_bytes_stay"),
    // Without GRH the first bytes become 0.
    bug("CF220", "hca/arrival.rs",
        "Route::Local(_) => return None,",
        "Route::Local(_) => return Some([0; AREA_BYTES]),",
        "ud::placement::model::cf220_cf222_cf327_without_grh_the_first_bytes_stay"),
    // The keys of bytes that are skipped are looked at.
    bug("CF327", "hca/datagram.rs",
        "Route::Local(_) => true,",
        "Route::Local(_) => permits(0, AREA_BYTES),",
        "ud::placement::model::cf327_bytes_that_are_skipped_need_no_key"),
    // The IPv4 header stands before the zeros.
    bug("CF330", "hca/arrival.rs",
        "area.get_mut(AREA_BYTES.checked_sub(header)?..)?",
        "area.get_mut(..header)?",
        "ud::roce::v4::model::cf330_cf331_an_ipv4_header_is_placed_behind_zeros"),
    // A bad key of a UD receive WQE leaves the QP as it is.
    bug("CF332", "hca/datagram.rs",
        "&[error, Action::Fail]",
        "&[error]",
        "ud::placement::model::cf332_a_bad_key_of_the_payload_ends_the_queue_pair"),
    // A datagram without a receive WQE is executed.
    bug("CF334", "decision/ud/responder.rs",
        "passes: |d| d.receive_wqe.is_some(),",
        "passes: |_| true,",
        "ud::responder::model::cf334_without_a_receive_wqe_it_is_dropped"),
    // The completion names the lowest path bit alone.
    bug("CF342", "hca/datagram.rs",
        "false => (lrh.dlid & port.path_bits()) as u8,",
        "false => (lrh.dlid & 1) as u8,",
        "ud::routes::lmc_3::model::cf342_the_completion_names_the_lid_by_which_it_came"),
    // A UD QP takes packets of connections for datagrams.
    bug("CF343", "decision/ud/responder.rs",
        "Transport::of(d.packet.bth.opcode) == Transport::Ud",
        "Transport::of(d.packet.bth.opcode) != Transport::Vendor",
        "ud::responder::model::cf003_cf042_cf343_other_opcodes_are_dropped"),
    // A UD QP needs no Q_Key for Init.
    bug("CF324", "decision/transition.rs",
        "transition(Reset, Init, enum_set!(PKeyIndex | Port | QKey), NONE)",
        "transition(Reset, Init, enum_set!(PKeyIndex | Port), enum_set!(QKey))",
        "ud::states::model::cf324_each_transition_requires_its_attributes_and_no_others"),
    // A Q_Key that modify_qp sets is not compared.
    bug("CF325", "modification.rs",
        "        set(&mut a.q_key, self.q_key);\n",
        "        set(&mut a.q_key, None);\n",
        "ud::states::model::cf325_a_q_key_that_is_set_counts_at_once"),
    // QP0 sends on the VL of data, and with the GRH of its address handle.
    bug("CF416", "hca/transmit.rs",
        "QP0 => route_of_smp(port, handle),",
        "QP0 => route_of_handle(port, handle),",
        "ud::qp0::requester::of_four_lids::model::cf416_an_smp_leaves_on_vl_15_without_grh"),
    // A port without LID sends SLID 0.
    bug("CF417", "hca/transmit.rs",
        "let unset = port.lid == 0 || handle.dlid == PERMISSIVE_LID;",
        "let unset = handle.dlid == PERMISSIVE_LID;",
        "ud::qp0::requester::of_no_lid::model::cf417_without_lid_the_slid_is_ffff"),
    // QP0 takes packets of VL 0.
    bug("CF420", "wire/check/management.rs",
        "(is_on_vl15 != (dest_qp == QP0))",
        "(is_on_vl15 && dest_qp != QP0)",
        "ud::qp0::responder::of_four_lids::model::cf420_smps_and_vl_15_belong_together"),
    // From SLID FFFFh come SMPs of every class.
    bug("CF421", "wire/check/management.rs",
        "[lrh.slid, lrh.dlid].contains(&PERMISSIVE_LID)",
        "lrh.dlid == PERMISSIVE_LID",
        "ud::qp0::responder::of_four_lids::model::cf421_the_permissive_lid_needs_a_directed_route"),
    // QP0 checks P_Key and Q_Key.
    bug("CF422", "decision/ud/responder.rs",
        "QP0 => &OF_QP0[..],",
        "QP0 => &OF_QP1[..],",
        "ud::qp0::responder::of_four_lids::model::cf422_every_p_key_and_q_key_arrives"),
    // An SMP that is longer than its WQE is not counted.
    bug("CF423", "hca/port_counters.rs",
        "DropReason::NoReceiveWqe | DropReason::BufferTooSmall if is_smp",
        "DropReason::NoReceiveWqe if is_smp",
        "ud::qp0::responder::of_four_lids::model::cf423_without_a_receive_wqe_it_is_dropped_and_counted"),
    // QP1 takes the Q_Key of its attribute.
    bug("CF228", "decision/ud/responder.rs",
        "deth.q_key == MANAGEMENT_KEY)",
        "deth.q_key == d.qp.q_key)",
        "ud::qp1::native::model::cf228_the_q_key_is_that_of_general_services"),
    // QP1 takes shorter messages.
    bug("CF424", "decision/ud/responder.rs",
        "d.packet.payload.len() == MESSAGE_BYTES",
        "d.packet.payload.len() <= MESSAGE_BYTES",
        "ud::qp1::native::model::cf424_other_lengths_are_dropped"),
    // QP1 sends shorter messages.
    bug("CF418", "decision/ud/requester.rs",
        "w.length != MESSAGE_BYTES as u64",
        "w.length > MESSAGE_BYTES as u64",
        "ud::qp1::native::model::cf418_a_message_that_is_not_of_256_bytes_ends_in_sqe"),
    // QP1 sends the P_Key of its attribute.
    bug("CF419", "hca/transmit.rs",
        "QP0 | QP1 => datagram.p_key_index,",
        "QP0 => datagram.p_key_index,",
        "ud::qp1::native::model::cf419_the_request_names_the_p_key"),
    // An address handle may have DLID 0000h.
    bug("CF310", "decision/address.rs",
        "a.dlid != 0 && (!multicast",
        "(!multicast",
        "ud::handles::model::cf310_attributes_that_no_packet_can_have"),
    // An address handle may be created twice.
    bug("CF311", "hca/handles.rs",
        "if self.handles.contains_key(&handle) {",
        "if self.handles.contains_key(&handle) && handle > 1 << 20 {",
        "ud::handles::model::cf311_handles_that_are_taken_or_cannot_be"),
    // A modification moves an address handle to another protection domain.
    bug("CF312", "hca/handles.rs",
        "let pd = self.query_ah(handle)?.pd;",
        "self.query_ah(handle)?;\n        let pd = attributes.pd;",
        "ud::handles::model::cf312_a_query_answers_what_was_set"),
    // A detach leaves the member where it is.
    bug("CF348", "hca/groups.rs",
        "        group.members.remove(&qpn);\n",
        "",
        "ud::multicast::attach::model::cf348_attaching_twice_makes_one_copy"),
    // A member of a group may be destroyed.
    bug("CF350", "hca/qp_verb.rs",
        "if self.is_attached(qpn) {",
        "if self.is_attached(qpn) && from == QpState::Init {",
        "ud::multicast::attach::model::cf350_a_member_cannot_be_destroyed"),
    // A group is known by its GID alone.
    bug("CF353", "hca/multicast.rs",
        "group.mlid == mlid",
        "group.mlid == mlid || mlid > 0",
        "ud::multicast::address::model::cf353_a_group_is_known_by_both_its_addresses"),
    // Any DestQP reaches a group.
    bug("CF355", "decision/ud/multicast.rs",
        "m.packet.bth.dest_qp == DEST_QP && has_group_address",
        "has_group_address",
        "ud::multicast::address::model::cf354_cf355_half_an_address_is_none"),
    // A group's LID has path bits.
    bug("CF356", "hca/datagram.rs",
        "true => 0,",
        "true => (lrh.dlid & port.path_bits()) as u8,",
        "ud::multicast::copies::model::cf351_cf356_every_member_gets_the_whole"),
    // The sender gets a copy of its own multicast packet.
    bug("CF357", "hca/multicast.rs",
        "        members.remove(&sender);\n",
        "        members.insert(sender);\n",
        "ud::multicast::loopback::model::cf229_cf357_the_other_members_get_one_copy_of_what_is_sent"),
    // A multicast packet of the port itself is taken.
    bug("CF358", "decision/ud/multicast.rs",
        "m.own || !is_from(m.port, m.packet)",
        "m.own || !is_from(m.port, m.packet) || m.known",
        "ud::multicast::loopback::model::cf358_the_packet_of_the_port_itself_is_dropped"),
    // The port makes no copies of its own multicast packets.
    bug("CF229", "hca/outbound.rs",
        "if is_datagram && answers && self.port_sends(port, qpn, &bytes) {",
        "if is_datagram && !answers {",
        "ud::multicast::loopback::model::cf229_cf357_the_other_members_get_one_copy_of_what_is_sent"),
    // A packet to QP1 may come from the permissive LID.
    bug("CF426", "decision/admission.rs",
        "packet.bth.dest_qp == partition::QP1 && permissive",
        "packet.bth.dest_qp > partition::QP1 << 24 && permissive",
        "ud::qp1::native::model::cf426_the_permissive_lid_is_dropped"),
    // A RoCEv2 port takes the MAC address of every group.
    bug("CF361", "decision/ud/multicast.rs",
        "passes: |m| m.mapped || !has_group_address(m.packet),",
        "passes: |m| m.mapped || m.port.lid < 0xFFFF,",
        "ud::multicast::roce::model::cf361_a_group_of_ipv4_is_known_by_its_address"),
    // A packet of the port itself is copied whatever its MAC address is.
    bug("CF357, MAC", "hca/multicast.rs",
        "if members.is_empty() || !self.is_mapped(port, &packet) {",
        "if members.is_empty() {",
        "ud::multicast::roce::model::cf357_cf358_over_roce"),
    // A datagram for a QP that has just failed is judged as before the failure.
    bug("CF343", "hca/datagram.rs",
        "Some(QueueSide::Receive) => vec![judged(QpState::Error)]",
        "Some(QueueSide::Receive) => vec![judged(qp.state)]",
        "ud::responder::model::cf042_cf343_the_opcode_counts_before_the_state"),
    // A counter of violations goes on from 0.
    bug("CF337", "hca/port_counters.rs",
        "*count = count.saturating_add(number).min(full(counter));",
        "*count = count.wrapping_add(number) & full(counter);",
        "ud::responder::model::cf337_counts_of_violations_stay_at_ffff"),
];
