//! Datagrams for multicast groups, from both sides: every other member gets one copy, the sender none (`ud.md` section
//! 4). In each round queue pairs join and leave groups, all of them send, and the fabric sends some packets back.
mod layout;
mod member;
mod message;

use super::setup::{attributes, q_key};
use super::uc;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::all_memory;
use crate::Side;
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::{AddressHandle, GlobalRoute, Pmtu, QpAttributes, QpState, Service};
use hca_golden::wire::multicast::mac_of;
use layout::{ENTRIES, GROUPS, MESSAGES, QPS, ROUNDS};
use member::Member;
use message::Message;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(super) use layout::{mgid, mlid, sl};

const HOP_LIMIT: u8 = 64;

/// A run with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multicast {
    pub name: &'static str,
    faults: Option<Faults>,
}

impl Multicast {
    /// No faults.
    pub const SOUND: Multicast = Multicast {
        name: "ud-multicast",
        faults: None,
    };
    /// The same with the faults of [`uc::LOSS_1`].
    pub const LOSS_1: Multicast = Multicast {
        name: "ud-multicast-loss-1",
        faults: uc::LOSS_1.faults,
    };
    /// The same with the faults of [`uc::LOSS_20`].
    pub const LOSS_20: Multicast = Multicast {
        name: "ud-multicast-loss-20",
        faults: uc::LOSS_20.faults,
    };

    const RUNS: [Multicast; 3] = [Multicast::SOUND, Multicast::LOSS_1, Multicast::LOSS_20];

    /// Returns the run with this name.
    pub fn named(name: &str) -> Option<Multicast> {
        Multicast::RUNS.into_iter().find(|run| run.name == name)
    }

    /// Runs it. The seed draws memberships, messages and the faults.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut members: Vec<Member> = Side::BOTH
            .into_iter()
            .flat_map(|side| (0..QPS).map(move |n| (side, n)))
            .map(|(side, n)| Member::random(&mut random, side, n))
            .collect();
        establish(fabric, &members)?;
        if let Some(faults) = self.faults {
            fabric.suffer(faults, seed);
        }
        fabric.keep_packets();
        for round in 0..ROUNDS {
            self.round(fabric, &mut random, &mut members)?;
            fabric.report_progress((round + 1).into(), ROUNDS.into());
        }
        Ok(())
    }

    fn round(
        &self,
        fabric: &mut Fabric<'_>,
        random: &mut ChaCha8Rng,
        members: &mut [Member],
    ) -> Result<(), Stop> {
        for side in Side::BOTH {
            let verbs: Vec<Verb> = members
                .iter_mut()
                .filter(|member| member.side == side)
                .flat_map(|member| member.regroup(fabric.link(), random))
                .collect();
            fabric.verbs(side, verbs)?;
        }
        let mut messages: Vec<Message> = Vec::new();
        for m in 0..MESSAGES {
            messages.extend(members.iter().map(|from| from.message(random, m)));
        }
        for member in members.iter_mut() {
            member.prepare(fabric, &messages, self.faults.is_some());
        }
        for side in Side::BOTH {
            fabric.verbs(side, [])?;
        }
        for message in &messages {
            message.post(fabric);
            for _ in 0..random.next_u32() % 64 {
                fabric.step()?;
            }
        }
        fabric.settle()?;
        fabric.watch()?;
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                let member = members
                    .iter_mut()
                    .find(|member| member.qpn() == reaped.completion.qpn);
                match member {
                    Some(member) => member.complete(fabric, &messages, &reaped.completion)?,
                    None => fabric.expect("a completion of a queue pair that there is", true, false)?,
                }
            }
        }
        for member in members.iter() {
            member.check(fabric, &messages)?;
        }
        send_back(fabric, random)
    }
}

/// Sends packets back to the port from which they came, as a faulty fabric does. The port drops them.
fn send_back(fabric: &mut Fabric<'_>, random: &mut ChaCha8Rng) -> Result<(), Stop> {
    for side in Side::BOTH {
        let own = fabric
            .kept_packets()
            .iter()
            .rev()
            .filter(|sent| sent.from == side);
        let Some(sent) = own
            .skip(random.next_u32() as usize % 8)
            .map(|sent| sent.bytes.clone())
            .next()
        else {
            continue;
        };
        fabric.slip_in(side, sent)?;
        fabric.rest()?;
        fabric.watch()?;
        fabric.expect(
            "completions of a packet that came back",
            false,
            fabric.has_completion(),
        )?;
    }
    Ok(())
}

/// Moves all queue pairs to RTS.
fn establish(fabric: &mut Fabric<'_>, members: &[Member]) -> Result<(), Stop> {
    let link = fabric.link();
    for side in Side::BOTH {
        let entries = (QPS * (ENTRIES + MESSAGES)).next_power_of_two();
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        verbs.extend((0..GROUPS).map(|group| Verb::CreateAh {
            handle: group,
            attributes: address(link, group),
        }));
        for member in members.iter().filter(|member| member.side == side) {
            let attributes = attributes(link, side, member.n, Service::Ud, Pmtu::B4096, [0; 2]);
            let qpn = attributes.qpn;
            verbs.push(Verb::CreateQp {
                attributes: QpAttributes {
                    q_key: q_key(member.key),
                    ..attributes
                },
                send_entries: (ROUNDS * MESSAGES).next_power_of_two(),
                receive_entries: ENTRIES,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
        }
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}

/// Returns the address of a group.
pub(super) fn address(link: Link, group: u32) -> AddressHandle {
    let dgid = mgid(link, group);
    AddressHandle {
        port: FIRST,
        dlid: mlid(link, group),
        sl: sl(group),
        global: Some(GlobalRoute {
            dgid,
            flow_label: group,
            traffic_class: 0,
            hop_limit: HOP_LIMIT,
        }),
        dest_mac: (link == Link::Roce).then(|| mac_of(&dgid)),
        ..AddressHandle::default()
    }
}
