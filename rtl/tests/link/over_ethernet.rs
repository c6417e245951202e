//! An adapter over Ethernet has no block of the link layer, and pays nothing for it.
use hca_host::profile::{Link, Profile, SMALL};
use std::collections::BTreeSet;

/// Blocks of a native port: its states, counters, VLs, link packets, buffers, static rates, SMPs and violations.
const NATIVE: [&str; 15] = [
    "physical_link", "port_state", "port_counters", "wide_counters", "vl_registers", "vl_arbiter",
    "vl_queue", "lane_store", "lane_room", "link_insert", "flow_control_send", "receive_buffer", "rate_pace",
    "management_check", "violation_latch",
];

fn modules(profile: &Profile) -> BTreeSet<String> {
    let design = hca_rtl::export::hca(profile).unwrap();
    design.modules.into_iter().map(|module| module.name).collect()
}

#[test]
fn none_of_the_link_layer_is_there() {
    let (native, roce) = (modules(&SMALL), modules(&SMALL.over(Link::Roce)));
    for block in NATIVE {
        assert!(native.contains(block), "no {block} in a native adapter");
        assert!(!roce.contains(block), "{block} over Ethernet");
    }
}
