//! Bugs of the model's violation latch.
use crate::bug::{bug, Bug};

#[rustfmt::skip]
pub const BUGS: [Bug; 10] = [
    // The last violation stays in place of the first.
    bug("CF482", "hca/violation_latch.rs",
        "if !self.held.is_empty() && !self.may_be_free {\n            return;\n        }\n",
        "self.held.clear();\n",
        "mad::violations::latch::model::cf482_the_first_violation_stays_until_it_is_released"),
    // A release keeps what was held.
    bug("CF482", "hca/violation_latch.rs",
        "        self.held.clear();\n        self.may_be_free",
        "        self.may_be_free",
        "mad::violations::latch::model::cf482_the_first_violation_stays_until_it_is_released"),
    // Nobody is told.
    bug("CF482", "hca/violation_latch.rs",
        "            self.event_due = true;\n",
        "",
        "mad::violations::managed::model::cf482_trap_257_tells_of_a_bad_p_key"),
    // A wrong Q_Key shows as a P_Key.
    bug("CF482", "hca/violation_latch.rs",
        "DropReason::QKey => WrongKey::QKey(packet.deth()?.q_key),",
        "DropReason::QKey => WrongKey::PKey(packet.bth.p_key),",
        "mad::violations::managed::model::cf482_trap_258_tells_of_a_bad_q_key"),
    // LIDs change places.
    bug("CF482", "hca/violation_latch.rs",
        "slid: lrh.slid,\n        dlid: lrh.dlid,",
        "slid: lrh.dlid,\n        dlid: lrh.slid,",
        "mad::violations::managed::model::cf482_trap_257_tells_of_a_bad_p_key"),
    // GIDs change places.
    bug("CF482", "hca/violation_latch.rs",
        "sgid: grh.map_or([0; 16], |grh| grh.sgid),",
        "sgid: grh.map_or([0; 16], |grh| grh.dgid),",
        "mad::violations::managed::model::cf482_trap_258_tells_of_a_bad_q_key"),
    // The SL is lost.
    bug("CF482", "hca/violation_latch.rs",
        "sl: lrh.sl,",
        "sl: lrh.vl,",
        "mad::violations::latch::model::cf482_a_connection_names_no_sender"),
    // A packet of a connection names a sender.
    bug("CF482", "hca/violation_latch.rs",
        "source_qpn: packet.deth().map_or(0, |deth| deth.src_qp),",
        "source_qpn: packet.deth().map_or(packet.bth.dest_qp, |deth| deth.src_qp),",
        "mad::violations::latch::model::cf482_a_connection_names_no_sender"),
    // A copy names the group.
    bug("CF482", "hca/violation_latch.rs",
        "dest_qpn: member.unwrap_or(packet.bth.dest_qp),",
        "dest_qpn: member.map_or(packet.bth.dest_qp, |_| packet.bth.dest_qp),",
        "mad::violations::latch::model::cf482_a_copy_names_the_member"),
    // The event is one of port 1.
    bug("CF482", "hca/host_event.rs",
        "HostEvent::Violation { port: port.number() }",
        "HostEvent::Violation { port: port.number().min(1) }",
        "two_ports::violations::model::cf482_each_port_latches_its_own"),
];
