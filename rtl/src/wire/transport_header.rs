//! BTH and extended headers of a packet to send.
use super::opcode_table::OpcodeTable;
use super::tx_header::TxHeader;
use hca_hdl::prelude::*;

/// Lays out BTH and extended headers in wire order (`protocol/headers.md` sections 1 and 2, `headers.csv`).
///
/// Three registers deep, each with its own enable: `take` looks the opcode up, `lay` lays the headers out, `place`
/// closes the gaps between them. TVer, F, B and all reserved fields are 0.
#[derive(LogicBlock, Default)]
pub struct TransportHeader {
    pub clock: Signal<In, Clock>,
    /// Opcode of the packet that `take` lets in.
    pub opcode: Signal<In, Bits<8>>,
    /// High for each cycle in which a packet is let in and its opcode looked up.
    pub take: Signal<In, Bit>,
    /// The packet last let in.
    pub header: Signal<In, TxHeader>,
    /// High for each cycle in which `header` is laid out.
    pub lay: Signal<In, Bit>,
    /// High for each cycle in which the packet last laid out moves on to `flat`.
    pub place: Signal<In, Bit>,
    /// 32-bit words of BTH and extended headers, 3 to 13, of the packet last let in.
    pub words: Signal<Out, Bits<4>>,
    /// Header bytes of the packet last placed, byte 0 at the most significant end, zeros behind them.
    pub flat: Signal<Out, Bits<416>>,
    table: OpcodeTable,
    length: Register<Bits<4>>,
    rdeth: Register<Bit>,
    deth: Register<Bit>,
    reth: Register<Bit>,
    atomic_eth: Register<Bit>,
    aeth: Register<Bit>,
    atomic_ack_eth: Register<Bit>,
    immdt: Register<Bit>,
    ieth: Register<Bit>,
    bth: Register<Bits<96>>,
    datagram: Register<Bits<96>>,
    datagram_words: Register<Bits<2>>,
    body: Register<Bits<224>>,
    placed: Register<Bits<416>>,
    pad: Signal<Local, Bits<2>>,
    ee: Signal<Local, Bits<96>>,
    queue: Signal<Local, Bits<96>>,
    remote: Signal<Local, Bits<224>>,
    extended: Signal<Local, Bits<320>>,
    gap: Signal<Local, Bits<7>>,
}

#[kernel]
impl Logic for TransportHeader {
    fn update(&mut self) {
        self.table.opcode.next = self.opcode.val();
        if self.take.val() {
            self.length.d.next = self.table.words.val();
            self.rdeth.d.next = self.table.rdeth.val();
            self.deth.d.next = self.table.deth.val();
            self.reth.d.next = self.table.reth.val();
            self.atomic_eth.d.next = self.table.atomic_eth.val();
            self.aeth.d.next = self.table.aeth.val();
            self.atomic_ack_eth.d.next = self.table.atomic_ack_eth.val();
            self.immdt.d.next = self.table.immdt.val();
            self.ieth.d.next = self.table.ieth.val();
        }

        self.pad.next = bits::<2>(0) - self.header.val().payload.get_bits::<2>(0);
        self.ee.next = bit_cast::<96, 24>(self.header.val().ee_context);
        self.queue.next = (bit_cast::<96, 32>(self.header.val().q_key) << 32)
            | bit_cast::<96, 24>(self.header.val().source_qp);
        // VA and R_Key open RETH and AtomicETH alike.
        self.remote.next = (bit_cast::<224, 64>(self.header.val().va) << 160)
            | (bit_cast::<224, 32>(self.header.val().r_key) << 128);
        if self.lay.val() {
            self.bth.d.next = (bit_cast::<96, 8>(self.header.val().opcode) << 88)
                | (bit_cast::<96, 1>(self.header.val().solicited.into()) << 87)
                | (bit_cast::<96, 1>(self.header.val().migrated.into()) << 86)
                | (bit_cast::<96, 2>(self.pad.val()) << 84)
                | (bit_cast::<96, 16>(self.header.val().p_key) << 64)
                | (bit_cast::<96, 24>(self.header.val().dest_qp) << 32)
                | (bit_cast::<96, 1>(self.header.val().ack_req.into()) << 31)
                | bit_cast::<96, 24>(self.header.val().psn);

            // RDETH is one word and DETH two.
            self.datagram_words.d.next = bit_cast::<2, 1>(self.rdeth.q.val().into())
                | (bit_cast::<2, 1>(self.deth.q.val().into()) << 1);
            self.datagram.d.next = 0.into();
            if self.deth.q.val() {
                self.datagram.d.next = self.queue.val() << 32;
            }
            if self.rdeth.q.val() {
                self.datagram.d.next = self.ee.val() << 64;
                if self.deth.q.val() {
                    self.datagram.d.next = (self.ee.val() << 64) | self.queue.val();
                }
            }

            self.body.d.next = 0.into();
            if self.immdt.q.val() {
                self.body.d.next = bit_cast::<224, 32>(self.header.val().immediate) << 192;
            }
            if self.ieth.q.val() {
                self.body.d.next = bit_cast::<224, 32>(self.header.val().r_key) << 192;
            }
            if self.aeth.q.val() {
                self.body.d.next = (bit_cast::<224, 8>(self.header.val().syndrome) << 216)
                    | (bit_cast::<224, 24>(self.header.val().msn) << 192);
            }
            if self.atomic_ack_eth.q.val() {
                self.body.d.next = (bit_cast::<224, 8>(self.header.val().syndrome) << 216)
                    | (bit_cast::<224, 24>(self.header.val().msn) << 192)
                    | (bit_cast::<224, 64>(self.header.val().original) << 128);
            }
            if self.reth.q.val() {
                self.body.d.next = self.remote.val() | (bit_cast::<224, 32>(self.header.val().dma_len) << 96);
                if self.immdt.q.val() {
                    self.body.d.next = self.remote.val()
                        | (bit_cast::<224, 32>(self.header.val().dma_len) << 96)
                        | (bit_cast::<224, 32>(self.header.val().immediate) << 64);
                }
            }
            if self.atomic_eth.q.val() {
                self.body.d.next = self.remote.val()
                    | (bit_cast::<224, 64>(self.header.val().swap_add) << 64)
                    | bit_cast::<224, 64>(self.header.val().compare);
            }
        }

        self.gap.next = bit_cast::<7, 2>(self.datagram_words.q.val()) << 5;
        self.extended.next = (bit_cast::<320, 224>(self.body.q.val()) << 96) >> self.gap.val();
        if self.place.val() {
            self.placed.d.next = (bit_cast::<416, 96>(self.bth.q.val()) << 320)
                | (bit_cast::<416, 96>(self.datagram.q.val()) << 224)
                | bit_cast::<416, 320>(self.extended.val());
        }
        self.words.next = self.length.q.val();
        self.flat.next = self.placed.q.val();
    }
}
