//! The fields of a packet with a wrong key that a trap needs, word by word.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Words for the violation latch of a native port (`protocol/mad.md` section 6.1), in the order of the registers
    /// `VIOLATION_DATA`.
    ViolationWordSource to ViolationWordSink {
        /// High for one cycle for each word.
        valid: Out Bit,
        /// With `valid`: high if the packet came by port 2.
        port: Out Bit,
        /// With `valid`: number of the word, 0 to 11.
        place: Out Bits<4>,
        /// With `valid`: the word.
        data: Out Bits<32>,
    }
);
