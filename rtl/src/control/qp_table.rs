//! Stores the words that software has set for each queue pair.
use hca_hdl::prelude::*;
use hca_host::command::modify_qp as words;

/// The words of `MODIFY_QP` and `CREATE_QP`, one a cycle. Word `QPN` is 2^31 + QPN for a queue pair that exists, else
/// 0; `CQNS` of a queue pair that does not exist names no CQ. `QB`: QP index bits; `A` = `QB` + 5.
#[derive(LogicBlock, SmartDefault)]
pub struct QpTable<const QB: usize, const A: usize> {
    #[default(provided(A == QB + 5, "A == QB + 5"))]
    pub clock: Signal<In, Clock>,
    /// Index of the queue pair.
    pub index: Signal<In, Bits<QB>>,
    /// Index of the word.
    pub word: Signal<In, Bits<5>>,
    /// The word, two cycles after `index` and `word`.
    pub data: Signal<Out, Bits<32>>,
    /// High for one cycle to replace the word that is read.
    pub write_valid: Signal<In, Bit>,
    /// The new word.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one cycle when the `QPN` of a destroyed queue pair is removed.
    pub removes_qpn: Signal<In, Bit>,
    /// High for one cycle when the `CQNS` of a destroyed queue pair are removed, after its QPN.
    pub removes_cqns: Signal<In, Bit>,
    memory: BlockRam<Bits<32>, A>,
    /// The word at the output of the block RAM, one cycle later. Registered for timing: it settles late in the clock.
    shown: Register<Bits<32>>,
    address: Signal<Local, Bits<A>>,
    #[default(constant(words::QPN))]
    qpn_word: Constant<Bits<5>>,
    #[default(constant(words::CQNS))]
    cqns_word: Constant<Bits<5>>,
}

#[kernel]
impl<const QB: usize, const A: usize> Logic for QpTable<QB, A> {
    fn update(&mut self) {
        clock!(self, clock, memory);
        self.address.next = (bit_cast::<A, QB>(self.index.val()) << 5) | bit_cast::<A, 5>(self.word.val());
        self.memory.read_address.next = self.address.val();
        self.shown.d.next = self.memory.read_data.val();
        self.data.next = self.shown.q.val();
        self.memory.write_enable.next =
            self.write_valid.val() || self.removes_qpn.val() || self.removes_cqns.val();
        inputs!(self.memory, write_address: address, write_data);
        if self.removes_qpn.val() {
            self.memory.write_address.next =
                (bit_cast::<A, QB>(self.index.val()) << 5) | bit_cast::<A, 5>(self.qpn_word.val());
            self.memory.write_data.next = bits::<32>(0);
        }
        if self.removes_cqns.val() {
            self.memory.write_address.next =
                (bit_cast::<A, QB>(self.index.val()) << 5) | bit_cast::<A, 5>(self.cqns_word.val());
            self.memory.write_data.next = !bits::<32>(0);
        }
    }
}
