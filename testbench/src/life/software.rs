//! What software believes of both sides: it makes the next step a likely one, so that lives get somewhere.
use super::addresses::{CQS, MAX_LENGTH, QPS, REGIONS};
use super::step::{Act, Given, Operation, Step, Work};
use crate::Side;
use hca_golden::verbs::{QpState, QueueSide};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use serde::{Deserialize, Serialize};

/// Of one side.
#[derive(Clone, Debug, Default)]
struct Belief {
    cqs: [bool; CQS as usize],
    /// None: there is no such queue pair.
    qps: [Option<QpState>; QPS as usize],
}

/// Both sides. It follows what was asked, not what was granted: wrong beliefs only make steps that are refused.
#[derive(Clone, Debug, Default)]
pub struct Software {
    sides: [Belief; 2],
    area: Area,
}

/// What a life dwells on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// Everything in turn.
    #[default]
    All,
    /// Anything that software may ask for.
    Verbs,
    /// Messages of every kind.
    Traffic,
    /// The same over a faulty link.
    Faults,
    /// The same while host memory and streams take their time.
    Host,
}

impl Area {
    /// Weight of steps that make sense or none.
    fn anything(self) -> u32 {
        match self {
            Area::All => 8,
            Area::Verbs => 60,
            Area::Traffic | Area::Faults | Area::Host => 1,
        }
    }
}

/// Weight of what brings a life on.
const LIKELY: u32 = 12;
/// Weight of a wait.
const WAIT: u32 = 8;

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::X), Just(Side::Y)]
}

fn entries() -> impl Strategy<Value = u32> {
    prop_oneof![
        8 => prop_oneof![Just(1u32), Just(2), Just(4), Just(16), Just(64)],
        1 => prop_oneof![Just(0u32), Just(3), Just(65), Just(32_769)],
    ]
}

fn length() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => Just(0u32),
        4 => 1u32..=64,
        2 => 65u32..=1100,
        1 => 1101u32..=MAX_LENGTH,
    ]
}

fn work() -> impl Strategy<Value = Work> {
    let flags = (
        prop::bool::weighted(0.8),
        any::<bool>(),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
    );
    let sges = prop_oneof![8 => 1u8..=3, 1 => Just(0u8), 1 => Just(17u8)];
    // The last one goes out of use by messages: no work names it.
    let region = prop_oneof![12 => Just(0u8), 1 => 0..REGIONS - 1];
    let operation = (0u8..8).prop_map(|n| Operation::ALL[usize::from(n)]);
    (operation, length(), sges, flags, region).prop_map(
        |(operation, length, sges, (signaled, solicited, fence, inline), region)| Work {
            operation,
            length,
            sges,
            signaled,
            solicited,
            fence,
            inline,
            region,
        },
    )
}

fn state() -> impl Strategy<Value = QpState> {
    use QpState::*;
    prop_oneof![
        Just(Reset),
        Just(Init),
        Just(Rtr),
        Just(Rts),
        Just(Sqd),
        Just(Sqe),
        Just(Error)
    ]
}

fn given() -> impl Strategy<Value = Given> {
    prop_oneof![
        6 => Just(Given::Required),
        1 => (0u8..6).prop_map(Given::Without),
        2 => (0u8..16).prop_map(Given::With),
        1 => (0u8..4).prop_map(Given::Wrong),
    ]
}

/// Anything, sense or not.
fn anything() -> BoxedStrategy<Act> {
    let (cq, qp, region) = (0..CQS, 0..QPS, 0..REGIONS);
    prop_oneof![
        (cq.clone(), entries()).prop_map(|(cq, entries)| Act::CreateCq { cq, entries }),
        cq.clone().prop_map(|cq| Act::QueryCq { cq }),
        (cq.clone(), entries()).prop_map(|(cq, entries)| Act::ResizeCq { cq, entries }),
        cq.clone().prop_map(|cq| Act::DestroyCq { cq }),
        (cq.clone(), any::<bool>()).prop_map(|(cq, solicited)| Act::RequestNotify { cq, solicited }),
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
        (qp.clone(), work()).prop_map(|(qp, work)| Act::PostSend { qp, work }),
        (qp.clone(), work()).prop_map(|(qp, work)| Act::PostReceive { qp, work }),
        (qp, any::<bool>(), prop_oneof![-3i16..=-1, 60i16..=80]).prop_map(|(qp, send, ahead)| Act::Ring {
            qp,
            queue: if send { QueueSide::Send } else { QueueSide::Receive },
            ahead,
        }),
        (1u16..=3000).prop_map(|cycles| Act::Wait { cycles }),
    ]
    .boxed()
}

impl Belief {
    /// What brings this side on.
    fn likely(&self) -> Vec<(u32, BoxedStrategy<Act>)> {
        let mut acts = Vec::new();
        for cq in 0..CQS {
            if self.cqs[usize::from(cq)] {
                let arm = any::<bool>().prop_map(move |solicited| Act::RequestNotify { cq, solicited });
                acts.push((3, arm.boxed()));
            } else {
                let create = entries().prop_map(move |entries| Act::CreateCq { cq, entries });
                acts.push((LIKELY, create.boxed()));
            }
        }
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
                Some(state) => acts.extend(on(qp, state)),
            }
        }
        acts
    }
}

/// What is done with a queue pair in this state.
fn on(qp: u8, state: QpState) -> Vec<(u32, BoxedStrategy<Act>)> {
    let to = |to| {
        let given = Given::Required;
        Just(Act::ModifyQp { qp, to, given }).boxed()
    };
    let receive = work().prop_map(move |work| Act::PostReceive { qp, work });
    let send = work().prop_map(move |work| Act::PostSend { qp, work });
    match state {
        QpState::Reset => vec![(LIKELY, to(QpState::Init))],
        QpState::Init => vec![(LIKELY, to(QpState::Rtr)), (LIKELY, receive.boxed())],
        QpState::Rtr => vec![(LIKELY, to(QpState::Rts)), (LIKELY, receive.boxed())],
        QpState::Rts => vec![
            (4 * LIKELY, receive.boxed()),
            (4 * LIKELY, send.boxed()),
            (1, to(QpState::Sqd)),
            (1, to(QpState::Error)),
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
    /// Before a life that dwells on this.
    pub fn dwelling_on(area: Area) -> Software {
        Software {
            area,
            ..Software::default()
        }
    }

    /// Queue pairs that are not in RTS on both sides.
    fn unconnected(&self) -> impl Iterator<Item = u8> + '_ {
        let is_ready = |belief: &Belief, qp: u8| belief.qps[usize::from(qp)] == Some(QpState::Rts);
        (0..QPS).filter(move |qp| !self.sides.iter().all(|belief| is_ready(belief, *qp)))
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
                let mut acts = software.sides[side as usize].likely();
                acts.extend(software.unconnected().map(|qp| {
                    let connect = (0..CQS).prop_map(move |cq| Act::Connect { qp, cq });
                    (LIKELY, connect.boxed())
                }));
                acts.push((software.area.anything(), anything()));
                acts.push((
                    WAIT,
                    (1u16..=3000).prop_map(|cycles| Act::Wait { cycles }).boxed(),
                ));
                prop::strategy::Union::new_weighted(acts).prop_map(move |act| Step { side, act })
            })
            .boxed()
    }

    fn apply(mut software: Software, step: &Step) -> Software {
        if let Act::Connect { qp, cq } = step.act {
            for belief in &mut software.sides {
                belief.cqs[usize::from(cq)] = true;
                belief.qps[usize::from(qp)] = Some(QpState::Rts);
            }
        }
        let belief = &mut software.sides[step.side as usize];
        match step.act {
            Act::CreateCq { cq, .. } => belief.cqs[usize::from(cq)] = true,
            Act::DestroyCq { cq } => belief.cqs[usize::from(cq)] = false,
            Act::CreateQp { qp, .. } => {
                belief.qps[usize::from(qp)].get_or_insert(QpState::Reset);
            }
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
