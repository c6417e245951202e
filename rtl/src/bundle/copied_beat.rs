//! Copies of multicast packets.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// The beats of a multicast datagram that the link takes, for other members of the group at this port
    /// (`protocol/ud.md` section 4.3). `W`: bits of a beat; `K` = `W` / 8.
    CopiedBeatSource to CopiedBeatSink<W, K> {
        /// The beat, laid out as in AXI4-Stream.
        data: Out Bits<W>,
        /// One bit for each byte of `data`: high if the byte belongs to the datagram.
        keep: Out Bits<K>,
        /// High with the last beat of the datagram.
        last: Out Bit,
    }
);
