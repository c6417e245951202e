//! AXI4-Lite without write strobes and errors: words of 32 bits, which are always written whole.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// The five channels of a master. `A` is the number of bits of a byte address.
    AxiLiteSource to AxiLiteSink<A> {
        /// Byte address of the write.
        awaddr: Out Bits<A>,
        /// High while the address of a write is offered.
        awvalid: Out Bit,
        /// High in a cycle in which the offered address is taken.
        awready: In Bit,
        /// The word that is written.
        wdata: Out Bits<32>,
        /// High while the word of a write is offered.
        wvalid: Out Bit,
        /// High in a cycle in which the offered word is taken.
        wready: In Bit,
        /// High while the end of a write is reported.
        bvalid: In Bit,
        /// High in a cycle in which the report is taken.
        bready: Out Bit,
        /// Byte address of the read.
        araddr: Out Bits<A>,
        /// High while the address of a read is offered.
        arvalid: Out Bit,
        /// High in a cycle in which the offered address is taken.
        arready: In Bit,
        /// The word that is read.
        rdata: In Bits<32>,
        /// High while a word that was read is offered.
        rvalid: In Bit,
        /// High in a cycle in which the offered word is taken.
        rready: Out Bit,
    }
);
