//! Copies of multicast packets.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// The beats of a multicast datagram that the link takes, for other members of the group at this port
    /// (`protocol/ud.md` section 4.3). `W`: bits of a beat; `K` = `W` / 8.
    CopiedBeatSource to CopiedBeatSink<W, K> {
        /// The beat, as AXI4-Stream has it.
        data: Out Bits<W>,
        /// Valid bytes of the beat.
        keep: Out Bits<K>,
        /// High with the last beat of the datagram.
        last: Out Bit,
    }
);
