//! The limits that an HCA reports of itself.
use super::{Error, Host};
use hca_host::register::{self, LIMITS, QUEUE_LIMITS, VERSION, WORK_LIMITS};

/// Answer of `query_hca`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HcaLimits {
    /// Version of the host interface: major, minor.
    pub version: (u32, u32),
    /// Number of queue pairs, including QP0 and QP1.
    pub queue_pairs: u32,
    pub completion_queues: u32,
    pub memory_regions: u32,
    /// Width of the packet streams.
    pub stream_bytes: u32,
    /// Most entries of a completion queue, of a send queue and of a receive queue.
    pub max_cqe: u32,
    pub max_send_wr: u32,
    pub max_recv_wr: u32,
    /// Maximum number of Reads and atomics under way of a queue pair, in each direction.
    pub max_rd_atomic: u32,
    /// Most SGEs of a work request.
    pub max_sge: u32,
    /// Most bytes of a message.
    pub max_inline: u32,
    /// Whether the link is RoCEv2.
    pub roce: bool,
    pub ports: u32,
}

/// A field of a register's value according to the register map; 0 if there is no field of that name.
fn part(offset: u32, field: &str, word: u32) -> u32 {
    let register = register::all().find(|register| register.offset == offset);
    let field = register.and_then(|register| register.fields.iter().find(|f| f.name == field));
    field.map_or(0, |field| field.of(word))
}

impl Host<'_> {
    /// Limits, version and profile of the adapter.
    pub fn query_hca(&mut self) -> Result<HcaLimits, Error> {
        let [version, limits, queues, work] = [
            self.read_register(VERSION)?,
            self.read_register(LIMITS)?,
            self.read_register(QUEUE_LIMITS)?,
            self.read_register(WORK_LIMITS)?,
        ];
        Ok(HcaLimits {
            version: (part(VERSION, "major", version), part(VERSION, "minor", version)),
            queue_pairs: 1 << part(LIMITS, "log_qps", limits),
            completion_queues: 1 << part(LIMITS, "log_cqs", limits),
            memory_regions: 1 << part(LIMITS, "log_regions", limits),
            stream_bytes: part(LIMITS, "stream_bytes", limits),
            max_cqe: 1 << part(QUEUE_LIMITS, "log_cqes", queues),
            max_send_wr: 1 << part(QUEUE_LIMITS, "log_send_wqes", queues),
            max_recv_wr: 1 << part(QUEUE_LIMITS, "log_receive_wqes", queues),
            max_rd_atomic: part(QUEUE_LIMITS, "max_rd_atomic", queues),
            max_sge: part(WORK_LIMITS, "max_sges", work),
            max_inline: part(WORK_LIMITS, "max_inline", work),
            roce: part(WORK_LIMITS, "roce", work) != 0,
            ports: part(WORK_LIMITS, "ports", work),
        })
    }
}
