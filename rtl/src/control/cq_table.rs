//! Stores which completion queues exist, and how many work queues use them.
use hca_hdl::prelude::*;

/// One row for each CQ. The CQE writer keeps the rings. `CB`: CQ index bits.
#[derive(LogicBlock, Default)]
pub struct CqTable<const CB: usize> {
    pub clock: Signal<In, Clock>,
    /// CQ of the command, or of the send queue.
    pub index: Signal<In, Bits<CB>>,
    /// CQ of the receive queue.
    pub receive_index: Signal<In, Bits<CB>>,
    /// High if the QP is QP0 or QP1.
    pub special: Signal<In, Bit>,

    /// High if CQ `index` exists.
    pub exists: Signal<Out, Bit>,
    /// High if a work queue uses CQ `index`.
    pub used: Signal<Out, Bit>,
    /// High if both CQs exist.
    pub both_exist: Signal<Out, Bit>,
    /// High if either CQ is used by QP0 or QP1 and the QP is neither, or the reverse.
    pub reserved: Signal<Out, Bit>,

    /// High for one cycle when `index` exists from now on.
    pub creates: Signal<In, Bit>,
    /// High for one cycle when `index` no longer exists.
    pub destroys: Signal<In, Bit>,
    /// High for one cycle when one work queue more uses the CQ.
    pub adds_user: Signal<In, Bit>,
    /// High for one cycle when one work queue fewer uses the CQ.
    pub removes_user: Signal<In, Bit>,
    /// High if `creates`, `destroys`, `adds_user` and `removes_user` refer to CQ `receive_index`; low if they refer to
    /// CQ `index`.
    pub of_receive: Signal<In, Bit>,

    /// Used by QP0 or QP1 15 | exists 14 | users 14.
    rows: LutRam<Bits<16>, CB>,
    row: Signal<Local, Bits<16>>,
    receive_row: Signal<Local, Bits<16>>,
    changes: Signal<Local, Bits<16>>,
    users: Signal<Local, Bits<14>>,
}

#[kernel]
impl<const CB: usize> Logic for CqTable<CB> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        inputs!(self.rows, read_address_a: index, read_address_b: receive_index);
        outputs!(self.rows, row: read_data_a, receive_row: read_data_b);
        self.exists.next = self.row.val().get_bit(14);
        self.used.next = self.row.val().get_bits::<14>(0).any();
        self.both_exist.next = self.row.val().get_bit(14) && self.receive_row.val().get_bit(14);
        self.reserved.next = (self.row.val().get_bits::<14>(0).any()
            && (self.row.val().get_bit(15) != self.special.val()))
            || (self.receive_row.val().get_bits::<14>(0).any()
                && (self.receive_row.val().get_bit(15) != self.special.val()));

        self.rows.write_enable.next =
            self.creates.val() || self.destroys.val() || self.adds_user.val() || self.removes_user.val();
        self.rows.write_address.next = self.index.val();
        self.changes.next = self.row.val();
        if self.of_receive.val() {
            self.rows.write_address.next = self.receive_index.val();
            self.changes.next = self.receive_row.val();
        }
        self.users.next = self.changes.val().get_bits::<14>(0) - 1;
        if self.adds_user.val() {
            self.users.next = self.changes.val().get_bits::<14>(0) + 1;
        }
        self.rows.write_data.next = (bit_cast::<16, 1>(self.special.val().into()) << 15)
            | (bits::<16>(1) << 14)
            | bit_cast::<16, 14>(self.users.val());
        if self.creates.val() {
            self.rows.write_data.next = bits::<16>(1) << 14;
        }
        if self.destroys.val() {
            self.rows.write_data.next = bits::<16>(0);
        }
    }
}
