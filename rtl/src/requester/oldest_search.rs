//! Looks for the WQE that holds the oldest PSN that is not acknowledged.
use super::{RequesterRow, SeekStep};
use hca_hdl::prelude::*;
use hca_host::command;

/// Looks at one WQE a cycle, from the oldest on; the first one is judged two cycles after the start.
///
/// `QB`: QP index bits; `OA` = `QB` + 6.
#[derive(LogicBlock, SmartDefault)]
pub struct OldestSearch<const QB: usize, const OA: usize> {
    #[default(provided(
        OA == QB + command::MAX_SQ_LOG_SIZE as usize,
        "OA == QB + command::MAX_SQ_LOG_SIZE as usize"
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a WQE starts.
    pub starts: Signal<In, Bit>,
    /// QP of the WQE that starts.
    pub starts_index: Signal<In, Bits<QB>>,
    /// Index of the WQE that starts, modulo 2^16.
    pub starts_wqe: Signal<In, Bits<16>>,
    /// First PSN of the WQE that starts.
    pub starts_first: Signal<In, Bits<24>>,
    /// Last PSN of the WQE that starts.
    pub starts_last: Signal<In, Bits<24>>,

    /// High for one cycle to search from `oldest` of QP `start_index`; a search under way is given up.
    pub start: Signal<In, Bit>,
    /// QP to search.
    pub start_index: Signal<In, Bits<QB>>,
    /// Index of the oldest WQE of that QP that is not complete, modulo 2^16.
    pub oldest: Signal<In, Bits<16>>,
    /// Index of the first WQE of that QP that has not started, modulo 2^16.
    pub started: Signal<In, Bits<16>>,
    /// High while the result is awaited, from the cycle after `start` on; else the search stands still.
    pub awaited: Signal<In, Bit>,
    /// QP that is searched, from the cycle after `start` on. Its oldest PSN may advance meanwhile.
    pub index: Signal<In, Bits<QB>>,
    /// State of QP `index`.
    pub row: Signal<In, RequesterRow>,
    /// Number of packets of QP `index` that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High once the WQE is found, until the next start; low again if the oldest PSN advances beyond it.
    pub found: Signal<Out, Bit>,
    /// State of the QP with the next packet where it was found.
    pub new_row: Signal<Out, RequesterRow>,

    /// First PSN 24 | last PSN 24, by QP and WQE index modulo 64.
    // Nothing of the QP that is searched starts meanwhile.
    #[default(BlockRam::without_collisions())]
    spans: BlockRam<Bits<48>, OA>,
    asking: Register<Bits<16>>,
    loading: Register<Bit>,
    loading_wqe: Register<Bits<16>>,
    looking: Register<Bit>,
    looking_wqe: Register<Bits<16>>,
    /// High if the WQE that is judged is the newest that has started.
    looking_newest: Register<Bit>,
    span: Register<Bits<48>>,
    step: SeekStep,
    address: Signal<Local, Bits<16>>,
    owner: Signal<Local, Bits<QB>>,
    hit: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize, const OA: usize> Logic for OldestSearch<QB, OA> {
    fn update(&mut self) {
        clock!(self, clock, spans);
        self.spans.write_enable.next = self.starts.val();
        self.spans.write_address.next = (bit_cast::<OA, QB>(self.starts_index.val()) << 6)
            | bit_cast::<OA, 6>(self.starts_wqe.val().get_bits::<6>(0));
        self.spans.write_data.next =
            (bit_cast::<48, 24>(self.starts_first.val()) << 24) | bit_cast::<48, 24>(self.starts_last.val());

        inputs!(self.step, row, gone, pmtu, wqe: looking_wqe.q, newest: looking_newest.q);
        self.step.first.next = self.span.q.val().get_bits::<24>(24);
        self.step.last.next = self.span.q.val().get_bits::<24>(0);
        self.hit.next = self.looking.q.val() && self.step.found.val();
        self.found.next = self.hit.val();
        self.new_row.next = self.step.new_row.val();

        // What is found may prove not to be it as the oldest PSN advances: then the search goes on.
        self.address.next = self.asking.q.val();
        if self.hit.val() {
            self.address.next = self.loading_wqe.q.val();
        }
        self.owner.next = self.index.val();
        if self.start.val() {
            self.owner.next = self.start_index.val();
            self.address.next = self.oldest.val();
            // Behind the newest WQE there is nothing to look at.
            if self.oldest.val() == self.started.val() {
                self.address.next = self.oldest.val() - 1;
            }
        }
        self.spans.read_address.next = (bit_cast::<OA, QB>(self.owner.val()) << 6)
            | bit_cast::<OA, 6>(self.address.val().get_bits::<6>(0));
        if self.awaited.val() && !self.hit.val() {
            self.asking.d.next = self.asking.q.val() + 1;
            self.loading.d.next = true;
            self.loading_wqe.d.next = self.asking.q.val();
            self.looking.d.next = self.loading.q.val();
            self.looking_wqe.d.next = self.loading_wqe.q.val();
            // While it is searched nothing of the QP starts.
            self.looking_newest.d.next = (self.loading_wqe.q.val() + 1) == self.row.val().started;
            self.span.d.next = self.spans.read_data.val();
        }
        if self.start.val() {
            self.asking.d.next = self.oldest.val() + 1;
            if self.oldest.val() == self.started.val() {
                self.asking.d.next = self.oldest.val();
            }
            self.loading.d.next = true;
            self.loading_wqe.d.next = self.address.val();
            self.looking.d.next = false;
        }
        if self.reset.val() {
            clear!(self, loading, looking);
        }
    }
}
