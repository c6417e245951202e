//! The read and the write channels of AXI4; each of the two may have its own master.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Address and data of reads: INCR bursts of whole beats. `M`: bits of a beat.
    AxiReadSource to AxiReadSink<M> {
        /// ID of the read, which its data carries too.
        arid: Out Bits<4>,
        /// Byte address of the first beat.
        araddr: Out Bits<64>,
        /// Number of beats, less one.
        arlen: Out Bits<8>,
        /// High while a read is offered.
        arvalid: Out Bit,
        /// High in a cycle in which the offered read is taken.
        arready: In Bit,
        /// ID of the read that the beat belongs to.
        rid: In Bits<4>,
        /// The beat, byte 0 in bits 7:0.
        rdata: In Bits<M>,
        /// High with the last beat of a read.
        rlast: In Bit,
        /// Bit 1 is high if the slave or the interconnect answers with an error.
        rresp: In Bits<2>,
        /// High while a beat is offered.
        rvalid: In Bit,
        /// High in a cycle in which an offered beat is taken.
        rready: Out Bit,
    }
);

bundle!(
    /// Address, data and answer of writes: INCR bursts of whole beats. `M`: bits of a beat, `K` = `M` / 8.
    AxiWriteSource to AxiWriteSink<M, K> {
        /// ID of the write, which its answer carries too.
        awid: Out Bits<4>,
        /// Byte address of the first beat.
        awaddr: Out Bits<64>,
        /// Number of beats, less one.
        awlen: Out Bits<8>,
        /// High while a write is offered.
        awvalid: Out Bit,
        /// High in a cycle in which the offered write is taken.
        awready: In Bit,
        /// The beat, byte 0 in bits 7:0.
        wdata: Out Bits<M>,
        /// One bit for each byte of `wdata` that is written.
        wstrb: Out Bits<K>,
        /// High with the last beat of a write.
        wlast: Out Bit,
        /// High while a beat is offered.
        wvalid: Out Bit,
        /// High in a cycle in which the offered beat is taken.
        wready: In Bit,
        /// ID of the write that is answered.
        bid: In Bits<4>,
        /// Bit 1 is high if the slave or the interconnect answers with an error.
        bresp: In Bits<2>,
        /// High while an answer is offered.
        bvalid: In Bit,
        /// High in a cycle in which an offered answer is taken.
        bready: Out Bit,
    }
);
