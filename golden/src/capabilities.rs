//! Capabilities of a device. The rules are the same for every device; a missing capability is refused or left undone as
//! its field says.

/// Capabilities of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Write, Read, CompareSwap and FetchAdd, as requester and as responder; if missing, they are unsupported opcodes.
    pub remote_access: bool,
    /// Send with Invalidate; if missing, an unsupported opcode.
    pub invalidates: bool,
    /// Requests are sent again. If missing, a cause to do so ends its WQE as an exhausted counter does, and no ack
    /// timer runs.
    pub retransmits: bool,
    /// WQEs of a QP in Error complete with WR_FLUSH_ERR; if missing, they stay.
    pub flushes: bool,
    /// L_Keys are checked.
    pub protects: bool,
    /// Number of queue pairs, including the special ones; a power of two. The low bits of a QPN are its index.
    pub max_qps: usize,
    /// Number of completion queues.
    pub max_cqs: u32,
    /// Number of bits from bit 8 of a key on that are the index of its region; `None` if keys are free.
    pub region_bits: Option<u8>,
    /// Most entries of a send queue; a power of two.
    pub max_send_entries: usize,
    /// Most SGEs of a work request.
    pub max_sges: usize,
    /// Most bytes of an inline work request.
    pub max_inline: u32,
    /// A message requests an ack at least every this many packets, beside its first and its last.
    pub ack_interval: Option<u32>,
    /// Number of address handles: handles are below it.
    pub max_handles: u32,
    /// Number of multicast groups. A device without any takes no packet with the address of a group for one.
    pub max_groups: usize,
    /// Number of queue pairs that a multicast group can have.
    pub max_members: usize,
    /// Data VLs of a native port: all of them are operational at first.
    pub data_vls: u8,
    /// Buffer of each data VL for packets that arrive, in blocks of 64 bytes.
    pub receive_blocks: u16,
}

impl Capabilities {
    /// Everything that the protocol pages describe of RC.
    pub const FULL: Capabilities = Capabilities {
        remote_access: true,
        invalidates: true,
        retransmits: true,
        flushes: true,
        protects: true,
        max_qps: 1 << 24,
        max_cqs: 1 << 24,
        region_bits: None,
        max_send_entries: 1 << 15,
        max_sges: 32,
        max_inline: 512,
        ack_interval: Some(64),
        max_handles: 1 << 24,
        max_groups: 1 << 14,
        max_members: 1 << 24,
        data_vls: 15,
        receive_blocks: 2048,
    };
    /// The capabilities that the hardware has.
    pub const HARDWARE: Capabilities = Capabilities {
        region_bits: Some(10),
        max_send_entries: 64,
        max_sges: 16,
        max_inline: 256,
        max_handles: 64,
        max_groups: 8,
        max_members: 16,
        data_vls: 2,
        receive_blocks: 116,
        ..Capabilities::FULL
    };
    /// Sends only: no retries, no memory protection.
    pub const SENDS: Capabilities = Capabilities {
        remote_access: false,
        invalidates: false,
        retransmits: false,
        flushes: false,
        protects: false,
        max_sges: usize::MAX,
        max_inline: 0,
        ack_interval: None,
        ..Capabilities::FULL
    };
}
