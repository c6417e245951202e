//! Ack timeouts and RNR waits, one a QP.
use crate::bundle::{ExpiredTimerSource, TimerSetSink};
use hca_hdl::prelude::*;
use hca_host::profile;

/// Kind of a timer: none, a timer that runs is stopped.
pub const STOP: u8 = 0;
/// Kind of a timer: an ack timeout; its code is one of `protocol/ack_timeout.csv`.
pub const ACK: u8 = 1;
/// Kind of a timer: an RNR wait; its code is one of `protocol/rnr_timer.csv`.
pub const RNR: u8 = 2;

/// Delays of `protocol/rnr_timer.csv`, in units of 10 us.
const RNR_DELAYS: [u32; 32] = [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

/// Nanoseconds of a tick: a quarter of the unit of the ack timeout.
const TICK_NS: u64 = 1024;

/// One deadline for each QP. The deadlines are looked at in turn, one a cycle, once a tick (`protocol/aeth.md` section
/// 6).
///
/// An ack timeout of code `c` ends T = 4.096 us * 2^`c` after it was set, or up to two ticks and two rounds of the scan
/// later, below 4 T; with code 0 it never ends. An RNR wait takes at least its delay. Setting a timer cancels what was
/// set before, even an expiry that is not taken yet. `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct Timers<const QB: usize, const NQ: usize> {
    #[default(provided(NQ == 1 << QB, "one bit for each queue pair"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// A timer that is set or stopped. Registered for timing: it settles late in the clock.
    pub set: TimerSetSink<QB>,

    /// QPs whose timer has expired; `kind` is [`ACK`] or [`RNR`].
    pub expired: ExpiredTimerSource<QB>,

    /// High one cycle after a timer is set or stopped.
    door: Register<Bit>,
    door_index: Register<Bits<QB>>,
    door_kind: Register<Bits<2>>,
    door_code: Register<Bits<5>>,
    clocks: Register<Bits<16>>,
    /// Ticks so far, modulo 2^36; the longest timeout takes 2^33.
    now: Register<Bits<36>>,
    /// Kind 2 | deadline 36.
    rows: BlockRam<Bits<38>, QB>,
    /// QPs whose timer runs.
    armed: Register<Bits<NQ>>,
    #[default(Rom::new(RNR_DELAYS.iter().map(|&delay| rnr_ticks(delay))))]
    rnr_ticks: Rom<20, 5>,
    sets_now: Register<Bit>,
    setting: Register<Bits<QB>>,
    setting_row: Register<Bits<38>>,

    scan: Register<Bits<QB>>,
    /// High while a round of the scan is under way; else `scan` stands at 0.
    scanning: Register<Bit>,
    /// High if another round is due: a tick has passed since this one began, or a due timer could not be offered.
    again: Register<Bit>,
    reading: Register<Bit>,
    reading_index: Register<Bits<QB>>,
    comparing: Register<Bit>,
    comparing_index: Register<Bits<QB>>,
    row: Register<Bits<38>>,
    due: Register<Bit>,
    due_index: Register<Bits<QB>>,
    due_kind: Register<Bits<2>>,
    waits: Register<Bit>,
    index: Register<Bits<QB>>,
    kind: Register<Bits<2>>,

    ticks: Signal<Local, Bit>,
    delay: Signal<Local, Bits<36>>,
    left: Signal<Local, Bits<36>>,
    expires: Signal<Local, Bit>,
    fires: Signal<Local, Bits<NQ>>,
    sets: Signal<Local, Bits<NQ>>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
    #[default(constant(clocks_of_a_tick(profile::SMALL.clock_hz) - 1))]
    tick_end: Constant<Bits<16>>,
    #[default(constant(4))]
    ack_unit: Constant<Bits<36>>,
}

/// Clock cycles of a tick.
fn clocks_of_a_tick(clock_hz: u64) -> u64 {
    let clocks = (clock_hz * TICK_NS).div_ceil(1_000_000_000);
    assert!((2..1 << 16).contains(&clocks), "a clock of {clock_hz} Hz");
    clocks
}

/// Ticks of a delay in units of 10 us.
fn rnr_ticks(delay: u32) -> Bits<20> {
    let ticks = (u64::from(delay) * 10_000).div_ceil(TICK_NS);
    (ticks as usize).to_bits()
}

impl<const QB: usize, const NQ: usize> Timers<QB, NQ> {
    /// Timers for a clock of `clock_hz` Hz.
    ///
    /// # Panics
    /// With a clock of less than 1 MHz or more than 60 GHz.
    pub fn new(clock_hz: u64) -> Self {
        Timers {
            tick_end: constant(clocks_of_a_tick(clock_hz) - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for Timers<QB, NQ> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.door.d.next = self.set.valid.val();
        self.door_index.d.next = self.set.index.val();
        self.door_kind.d.next = self.set.kind.val();
        self.door_code.d.next = self.set.code.val();

        self.clocks.d.next = self.clocks.q.val() + 1;
        self.ticks.next = self.clocks.q.val() == self.tick_end.val();
        if self.ticks.val() {
            self.clocks.d.next = bits::<16>(0);
            self.now.d.next = self.now.q.val() + 1;
        }

        // One tick more: the present one may be nearly over.
        self.rnr_ticks.address.next = self.door_code.q.val();
        self.delay.next = self.ack_unit.val() << self.door_code.q.val();
        if self.door_kind.q.val() == 2 {
            self.delay.next = bit_cast::<36, 20>(self.rnr_ticks.data.val());
        }
        self.sets_now.d.next = self.door.q.val();
        self.setting.d.next = self.door_index.q.val();
        self.setting_row.d.next = bit_cast::<38, 36>(self.now.q.val() + self.delay.val() + 1)
            | (bit_cast::<38, 2>(self.door_kind.q.val()) << 36);
        inputs!(self.rows, write_enable: sets_now.q, write_address: setting.q, write_data: setting_row.q);

        // Three steps behind the read a QP's row is judged; a set on the way takes its place.
        self.rows.read_address.next = self.scan.q.val();
        self.reading.d.next = self.scanning.q.val()
            && !((self.sets_now.q.val() && (self.setting.q.val() == self.scan.q.val()))
                || (self.door.q.val() && (self.door_index.q.val() == self.scan.q.val())));
        self.reading_index.d.next = self.scan.q.val();
        self.comparing.d.next = self.reading.q.val()
            && !(self.door.q.val() && (self.door_index.q.val() == self.reading_index.q.val()));
        self.comparing_index.d.next = self.reading_index.q.val();
        self.row.d.next = self.rows.read_data.val();
        self.left.next = self.now.q.val() - self.row.q.val().get_bits::<36>(0);
        self.due.d.next = self.comparing.q.val()
            && !self.left.val().get_bit(35)
            && !(self.door.q.val() && (self.door_index.q.val() == self.comparing_index.q.val()));
        self.due_index.d.next = self.comparing_index.q.val();
        self.due_kind.d.next = self.row.q.val().get_bits::<2>(36);

        if self.expired.ready.val() {
            self.waits.d.next = false;
        }
        if self.door.q.val() && (self.door_index.q.val() == self.index.q.val()) {
            self.waits.d.next = false;
        }
        // While one waits to be taken, others come round again.
        self.expires.next = self.due.q.val()
            && !self.waits.q.val()
            && self.armed.q.val().get_bit(self.due_index.q.val().index())
            && !(self.door.q.val() && (self.door_index.q.val() == self.due_index.q.val()));
        self.fires.next = 0.into();
        if self.expires.val() {
            self.fires.next = self.one.val() << self.due_index.q.val();
            self.waits.d.next = true;
            self.index.d.next = self.due_index.q.val();
            self.kind.d.next = self.due_kind.q.val();
        }
        self.sets.next = 0.into();
        if self.door.q.val() {
            self.sets.next = self.one.val() << self.door_index.q.val();
        }
        self.armed.d.next = self.armed.q.val() & !self.fires.val() & !self.sets.val();
        if (self.door_kind.q.val() == 2) || ((self.door_kind.q.val() == 1) && (self.door_code.q.val() != 0)) {
            self.armed.d.next = (self.armed.q.val() & !self.fires.val()) | self.sets.val();
        }
        self.expired.valid.next =
            self.waits.q.val() && !(self.door.q.val() && (self.door_index.q.val() == self.index.q.val()));
        inputs!(self.expired, index: index.q, kind: kind.q);

        // Between ticks no row falls due, and none that is set with a tick falls due with it: a round a tick sees them
        // all, and none is needed while no row holds.
        if self.scanning.q.val() {
            self.scan.d.next = self.scan.q.val() + 1;
        }
        if !self.scanning.q.val() || self.scan.q.val().all() {
            self.scanning.d.next = self.again.q.val();
            self.again.d.next = false;
        }
        if (self.ticks.val() && self.armed.q.val().any()) || (self.due.q.val() && self.waits.q.val()) {
            self.again.d.next = true;
        }
        if self.reset.val() {
            self.armed.d.next = 0.into();
            clear!(self, scan, scanning, again, door, clocks, waits, sets_now);
        }
    }
}
