//! The assumptions of software about both sides. They make a likely next step, so that cases make progress.
use super::area::{Area, LIKELY};
use super::datagrams::{self, GROUP_HANDLE, LIKELY_GROUPS};
use super::draw::{entries, forged, given, hostile, link_packets, side, state, work};
use super::regions;
use super::terms::terms;
use super::traffic::{burst, likely, room, suited};
use super::virtual_lanes::{data_vls, lanes, sl_to_vl};
use crate::case::limits::{CQS, HANDLES, INVALIDATED, QPS, REGIONS};
use crate::case::{Act, ForgedLink, Given, PKey, Step, Terms};
use crate::Side;
use hca_golden::port::{PortState, P_KEYS};
use hca_golden::verbs::{QpState, QueueSide};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;

/// The assumptions about one side.
#[derive(Clone, Debug, Default)]
struct Belief {
    cqs: [bool; CQS as usize],
    /// States of the queue pairs; `None` for one that does not exist.
    qps: [Option<QpState>; QPS as usize],
    /// Queue pairs that are for datagrams.
    datagrams: [bool; QPS as usize],
    handles: [bool; HANDLES as usize],
    /// The last handle is the address of a multicast group.
    is_grouped: bool,
    /// Memberships of queue pairs in the likely groups.
    attached: [[bool; LIKELY_GROUPS as usize]; QPS as usize],
    /// State of a native port.
    port: PortState,
    is_disabled: bool,
    is_unplugged: bool,
    /// Not all data VLs of the port are operational.
    has_fewer_vls: bool,
    /// An SL is on no VL that carries it.
    loses_sls: bool,
    /// A VL has no turn.
    starves_vls: bool,
    /// True for entries of the P_Key table that do not have their initial value.
    p_keys: [bool; P_KEYS],
    /// Regions that were deregistered.
    gone: [bool; REGIONS as usize],
    /// The peer has sent what invalidates the last region.
    is_spent: bool,
}

/// The assumptions about both sides. They follow the requests, not the results: wrong assumptions only make steps that
/// are refused.
#[derive(Clone, Debug, Default)]
pub struct Software {
    sides: [Belief; 2],
    /// The last queue pair is QP0 or QP1.
    management: bool,
    /// Connections whose terms are those of datagrams.
    offered: [bool; QPS as usize],
    area: Area,
    /// Number of data VLs of a link with flow control whose software changes states and VLs of its ports.
    vls: Option<u8>,
}

/// Weight of a wait.
const WAIT: u32 = 8;

/// Draws an arming, at once after a poll or when more may have been written.
fn arm(cq: u8) -> impl Strategy<Value = Act> {
    let late = prop_oneof![1 => Just(0u16), 2 => 1u16..=1000];
    (any::<bool>(), late).prop_map(move |(solicited, late)| Act::RequestNotify { cq, solicited, late })
}

fn port_state() -> impl Strategy<Value = PortState> {
    use PortState::*;
    prop::sample::select(vec![Down, Init, Armed, Active])
}

fn p_key() -> impl Strategy<Value = Act> {
    let to = prop::sample::select(vec![PKey::First, PKey::OtherMember, PKey::Empty]);
    (0..P_KEYS as u8, to).prop_map(|(index, p_key)| Act::SetPKey { index, p_key })
}

/// Draws any step, sensible or not.
fn anything() -> BoxedStrategy<Act> {
    let (cq, qp, region) = (0..CQS, 0..QPS, 0..REGIONS);
    let any_work = || prop_oneof![2 => work(), 1 => suited(true, work())];
    prop_oneof![
        (cq.clone(), entries()).prop_map(|(cq, entries)| Act::CreateCq { cq, entries }),
        cq.clone().prop_map(|cq| Act::QueryCq { cq }),
        (cq.clone(), entries()).prop_map(|(cq, entries)| Act::ResizeCq { cq, entries }),
        cq.clone().prop_map(|cq| Act::DestroyCq { cq }),
        cq.clone().prop_flat_map(arm),
        (qp.clone(), cq.clone(), cq, entries(), entries()).prop_map(
            |(qp, send_cq, receive_cq, send_entries, receive_entries)| Act::CreateQp {
                qp,
                send_cq,
                receive_cq,
                send_entries,
                receive_entries,
            }
        ),
        (qp.clone(), state(), given()).prop_map(|(qp, to, given)| Act::ModifyQp { qp, to, given }),
        qp.clone().prop_map(|qp| Act::QueryQp { qp }),
        qp.clone().prop_map(|qp| Act::DestroyQp { qp }),
        region.clone().prop_map(|region| Act::RegMr { region }),
        region.clone().prop_map(|region| Act::DeregMr { region }),
        region.prop_map(|region| Act::Invalidate { region }),
        (qp.clone(), any_work()).prop_map(|(qp, work)| Act::PostSend { qp, work }),
        (qp.clone(), any_work()).prop_map(|(qp, work)| Act::PostReceive { qp, work }),
        datagrams::any_verb(),
        datagrams::any_verb(),
        prop_oneof![
            3 => port_state().prop_map(|state| Act::SetPortState { state }),
            1 => Just(Act::DisablePort),
            2 => any::<bool>().prop_map(|is_in| Act::SetCable { is_in }),
        ],
        p_key(),
        datagrams::any_membership(),
        (qp, any::<bool>(), prop_oneof![-3i16..=-1, 130i16..=200]).prop_map(|(qp, send, ahead)| Act::Ring {
            qp,
            queue: if send { QueueSide::Send } else { QueueSide::Receive },
            ahead,
        }),
        (1u16..=3000).prop_map(|cycles| Act::Wait { cycles }),
    ]
    .boxed()
}

impl Belief {
    /// Adds steps that change the VLs of the port at times, and restore soon what packets need.
    fn vls_wanted(&self, area: Area, vls: u8, acts: &mut Vec<(u32, BoxedStrategy<Act>)>) {
        let soon = |is_odd: bool| if is_odd { 2 * LIKELY } else { area.vl_change() };
        acts.push((
            soon(self.has_fewer_vls),
            data_vls(vls, self.has_fewer_vls).boxed(),
        ));
        acts.push((soon(self.loses_sls), sl_to_vl(vls, self.loses_sls).boxed()));
        acts.push((soon(self.starves_vls), lanes(vls, self.starves_vls).boxed()));
    }

    /// Draws a step that takes the port down at times, and brings it up again soon. With flow control, `neighbour` is
    /// the state of the other end.
    fn port_wanted(&self, area: Area, neighbour: Option<PortState>) -> (u32, BoxedStrategy<Act>) {
        let ask = |state| Just(Act::SetPortState { state }).boxed();
        match self.port {
            PortState::Active if neighbour.is_some() => {
                let ends = prop_oneof![
                    3 => ask(PortState::Down),
                    1 => Just(Act::DisablePort),
                    2 => Just(Act::SetCable { is_in: false }),
                ];
                (area.link_down(), ends.boxed())
            }
            // A neighbour in Init would restart the port.
            PortState::Armed if neighbour == Some(PortState::Init) => (1, ask(PortState::Active)),
            _ if self.is_unplugged => (4 * LIKELY, Just(Act::SetCable { is_in: true }).boxed()),
            _ if self.is_disabled => (4 * LIKELY, ask(PortState::Down)),
            PortState::Active => {
                let ends = prop_oneof![
                    3 => ask(PortState::Down),
                    1 => Just(Act::DisablePort),
                    2 => Just(Act::SetCable { is_in: false }),
                ];
                (area.port_down(), ends.boxed())
            }
            PortState::Armed => (4 * LIKELY, ask(PortState::Active)),
            PortState::Down | PortState::Init | PortState::ActiveDefer => (4 * LIKELY, ask(PortState::Armed)),
        }
    }

    /// Draws a step that changes an entry of the P_Key table at times, and restores it soon.
    fn p_keys_wanted(&self, area: Area) -> (u32, BoxedStrategy<Act>) {
        match (0..).zip(self.p_keys).find(|(_, changed)| *changed) {
            None => (area.p_key_change(), p_key().boxed()),
            Some((index, _)) => {
                let p_key = PKey::First;
                (2 * LIKELY, Just(Act::SetPKey { index, p_key }).boxed())
            }
        }
    }

    /// Adds steps for address handles, which datagrams need.
    fn handles_wanted(&self, area: Area, acts: &mut Vec<(u32, BoxedStrategy<Act>)>) {
        if !self.datagrams.contains(&true) {
            return;
        }
        for handle in 0..HANDLES {
            let path = || match handle {
                GROUP_HANDLE => prop_oneof![8 => datagrams::group_path(), 1 => datagrams::path()].boxed(),
                _ => prop_oneof![12 => datagrams::path(), 1 => datagrams::foreign_path()].boxed(),
            };
            let create = path().prop_map(move |address| Act::CreateAh { handle, address });
            let modify = path().prop_map(move |address| Act::ModifyAh { handle, address });
            match self.handles[usize::from(handle)] {
                false => acts.push((LIKELY / 2, create.boxed())),
                true => {
                    acts.push((1, modify.boxed()));
                    acts.push((1, Just(Act::QueryAh { handle }).boxed()));
                    let destroy = Just(Act::DestroyAh { handle });
                    acts.push((area.deregistration() / 2, destroy.boxed()));
                }
            }
        }
    }

    /// Adds steps that join multicast groups, and sometimes leave them or try to.
    fn groups_wanted(&self, area: Area, acts: &mut Vec<(u32, BoxedStrategy<Act>)>) {
        for (qp, groups) in (0..).zip(self.attached) {
            let of_datagrams = self.datagrams[usize::from(qp)];
            let state = self.qps[usize::from(qp)].filter(|state| of_datagrams && *state != QpState::Reset);
            if state.is_none() {
                continue;
            }
            for (group, attached) in (0..).zip(groups) {
                let (joins, leaves) = area.memberships(attached);
                acts.push((joins, Just(Act::Attach { qp, group }).boxed()));
                acts.push((leaves, Just(Act::Detach { qp, group }).boxed()));
            }
        }
    }

    /// Returns the next steps towards traffic on this side, with their weights.
    /// `link`: number of VLs of a link whose software changes it, and state of the port at its other end.
    fn likely(
        &self,
        area: Area,
        management: bool,
        link: Option<(u8, PortState)>,
    ) -> Vec<(u32, BoxedStrategy<Act>)> {
        let mut acts = Vec::new();
        if let Some((vls, neighbour)) = link {
            self.vls_wanted(area, vls, &mut acts);
            let is_up = [self.port, neighbour] == [PortState::Active; 2];
            acts.push((if is_up { 1 } else { 4 * LIKELY }, Just(Act::RaisePort).boxed()));
        }
        for cq in 0..CQS {
            if self.cqs[usize::from(cq)] {
                acts.push((3, arm(cq).boxed()));
            } else {
                let create = entries().prop_map(move |entries| Act::CreateCq { cq, entries });
                acts.push((LIKELY, create.boxed()));
            }
        }
        acts.extend(regions::wanted(&self.gone, self.is_spent, area));
        acts.push(self.port_wanted(area, link.map(|(_, neighbour)| neighbour)));
        let forge = link_packets(link.map(|(vls, _)| vls)).prop_map(|packets| Act::ForgeLink { packets });
        acts.push((area.link_forgery(), forge.boxed()));
        acts.push(self.p_keys_wanted(area));
        self.handles_wanted(area, &mut acts);
        self.groups_wanted(area, &mut acts);
        let cqs: Vec<u8> = (0..CQS).filter(|cq| self.cqs[usize::from(*cq)]).collect();
        for qp in 0..QPS {
            match self.qps[usize::from(qp)] {
                None if cqs.is_empty() => {}
                None => {
                    let cq = || prop::sample::select(cqs.clone());
                    let create = (cq(), cq(), entries(), entries()).prop_map(
                        move |(send_cq, receive_cq, send_entries, receive_entries)| Act::CreateQp {
                            qp,
                            send_cq,
                            receive_cq,
                            send_entries,
                            receive_entries,
                        },
                    );
                    acts.push((LIKELY, create.boxed()));
                }
                Some(state) => {
                    let datagrams = self.datagrams[usize::from(qp)];
                    acts.extend(on(qp, state, area, datagrams));
                    let packet = match area {
                        _ if management && qp == QPS - 1 => datagrams::mad().boxed(),
                        _ if datagrams => prop_oneof![4 => datagrams::hostile(), 1 => hostile()].boxed(),
                        Area::Hostile => hostile().boxed(),
                        _ => forged().boxed(),
                    };
                    let forge = (packet, area.volleys()).prop_map(move |(packet, others)| Act::Forge {
                        qp,
                        packet,
                        others,
                    });
                    acts.push((area.forgery(), forge.boxed()));
                    if state == QpState::Rts {
                        let kind = datagrams.then_some(self.is_grouped);
                        acts.push((
                            area.burst(),
                            burst(qp, kind, area.armed_bursts(), area.volleys()).boxed(),
                        ));
                        // This comes in the middle of any work under way.
                        let (to, given) = (QpState::Reset, Given::Required);
                        let reset = Just(Act::ModifyQp { qp, to, given });
                        acts.push((u32::from(area != Area::Friendly), reset.boxed()));
                    }
                }
            }
        }
        acts
    }
}

/// Returns the actions on a queue pair in this state, with their weights.
fn on(qp: u8, state: QpState, area: Area, datagrams: bool) -> Vec<(u32, BoxedStrategy<Act>)> {
    let to = |to| {
        let given = Given::Required;
        Just(Act::ModifyQp { qp, to, given }).boxed()
    };
    let receive = suited(datagrams, work()).prop_map(move |work| Act::PostReceive { qp, work });
    let send = suited(datagrams, work()).prop_map(move |work| Act::PostSend { qp, work });
    let rekey = (16u8..18).prop_map(move |n| Act::ModifyQp {
        qp,
        to: QpState::Rts,
        given: Given::With(n),
    });
    let rekey = rekey.boxed();
    if state == QpState::Rts && area.is_traffic() {
        let receive = prop_oneof![4 => room(), 1 => suited(datagrams, work())];
        let receive = receive.prop_map(move |work| Act::PostReceive { qp, work });
        let send = suited(datagrams, likely()).prop_map(move |work| Act::PostSend { qp, work });
        return vec![
            (2 * LIKELY, receive.boxed()),
            (2 * LIKELY, send.boxed()),
            (1, to(QpState::Sqd)),
            (1, to(QpState::Error)),
            // The send queue of an unreliable service may be in SQE.
            (if datagrams { LIKELY } else { 2 }, to(QpState::Rts)),
            (u32::from(datagrams), rekey),
        ];
    }
    match state {
        QpState::Reset => vec![(LIKELY, to(QpState::Init))],
        QpState::Init => vec![(LIKELY, to(QpState::Rtr)), (LIKELY, receive.boxed())],
        QpState::Rtr => vec![(LIKELY, to(QpState::Rts)), (LIKELY, receive.boxed())],
        QpState::Rts => vec![
            (4 * LIKELY, receive.boxed()),
            (4 * LIKELY, send.boxed()),
            (1, to(QpState::Sqd)),
            (1, to(QpState::Error)),
            (if datagrams { LIKELY } else { 1 }, to(QpState::Rts)),
            (u32::from(datagrams), rekey),
        ],
        QpState::Sqd => vec![(LIKELY, to(QpState::Rts)), (3, send.boxed())],
        QpState::Sqe | QpState::Error => vec![
            (LIKELY, to(QpState::Reset)),
            (3, Just(Act::DestroyQp { qp }).boxed()),
            (1, send.boxed()),
            (1, receive.boxed()),
        ],
    }
}

impl Software {
    /// Returns the assumptions before a case that concentrates on this area. `management` says whether the last queue
    /// pair is QP0 or QP1.
    pub fn dwelling_on(area: Area, management: bool) -> Software {
        let mut offered = [false; QPS as usize];
        offered[usize::from(QPS) - 1] = management;
        Software {
            area,
            management,
            offered,
            ..Software::default()
        }
    }

    /// Returns the same for a link with flow control, with this number of data VLs, whose software changes states and
    /// VLs of its ports.
    pub fn changing_link(self, vls: u8) -> Software {
        let vls = Some(vls);
        Software { vls, ..self }
    }

    /// Notes that the link of a port with flow control ended, and that its neighbour, if Active, restarts, too.
    fn restarts(&mut self, side: Side) {
        if self.vls.is_some() {
            let neighbour = &mut self.sides[side.other() as usize].port;
            if *neighbour == PortState::Active {
                *neighbour = PortState::Init;
            }
        }
    }

    /// Returns true if queue pairs of datagrams are the subject, or if one exists, so that a multicast group gets
    /// several members.
    fn favours_datagrams(&self) -> bool {
        self.area == Area::Datagrams || self.offered.contains(&true)
    }

    /// Returns true if the queue pair is in RTS on both sides, as far as software knows.
    fn is_connected(&self, qp: u8) -> bool {
        let state = |belief: &Belief| belief.qps[usize::from(qp)];
        self.sides
            .iter()
            .all(|belief| state(belief) == Some(QpState::Rts))
    }
}

impl ReferenceStateMachine for Software {
    type State = Software;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Software> {
        Just(Software::default()).boxed()
    }

    fn transitions(software: &Software) -> BoxedStrategy<Step> {
        let software = software.clone();
        side()
            .prop_flat_map(move |side| {
                let neighbour = software.sides[side.other() as usize].port;
                let link = software.vls.map(|vls| (vls, neighbour));
                let own = &software.sides[side as usize];
                let mut acts = own.likely(software.area, software.management, link);
                acts.extend((0..QPS).map(|qp| {
                    let weight = match software.is_connected(qp) {
                        true => software.area.reconnection(),
                        false => LIKELY,
                    };
                    let terms = prop::option::weighted(0.8, terms(software.favours_datagrams()));
                    // Such a queue may fail while other queue pairs are in any state.
                    let entries =
                        |few| prop::option::weighted(few, prop::sample::select(&[1u32, 2, 4, 16][..]));
                    let ends = prop_oneof![
                        8 => (entries(0.15), Just(false)),
                        2 => (entries(0.6), Just(true)),
                    ];
                    let connect = (0..CQS, ends, any::<bool>(), terms).prop_map(
                        move |(cq, (entries, initial), joins, terms)| Act::Connect {
                            qp,
                            cq,
                            entries,
                            initial,
                            joins,
                            terms,
                        },
                    );
                    (weight, connect.boxed())
                }));
                acts.push((software.area.anything(), anything()));
                acts.push((
                    WAIT,
                    (1u16..=3000).prop_map(|cycles| Act::Wait { cycles }).boxed(),
                ));
                acts.retain(|(weight, _)| *weight != 0);
                prop::strategy::Union::new_weighted(acts).prop_map(move |act| Step { side, act })
            })
            .boxed()
    }

    fn apply(mut software: Software, step: &Step) -> Software {
        if let Act::Connect {
            qp,
            cq,
            initial,
            joins,
            terms,
            ..
        } = step.act
        {
            let state = if initial { QpState::Init } else { QpState::Rts };
            if let Some(Terms { datagrams, .. }) = terms {
                software.offered[usize::from(qp)] = datagrams;
            }
            let of_datagrams = software.offered[usize::from(qp)];
            for belief in &mut software.sides {
                belief.cqs[usize::from(cq)] = true;
                if belief.qps[usize::from(qp)].replace(state).is_none() {
                    belief.datagrams[usize::from(qp)] = of_datagrams;
                }
                if of_datagrams {
                    belief.handles[usize::from(qp)] = true;
                }
                if of_datagrams {
                    let known = &mut belief.handles[usize::from(GROUP_HANDLE)];
                    belief.is_grouped |= joins && !*known;
                    *known = true;
                    belief.attached[usize::from(qp)][0] |= joins;
                }
            }
        }
        match &step.act {
            Act::SetPortState {
                state: PortState::Down,
            } => software.restarts(step.side),
            Act::ForgeLink { packets } if software.vls.is_some() => {
                let restarts = |packet: &ForgedLink| packet.is_sound() && packet.op == 1;
                let port = &mut software.sides[step.side as usize].port;
                if packets.iter().any(restarts) && *port == PortState::Active {
                    *port = PortState::Init;
                    software.restarts(step.side);
                }
            }
            Act::RaisePort if software.vls.is_some() => {
                for belief in &mut software.sides {
                    (belief.is_disabled, belief.port) = (false, PortState::Active);
                }
            }
            Act::SetDataVls { data_vls } => {
                for belief in &mut software.sides {
                    belief.has_fewer_vls = Some(*data_vls) != software.vls;
                }
            }
            _ => {}
        }
        software.sides[step.side.other() as usize].is_spent |= regions::invalidates(&step.act);
        let (offered, vls) = (software.offered, software.vls.unwrap_or_default());
        let belief = &mut software.sides[step.side as usize];
        match step.act {
            Act::CreateCq { cq, .. } => belief.cqs[usize::from(cq)] = true,
            Act::DestroyCq { cq } => belief.cqs[usize::from(cq)] = false,
            Act::CreateQp { qp, .. } if belief.qps[usize::from(qp)].is_none() => {
                belief.qps[usize::from(qp)] = Some(QpState::Reset);
                belief.datagrams[usize::from(qp)] = offered[usize::from(qp)];
            }
            Act::DisablePort => (belief.is_disabled, belief.port) = (true, PortState::Init),
            Act::SetCable { is_in } => {
                belief.is_unplugged = !is_in;
                // An Active port becomes Active again if the cable is back soon.
                if belief.port != PortState::Active {
                    belief.port = PortState::Init;
                }
            }
            Act::SetPortState { state } => {
                belief.is_disabled &= state != PortState::Down;
                let is_step = matches!(
                    (belief.port, state),
                    (_, PortState::Down)
                        | (PortState::Init, PortState::Armed)
                        | (PortState::Armed, PortState::Active)
                );
                if is_step {
                    belief.port = match state {
                        PortState::Down => PortState::Init,
                        state => state,
                    };
                }
            }
            Act::SetSlToVl { table } => belief.loses_sls = table.iter().any(|vl| *vl >= vls),
            Act::SetLanes { ref lanes } => belief.starves_vls = lanes.unserved(vls).is_some(),
            Act::SetPKey { index, p_key } => belief.p_keys[usize::from(index)] = p_key != PKey::First,
            Act::CreateAh { handle, address } if handle < HANDLES => {
                let known = &mut belief.handles[usize::from(handle)];
                if handle == GROUP_HANDLE && !*known {
                    belief.is_grouped = address.group.is_some();
                }
                *known = true;
            }
            Act::ModifyAh {
                handle: GROUP_HANDLE,
                address,
            } => belief.is_grouped = address.group.is_some(),
            Act::DestroyAh { handle } if handle < HANDLES => belief.handles[usize::from(handle)] = false,
            Act::RegMr { region } => {
                belief.gone[usize::from(region)] = false;
                belief.is_spent &= region != INVALIDATED;
            }
            Act::DeregMr { region } | Act::Invalidate { region } => belief.gone[usize::from(region)] = true,
            Act::Attach { qp, group } if group < LIKELY_GROUPS => {
                belief.attached[usize::from(qp)][usize::from(group)] = true;
            }
            Act::Detach { qp, group } if group < LIKELY_GROUPS => {
                belief.attached[usize::from(qp)][usize::from(group)] = false;
            }
            // The destruction of a member is refused.
            Act::DestroyQp { qp } if belief.attached[usize::from(qp)].contains(&true) => {}
            Act::DestroyQp { qp } => belief.qps[usize::from(qp)] = None,
            Act::ModifyQp {
                qp,
                to,
                given: Given::Required,
            } => {
                if let Some(state) = &mut belief.qps[usize::from(qp)] {
                    *state = to;
                }
            }
            Act::Ring { qp, .. } => {
                if let Some(state) = &mut belief.qps[usize::from(qp)] {
                    *state = QpState::Error;
                }
            }
            _ => {}
        }
        software
    }
}
