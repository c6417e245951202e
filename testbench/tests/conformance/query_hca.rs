//! CF538: what a device can do.
use crate::bench::{on_both, profile, Bench};
use hca_golden::verbs::{HcaAttributes, Service};
use hca_host::profile::Link;
use hca_testbench::device::{Outcome, Verb};

on_both!(cf538_capabilities_of_the_profile);

fn cf538_capabilities_of_the_profile(y: &mut Bench) {
    let Ok(Outcome::Hca(told)) = y.attempt(Verb::QueryHca) else {
        panic!("no answer");
    };
    let expected = HcaAttributes {
        services: vec![Service::Rc, Service::Uc, Service::Ud],
        cq_resize: true,
        end_to_end_credits: true,
        memory_windows: false,
        ports: profile().ports() as u8,
        queue_pairs: 1 << profile().qp_bits,
        completion_queues: 1 << profile().cq_bits,
        memory_regions: Some(1 << profile().region_bits),
        address_handles: 1 << profile().handle_bits,
        multicast_groups: 8,
        group_members: 16,
        gids: if profile().link == Link::Roce { 1 } else { 4 },
        max_entries: [32_768, 64, 32_768],
        max_rd_atomic: 16,
        max_sges: 16,
        max_inline: 256,
    };
    assert_eq!(*told, expected);
}
