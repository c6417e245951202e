//! The violation latch of a port.
use crate::bundle::{RegisterBusSink, ViolationWordSink};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `VIOLATION` and `VIOLATION_DATA` of a native port: the fields of a trap about the first packet
/// that is counted for a wrong key while the latch is free (`protocol/mad.md` section 6.1; CF482).
///
/// The words of a packet come before it is counted, and only while the latch is free. A packet that is dropped for
/// another reason in the end is not counted. The words of the next packet overwrite its words.
#[derive(LogicBlock, SmartDefault)]
pub struct ViolationLatch {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// Words of packets of this port.
    pub word: ViolationWordSink,
    /// High for one cycle when a packet of this port is counted for its P_Key.
    pub p_key: Signal<In, Bit>,
    /// High for one cycle when a packet of this port is counted for its Q_Key; never with `p_key` and words.
    pub q_key: Signal<In, Bit>,
    /// High while the latch is not free, from the second cycle after the count on.
    pub latched: Signal<Out, Bit>,
    /// High for one cycle when the latch takes a violation.
    pub taken: Signal<Out, Bit>,

    words: LutRam<Bits<32>, 4>,
    /// High if `words` are those of a packet that is not counted yet.
    filled: Register<Bit>,
    held: Register<Bit>,
    /// High if the violation is one of the Q_Key.
    of_q_key: Register<Bit>,
    p_key_counted: Register<Bit>,
    q_key_counted: Register<Bit>,
    counted: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    in_page: Signal<Local, Bit>,
    in_control: Signal<Local, Bit>,
    #[default(constant(map::VIOLATION))]
    address: Constant<Bits<20>>,
    #[default(constant(map::VIOLATION_DATA as usize >> 6))]
    page: Constant<Bits<14>>,
    #[default(constant((map::VIOLATION - map::VIOLATION_DATA) / 4))]
    control: Constant<Bits<4>>,
}

#[kernel]
impl Logic for ViolationLatch {
    fn update(&mut self) {
        clock!(self, clock, words);
        self.p_key_counted.d.next = self.p_key.val();
        self.q_key_counted.d.next = self.q_key.val();
        self.counted.next = self.p_key_counted.q.val() || self.q_key_counted.q.val();
        self.takes.next = self.counted.val() && self.filled.q.val() && !self.held.q.val();
        self.taken.next = self.takes.val();
        self.latched.next = self.held.q.val();
        self.words.write_enable.next = self.word.valid.val();
        inputs!(self.words, write_address: word.place, write_data: word.data);
        if self.counted.val() {
            self.filled.d.next = false;
        }
        if self.word.valid.val() {
            self.filled.d.next = true;
        }
        if self.bus.write.val()
            && (self.bus.write_address.val() == self.address.val())
            && self.bus.write_data.val().get_bit(0)
        {
            self.held.d.next = false;
        }
        if self.takes.val() {
            self.held.d.next = true;
            self.of_q_key.d.next = self.q_key_counted.q.val();
        }

        self.words.read_address_a.next = self.bus.read_address.val().get_bits::<4>(2);
        self.words.read_address_b.next = self.bus.read_address.val().get_bits::<4>(2);
        self.in_page.next = self.bus.read_address.val().get_bits::<14>(6) == self.page.val();
        self.in_control.next =
            self.in_page.val() && (self.bus.read_address.val().get_bits::<4>(2) == self.control.val());
        self.read_data.next = bits::<32>(0);
        if self.in_control.val() {
            self.read_data.next = bit_cast::<32, 1>(self.held.q.val().into())
                | (bit_cast::<32, 1>(self.of_q_key.q.val().into()) << 1);
        } else if self.in_page.val() {
            self.read_data.next = self.words.read_data_a.val();
        }
        if self.reset.val() {
            clear!(self, filled, held, of_q_key, p_key_counted, q_key_counted);
        }
    }
}
