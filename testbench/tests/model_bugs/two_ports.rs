//! Bugs of a model with two ports.
use crate::bug::{bug, Bug};

#[rustfmt::skip]
pub const BUGS: [Bug; 16] = [
    // A connection takes what comes to either port.
    bug("CF048", "decision/admission.rs",
        "fails: |port, qp, _, _| port.number != qp.port,",
        "fails: |_, _, _, _| false,",
        "two_ports::arrival::model::cf048_a_request_at_the_other_port_is_dropped"),
    // It drops what comes to the other port only if the P_Key matches.
    bug("CF048", "decision/admission.rs",
        "fails: |port, qp, _, _| port.number != qp.port,",
        "fails: |port, qp, _, packet| port.number != qp.port && partition::admits(port, qp, &packet.bth),",
        "two_ports::arrival::model::cf048_the_other_port_violates_no_p_key"),
    // A datagram comes through at a port with a lower number than the QP's.
    bug("CF339", "decision/ud/responder.rs",
        "passes: |d| d.port.number == d.qp.port,",
        "passes: |d| d.port.number <= d.qp.port,",
        "two_ports::arrival::model::cf339_a_datagram_at_the_other_port_is_dropped"),
    // The port comes before the state.
    bug("CF339", "decision/ud/responder.rs",
        "CLASS, STATE, SLID, SOURCE, P_KEY,",
        "CLASS, SOURCE, STATE, SLID, P_KEY,",
        "two_ports::arrival::model::cf339_steps_before_the_port_come_first"),
    // QP0 and QP1 of port 1 take what comes to port 2.
    bug("CF427", "decision/special_qps.rs",
        "Some(EACH * u32::from(port - 1) + dest_qp)",
        "Some(EACH * u32::from(port / 3) + dest_qp)",
        "two_ports::management::model::cf427_an_smp_reaches_qp0_of_its_port"),
    // DestQP 2 and 3 name those of port 2.
    bug("CF427", "decision/special_qps.rs",
        "_ if is_special(ports, dest_qp) => None,",
        "_ if dest_qp < u32::from(ports) => None,",
        "two_ports::management::model::cf427_dest_qp_2_and_3_name_no_queue_pair"),
    // Packets carry the QPN of the verbs.
    bug("CF427", "decision/special_qps.rs",
        "true => qpn % EACH,",
        "true => qpn,",
        "two_ports::management::model::cf427_in_packets_they_are_0_and_1"),
    // The completion names port 1.
    bug("CF427", "hca/datagram.rs",
        "port: port.number,\n                qpn,",
        "port: 1,\n                qpn,",
        "two_ports::management::model::cf427_an_smp_reaches_qp0_of_its_port"),
    // Datagrams and requests leave by port 1.
    bug("CF462", "hca/outbound.rs",
        "(qp.attributes.service == Service::Ud, qp.send_attributes.port);",
        "(qp.attributes.service == Service::Ud, 1);",
        "two_ports::independent::model::cf462_both_ports_send_and_receive_at_once"),
    // Port 1 counts what comes to port 2.
    bug("CF462", "hca/inbound.rs",
        "let port = &mut self.ports[usize::from(arrival.port()) - 1];",
        "let port = &mut self.ports[0];",
        "two_ports::independent::model::cf462_counters_are_of_one_port"),
    // The event of port 2 is that of port 1.
    bug("CF462", "hca/port_state.rs",
        "        let port = self.number();\n",
        "        let port = 1;\n",
        "two_ports::independent::model::cf462_a_port_that_is_down_leaves_the_other_alone"),
    // A packet that port 2 may not send counts at port 1.
    bug("CF462", "hca/port_state.rs",
        "        let port = self.port_mut(port);\n        match port.sends_on(",
        "        let port = self.port_mut(1);\n        match port.sends_on(",
        "two_ports::independent::model::cf462_a_port_that_is_down_leaves_the_other_alone"),
    // A group is of both ports.
    bug("CF462", "hca/multicast.rs",
        "self.groups.get(&(port, mgid)).filter(|group| group.mlid == mlid)",
        "self.groups.get(&(1, mgid)).or(self.groups.get(&(port, mgid))).filter(|group| group.mlid == mlid)",
        "two_ports::groups::model::cf462_a_group_of_one_port_is_unknown_at_the_other"),
    // The tables of port 1 are those of all requests.
    bug("CF463", "hca/outbound.rs",
        "let port = &self.port(qp.send_attributes.port).config;",
        "let port = &self.port(1).config;",
        "two_ports::tables::model::cf463_a_request_has_the_p_key_of_its_port"),
    // The completion of a packet for QP1 of port 2 carries the index of its P_Key in port 1's table.
    bug("CF463", "hca/datagram.rs",
        "                    p_key_index: partition::completed_index(&port, &packet.bth),\n",
        "                    p_key_index: partition::completed_index(&self.port(1).config, &packet.bth),\n",
        "two_ports::tables::model::cf463_qp1_names_the_entry_of_its_port"),
    // Requests of both ports have the GIDs of port 1.
    bug("CF463", "hca/outbound.rs",
        "let port = &self.port(qp.send_attributes.port).config;",
        "let own = &self.port(qp.send_attributes.port).config;\n        let port = &crate::port::PortConfig { gid: self.port(1).config.gid, guids: self.port(1).config.guids, ..*own };",
        "two_ports::tables::model::cf463_a_datagram_has_the_gid_of_its_handles_port"),
];
