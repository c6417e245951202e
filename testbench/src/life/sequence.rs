//! Runs a sequence on a fabric.
use super::addresses::{self, MAX_LENGTH};
use super::datagrams::GROUP_HANDLE;
use super::forge::Known;
use super::host::Host;
use super::link_layer;
use super::places::Places;
use super::verbs::verb;
use crate::case::limits::{CQS, QPS};
use crate::case::Forged;
use crate::case::{Act, Address, Given, Receives, Step, Volley, Work};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{QpState, Service};

/// Number of entries of a connection's CQ, which is seldom too small.
const ENTRIES: u32 = 64;
/// Number of clock cycles that software waits at the end for work that needs receive requests.
const LAST_WAIT: u64 = 2_000;
/// Largest number of clock cycles that software waits for anything. The longest delay of a forged RNR NAK is 655 ms
/// (`aeth.md` section 6).
const LONGEST_WAIT: u64 = 1_000_000;

/// Result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub packets: u64,
    pub completions: u64,
}

/// Runs a sequence to its end: all work under way ends, and everything must be as the model requires.
pub fn run(fabric: &mut Fabric<'_>, places: &Places, steps: &[Step]) -> Result<Ends, Stop> {
    let mut hosts = [Host::new(*places), Host::new(*places)];
    for side in Side::BOTH {
        let (sources, length) = addresses::all_sources();
        let bytes: Vec<u8> = (0..length).map(|n| (n ^ n >> 8 ^ side as u64) as u8).collect();
        fabric.station(side).write_memory(places.address(sources), &bytes);
        for (begin, length) in addresses::all_filled() {
            let bytes: Vec<u8> = (0..length).map(|n| (n ^ n >> 8) as u8 | 0x80).collect();
            fabric.station(side).write_memory(places.address(begin), &bytes);
        }
        for (word, value) in places.all_words() {
            fabric.station(side).write_memory(word, &value.to_le_bytes());
        }
        hosts[side as usize].regions[0] = 1;
        fabric.verbs(
            side,
            [Verb::RegMr {
                region: places.region(0, 1),
            }],
        )?;
    }
    let mut ends = Ends::default();
    for step in steps {
        match (step.act.clone(), step.side) {
            (Act::Wait { cycles }, _) => {
                wait(fabric, cycles)?;
            }
            (
                Act::Connect {
                    qp,
                    cq,
                    entries,
                    initial,
                    joins,
                    terms,
                },
                _,
            ) => {
                for host in &mut hosts {
                    let known = &mut host.terms[usize::from(qp)];
                    *known = terms.or(*known);
                }
                for side in Side::BOTH {
                    let terms = hosts[side as usize].terms(qp);
                    if terms.service() == Service::Ud {
                        let (handle, address) = (
                            qp,
                            Address {
                                qp,
                                ..Address::default()
                            },
                        );
                        ask(
                            fabric,
                            places,
                            &mut hosts,
                            side,
                            &Act::CreateAh { handle, address },
                        )?;
                    }
                }
                // Both must exist before either refers to the other.
                for made in [false, true] {
                    for side in Side::BOTH {
                        let acts = match made {
                            false => {
                                let receives = hosts[side as usize].terms(qp).receives;
                                making(qp, places.cq(qp, cq), entries.unwrap_or(ENTRIES), receives)
                            }
                            true => moving(&hosts[side as usize], qp, initial),
                        };
                        for act in acts {
                            ask(fabric, places, &mut hosts, side, &act)?;
                        }
                    }
                }
                for side in Side::BOTH {
                    if hosts[side as usize].terms(qp).service() == Service::Ud {
                        for act in addressing(qp, joins) {
                            ask(fabric, places, &mut hosts, side, &act)?;
                        }
                    }
                }
            }
            (
                Act::Burst {
                    qp,
                    count,
                    work,
                    others,
                    receives,
                    armed,
                    again,
                    met,
                },
                side,
            ) => {
                let mut kinds: Vec<Work> = [work].into_iter().chain(others).collect();
                if armed.is_some() {
                    arm(fabric, places, &mut hosts, side)?;
                }
                for begins in [Some(0), again].into_iter().flatten() {
                    wait(fabric, begins)?;
                    for (side, late, acts) in posts(side, qp, count, &kinds, receives) {
                        wait(fabric, late)?;
                        let verbs = acts.iter().filter_map(|act| verb(places, &mut hosts, side, act));
                        let verbs: Vec<Verb> = verbs.collect();
                        fabric.station(side).permit_refusals();
                        fabric.verbs(side, verbs)?;
                    }
                    kinds.rotate_left(1);
                }
                if let Some(late) = armed {
                    wait(fabric, late)?;
                    arm(fabric, places, &mut hosts, side)?;
                }
                volley(fabric, places, &hosts, side, qp, met)?;
            }
            (Act::Forge { qp, packet, others }, side) => {
                forge(fabric, places, &hosts, side, qp, &packet)?;
                volley(fabric, places, &hosts, side, qp, others)?;
            }
            (Act::ForgeLink { packets }, side) => {
                for packet in packets.iter().filter(|_| places.link() == Link::InfiniBand) {
                    let port = places.managed_port();
                    let said = fabric.station(side.other()).link_packet(port, packet.vl);
                    fabric.slip_in_link_at(port, side, packet.bytes(said.unwrap_or_default()))?;
                }
            }
            (Act::RaisePort, _) if places.changes_link() => {
                link_layer::raise(fabric, places.managed_port())?;
            }
            (Act::SetDataVls { data_vls }, _) if places.changes_link() => {
                link_layer::set_data_vls(fabric, places, places.managed_port(), data_vls, false)?;
            }
            (act, side) => {
                if let Act::RequestNotify { late, .. } = act {
                    wait(fabric, late)?;
                }
                ask(fabric, places, &mut hosts, side, &act)?;
            }
        }
        ends.completions += reap(fabric);
    }
    for side in Side::BOTH {
        let pulls = |step: &&Step| step.side == side && step.act == Act::SetCable { is_in: false };
        if steps.iter().any(|step| pulls(&step)) {
            ask(fabric, places, &mut hosts, side, &Act::SetCable { is_in: true })?;
        }
    }
    if places.changes_link() {
        link_layer::open(fabric, places, places.managed_port())?;
    }
    give_up(fabric, places, &mut hosts)?;
    fabric.settle()?;
    fabric.finish()?;
    ends.completions += reap(fabric);
    ends.packets = fabric.packets();
    Ok(ends)
}

fn wait(fabric: &mut Fabric<'_>, cycles: u16) -> Result<(), Stop> {
    (0..cycles).try_for_each(|_| fabric.step())
}

/// Arms each CQ of a side.
fn arm(fabric: &mut Fabric<'_>, places: &Places, hosts: &mut [Host; 2], side: Side) -> Result<(), Stop> {
    let (solicited, late) = (false, 0);
    (0..CQS).try_for_each(|cq| {
        ask(
            fabric,
            places,
            hosts,
            side,
            &Act::RequestNotify { cq, solicited, late },
        )
    })
}

/// Returns the posts of both sides in a burst, in order, with the delay of each in clock cycles. If a message is for a
/// multicast group, all other queue pairs of either side may be members.
fn posts(
    side: Side,
    qp: u8,
    count: u8,
    kinds: &[Work],
    receives: Option<Receives>,
) -> Vec<(Side, u16, Vec<Act>)> {
    // Each receive request has room for any message.
    let length = receives.map(|_| MAX_LENGTH);
    let Receives { count: room, late } = receives.unwrap_or(Receives { count, late: 0 });
    let turns = || kinds.iter().copied().cycle();
    let receives = |qp: u8| {
        turns().take(room.into()).map(move |work| Act::PostReceive {
            qp,
            work: Work {
                length: length.unwrap_or(work.length),
                ..work
            },
        })
    };
    let for_a_group = kinds.iter().any(|work| work.to.is_some_and(|to| to.multicast));
    let others = || (0..QPS).filter(|other| for_a_group && *other != qp);
    let own = (side, late, others().flat_map(receives).collect());
    let all = [qp].into_iter().chain(others());
    let receives = (side.other(), 0, all.flat_map(receives).collect());
    let sends = turns().take(count.into()).map(|work| Act::PostSend { qp, work });
    let sends = (side, 0, sends.collect());
    match late {
        0 => vec![own, receives, sends],
        _ => vec![sends, own, receives],
    }
}

/// Ends work that may wait for ever for receive requests that do not come, and work that waits too long, unless all of
/// it ends by itself.
fn give_up(fabric: &mut Fabric<'_>, places: &Places, hosts: &mut [Host; 2]) -> Result<(), Stop> {
    let all = Side::BOTH
        .into_iter()
        .flat_map(|side| (0..QPS).map(move |qp| (side, qp)));
    let endless: Vec<(Side, u8)> = all
        .clone()
        .filter(|(side, qp)| hosts[*side as usize].terms(*qp).waits_forever())
        .collect();
    if !endless.is_empty() && !fabric.settles_within(LAST_WAIT)? {
        fail_all(fabric, places, hosts, endless)?;
    }
    if !fabric.settles_within(LONGEST_WAIT)? {
        fail_all(fabric, places, hosts, all)?;
    }
    Ok(())
}

/// Moves queue pairs to Error, as software does.
fn fail_all(
    fabric: &mut Fabric<'_>,
    places: &Places,
    hosts: &mut [Host; 2],
    qps: impl IntoIterator<Item = (Side, u8)>,
) -> Result<(), Stop> {
    for (side, qp) in qps {
        let (to, given) = (QpState::Error, Given::Required);
        ask(fabric, places, hosts, side, &Act::ModifyQp { qp, to, given })?;
    }
    Ok(())
}

/// Returns true if no WQE that is not complete names this handle, now or soon.
fn is_free(fabric: &mut Fabric<'_>, side: Side, handle: u32) -> Result<bool, Stop> {
    let end = fabric.cycle() + LAST_WAIT;
    let mut free = false;
    fabric.run_until("the end of work that names an address handle", |fabric| {
        free = !fabric.station(side).names_handle(handle);
        free || fabric.cycle() >= end
    })?;
    Ok(free)
}

/// Starts a verb as software does, and waits for its outcome.
fn ask(
    fabric: &mut Fabric<'_>,
    places: &Places,
    hosts: &mut [Host; 2],
    side: Side,
    act: &Act,
) -> Result<(), Stop> {
    if let Act::CreateAh { handle, .. } | Act::ModifyAh { handle, .. } | Act::DestroyAh { handle } = act {
        if !is_free(fabric, side, places.handle(*handle))? {
            return Ok(());
        }
    }
    let asked = verb(places, hosts, side, act);
    if let Some(Verb::SetQp { qpn, changes, .. }) = &asked {
        // The WQE could send either key (`ud.md` section 2).
        if changes.q_key.is_some() && fabric.station(side).sends_own_q_key(*qpn) {
            return Ok(());
        }
    }
    let Some(verb) = asked else {
        return Ok(());
    };
    let destroyed = match verb {
        Verb::DestroyQp { qpn } => Some(qpn),
        _ => None,
    };
    if places.changes_link() {
        fabric.station(side).permit_refusals();
        fabric.station(side).submit(verb);
        link_layer::carry_through(fabric, places.managed_port(), side)?;
    } else {
        fabric.attempt(side, verb)?;
    }
    if let (Some(qpn), Act::DestroyQp { qp }) = (destroyed, act) {
        // The destruction of a member of a multicast group is refused, and the queue pair stays.
        if fabric.station(side).query(qpn).is_none() {
            hosts[side as usize].states[usize::from(*qp)] = None;
        }
    }
    Ok(())
}

fn volley(
    fabric: &mut Fabric<'_>,
    places: &Places,
    hosts: &[Host; 2],
    to: Side,
    qp: u8,
    volley: Option<Volley>,
) -> Result<(), Stop> {
    let Some(Volley { late, packets }) = volley else {
        return Ok(());
    };
    wait(fabric, late)?;
    packets
        .iter()
        .try_for_each(|packet| forge(fabric, places, hosts, to, qp, packet))
}

/// Makes a packet in the peer's name, with the numbers of the queue pair that receives it; `None` if there is no such
/// queue pair.
fn forge(
    fabric: &mut Fabric<'_>,
    places: &Places,
    hosts: &[Host; 2],
    to: Side,
    qp: u8,
    packet: &Forged,
) -> Result<(), Stop> {
    let host = &hosts[to as usize];
    let qpn = places.qpn(qp, host.qps[usize::from(qp)]);
    let Some(status) = fabric.station(to).query(qpn) else {
        return Ok(());
    };
    let r_key = |region: u8| places.keys(region, host.regions[usize::from(region)]).1;
    let known = Known {
        places: *places,
        to,
        qp,
        qpn: places.in_packets(qp, qpn),
        peer_qpn: places.in_packets(
            qp,
            places.qpn(qp, hosts[to.other() as usize].qps[usize::from(qp)]),
        ),
        service: host.terms(qp).service(),
        status,
        r_keys: [r_key(0), r_key(1), r_key(2)],
    };
    match packet.bytes(&known) {
        Ok(bytes) => fabric.slip_in_at(places.port_of(qp), to, bytes),
        // The packet is longer than any packet can be.
        Err(_) => Ok(()),
    }
}

/// Returns the steps of one side to create a queue pair.
fn making(qp: u8, cq: u8, entries: u32, receives: Option<u8>) -> Vec<Act> {
    let create = Act::CreateQp {
        qp,
        send_cq: cq,
        receive_cq: cq,
        send_entries: 16,
        receive_entries: receives.map_or(16, u32::from),
    };
    vec![Act::CreateCq { cq, entries }, create]
}

/// Returns the steps to give the last handle an address with a GRH: that of the first multicast group, which the queue
/// pair joins, or the peer's.
fn addressing(qp: u8, joins: bool) -> Vec<Act> {
    let address = Address {
        qp,
        group: joins.then_some(0),
        global: (!joins).then_some(true),
        ..Address::default()
    };
    let handle = GROUP_HANDLE;
    let create = Act::CreateAh { handle, address };
    let attach = joins.then_some(Act::Attach { qp, group: 0 });
    [create].into_iter().chain(attach).collect()
}

/// Returns the steps to move it to RTS, or to Init.
fn moving(host: &Host, qp: u8, initial: bool) -> Vec<Act> {
    let to = |to| {
        let given = Given::Required;
        Act::ModifyQp { qp, to, given }
    };
    let fresh = host.states[usize::from(qp)] == Some(QpState::Reset);
    let reset = (!fresh).then_some(QpState::Reset);
    let way = [QpState::Init, QpState::Rtr, QpState::Rts];
    let stages = if initial { 1 } else { way.len() };
    reset
        .into_iter()
        .chain(way)
        .take(reset.iter().len() + stages)
        .map(to)
        .collect()
}

fn reap(fabric: &mut Fabric<'_>) -> u64 {
    let of = |fabric: &mut Fabric<'_>, side| std::iter::from_fn(|| fabric.reap(side)).count();
    Side::BOTH.map(|side| of(fabric, side) as u64).iter().sum()
}
