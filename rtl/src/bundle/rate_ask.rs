//! Packets of sources whose rate is below that of the port.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// An engine asks whether it may make a paced packet ([`crate::link::RateSources`]).
    RateAskSource to RateAskSink {
        /// Index of the queue pair or of the address handle whose rate the next packet has.
        index: Out Bits<16>,
        /// High if `index` is that of an address handle.
        handle: Out Bit,
        /// High if the source that was named a clock ago has a packet under way, or a pause behind it.
        closed: In Bit,
        /// High while an engine may make a paced packet whose source is not closed.
        free: In Bit,
        /// High in a clock in which an engine decides about a paced packet. It depends on no other signal of this
        /// bundle.
        decides: Out Bit,
        /// High for one cycle when a packet that is paced is made for the source that was named a clock ago.
        takes: Out Bit,
        /// With `takes`: mark of the packet, 1 to 7.
        mark: In Bits<3>,
    }
);
