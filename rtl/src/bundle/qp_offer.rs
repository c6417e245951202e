//! Queue pairs that wait to be taken.
use hca_hdl::prelude::*;

/// Offers the indices of queue pairs, one after the other. `QB`: log2 of the number of queue pairs.
pub type QpOfferSource<const QB: usize> = OfferSource<Bits<QB>>;

/// Takes the indices that [`QpOfferSource`] offers.
pub type QpOfferSink<const QB: usize> = OfferSink<Bits<QB>>;
