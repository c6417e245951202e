//! A Read or atomic as it is stored for its duplicates (`protocol/responder.md` section 6).
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 178 bits.
    pub struct StoredOperation {
        /// First PSN of the operation.
        pub psn: Bits<24>,
        /// Number of PSNs after the first.
        pub span: Bits<24>,
        /// High for a Read, low for an atomic.
        pub read: Bit,
        /// High for a fetch and add.
        pub fetch_add: Bit,
        /// Address of the operation.
        pub va: Bits<64>,
        /// R_Key of the operation.
        pub r_key: Bits<32>,
        /// Bytes of the operation.
        pub length: Bits<32>,
    }
}

/// Checks whether a duplicate requests the end of a stored Read, or repeats a stored atomic. Pure function, used in two
/// steps: `rest` is the operation without its first `bytes`, `matches` compares the duplicate with `stored`.
#[derive(LogicBlock, Default)]
pub struct ReplayMatch {
    /// The stored operation.
    pub stored: Signal<In, StoredOperation>,
    /// Bytes of the stored operation before the duplicate.
    pub bytes: Signal<In, Bits<32>>,
    /// High if the duplicate is a Read, low if it is an atomic.
    pub read: Signal<In, Bit>,
    /// High if the duplicate is a fetch and add.
    pub fetch_add: Signal<In, Bit>,
    /// Address of the duplicate.
    pub va: Signal<In, Bits<64>>,
    /// R_Key of the duplicate.
    pub r_key: Signal<In, Bits<32>>,
    /// DMA length of the duplicate, in bytes.
    pub dma_len: Signal<In, Bits<32>>,
    /// The stored operation without its first `bytes`.
    pub rest: Signal<Out, StoredOperation>,
    /// High if the duplicate repeats `stored`.
    pub matches: Signal<Out, Bit>,
}

#[kernel]
impl Logic for ReplayMatch {
    fn update(&mut self) {
        self.rest.next.psn = self.stored.val().psn;
        self.rest.next.span = self.stored.val().span;
        self.rest.next.read = self.stored.val().read;
        self.rest.next.fetch_add = self.stored.val().fetch_add;
        self.rest.next.va = self.stored.val().va + bit_cast::<64, 32>(self.bytes.val());
        self.rest.next.r_key = self.stored.val().r_key;
        self.rest.next.length = self.stored.val().length - self.bytes.val();
        self.matches.next = false;
        if self.read.val() {
            // CF120, CF121: it starts on a PMTU boundary of the original and ends where that ended.
            self.matches.next = self.stored.val().read
                && (self.stored.val().r_key == self.r_key.val())
                && (self.stored.val().va == self.va.val())
                && (self.stored.val().length == self.dma_len.val());
        } else {
            // CF122, CF123.
            self.matches.next =
                !self.stored.val().read && (self.stored.val().fetch_add == self.fetch_add.val());
        }
    }
}
