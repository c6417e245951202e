//! Runs a case.
use crate::case::frame::Frame;
use crate::case::lanes::Lanes;
use crate::case::{Case, LinkLayer};
use crate::device::{Device, Fault, Verb};
use crate::fabric::{Fabric, Observer, Reaped, Stop, Unwatched};
use crate::faults::Faults;
use crate::life;
use crate::life::Places;
use crate::scoreboard::failure::{Failure, Kind};
use crate::scoreboard::requirement::Rows;
use crate::scoreboard::Checked;
use crate::station::Station;
use crate::trace::output::OutputError;
use crate::trace::{LinkRecord, PacketRecord};
use crate::Side;
use crc::{Crc, Digest, CRC_64_XZ};
use hca_golden::port::{Link, FIRST};

/// Number of clock cycles without progress that count as a hang.
const PATIENCE: u64 = 20_000;
/// Largest number of clock cycles of a case.
const LIFETIME: u64 = 10_000_000;

static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// The result of a case.
pub struct Run {
    pub cycles: u64,
    /// Number of packets on the link.
    pub packets: u64,
    pub completions: u64,
    /// Number of reported decisions that were judged.
    pub decisions: u64,
    /// CRC of all packets and completions with their cycles.
    pub digest: u64,
    /// Rows of the conformance table that occurred.
    pub rows: Rows,
    pub failure: Option<Box<Failure>>,
}

/// Why a case could not be run to its end: a file of the run could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("cannot write the waves: {0}")]
    Waves(#[from] hca_sim::verilated::Error),
}

/// Counts and digests packets before any other observer sees them.
struct Watch<'a> {
    completions: u64,
    digest: Digest<'static, u64>,
    observer: &'a mut dyn Observer,
}

impl Observer for Watch<'_> {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        self.digest.update(&packet.cycle.to_le_bytes());
        self.digest.update(&[packet.from as u8]);
        self.digest.update(&packet.bytes);
        self.observer.packet(packet)
    }

    fn link_packet(&mut self, packet: &LinkRecord) -> Result<(), OutputError> {
        self.observer.link_packet(packet)
    }

    fn completion(&mut self, reaped: &Reaped) -> Result<(), OutputError> {
        self.completions += 1;
        self.digest.update(&reaped.cycle.to_le_bytes());
        self.digest.update(&reaped.completion.wr_id.to_le_bytes());
        self.digest
            .update(&[reaped.side as u8, reaped.completion.status as u8]);
        self.observer.completion(reaped)
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// Runs a case on these devices, which are fresh.
pub fn run_case(
    case: &Case,
    mut devices: [Box<dyn Device>; 2],
    observer: &mut dyn Observer,
) -> Result<Run, RunError> {
    let mut before = None;
    if let Some(cycles) = case.frame.reset {
        let (mut former, mut worn) = lived(case, devices, cycles.into(), &mut Unwatched)?;
        for (side, device) in Side::BOTH.into_iter().zip(&mut worn) {
            if let Err(fault) = device.reset() {
                former.failure.get_or_insert(not_reset(side, fault));
            }
        }
        if former.failure.is_some() {
            worn.iter_mut().try_for_each(|device| device.close())?;
            return Ok(former);
        }
        devices = worn;
        before = Some(former);
    }
    let (mut run, mut devices) = lived(case, devices, LIFETIME, observer)?;
    devices.iter_mut().try_for_each(|device| device.close())?;
    if let Some(former) = before {
        run.cycles += former.cycles;
        run.packets += former.packets;
        run.completions += former.completions;
        run.decisions += former.decisions;
        run.rows.add(&former.rows);
    }
    Ok(run)
}

/// Runs the case for at most this many clock cycles; a whole case that takes longer has failed. Returns the devices in
/// their present state.
fn lived(
    case: &Case,
    devices: [Box<dyn Device>; 2],
    limit: u64,
    observer: &mut dyn Observer,
) -> Result<(Run, [Box<dyn Device>; 2]), RunError> {
    let places = Places::of(&case.frame);
    let mut watch = Watch {
        completions: 0,
        digest: CRC.digest(),
        observer,
    };
    let [x, y] = devices;
    let station = |side, device| -> Box<dyn Station> {
        let checked = Checked::new(side, device, places.port(side), PATIENCE);
        Box::new(checked.polling_every(case.frame.polls_every.into()))
    };
    let mut fabric = Fabric::new(station(Side::X, x), station(Side::Y, y), PATIENCE, &mut watch)
        .over(places.link())
        .within(limit);
    if case.frame.faults != Faults::default() {
        fabric.suffer(case.frame.faults, case.frame.seed.into());
    }
    let begun = match case.frame.credits {
        Some(vls) if places.link() == Link::InfiniBand => {
            begin(&mut fabric, vls, &case.frame, places.ports())
        }
        _ => Ok(()),
    };
    let begun = begun.and_then(|()| begin_second_port(&mut fabric, &places));
    let lived = begun.and_then(|()| life::run(&mut fabric, &places, &case.steps));
    let failure = match lived {
        Ok(_) => None,
        Err(Stop::Failed(_)) if limit < LIFETIME && fabric.cycle() > limit => None,
        Err(Stop::Failed(failure)) => Some(failure),
        Err(Stop::Output(error)) => return Err(error.into()),
    };
    let (cycles, packets, decisions) = (fabric.cycle(), fabric.packets(), fabric.events());
    let rows = fabric.rows();
    let devices = fabric.leave();
    // The packet did not reach the link.
    if let Some((failure, side)) = failure.as_ref().and_then(|f| Some((f, f.side?))) {
        if let Some(bytes) = failure.packet() {
            watch.observer.packet(&PacketRecord {
                cycle: failure.cycle,
                from: side,
                // No report names the port of a packet that did not leave.
                port: FIRST,
                link: failure.link,
                bytes: bytes.to_vec(),
            })?;
        }
    }
    let run = Run {
        cycles,
        packets,
        completions: watch.completions,
        decisions,
        digest: watch.digest.finalize(),
        rows,
        failure,
    };
    Ok((run, devices))
}

/// Turns flow control on: of the first port, with SL `n` on the VL in bit `n`, or of all ports as the frame says.
fn begin(fabric: &mut Fabric<'_>, vls: u16, frame: &Frame, ports: u8) -> Result<(), Stop> {
    let controlled = frame.controlled();
    match controlled {
        None => fabric.control_flow(vls)?,
        Some(LinkLayer { sl_to_vl, .. }) => {
            (FIRST..=ports).try_for_each(|port| fabric.control_flow_at(port, sl_to_vl))?;
        }
    }
    if let Some(slow) = controlled.and_then(|layer| layer.slow) {
        fabric.slow_down(slow);
    }
    let Some(arbitration) = frame.lanes.as_ref().map(Lanes::arbitration) else {
        return Ok(());
    };
    for side in Side::BOTH {
        for port in FIRST..=controlled.map_or(FIRST, |_| ports) {
            fabric.verbs(side, [Verb::SetArbitration { arbitration }.on_port(port)])?;
        }
    }
    Ok(())
}

/// Gives port 2 the addresses and tables of port 1, if the case uses it: the ports are of different subnets.
fn begin_second_port(fabric: &mut Fabric<'_>, places: &Places) -> Result<(), Stop> {
    for side in Side::BOTH {
        for number in FIRST + 1..=places.ports() {
            let port = places.port(side);
            let keys = (0..).zip(port.p_keys);
            let keys = keys.map(|(index, p_key)| Verb::SetPKey { index, p_key });
            let (lid, lmc, gid, guids) = (port.lid, port.lmc, port.gid, port.guids);
            let mtu = port.mtu.code();
            let verbs = [
                Verb::SetLid { lid, lmc },
                Verb::SetGids { gid, guids },
                Verb::SetMtu { mtu },
            ];
            let verbs = verbs.into_iter().chain(keys);
            fabric.verbs(side, verbs.map(|verb| verb.on_port(number)))?;
        }
    }
    Ok(())
}

fn not_reset(side: Side, fault: Fault) -> Box<Failure> {
    Box::new(Failure {
        side: Some(side),
        cycle: 0,
        event: None,
        kind: Kind::Fault { rule: fault.rule },
        history: Vec::new(),
        link: Link::default(),
    })
}
