//! The read and the write channels of AXI4; each of the two may have its own master.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Address and data of reads: INCR bursts of whole beats. `M`: bits of a beat.
    AxiReadSource to AxiReadSink<M> {
        arid: Out Bits<4>,
        /// Byte address of the first beat.
        araddr: Out Bits<64>,
        /// Beats less one.
        arlen: Out Bits<8>,
        arvalid: Out Bit,
        arready: In Bit,
        rid: In Bits<4>,
        rdata: In Bits<M>,
        rlast: In Bit,
        /// Bit 1: the slave or the interconnect answers with an error.
        rresp: In Bits<2>,
        rvalid: In Bit,
        rready: Out Bit,
    }
);

bundle!(
    /// Address, data and answer of writes: INCR bursts of whole beats. `M`: bits of a beat, `K` = `M` / 8.
    AxiWriteSource to AxiWriteSink<M, K> {
        awid: Out Bits<4>,
        /// Byte address of the first beat.
        awaddr: Out Bits<64>,
        /// Beats less one.
        awlen: Out Bits<8>,
        awvalid: Out Bit,
        awready: In Bit,
        wdata: Out Bits<M>,
        /// One bit for each byte of `wdata` that is written.
        wstrb: Out Bits<K>,
        wlast: Out Bit,
        wvalid: Out Bit,
        wready: In Bit,
        bid: In Bits<4>,
        /// Bit 1: the slave or the interconnect answers with an error.
        bresp: In Bits<2>,
        bvalid: In Bit,
        bready: Out Bit,
    }
);
