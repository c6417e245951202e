//! Finds the bytes of an SGE that a walk needs, and checks them.
use super::walker::{FAULT_LIST, FAULT_PROTECTION};
use super::{JudgedPiece, Protection, RegionRow, SgeAccess};
use hca_hdl::prelude::*;

/// In each cycle one SGE of one of four walkers comes in; bit `n` of a vector stands for walker `n`. One cycle after
/// it, `reach` and `ends` say what its walk takes of it. Four cycles after it, `found` announces its piece, and `done`
/// the end of its walk if this SGE ends it. The SGEs of a walk come in their order.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceCheck {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The bit of a walker is high for one cycle when its SGE comes in. An SGE that comes in one cycle after the last
    /// one of its walk is dropped.
    pub takes: Signal<In, Bits<4>>,
    /// The SGE.
    pub access: Signal<In, SgeAccess>,
    /// Row of the protection table that the key of the SGE names, one cycle after it.
    pub row: Signal<In, RegionRow>,
    /// Number of bytes that the walk of `measured` still needs.
    pub left: Signal<In, Bits<13>>,

    /// The bit of a walker is high if the SGE that it gave one cycle earlier is measured.
    pub measured: Signal<Out, Bits<4>>,
    /// Number of bytes that the walk needs of the measured SGE.
    pub reach: Signal<Out, Bits<13>>,
    /// High if the walk ends with the measured SGE.
    pub ends: Signal<Out, Bit>,

    /// The bit of a walker is high for one cycle when a piece of its walk is found.
    pub found: Signal<Out, Bits<4>>,
    /// Byte address of the piece in host memory.
    pub address: Signal<Out, Bits<64>>,
    /// Number of bytes of the piece, 1 to 4096.
    pub length: Signal<Out, Bits<13>>,
    /// The bit of a walker is high for one cycle when its walk ends.
    pub done: Signal<Out, Bits<4>>,
    /// With `done`: `memory::walker::FAULT_*`.
    pub fault: Signal<Out, Bits<2>>,
    /// The bit of a walker is high in the three cycles after its SGE came in, and in the cycle of `done`.
    pub under_way: Signal<Out, Bits<4>>,

    protection: Protection,
    measured_of: Register<Bits<4>>,
    sge: Register<SgeAccess>,
    enough: Signal<Local, Bit>,
    any_bytes: Signal<Local, Bit>,
    /// High if the SGE is one of an indirect list and has 3 * 2^30 bytes or more, as the SGEs have that stand for a
    /// line that host memory failed.
    unread: Signal<Local, Bit>,

    // Beside the two clocks of `protection`.
    judged_of: Register<Bits<4>>,
    judged: Register<JudgedPiece>,
    bounded_of: Register<Bits<4>>,
    bounded: Register<JudgedPiece>,
    /// The bit of a walker is high if an earlier SGE of its walk is forbidden.
    failed: Register<Bits<4>>,
    forbidden: Signal<Local, Bit>,
    out_found: Register<Bits<4>>,
    out_address: Register<Bits<64>>,
    out_length: Register<Bits<13>>,
    out_done: Register<Bits<4>>,
    out_fault: Register<Bits<2>>,

    #[default(constant(FAULT_LIST))]
    fault_list: Constant<Bits<2>>,
    #[default(constant(FAULT_PROTECTION))]
    fault_protection: Constant<Bits<2>>,
}

#[kernel]
impl Logic for PieceCheck {
    fn update(&mut self) {
        clock!(self, clock, protection);

        // How many bytes of the SGE its walk needs.
        self.sge.d.next = self.access.val();
        self.enough.next = self.sge.q.val().large || (self.sge.q.val().bytes >= self.left.val());
        self.reach.next = self.sge.q.val().bytes;
        if self.enough.val() {
            self.reach.next = self.left.val();
        }
        self.ends.next = self.sge.q.val().ends_now || self.enough.val() || self.sge.q.val().at_end;
        self.any_bytes.next = !self.sge.q.val().ends_now && self.reach.val().any();
        self.measured.next = self.measured_of.q.val();
        self.measured_of.d.next = self.takes.val();
        if self.ends.val() {
            self.measured_of.d.next = self.takes.val() & !self.measured_of.q.val();
        }

        // Whether they may be touched; the key was looked up a clock earlier.
        inputs!(self.protection, row);
        self.protection.checked.next = !self.sge.q.val().exempt
            && (self.any_bytes.val()
                || (self.sge.q.val().whole
                    && !self.sge.q.val().ends_now
                    && self.sge.q.val().entire_bytes.any()));
        self.protection.key.next = self.sge.q.val().key;
        self.protection.address.next = self.sge.q.val().start;
        self.protection.length.next = bit_cast::<32, 13>(self.reach.val());
        if self.sge.q.val().whole {
            self.protection.length.next = self.sge.q.val().entire_bytes;
        }
        self.protection.right.next = self.sge.q.val().right;
        self.protection.pd.next = self.sge.q.val().pd;
        self.unread.next = self.sge.q.val().listed && self.sge.q.val().entire_bytes.get_bits::<2>(30).all();
        self.judged_of.d.next = self.measured_of.q.val();
        self.judged.d.next.takes = self.any_bytes.val();
        self.judged.d.next.ends = self.ends.val();
        self.judged.d.next.list_fault = self.sge.q.val().refused
            || (!self.sge.q.val().ends_now && (self.unread.val() || (self.ends.val() && !self.enough.val())));
        self.judged.d.next.length = self.reach.val();
        self.bounded_of.d.next = self.judged_of.q.val();
        self.bounded.d.next = self.judged.q.val();

        // What comes of it.
        self.forbidden.next =
            (self.failed.q.val() & self.bounded_of.q.val()).any() || !self.protection.allowed.val();
        if self.forbidden.val() {
            self.failed.d.next = self.failed.q.val() | self.bounded_of.q.val();
        }
        self.out_found.d.next = bits::<4>(0);
        if self.bounded.q.val().takes && !self.forbidden.val() {
            self.out_found.d.next = self.bounded_of.q.val();
        }
        self.out_address.d.next = self.protection.real_address.val();
        self.out_length.d.next = self.bounded.q.val().length;
        self.out_done.d.next = bits::<4>(0);
        self.out_fault.d.next = bits::<2>(0);
        if self.bounded.q.val().ends {
            self.out_done.d.next = self.bounded_of.q.val();
            self.failed.d.next = self.failed.q.val() & !self.bounded_of.q.val();
        }
        if self.bounded.q.val().ends && self.bounded_of.q.val().any() {
            // Length comes before protection (responder.md section 1 steps 13 and 15).
            if self.bounded.q.val().list_fault {
                self.out_fault.d.next = self.fault_list.val();
            } else if self.forbidden.val() {
                self.out_fault.d.next = self.fault_protection.val();
            }
        }
        self.found.next = self.out_found.q.val();
        self.address.next = self.out_address.q.val();
        self.length.next = self.out_length.q.val();
        self.done.next = self.out_done.q.val();
        self.fault.next = self.out_fault.q.val();
        self.under_way.next = self.measured_of.q.val()
            | self.judged_of.q.val()
            | self.bounded_of.q.val()
            | self.out_done.q.val();

        if self.reset.val() {
            clear!(self, measured_of, judged_of, bounded_of, failed, out_found, out_done);
        }
    }
}
