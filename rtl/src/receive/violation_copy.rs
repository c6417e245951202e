//! Copies the fields that a trap needs from the header of a packet.
use crate::bundle::ViolationWordSource;
use crate::wire::RxHeader;
use hca_hdl::prelude::*;

/// Hands the addresses, queue pairs and the key of a packet with a wrong key to the violation latch of its port
/// (`protocol/mad.md` section 6.1), a word a clock: they are too wide for a path across the adapter, and such packets
/// have time.
#[derive(LogicBlock, SmartDefault)]
pub struct ViolationCopy {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Header of the packet; it stays the same while `runs` is high.
    pub header: Signal<In, RxHeader>,
    /// High if the Q_Key is wrong, low if the P_Key is. It stays the same while `runs` is high.
    pub q_key: Signal<In, Bit>,
    /// High while the header is copied, until the cycle of `done`. Then it is low for one cycle or more.
    pub runs: Signal<In, Bit>,
    /// High in the last cycle of a copy.
    pub done: Signal<Out, Bit>,
    /// The words.
    pub word: ViolationWordSource,

    at: Register<Bits<4>>,
    valid: Register<Bit>,
    port: Register<Bit>,
    place: Register<Bits<4>>,
    data: Register<Bits<32>>,
    group: Signal<Local, Bits<2>>,
    within: Signal<Local, Bits<2>>,
    key: Signal<Local, Bits<32>>,
    gid: Signal<Local, Bits<128>>,
    names: Signal<Local, Bits<32>>,
    /// Place of the last word.
    #[default(constant(11))]
    last: Constant<Bits<4>>,
}

#[kernel]
impl Logic for ViolationCopy {
    fn update(&mut self) {
        self.group.next = self.at.q.val().get_bits::<2>(2);
        self.within.next = self.at.q.val().get_bits::<2>(0);
        self.done.next = self.at.q.val() == self.last.val();
        self.at.d.next = bits::<4>(0);
        if self.runs.val() {
            self.at.d.next = self.at.q.val() + 1;
        }

        // Words 0 to 3: LIDs, key, SL and the sender's QPN, the receiver's.
        self.key.next = bit_cast::<32, 16>(self.header.val().p_key);
        if self.q_key.val() {
            self.key.next = self.header.val().q_key;
        }
        self.names.next =
            (bit_cast::<32, 16>(self.header.val().slid) << 16) | bit_cast::<32, 16>(self.header.val().dlid);
        if self.within.val() == 1 {
            self.names.next = self.key.val();
        }
        if self.within.val() == 2 {
            self.names.next = (bit_cast::<32, 4>(self.header.val().sl) << 28)
                | bit_cast::<32, 24>(self.header.val().source_qp);
        }
        if self.within.val() == 3 {
            self.names.next = bit_cast::<32, 24>(self.header.val().dest_qp);
            if self.header.val().general {
                // QP1 of port 2 has another number inside (`protocol/link.md` section 8).
                self.names.next = bits::<32>(1);
            }
        }

        // Words 4 to 7: GID of the sender; 8 to 11: of the receiver.
        self.gid.next = self.header.val().sgid;
        if self.group.val().get_bit(1) {
            self.gid.next = self.header.val().dgid;
        }
        self.data.d.next = self.gid.val().get_bits::<32>(96);
        if self.within.val() == 1 {
            self.data.d.next = self.gid.val().get_bits::<32>(64);
        }
        if self.within.val() == 2 {
            self.data.d.next = self.gid.val().get_bits::<32>(32);
        }
        if self.within.val() == 3 {
            self.data.d.next = self.gid.val().get_bits::<32>(0);
        }
        if !self.header.val().has_grh {
            self.data.d.next = bits::<32>(0);
        }
        if !self.group.val().any() {
            self.data.d.next = self.names.val();
        }

        self.valid.d.next = self.runs.val();
        self.port.d.next = self.header.val().port;
        self.place.d.next = self.at.q.val();
        inputs!(self.word, valid: valid.q, port: port.q, place: place.q, data: data.q);
        if self.reset.val() {
            self.valid.d.next = false;
        }
    }
}
