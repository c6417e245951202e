//! Where a port of the hardware stands, as software and the retire port tell.
use hca_golden::port::Link;
use hca_host::register::port_state::{ACTIVE, ACTIVE_DEFER, DISABLED, DOWN, LINK_UP};

/// The state of one port, and what it follows from.
#[derive(Clone, Debug)]
pub struct PortStanding {
    /// State of the send side of the port.
    state: u32,
    /// True after software has requested Down until the port reports Down.
    goes_down: bool,
    is_disabled: bool,
    /// True if the port is a native one and the cable is in it.
    is_linked: bool,
    is_native: bool,
}

impl PortStanding {
    /// Makes the standing of an Active port.
    pub fn over(link: Link) -> PortStanding {
        let is_native = link == Link::InfiniBand;
        PortStanding {
            state: ACTIVE,
            goes_down: false,
            is_disabled: false,
            is_linked: is_native,
            is_native,
        }
    }

    /// Notes that the send side has taken this state.
    pub fn takes(&mut self, state: u32) {
        self.goes_down &= state != DOWN;
        self.state = state;
    }

    /// Notes that software requests Down of a native port, with (`is_disabled`) or without disabling it.
    pub fn take_down(&mut self, is_disabled: bool) {
        self.is_disabled = is_disabled && self.is_native;
        self.goes_down = self.state != DOWN && self.is_native;
    }

    /// Notes that the cable is plugged into the port, or pulled.
    pub fn set_cable(&mut self, is_in: bool) {
        self.is_linked = is_in && self.is_native;
    }

    /// Returns true if the port stays in this state as long as software requests no other, the cable is not moved, and
    /// no packet comes.
    pub fn is_settled(&self, state: u32) -> bool {
        match state {
            DOWN => !self.is_linked || self.is_disabled,
            ACTIVE_DEFER => !self.is_linked,
            _ => self.is_linked || !self.is_native,
        }
    }

    /// Returns the expected value of register `PORT_STATE`.
    pub fn register(&self) -> u32 {
        let is_up = self.is_linked && !self.is_disabled;
        let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        self.state | flag(self.is_disabled, DISABLED) | flag(is_up, LINK_UP)
    }
}
