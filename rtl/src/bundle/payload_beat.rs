//! Payload of arrived packets.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// The beats of a packet's payload, in order. `W`: bits of a beat.
    PayloadBeatSource to PayloadBeatSink<W> {
        /// The beat: byte 0 at the most significant end, undefined beyond the last byte of the payload.
        data: Out Bits<W>,
        /// High with the last beat of a packet's payload.
        last: Out Bit,
    }
);
