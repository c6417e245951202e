//! The physical link of a native port.
use hca_hdl::prelude::*;
use hca_host::profile;

/// Time that the port waits for a lost link, in microseconds: 10 ms, + 3 % or - 51 % (`protocol/link.md` section 1).
const PATIENCE_US: u64 = 8_400;

/// Permits the link to be up, and reports whether it is up and how long it has been down.
#[derive(LogicBlock, SmartDefault)]
pub struct PhysicalLink {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while the physical link is up.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link is permitted to be up.
    pub link_enable: Signal<Out, Bit>,

    /// High while a step of the port is due or under way. Meanwhile `link_up` is not sampled, so that one change
    /// follows the other.
    pub hold: Signal<In, Bit>,
    /// High for one cycle when software sets the state to Down.
    pub asks_down: Signal<In, Bit>,
    /// With `asks_down`: high if the port stays Down until software sets Down without it.
    pub disables: Signal<In, Bit>,
    /// With `asks_down`: high if the port was in another state.
    pub leaves: Signal<In, Bit>,
    /// High while the port waits for a lost link (state ActiveDefer).
    pub waits: Signal<In, Bit>,

    /// High if the link was up when it was sampled last.
    pub seen: Signal<Out, Bit>,
    /// High if the link was up when it was sampled last, and is permitted to be up.
    pub up: Signal<Out, Bit>,
    /// High while the port stays Down.
    pub disabled: Signal<Out, Bit>,
    /// High from a change to Down until the link is down, so that the neighbour notices it.
    pub restarts: Signal<Out, Bit>,
    /// High once the port has waited for the full time.
    pub given_up: Signal<Out, Bit>,

    is_up: Register<Bit>,
    is_enabled: Register<Bit>,
    is_disabled: Register<Bit>,
    /// Number of cycles that the port has waited, up to `patience`.
    waited: Register<Bits<24>>,
    ends: Signal<Local, Bit>,
    #[default(constant(patience(profile::SMALL.clock_hz)))]
    patience: Constant<Bits<24>>,
}

/// Clock cycles that the port waits for a lost link.
fn patience(clock_hz: u64) -> u64 {
    let clocks = clock_hz * PATIENCE_US / 1_000_000;
    assert!((1..1 << 24).contains(&clocks), "a clock of {clock_hz} Hz");
    clocks
}

impl PhysicalLink {
    /// For a clock of `clock_hz` Hz.
    ///
    /// # Panics
    /// With a clock of less than 1 kHz or more than 1.9 GHz.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            patience: constant(patience(clock_hz)),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for PhysicalLink {
    fn update(&mut self) {
        if !self.hold.val() {
            self.is_up.d.next = self.link_up.val();
        }
        // The link comes down before it may be up again.
        if !self.is_up.q.val() && !self.is_disabled.q.val() {
            self.is_enabled.d.next = true;
        }
        if self.asks_down.val() {
            self.is_disabled.d.next = self.disables.val();
            if self.disables.val() || self.leaves.val() {
                self.is_enabled.d.next = false;
            }
        }

        self.ends.next = self.waited.q.val() == self.patience.val();
        if !self.ends.val() {
            self.waited.d.next = self.waited.q.val() + 1;
        }
        if !self.waits.val() {
            self.waited.d.next = bits::<24>(0);
        }

        self.link_enable.next = self.is_enabled.q.val();
        self.seen.next = self.is_up.q.val();
        self.up.next = self.is_up.q.val() && self.is_enabled.q.val();
        self.disabled.next = self.is_disabled.q.val();
        self.restarts.next = !self.is_enabled.q.val() && !self.is_disabled.q.val();
        self.given_up.next = self.ends.val();

        if self.reset.val() {
            self.is_enabled.d.next = true;
            clear!(self, is_up, is_disabled, waited);
        }
    }
}
