//! The read channels and the write channels of AXI4. Each of the two may have its own master.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Address and data channels of reads, which are INCR bursts of whole beats. `M` is the number of bits of a beat.
    AxiReadSource to AxiReadSink<M> {
        /// ID of the read. Its data carries the same ID.
        arid: Out Bits<4>,
        /// Byte address of the first beat.
        araddr: Out Bits<64>,
        /// Number of beats, minus one.
        arlen: Out Bits<8>,
        /// High while a read is offered.
        arvalid: Out Bit,
        /// High in a cycle in which the offered read is taken.
        arready: In Bit,
        /// ID of the read to which the beat belongs.
        rid: In Bits<4>,
        /// Data of the beat, byte 0 in bits 7:0.
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
    /// Address, data and answer channels of writes, which are INCR bursts of whole beats. `M` is the number of bits of
    /// a beat, `K` = `M` / 8.
    AxiWriteSource to AxiWriteSink<M, K> {
        /// ID of the write. Its answer carries the same ID.
        awid: Out Bits<4>,
        /// Byte address of the first beat.
        awaddr: Out Bits<64>,
        /// Number of beats, minus one.
        awlen: Out Bits<8>,
        /// High while a write is offered.
        awvalid: Out Bit,
        /// High in a cycle in which the offered write is taken.
        awready: In Bit,
        /// Data of the beat, byte 0 in bits 7:0.
        wdata: Out Bits<M>,
        /// Bit i is high if byte i of `wdata` is written.
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
