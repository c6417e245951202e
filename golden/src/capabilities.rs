//! What a device can do. All devices follow the same rules; each field says what a device without that capability does:
//! it refuses the operation or leaves it undone.

/// Capabilities of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The device carries out Write, Read, CompareSwap and FetchAdd, as requester and as responder. Without this
    /// capability their opcodes are unsupported.
    pub remote_access: bool,
    /// The device carries out Send with Invalidate. Without this capability its opcode is unsupported.
    pub invalidates: bool,
    /// The device sends requests again. Without this capability a cause to send again ends the WQE, as an exhausted
    /// retry counter does, and no ack timer runs.
    pub retransmits: bool,
    /// The WQEs of a QP in Error complete with WR_FLUSH_ERR. Without this capability they stay in their queue.
    pub flushes: bool,
    /// The device checks L_Keys.
    pub protects: bool,
    /// Number of queue pairs, including the special ones; a power of two. The low bits of a QPN are its index.
    pub max_qps: usize,
    /// Number of completion queues.
    pub max_cqs: u32,
    /// Number of bits of a key, from bit 8 on, that hold the index of its region; `None` if software chooses keys
    /// freely.
    pub region_bits: Option<u8>,
    /// Largest number of entries of a send queue; a power of two.
    pub max_send_entries: usize,
    /// Largest number of SGEs of a work request.
    pub max_sges: usize,
    /// Largest number of bytes of an inline work request.
    pub max_inline: u32,
    /// A message requests an ack on its first and last packet, and at least every this many packets between them.
    /// `None` for no such interval.
    pub ack_interval: Option<u32>,
    /// Number of address handles. Every handle is a number below it.
    pub max_handles: u32,
    /// Number of multicast groups. A device with none does not treat any address as that of a group.
    pub max_groups: usize,
    /// Number of queue pairs that a multicast group can have.
    pub max_members: usize,
    /// Number of ports, 1 or 2; 1 over Ethernet (`link.md` section 8).
    pub ports: u8,
    /// Number of data VLs of a native port. All of them are operational at first.
    pub data_vls: u8,
    /// Size of the receive buffer of each data VL, in blocks of 64 bytes.
    pub receive_blocks: u16,
    /// Rate of a native port in units of 2.5 Gb/s (`static_rate.csv`).
    pub port_rate: u32,
}

impl Capabilities {
    /// Every capability of RC that the protocol pages describe.
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
        ports: 1,
        data_vls: 15,
        receive_blocks: 2048,
        port_rate: 4,
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
        receive_blocks: 180,
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
