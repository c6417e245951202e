//! The state of a native port.
use super::physical_link::PhysicalLink;
use crate::bundle::{ReceiveStateSource, RegisterBusSink, ReportSource, SendStateSource};
use crate::retire::{kind_code, RetireRecord};
use hca_hdl::prelude::*;
use hca_host::register as map;
use hca_host::register::port_state as code;
use hca_host::retire::{kind, SIDE_RECEIVE, SIDE_SEND};

/// The register `PORT_STATE` (`protocol/link.md` section 1): makes one step at a time, on both sides of the port, and
/// reports it on each.
///
/// A side takes the new state in a clock in which it judges no packet, so that the record of the step stands between
/// the packets judged by the old state and those judged by the new one. The next step waits until both records are out.
#[derive(LogicBlock, SmartDefault)]
pub struct PortState {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// High while a step is due or under way, which takes a few clocks whatever the link does.
    pub changing: Signal<Out, Bit>,
    /// High while no step may begin.
    pub wait: Signal<In, Bit>,
    /// High in the cycle in which a step begins.
    pub begins: Signal<Out, Bit>,
    /// High from the next cycle on until both sides have reported the step.
    pub steps_on: Signal<Out, Bit>,

    /// High while the physical link is up.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link is permitted to be up.
    pub link_enable: Signal<Out, Bit>,
    /// High for one cycle when a lost link is back in time.
    pub link_recovered: Signal<Out, Bit>,
    /// High for one cycle when the port goes Down because its link is lost.
    pub link_lost: Signal<Out, Bit>,

    /// The state, for the receive side.
    pub receive: ReceiveStateSource,
    /// High for one cycle when a link packet that initialises has been taken: the neighbour has started anew.
    pub restarted: Signal<In, Bit>,
    /// Retire records of the receive side, for `LANE_LINK` of `host::retire`.
    pub retire_receive: ReportSource,

    /// High in the cycle in which the send side takes the state: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// The state, for the send side.
    pub sends: SendStateSource,
    /// Retire records of the send side, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire_send: ReportSource,

    /// High for one cycle when the port has become Active on both sides, or is Active no longer; ActiveDefer counts as
    /// Active.
    pub turned: Signal<Out, Bit>,

    link: PhysicalLink,
    /// The state that the port is in, or goes to.
    state: Register<Bits<3>>,
    /// State that the receive side uses.
    receive_state: Register<Bits<3>>,
    /// State that the send side uses.
    send_state: Register<Bits<3>>,
    /// High until the receive side uses `state`.
    receive_waits: Register<Bit>,
    /// High until the send side uses `state`.
    send_waits: Register<Bit>,
    // The way of a record, as long as that of a packet's.
    receive_took: Register<Bit>,
    receive_passes: Register<Bit>,
    receive_reports: Register<Bit>,
    send_took: Register<Bit>,
    send_reports: Register<Bit>,
    /// High from a step until both sides have reported it.
    under_way: Register<Bit>,
    /// High if that step begins or ends Active, ActiveDefer included.
    turns: Register<Bit>,
    /// High once the receive side, in Armed, has heard a packet.
    woken: Register<Bit>,
    /// High once a neighbour restart was seen while the receive side was Active.
    neighbour_restarted: Register<Bit>,

    is_down: Signal<Local, Bit>,
    is_armed: Signal<Local, Bit>,
    is_active: Signal<Local, Bit>,
    is_deferred: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    asked: Signal<Local, Bits<3>>,
    next: Signal<Local, Bits<3>>,
    steps: Signal<Local, Bit>,
    asks_down: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    #[default(constant(map::PORT_STATE))]
    address: Constant<Bits<20>>,
    #[default(constant(code::DOWN))]
    down: Constant<Bits<3>>,
    #[default(constant(code::INIT))]
    init: Constant<Bits<3>>,
    #[default(constant(code::ARMED))]
    armed: Constant<Bits<3>>,
    #[default(constant(code::ACTIVE))]
    active: Constant<Bits<3>>,
    #[default(constant(code::ACTIVE_DEFER))]
    active_defer: Constant<Bits<3>>,
    #[default(kind_code(kind::PORT_MODIFIED, SIDE_RECEIVE))]
    receive_modified: Constant<RetireRecord>,
    #[default(kind_code(kind::PORT_MODIFIED, SIDE_SEND))]
    send_modified: Constant<RetireRecord>,
}

#[kernel]
impl Logic for PortState {
    fn update(&mut self) {
        clock!(self, clock, link);

        // The step: one that is due by itself, or one that software requests.
        self.is_down.next = self.state.q.val() == self.down.val();
        self.is_armed.next = self.state.q.val() == self.armed.val();
        self.is_active.next = self.state.q.val() == self.active.val();
        self.is_deferred.next = self.state.q.val() == self.active_defer.val();
        self.due.next = !self.link.up.val()
            || (self.is_armed.val() && self.woken.q.val())
            || (self.is_active.val() && self.neighbour_restarted.q.val());
        if self.is_down.val() {
            self.due.next = self.link.up.val();
        }
        if self.is_deferred.val() {
            self.due.next = self.link.up.val() || self.link.given_up.val();
        }
        self.changing.next = self.under_way.q.val() || self.due.val();
        self.steps_on.next = self.under_way.q.val();
        self.asked.next = self.bus.write_data.val().get_bits::<3>(0);
        self.next.next = self.asked.val();
        self.steps.next = false;
        self.asks_down.next = false;
        if self.under_way.q.val() || self.wait.val() {
            self.steps.next = false;
        } else if self.due.val() {
            self.steps.next = true;
            self.next.next = self.down.val();
            if self.is_down.val() {
                self.next.next = self.init.val();
            } else if self.link.up.val() {
                self.next.next = self.active.val();
                if self.is_active.val() {
                    self.next.next = self.down.val();
                }
            } else if self.is_active.val() {
                self.next.next = self.active_defer.val();
            }
        } else if self.bus.write.val() && (self.bus.write_address.val() == self.address.val()) {
            self.asks_down.next = self.asked.val() == self.down.val();
            self.steps.next = ((self.asked.val() == self.down.val()) && !self.is_down.val())
                || ((self.asked.val() == self.armed.val()) && (self.state.q.val() == self.init.val()))
                || ((self.asked.val() == self.active.val()) && self.is_armed.val());
        }
        self.begins.next = self.steps.val();
        self.link_recovered.next =
            self.steps.val() && self.is_deferred.val() && (self.next.val() == self.active.val());
        self.link_lost.next = self.steps.val()
            && !self.asks_down.val()
            && !self.link.up.val()
            && (self.next.val() == self.down.val());

        // The physical link.
        inputs!(self.link, reset, link_up, asks_down);
        self.link_enable.next = self.link.link_enable.val();
        self.link.hold.next = self.changing.val();
        self.link.disables.next = self.bus.write_data.val().get_bit(4);
        self.link.leaves.next = !self.is_down.val();
        self.link.waits.next = self.is_deferred.val();

        // Both sides take it.
        self.takes.next = self.receive_waits.q.val() && self.receive.free.val();
        self.receive_took.d.next = self.takes.val();
        self.receive_passes.d.next = self.receive_took.q.val();
        self.receive_reports.d.next = self.receive_passes.q.val();
        self.send_took.d.next = self.send_waits.q.val();
        self.send_reports.d.next = self.send_took.q.val();
        if self.takes.val() {
            self.receive_state.d.next = self.state.q.val();
            self.receive_waits.d.next = false;
        }
        if self.send_waits.q.val() {
            self.send_state.d.next = self.state.q.val();
            self.send_waits.d.next = false;
        }
        // The record of the receive side is the later one.
        self.turned.next = self.receive_reports.q.val() && self.turns.q.val();
        if self.receive_reports.q.val() {
            self.under_way.d.next = false;
        }
        if self.steps.val() {
            self.state.d.next = self.next.val();
            self.receive_waits.d.next = true;
            self.send_waits.d.next = true;
            self.under_way.d.next = true;
            self.turns.d.next = (self.is_active.val() || self.is_deferred.val())
                != ((self.next.val() == self.active.val()) || (self.next.val() == self.active_defer.val()));
        }

        // An armed port wakes.
        if self.receive.heard.val() {
            self.woken.d.next = true;
        }
        if self.receive_state.q.val() != self.armed.val() {
            self.woken.d.next = false;
        }

        // An active port goes Down with its neighbour; an armed one takes it that the neighbour is still in Init.
        if self.restarted.val() {
            self.neighbour_restarted.d.next = true;
        }
        if self.receive_state.q.val() != self.active.val() {
            self.neighbour_restarted.d.next = false;
        }

        self.receive.hold.next = self.receive_waits.q.val();
        self.receive.down.next = self.receive_state.q.val() == self.down.val();
        self.receive.accepts_management.next = (self.receive_state.q.val() != self.down.val())
            && (self.receive_state.q.val() != self.active_defer.val());
        self.receive.accepts_data.next = (self.receive_state.q.val() == self.armed.val())
            || (self.receive_state.q.val() == self.active.val());
        inputs!(self.retire_receive, valid: receive_reports.q, record: receive_modified);
        self.retire_receive.record.next.index = bit_cast::<32, 3>(self.state.q.val());
        self.send_hold.next = self.send_waits.q.val();
        self.sends.management.next = (self.send_state.q.val() != self.down.val())
            && (self.send_state.q.val() != self.active_defer.val());
        self.sends.data.next = self.send_state.q.val() == self.active.val();
        self.sends.enters_init.next = self.send_waits.q.val() && (self.state.q.val() == self.init.val());
        self.sends.initialises.next = self.send_state.q.val() == self.init.val();
        self.sends.runs.next =
            (self.send_state.q.val() == self.armed.val()) || (self.send_state.q.val() == self.active.val());
        inputs!(self.retire_send, valid: send_reports.q, record: send_modified);
        self.retire_send.record.next.index = bit_cast::<32, 3>(self.state.q.val());

        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val() == self.address.val() {
            self.read_data.next = (bit_cast::<32, 1>(self.link.seen.val().into()) << 5)
                | (bit_cast::<32, 1>(self.link.disabled.val().into()) << 4)
                | (bit_cast::<32, 1>((self.changing.val() || self.link.restarts.val()).into()) << 3)
                | bit_cast::<32, 3>(self.state.q.val());
        }

        if self.reset.val() {
            self.state.d.next = self.down.val();
            self.receive_state.d.next = self.down.val();
            self.send_state.d.next = self.down.val();
            clear!(
                self, receive_waits, send_waits, receive_took, receive_passes, receive_reports, send_took,
                send_reports, under_way, woken, neighbour_restarted
            );
        }
    }
}
