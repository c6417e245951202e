//! The limits that an adapter reports: Query HCA.
use super::bus::Job;
use super::{Driver, Service, Ticket};
use hca_host::register::{self, CAPABILITIES, DATAGRAM_LIMITS, LIMITS, QUEUE_LIMITS, VERSION, WORK_LIMITS};

/// Registers that hold the answer to Query HCA.
const REGISTERS: [u32; 6] = [
    VERSION, LIMITS, QUEUE_LIMITS, WORK_LIMITS, CAPABILITIES, DATAGRAM_LIMITS,
];

/// A Query HCA that is under way: one call for each register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HcaQuery(pub [Ticket; HcaQuery::REGISTERS]);

impl HcaQuery {
    /// Number of registers.
    pub const REGISTERS: usize = REGISTERS.len();

    /// Returns the call that is carried out last.
    pub fn last(self) -> Ticket {
        self.0[REGISTERS.len() - 1]
    }
}

/// The answer to Query HCA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HcaLimits {
    /// Version of the host interface: major, minor.
    pub version: (u32, u32),
    /// Services that a queue pair may have. The driver makes no queue pairs of the two that follow.
    pub services: Vec<Service>,
    /// True if the adapter has Reliable Datagram.
    pub reliable_datagrams: bool,
    /// True if the adapter sends and receives raw packets.
    pub raw_packets: bool,
    /// True if a completion queue can be resized.
    pub cq_resize: bool,
    /// True if the adapter supplies and respects end-to-end credits.
    pub end_to_end_credits: bool,
    pub memory_windows: bool,
    /// True if the link is RoCEv2.
    pub roce: bool,
    pub ports: u32,
    /// Number of queue pairs, including QP0 and QP1.
    pub queue_pairs: u32,
    pub completion_queues: u32,
    pub memory_regions: u32,
    pub address_handles: u32,
    pub multicast_groups: u32,
    /// Largest number of members of a multicast group.
    pub group_members: u32,
    /// Number of entries of the port's GID table.
    pub gids: u32,
    /// Width of the packet streams in bytes.
    pub stream_bytes: u32,
    /// Largest number of entries of a completion queue, of a send queue and of a receive queue.
    pub max_cqe: u32,
    pub max_send_wr: u32,
    pub max_recv_wr: u32,
    /// Largest number of Reads and atomics of a queue pair under way, in each direction.
    pub max_rd_atomic: u32,
    /// Largest number of SGEs of a work request.
    pub max_sge: u32,
    /// Largest number of bytes of an inline message.
    pub max_inline: u32,
}

/// Returns a field of a register's value according to the register map; 0 if there is no field of that name.
fn part(offset: u32, field: &str, word: u32) -> u32 {
    let register = register::all().find(|register| register.offset == offset);
    let field = register.and_then(|register| register.fields.iter().find(|f| f.name == field));
    field.map_or(0, |field| field.of(word))
}

impl HcaLimits {
    /// Decodes the answer from the values of the registers, in the order of the calls of [`HcaQuery`].
    pub fn of(values: [u32; HcaQuery::REGISTERS]) -> HcaLimits {
        let [version, limits, queues, work, capabilities, datagrams] = values;
        let can = |field| part(CAPABILITIES, field, capabilities) != 0;
        let services = [("rc", Service::Rc), ("uc", Service::Uc), ("ud", Service::Ud)];
        HcaLimits {
            version: (part(VERSION, "major", version), part(VERSION, "minor", version)),
            services: services
                .into_iter()
                .filter(|(name, _)| can(name))
                .map(|(_, service)| service)
                .collect(),
            reliable_datagrams: can("rd"),
            raw_packets: can("raw"),
            cq_resize: can("resize_cq"),
            end_to_end_credits: can("credits"),
            memory_windows: can("windows"),
            roce: part(WORK_LIMITS, "roce", work) != 0,
            ports: part(CAPABILITIES, "ports", capabilities),
            queue_pairs: 1 << part(LIMITS, "log_qps", limits),
            completion_queues: 1 << part(LIMITS, "log_cqs", limits),
            memory_regions: 1 << part(LIMITS, "log_regions", limits),
            address_handles: 1 << part(DATAGRAM_LIMITS, "log_handles", datagrams),
            multicast_groups: part(DATAGRAM_LIMITS, "groups", datagrams),
            group_members: part(DATAGRAM_LIMITS, "members", datagrams),
            gids: part(DATAGRAM_LIMITS, "gids", datagrams),
            stream_bytes: part(LIMITS, "stream_bytes", limits),
            max_cqe: 1 << part(QUEUE_LIMITS, "log_cqes", queues),
            max_send_wr: 1 << part(QUEUE_LIMITS, "log_send_wqes", queues),
            max_recv_wr: 1 << part(QUEUE_LIMITS, "log_receive_wqes", queues),
            max_rd_atomic: part(QUEUE_LIMITS, "max_rd_atomic", queues),
            max_sge: part(WORK_LIMITS, "max_sges", work),
            max_inline: part(WORK_LIMITS, "max_inline", work),
        }
    }
}

impl Driver {
    /// Reads the registers of Query HCA.
    pub fn query_hca(&mut self) -> HcaQuery {
        HcaQuery(REGISTERS.map(|addr| self.jobs.push(Job::Read { addr })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an adapter with this value of `CAPABILITIES` can do, in the order of the bits.
    fn capabilities(value: u32) -> [bool; 8] {
        let limits = HcaLimits::of([0, 0, 0, 0, value, 0]);
        let serves = |service| limits.services.contains(&service);
        [
            serves(Service::Rc),
            serves(Service::Uc),
            serves(Service::Ud),
            limits.reliable_datagrams,
            limits.raw_packets,
            limits.cq_resize,
            limits.end_to_end_credits,
            limits.memory_windows,
        ]
    }

    #[test]
    fn each_bit_of_the_capabilities_tells_of_its_own() {
        for (nth, bit) in [0, 1, 2, 3, 4, 8, 9, 10].into_iter().enumerate() {
            let expected = std::array::from_fn(|at| at == nth);
            assert_eq!(capabilities(1 << bit), expected, "bit {bit}");
        }
        assert_eq!(capabilities(0x0000_071F), [true; 8]);
        assert_eq!(capabilities(0xF000_F8E0), [false; 8]);
        assert_eq!(HcaLimits::of([0, 0, 0, 0, 0x2000_0000, 0]).ports, 2);
    }
}
