//! Headers of arrived packets.
use super::offer;
use crate::wire::RxHeader;
use hca_hdl::prelude::*;

offer!(
    /// Headers of the packets that the link has accepted, in the order of arrival.
    HeaderSource to HeaderSink {
        /// Header of the oldest packet.
        item: Out RxHeader,
        /// Destination QP of the header that is offered in the next cycle, so that its rows can be read a cycle early.
        /// If no header is offered then, the value is arbitrary.
        next_dest_qp: Out Bits<24>,
    }
);
