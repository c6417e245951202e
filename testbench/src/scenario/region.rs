//! Memory regions of the scenarios. Bits 8 and up of both keys are the region's entry in the hardware's table.
use hca_golden::verbs::{MemoryAccess, MemoryRegion};

/// Entry of the region for QPs whose protection domain is 0.
const ALL_MEMORY: u32 = 1;
/// L_Key of all memory in protection domain 0.
pub const L_KEY: u32 = l_key(ALL_MEMORY);

/// Returns the L_Key of the region of an entry.
pub const fn l_key(entry: u32) -> u32 {
    0x5100_0011 | entry << 8
}

/// Returns the R_Key of the region of an entry.
pub const fn r_key(entry: u32) -> u32 {
    0xA200_0022 | entry << 8
}

/// Returns all memory with all rights, as the region of this entry.
pub fn all_memory_of(entry: u32, pd: u32) -> MemoryRegion {
    MemoryRegion {
        l_key: l_key(entry),
        r_key: r_key(entry),
        pd,
        base: 0,
        length: u64::MAX,
        access: MemoryAccess {
            local_write: true,
            remote_write: true,
            remote_read: true,
            remote_atomic: true,
        },
        zero_based: false,
    }
}

/// Returns all memory of protection domain 0, with [`L_KEY`].
pub fn all_memory() -> MemoryRegion {
    all_memory_of(ALL_MEMORY, 0)
}

/// Returns the R_Key of [`all_memory`].
pub const fn r_key_of_all() -> u32 {
    r_key(ALL_MEMORY)
}
