//! SGEs on their way from a walker to the walk server, and what comes of them.
use super::bundle;
use crate::memory::SgeAccess;
use hca_hdl::prelude::*;

bundle!(
    /// Hands SGEs to the walk server ([`crate::memory::WalkServer`]), which looks their keys up and checks them.
    SgeLookupSource to SgeLookupSink {
        /// High while an SGE is offered; the signal comes from a register.
        asks: Out Bit,
        /// The SGE.
        access: Out SgeAccess,
        /// High in a cycle in which the SGE is taken; those of other walkers may be taken in the cycles before.
        taken: In Bit,
        /// Number of bytes that the walk still needs.
        left: Out Bits<13>,
        /// High if the SGE that was taken one cycle earlier is measured.
        measured: In Bit,
        /// Number of bytes that the walk needs of the measured SGE.
        reach: In Bits<13>,
        /// High if the walk ends with the measured SGE.
        ends: In Bit,
        /// High for one cycle when a piece is found.
        found: In Bit,
        /// Byte address of the piece in host memory.
        address: In Bits<64>,
        /// Number of bytes of the piece, 1 to 4096.
        length: In Bits<13>,
        /// High for one cycle when the walk ends, with its last piece or later.
        done: In Bit,
        /// With `done`: `memory::walker::FAULT_*`.
        fault: In Bits<2>,
        /// High in the three cycles after `taken`, and in the cycle of `done`.
        under_way: In Bit,
        /// High while a walk is under way: an invalidation waits until all have ended.
        walks: Out Bit,
        /// High while an invalidation waits or is under way: no walk may start.
        busy: In Bit,
    }
);
