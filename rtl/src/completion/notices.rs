//! Decides which completion queues raise an event.
use crate::bundle::{EventSource, ReportSource};
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::{eqe, retire::kind};

/// Changes of a CQ other than completions and arming.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum NoticeChange {
    /// The CQ gets the state after power-up.
    Clear,
    /// The CQ is created.
    Create,
    /// The CQ fails.
    Fail,
    /// The CQ is destroyed.
    Destroy,
    /// Nothing changes, and no event is raised; `armed` shows how the CQ is armed.
    Query,
}

/// Raises one event for each arming, by the first fitting CQE in memory (`protocol/qp_cq.md` section 7, CF254 to
/// CF259), and one event when a CQ fails (section 6).
///
/// An event waits as a mark of its CQ until it is taken; meanwhile the CQ is in the queue `waiting` once. Carries out
/// one operation a cycle. `CB`: CQ index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct CqNotices<const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a CQ changes; always taken.
    pub change_valid: Signal<In, Bit>,
    /// The change.
    #[default(Signal::default())]
    pub change: Signal<In, NoticeChange>,
    /// CQ that changes.
    pub change_index: Signal<In, Bits<CB>>,
    /// With `Query`: 0 not armed, 1 for solicited completions, 2 for the next completion.
    pub armed: Signal<Out, Bits<2>>,
    /// High while a CQE that is in memory is offered.
    pub written_valid: Signal<In, Bit>,
    /// High in a cycle in which that CQE is taken.
    pub written_ready: Signal<Out, Bit>,
    /// CQ of that CQE.
    pub written_index: Signal<In, Bits<CB>>,
    /// High if that completion is solicited.
    pub written_solicited: Signal<In, Bit>,
    /// High if a CQ possibly fails in this cycle, which would change its row in the next: no arming is taken.
    pub may_fail: Signal<In, Bit>,
    /// High while a doorbell arms a CQ that is within the limits.
    pub arm_valid: Signal<In, Bit>,
    /// High while a doorbell arms a CQ, even one beyond the limits: no event is offered in this cycle.
    pub arm_comes: Signal<In, Bit>,
    /// High in a cycle in which the arming is taken.
    pub arm_ready: Signal<Out, Bit>,
    /// CQ that is armed.
    pub arm_index: Signal<In, Bits<CB>>,
    /// High if the arming is for solicited completions only.
    pub arm_solicited: Signal<In, Bit>,

    /// Events of CQs.
    pub event: EventSource<CB>,
    /// Retire records of `LANE_ARM` in `host::retire`.
    pub retire: ReportSource,

    /// Usable 1 | in `waiting` 1 | failure to be reported 1 | completion to be reported 1 | armed 2, from the most
    /// significant end.
    rows: LutRam<Bits<6>, CB>,
    waiting: Fifo<Bits<CB>, CB>,

    writes: Signal<Local, Bit>,
    arms: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    index: Signal<Local, Bits<CB>>,
    row: Signal<Local, Bits<6>>,
    waiting_row: Signal<Local, Bits<6>>,
    asked: Signal<Local, Bits<6>>,
    fits: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    #[default(constant(eqe::COMPLETION))]
    completion: Constant<Bits<8>>,
    #[default(constant(eqe::CQ_ERROR))]
    cq_error: Constant<Bits<8>>,
    #[default(crate::retire::kind(kind::CQ_ARMED))]
    kind_armed: Constant<RetireRecord>,
}

#[kernel]
impl<const CB: usize> Logic for CqNotices<CB> {
    fn update(&mut self) {
        clock!(self, clock, rows, waiting);
        self.waiting.reset.next = self.reset.val();

        // Select the row that changes.
        self.writes.next = self.written_valid.val() && !self.change_valid.val();
        self.arms.next = self.arm_valid.val()
            && !self.written_valid.val()
            && !self.change_valid.val()
            && !self.may_fail.val();
        self.idle.next = !self.arm_comes.val() && !self.written_valid.val() && !self.change_valid.val();
        self.written_ready.next = !self.change_valid.val();
        self.arm_ready.next = !self.written_valid.val() && !self.change_valid.val() && !self.may_fail.val();
        self.index.next = self.arm_index.val();
        if self.written_valid.val() {
            self.index.next = self.written_index.val();
        }
        if self.change_valid.val() {
            self.index.next = self.change_index.val();
        }
        inputs!(self.rows, read_address_a: index, read_address_b: waiting.read.item);
        outputs!(self.rows, row: read_data_a, waiting_row: read_data_b);
        self.armed.next = self.row.val().get_bits::<2>(0);

        // 1 for solicited completions only, 2 for any; the wider of two armings wins.
        self.asked.next = bits::<6>(2);
        if self.arm_solicited.val() && !self.row.val().get_bit(1) {
            self.asked.next = bits::<6>(1);
        }
        self.fits.next =
            self.row.val().get_bit(1) || (self.row.val().get_bit(0) && self.written_solicited.val());

        self.rows.write_enable.next = false;
        inputs!(self.rows, write_address: index, write_data: row);
        self.enters.next = false;
        self.waiting.read.ready.next = false;
        self.event.valid.next = false;
        self.retire.valid.next = false;
        if self.change_valid.val() {
            self.rows.write_enable.next = self.change.val() != NoticeChange::Query;
            match self.change.val() {
                NoticeChange::Clear => {
                    self.rows.write_data.next = bits::<6>(0);
                }
                NoticeChange::Create => {
                    self.rows.write_data.next = (self.row.val() & 0x10) | 0x20;
                }
                NoticeChange::Fail => {
                    self.rows.write_data.next = (self.row.val() & 0x17) | 0x18;
                    self.enters.next = !self.row.val().get_bit(4);
                }
                NoticeChange::Destroy => {
                    self.rows.write_data.next = self.row.val() & 0x10;
                }
                NoticeChange::Query => {}
            }
        }
        if self.writes.val() && self.fits.val() {
            self.rows.write_enable.next = true;
            self.rows.write_data.next = self.row.val() | 0x14;
            self.enters.next = !self.row.val().get_bit(4);
        }
        // A CQ whose event waits is not armed again.
        if self.arms.val() && self.row.val().get_bit(5) {
            self.rows.write_enable.next = true;
            if !self.row.val().get_bit(2) {
                self.rows.write_data.next = (self.row.val() & 0x3C) | self.asked.val();
            }
            self.retire.valid.next = true;
        }
        self.retire.record.next = self.kind_armed.val();
        self.retire.record.next.code = bit_cast::<8, 1>(self.arm_solicited.val().into());
        self.retire.record.next.qpn = bit_cast::<24, CB>(self.arm_index.val());

        // Offer the event of the oldest CQ in `waiting`: a completion before a failure, which is the last event of a
        // CQ.
        self.event.kind.next = self.completion.val();
        if !self.waiting_row.val().get_bit(2) {
            self.event.kind.next = self.cq_error.val();
        }
        self.event.number.next = self.waiting.read.item.val();
        if self.idle.val() && self.waiting.read.valid.val() {
            self.rows.write_address.next = self.waiting.read.item.val();
            if self.waiting_row.val().get_bits::<2>(2).any() {
                self.event.valid.next = true;
                self.rows.write_enable.next = self.event.ready.val();
                self.rows.write_data.next = self.waiting_row.val() & 0x37;
                if self.waiting_row.val().get_bit(2) {
                    self.rows.write_data.next = self.waiting_row.val() & 0x38;
                }
            } else {
                self.rows.write_enable.next = true;
                self.rows.write_data.next = self.waiting_row.val() & 0x2F;
                self.waiting.read.ready.next = true;
            }
        }
        inputs!(self.waiting.write, valid: enters, item: index);
    }
}
