//! What software of both sides does together about the link between their ports.
use super::places::Places;
use crate::case::limits::HANDLES;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop, TAKEN};
use crate::Side;
use hca_golden::arbitration::Arbitration;
use hca_golden::port::PortState;

/// Largest number of attempts to bring a port up: a link packet that comes late restarts it.
const ATTEMPTS: u32 = 4;
/// Largest number of clock cycles that software waits for a step of a port.
const STEP_WAIT: u64 = 2_000;
/// Number of clock cycles after which software takes a verb for one that waits for credits.
const VERB_WAIT: u64 = 15_000;
/// Largest number of clock cycles that software waits for datagrams to leave.
const DATAGRAM_WAIT: u64 = 2_000;

/// Brings the port of this number to Active on both sides, each step of both before the next: a port in Init restarts a
/// neighbour that is Active (`protocol/link.md` section 1). A port without a cable stays as it is.
pub(super) fn raise(fabric: &mut Fabric<'_>, port: u8) -> Result<(), Stop> {
    for _ in 0..ATTEMPTS {
        if states(fabric, port)? == [Some(PortState::Active); 2] {
            return Ok(());
        }
        let way = [
            (PortState::Down, PortState::Down),
            (PortState::Init, PortState::Armed),
            (PortState::Armed, PortState::Active),
        ];
        let mut asks = false;
        for (from, to) in way {
            for side in Side::BOTH {
                if fabric.station(side).port_state(port) == Some(from) {
                    let verb = Verb::SetPortState { state: to };
                    fabric.attempt(side, verb.on_port(port))?;
                    asks = true;
                }
            }
            states(fabric, port)?;
            // What was sent in Init arrives before the neighbour is Active.
            for _ in 0..TAKEN {
                fabric.step()?;
            }
        }
        if !asks {
            break;
        }
    }
    Ok(())
}

/// Returns the state of the port on each side, once both keep theirs, or `None` for one that does not.
fn states(fabric: &mut Fabric<'_>, port: u8) -> Result<[Option<PortState>; 2], Stop> {
    let end = fabric.cycle() + STEP_WAIT;
    let of = |fabric: &mut Fabric<'_>| Side::BOTH.map(|side| fabric.station(side).port_state(port));
    while of(fabric).contains(&None) && fabric.cycle() < end {
        fabric.step()?;
    }
    Ok(of(fabric))
}

/// Makes this many data VLs of the port operational, on both sides, once no datagram is on its way to the port and the
/// port's own members have decided about their copies. Of a datagram for a multicast group that meets the change it
/// would be open whether these members get it: it may be discarded or not. If datagrams do not end, because their queue
/// pair sends nothing, nothing happens, unless the change `must` happen.
pub(super) fn set_data_vls(
    fabric: &mut Fabric<'_>,
    places: &Places,
    port: u8,
    data_vls: u8,
    must: bool,
) -> Result<(), Stop> {
    let end = fabric.cycle() + DATAGRAM_WAIT;
    let is_free = |fabric: &mut Fabric<'_>| {
        Side::BOTH.into_iter().all(|side| {
            let station = fabric.station(side);
            let mut handles = (0..HANDLES).map(|handle| places.handle(handle));
            station.verbs_open() == 0
                && !handles.any(|handle| station.names_handle(handle))
                && !station.holds_multicast(port)
        })
    };
    while !is_free(fabric) {
        match fabric.cycle() >= end {
            true if must => break,
            true => return Ok(()),
            false => {}
        }
        fabric.step()?;
    }
    for side in Side::BOTH {
        let verb = Verb::SetDataVls { data_vls };
        fabric.attempt(side, verb.on_port(port))?;
    }
    for _ in 0..TAKEN {
        fabric.step()?;
    }
    Ok(())
}

/// Waits for the outcome of a verb of this side. The reset or the end of a queue pair waits until packets have left. If
/// they have no credits because the neighbour's port is down, software brings that port up again: it trains, and this
/// side's port discards what waits.
pub(super) fn carry_through(fabric: &mut Fabric<'_>, port: u8, side: Side) -> Result<(), Stop> {
    let what = "outcome of a verb";
    let end = fabric.cycle() + VERB_WAIT;
    fabric.run_until(what, |fabric| {
        fabric.station(side).verbs_open() == 0 || fabric.cycle() >= end
    })?;
    if fabric.station(side).verbs_open() > 0 {
        let down = Verb::SetPortState {
            state: PortState::Down,
        };
        for verb in [Verb::SetCable { is_in: true }, down] {
            fabric.attempt(side.other(), verb.on_port(port))?;
        }
        fabric.run_until(what, |fabric| fabric.station(side).verbs_open() == 0)?;
    }
    Ok(())
}

/// Lets each packet that waits at the port leave: all its data VLs are operational and have a turn, and it is Active.
pub(super) fn open(fabric: &mut Fabric<'_>, places: &Places, port: u8) -> Result<(), Stop> {
    let data_vls = fabric.station(Side::X).data_vls();
    for side in Side::BOTH {
        let arbitration = Arbitration::of(data_vls);
        fabric.attempt(side, Verb::SetArbitration { arbitration }.on_port(port))?;
    }
    raise(fabric, port)?;
    set_data_vls(fabric, places, port, data_vls, true)?;
    raise(fabric, port)
}
