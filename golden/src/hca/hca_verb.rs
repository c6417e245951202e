//! The verb Query HCA.
use super::cq_verb::MAX_CQ_ENTRIES;
use super::Hca;
use crate::decision::transition::MAX_RD_ATOMIC;
use crate::port::FIRST;
use crate::verbs::{HcaAttributes, Service};
use crate::work_queue::CAPACITY;

impl Hca {
    /// Returns what the device can do (CF538).
    pub fn query_hca(&self) -> HcaAttributes {
        let capabilities = self.capabilities;
        HcaAttributes {
            services: vec![Service::Rc, Service::Uc, Service::Ud],
            cq_resize: true,
            end_to_end_credits: true,
            memory_windows: false,
            ports: capabilities.ports,
            queue_pairs: capabilities.max_qps,
            completion_queues: capabilities.max_cqs,
            memory_regions: capabilities.region_bits.map(|bits| 1 << bits),
            address_handles: capabilities.max_handles,
            multicast_groups: capabilities.max_groups,
            group_members: capabilities.max_members,
            gids: self.port(FIRST).config.gid_entries(),
            max_entries: [
                MAX_CQ_ENTRIES,
                capabilities.max_send_entries as u32,
                CAPACITY as u32,
            ],
            max_rd_atomic: MAX_RD_ATOMIC,
            max_sges: capabilities.max_sges,
            max_inline: capabilities.max_inline,
        }
    }
}
