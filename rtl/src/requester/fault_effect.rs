//! Effect on a QP of a packet whose memory may not be read.
use super::{GatherJob, RequesterRow};
use crate::completion::CqeStatuses;
use hca_hdl::prelude::*;

/// Takes the row back to the packet whose memory may not be read. Its WQE ends in error once all WQEs before it are
/// complete (`protocol/requester.md` section 8). Pure function of the row and of the packet.
#[derive(LogicBlock, Default)]
pub struct FaultEffect {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// The packet whose memory may not be read.
    pub fault: Signal<In, GatherJob>,
    /// Kind of the fault (`FAULT_*` of the walker): 1 for a bad SGE list, else protection.
    pub kind: Signal<In, Bits<2>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the service is UC or UD: each packet that is gone counts as acknowledged, earlier ones of the message
    /// too.
    pub unreliable: Signal<In, Bit>,
    /// State of the QP afterwards.
    pub new_row: Signal<Out, RequesterRow>,
    /// Number of packets of the message before this one.
    before: Signal<Local, Bits<32>>,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for FaultEffect {
    fn update(&mut self) {
        self.before.next = self.fault.val().offset >> (bits::<5>(7) + bit_cast::<5, 3>(self.pmtu.val()));
        self.new_row.next = self.row.val();
        self.new_row.next.current = self.fault.val().wqe;
        self.new_row.next.offset = self.fault.val().offset;
        self.new_row.next.psn = self.fault.val().psn;
        self.new_row.next.refused = true;
        self.new_row.next.refused_first = self.fault.val().psn - bit_cast::<24, 32>(self.before.val());
        if self.unreliable.val() {
            self.new_row.next.refused_first = self.fault.val().psn;
        }
        self.new_row.next.refused_wqe = self.fault.val().wqe;
        self.new_row.next.refused_status = self.statuses.loc_prot_err.val();
        if self.kind.val() == 1 {
            self.new_row.next.refused_status = self.statuses.loc_qp_op_err.val();
        }
    }
}
