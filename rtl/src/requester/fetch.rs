//! Fetches what an event needs: the QP's row and configuration, then its WQE.
use super::{
    EventKind, FetchSlots, ReadSpan, RequesterRow, ResponseDecode, ResponseForm, ResponsePlace,
    ResponseRegion,
};
use crate::bundle::QpPulseSource;
use crate::context::{QpAttributes, QpConfig};
use crate::receive::ResponseArrival;
use hca_hdl::prelude::*;

/// Three stages, each with one event, all of different QPs. In the first, the rows are read; in the second, the WQE is
/// read, and the place of a response is found; the third holds all of it for the judgement.
///
/// `QB`: QP index bits; `RA` = `QB` + 4.
#[derive(LogicBlock, SmartDefault)]
pub struct ContextFetch<const QB: usize, const RA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an event enters; never without `ready`.
    pub valid: Signal<In, Bit>,
    /// High while an event may enter.
    pub ready: Signal<Out, Bit>,
    /// Kind of the event that enters.
    pub kind: Signal<In, EventKind>,
    /// QP of the event that enters.
    pub index: Signal<In, Bits<QB>>,
    /// High if `arrival` holds a response; a response event enters only then.
    pub arrival_valid: Signal<In, Bit>,
    /// The response that enters.
    pub arrival: Signal<In, ResponseArrival>,
    /// For a timer event: `ACK` or `RNR` ([`super::timers`]).
    pub timer_kind: Signal<In, Bits<2>>,

    /// High for one cycle when a row is written; an event of its QP may enter in the same cycle.
    pub row_write: Signal<In, Bit>,
    /// QP whose row is written.
    pub row_index: Signal<In, Bits<QB>>,
    /// The new row.
    pub row: Signal<In, RequesterRow>,
    /// High for one cycle when `MODIFY_QP` writes its arguments 0 to 13, 22 and 23; no event enters in the same cycle.
    pub config_write: Signal<In, Bit>,
    /// QP that is modified.
    pub config_index: Signal<In, Bits<QB>>,
    /// Arguments 0 to 13, 22 and 23, from the most significant end.
    pub config_row: Signal<In, QpAttributes>,
    /// High for one cycle when a WQE starts; `read_row` is used only if the WQE is a Read or atomic.
    pub read_write: Signal<In, Bit>,
    /// QP index | place of the Read or atomic in the ring of its QP 4.
    pub read_address: Signal<In, Bits<RA>>,
    /// First PSN 24 | last PSN 24 | WQE 16 | length 32 | atomic 1, from the most significant end.
    pub read_row: Signal<In, ReadSpan>,

    /// Number of WQEs of QP `read_index` that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// QP whose WQE is read from the cache.
    pub wqe_index: Signal<Out, Bits<QB>>,
    /// Slot of that WQE in the cache.
    pub wqe_slot: Signal<Out, Bits<6>>,
    /// High to keep the WQE that was read last.
    pub wqe_hold: Signal<Out, Bit>,
    /// The WQE, one cycle after its slot.
    pub wqe: Signal<In, Bits<512>>,
    /// Highest PSN sent, plus one, of QP `fetch.index`.
    pub horizon: Signal<In, Bits<24>>,
    /// Number of packets of QP `fetch.index` that are gone, modulo 2^8.
    pub emitted_count: Signal<In, Bits<8>>,
    /// Number of packets of QP `fetch.index` that were discarded, modulo 2^8.
    pub discarded_count: Signal<In, Bits<8>>,
    /// Highest PSN sent, plus one, of QP `judge_index`.
    pub judge_horizon: Signal<In, Bits<24>>,
    /// High for one cycle when a request departs.
    pub left_valid: Signal<In, Bit>,

    /// High while an event is in the first stage.
    pub read_valid: Signal<Out, Bit>,
    /// QP of the event in the first stage.
    pub read_index: Signal<Out, Bits<QB>>,
    /// QP of the event in the second stage; `valid` is high while there is one.
    pub fetch: QpPulseSource<QB>,

    /// High while an event is in the third stage, which the ports `judge_*` describe. The stage empties with
    /// `judge_ready`, and in any case with `judge_launches`.
    pub judge_valid: Signal<Out, Bit>,
    /// High if the event in the third stage leaves in this cycle.
    pub judge_ready: Signal<In, Bit>,
    /// Kind of the event.
    pub judge_kind: Signal<Out, EventKind>,
    /// QP of the event.
    pub judge_index: Signal<Out, Bits<QB>>,
    /// The response, for a response event.
    pub judge_arrival: Signal<Out, ResponseArrival>,
    /// For a timer event: `ACK` or `RNR` ([`super::timers`]).
    pub judge_timer_kind: Signal<Out, Bits<2>>,
    /// State of the QP.
    pub judge_row: Signal<Out, RequesterRow>,
    /// Arguments 0 to 13, 22 and 23 of `MODIFY_QP`, from the most significant end.
    pub judge_config: Signal<Out, QpAttributes>,
    /// WQE of the next packet or, for a response, of the oldest Read or atomic.
    pub judge_wqe: Signal<Out, Bits<512>>,
    /// Bytes of the message up to the end of its next packet, if that is full.
    pub judge_reach: Signal<Out, Bits<33>>,
    /// Region of the response's PSN.
    pub judge_place: Signal<Out, ResponsePlace>,
    /// Properties of the response.
    pub judge_form: Signal<Out, ResponseForm>,
    /// The Read or atomic after the oldest, in the layout of `read_row`.
    pub judge_following: Signal<Out, ReadSpan>,
    /// High if the WQE of the next packet was in the cache before it was read.
    pub judge_posted: Signal<Out, Bit>,
    /// Number of packets of the QP that are gone, modulo 2^8.
    pub judge_gone: Signal<Out, Bits<8>>,
    /// Number of packets of the QP that are possibly not gone yet, modulo 2^8.
    pub judge_leaving: Signal<Out, Bits<8>>,
    /// High if the event is a turn that goes to [`super::RequestLaunch`].
    pub judge_launches: Signal<Out, Bit>,
    /// High if the event is a response whose PSN was never sent.
    pub judge_ghost: Signal<Out, Bit>,
    /// High if no request departs in this cycle or departed in the one before: none can make a ghost a valid response.
    pub judge_ghost_stands: Signal<Out, Bit>,

    // No event of a QP is in the pipeline while the QP's rows are written, except one that enters in the same clock:
    // the row is passed on to it.
    #[default(BlockRam::without_collisions())]
    rows: BlockRam<RequesterRow, QB>,
    /// The part of the rows that names the next WQE to read, since a block RAM is late.
    places: LutRam<FetchSlots, QB>,
    #[default(BlockRam::without_collisions())]
    configs: BlockRam<QpAttributes, QB>,
    reads: HeldRam<ReadSpan, RA>,
    region: ResponseRegion,
    decode: ResponseDecode,
    /// High if `written_row` was written one cycle ago.
    written: Register<Bit>,
    written_index: Register<Bits<QB>>,
    written_row: Register<RequesterRow>,

    reading: Register<Bit>,
    reading_kind: Register<EventKind>,
    reading_index: Register<Bits<QB>>,
    reading_arrival: Register<ResponseArrival>,
    reading_timer_kind: Register<Bits<2>>,

    fetching: Register<Bit>,
    fetching_kind: Register<EventKind>,
    fetching_index: Register<Bits<QB>>,
    fetching_arrival: Register<ResponseArrival>,
    fetching_timer_kind: Register<Bits<2>>,
    fetching_row: Register<RequesterRow>,
    fetching_config: Register<QpAttributes>,
    fetching_qp: Signal<Local, QpConfig>,
    fetching_arrived: Register<Bits<16>>,

    judging: Register<Bit>,
    judging_kind: Register<EventKind>,
    judging_index: Register<Bits<QB>>,
    judging_arrival: Register<ResponseArrival>,
    judging_timer_kind: Register<Bits<2>>,
    judging_row: Register<RequesterRow>,
    judging_config: Register<QpAttributes>,
    judging_wqe: Register<Bits<512>>,
    judging_reach: Register<Bits<33>>,
    judging_place: Register<ResponsePlace>,
    judging_form: Register<ResponseForm>,
    judging_following: Register<ReadSpan>,
    judging_posted: Register<Bit>,
    judging_gone: Register<Bits<8>>,
    judging_leaving: Register<Bits<8>>,
    judging_launches: Register<Bit>,
    judging_ghost: Register<Bit>,
    left_before: Register<Bit>,

    /// High if the first stage is empty, or its event leaves in this cycle.
    read_free: Register<Bit>,
    /// High if the second stage is empty, or its event leaves in this cycle.
    fetch_free: Register<Bit>,
    /// High if the third stage is empty, or its event certainly leaves in this cycle.
    judge_free: Register<Bit>,
    /// Row of the event that is read, including one written a clock ago.
    stored_row: Signal<Local, RequesterRow>,
    fetch_frees: Signal<Local, Bit>,
    judge_frees: Signal<Local, Bit>,
    launches: Signal<Local, Bit>,
    row_address: Signal<Local, Bits<QB>>,
    behind: Signal<Local, Bits<24>>,
    into: Signal<Local, Bits<24>>,
    outstanding: Signal<Local, Bits<24>>,
}

#[kernel]
impl<const QB: usize, const RA: usize> Logic for ContextFetch<QB, RA> {
    fn update(&mut self) {
        clock!(self, clock, rows, places, configs, reads);

        // A turn that launches always leaves. Whether any other event leaves settles late in the clock: the next one
        // enters a clock later.
        self.behind.next = self.fetching_row.q.val().psn - self.fetching_row.q.val().una;
        self.launches.next = (self.fetching_kind.q.val() == EventKind::Turn)
            && !self.fetching_row.q.val().flushing
            && !self.fetching_row.q.val().owes
            && !self.fetching_row.q.val().rewinding
            && !self.fetching_row.q.val().refused
            && !self.behind.val().get_bit(23);
        self.judge_frees.next = self.judge_ready.val();
        if self.judge_free.q.val() {
            self.judge_frees.next = !self.fetching.q.val() || self.launches.val();
        }
        self.fetch_frees.next = self.judge_frees.val() || (self.fetch_free.q.val() && !self.reading.q.val());
        self.judge_free.d.next = self.judge_frees.val();
        self.fetch_free.d.next = self.fetch_frees.val();
        self.read_free.d.next = self.fetch_frees.val() || (self.read_free.q.val() && !self.valid.val());
        self.ready.next = self.read_free.q.val();

        // Read. While an event waits here, its rows are read again in each clock. If no event enters a free place, the
        // content of the place is not used.
        self.row_address.next = self.reading_index.q.val();
        if self.read_free.q.val() {
            self.reading.d.next = self.valid.val();
            self.row_address.next = self.index.val();
            self.reading_kind.d.next = self.kind.val();
            self.reading_index.d.next = self.index.val();
            self.reading_timer_kind.d.next = self.timer_kind.val();
        }
        // Only a valid response may enter; the content of an invalid one changes with each beat.
        if self.read_free.q.val() && self.arrival_valid.val() {
            self.reading_arrival.d.next = self.arrival.val();
        }
        inputs!(self.rows, read_address: row_address, write_enable: row_write, write_address: row_index);
        self.rows.write_data.next = self.row.val();
        inputs!(self.places, write_enable: row_write, write_address: row_index);
        self.places.write_data.next.current = self.row.val().current.get_bits::<6>(0);
        self.places.write_data.next.read_wqe = self.row.val().read_wqe.get_bits::<6>(0);
        self.places.write_data.next.read_head = self.row.val().read_head;
        self.written.d.next = self.row_write.val();
        self.written_index.d.next = self.row_index.val();
        self.written_row.d.next = self.row.val();
        inputs!(self.configs, read_address: row_address, write_enable: config_write);
        inputs!(self.configs, write_address: config_index, write_data: config_row);
        self.stored_row.next = self.rows.read_data.val();
        if self.written.q.val() && (self.written_index.q.val() == self.reading_index.q.val()) {
            self.stored_row.next = self.written_row.q.val();
        }
        self.read_valid.next = self.reading.q.val();
        self.read_index.next = self.reading_index.q.val();

        // Fetch.
        inputs!(self.places, read_address_a: reading_index.q, read_address_b: reading_index.q);
        // A place without an event keeps its content, because the logic behind it would follow any change.
        if self.fetch_free.q.val() {
            self.fetching.d.next = self.reading.q.val();
        }
        if self.fetch_free.q.val() && self.reading.q.val() {
            self.fetching_kind.d.next = self.reading_kind.q.val();
            self.fetching_index.d.next = self.reading_index.q.val();
            self.fetching_arrival.d.next = self.reading_arrival.q.val();
            self.fetching_timer_kind.d.next = self.reading_timer_kind.q.val();
            self.fetching_row.d.next = self.stored_row.val();
            self.fetching_config.d.next = self.configs.read_data.val();
            // Sampled not later than the WQE is read: the WQE may arrive in between.
            self.fetching_arrived.d.next = self.arrived.val();
        }
        // Read for the event that leaves the stage before; if none can leave, the last result stays.
        self.wqe_hold.next = !self.fetch_free.q.val();
        self.wqe_index.next = self.reading_index.q.val();
        self.wqe_slot.next = self.places.read_data_a.val().current;
        if self.reading_kind.q.val() == EventKind::Response {
            self.wqe_slot.next = self.places.read_data_a.val().read_wqe;
        }
        self.reads.hold.next = !self.fetch_free.q.val();
        self.reads.read_address.next = (bit_cast::<RA, QB>(self.reading_index.q.val()) << 4)
            | bit_cast::<RA, 4>(self.places.read_data_a.val().read_head + 1);
        inputs!(self.reads, write_enable: read_write, write_address: read_address, write_data: read_row);
        inputs!(self.region, row: fetching_row.q, horizon);
        self.fetching_qp.next = self.fetching_config.q.val().row;
        self.region.pmtu.next = self.fetching_qp.val().pmtu;
        self.region.psn.next = self.fetching_arrival.q.val().psn;
        inputs!(self.decode, arrival: fetching_arrival.q, row: fetching_row.q);
        self.decode.pmtu.next = self.fetching_qp.val().pmtu;
        inputs!(self.fetch, valid: fetching.q, index: fetching_index.q);

        // Inputs of the judgement. While a ghost waits, a packet may depart that makes it a valid response.
        self.into.next = self.judging_arrival.q.val().psn - self.judging_row.q.val().una;
        self.outstanding.next = self.judge_horizon.val() - self.judging_row.q.val().una;
        if !self.into.val().get_bit(23) {
            self.judging_ghost.d.next = self.into.val() >= self.outstanding.val();
        }
        if self.judge_ready.val() {
            self.judging.d.next = false;
        }
        if self.judge_free.q.val() {
            self.judging.d.next = self.fetching.q.val();
        }
        if self.judge_free.q.val() && self.fetching.q.val() {
            self.judging_kind.d.next = self.fetching_kind.q.val();
            self.judging_index.d.next = self.fetching_index.q.val();
            self.judging_arrival.d.next = self.fetching_arrival.q.val();
            self.judging_timer_kind.d.next = self.fetching_timer_kind.q.val();
            self.judging_row.d.next = self.fetching_row.q.val();
            self.judging_config.d.next = self.fetching_config.q.val();
            self.judging_wqe.d.next = self.wqe.val();
            self.judging_reach.d.next = bit_cast::<33, 32>(self.fetching_row.q.val().offset)
                + (bits::<33>(128) << self.fetching_qp.val().pmtu);
            self.judging_place.d.next = self.region.place.val();
            self.judging_form.d.next = self.decode.form.val();
            self.judging_following.d.next = self.reads.read_data.val();
            self.judging_posted.d.next = self.fetching_arrived.q.val() != self.fetching_row.q.val().started;
            self.judging_gone.d.next = self.emitted_count.val();
            self.judging_leaving.d.next =
                self.fetching_row.q.val().issued - self.emitted_count.val() - self.discarded_count.val();
            self.judging_launches.d.next = self.launches.val();
            self.judging_ghost.d.next = self.region.place.val().ghost;
        }
        self.left_before.d.next = self.left_valid.val();
        self.judge_valid.next = self.judging.q.val();
        self.judge_kind.next = self.judging_kind.q.val();
        self.judge_index.next = self.judging_index.q.val();
        self.judge_arrival.next = self.judging_arrival.q.val();
        self.judge_timer_kind.next = self.judging_timer_kind.q.val();
        self.judge_row.next = self.judging_row.q.val();
        self.judge_config.next = self.judging_config.q.val();
        self.judge_wqe.next = self.judging_wqe.q.val();
        self.judge_reach.next = self.judging_reach.q.val();
        self.judge_place.next = self.judging_place.q.val();
        self.judge_form.next = self.judging_form.q.val();
        self.judge_place.next.ghost = self.judging_ghost.q.val();
        self.judge_following.next = self.judging_following.q.val();
        self.judge_posted.next = self.judging_posted.q.val();
        self.judge_gone.next = self.judging_gone.q.val();
        self.judge_leaving.next = self.judging_leaving.q.val();
        self.judge_launches.next = self.judging_launches.q.val();
        self.judge_ghost.next =
            self.judging_ghost.q.val() && (self.judging_kind.q.val() == EventKind::Response);
        // A departure of any QP counts: the QP of the packet settles late in the clock.
        self.judge_ghost_stands.next = !self.left_valid.val() && !self.left_before.q.val();

        if self.reset.val() {
            self.read_free.d.next = true;
            self.fetch_free.d.next = true;
            self.judge_free.d.next = true;
            clear!(self, reading, fetching, judging, written);
        }
    }
}
