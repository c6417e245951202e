//! AXI4-Lite without write strobes and errors: words of 32 bits that are always written whole.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A master's five channels. `A`: bits of a byte address.
    AxiLiteSource to AxiLiteSink<A> {
        awaddr: Out Bits<A>,
        awvalid: Out Bit,
        awready: In Bit,
        wdata: Out Bits<32>,
        wvalid: Out Bit,
        wready: In Bit,
        bvalid: In Bit,
        bready: Out Bit,
        araddr: Out Bits<A>,
        arvalid: Out Bit,
        arready: In Bit,
        rdata: In Bits<32>,
        rvalid: In Bit,
        rready: Out Bit,
    }
);
