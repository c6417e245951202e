//! A connection of RC beside queue pairs that send datagrams as fast as they can, in both directions. Its Sends and its
//! acks must get their share of the link.
use super::layout::{is_received, number_of, place, qpn_of, BUFFERS, ENTRIES, RECEIVE, SOURCES};
use super::setup::{address, attributes, q_key, AREA};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::{all_memory, L_KEY};
use crate::Side;
use hca_golden::verbs::{
    Completion, Datagram, Pmtu, QpState, ReceiveRequest, SendOperation, SendRequest, Service, Sge, Status,
};

/// Number of queue pairs of datagrams of a side. Queue pair 0 is that of RC.
const FLOODS: u32 = 6;
/// Number of those whose receive queues are kept full. Datagrams for the others are dropped.
const ATTENTIVE: u32 = 3;
/// Number of messages of RC in each direction.
const MESSAGES: u32 = 48;
/// Bytes of every message.
const LENGTH: u32 = 1024;
/// Largest number of datagrams of a queue pair for each message of RC. If queue pairs take turns there is one; more
/// than this is starvation.
const UNFAIR: u64 = 4;
const HANDLE: u32 = 0;

/// The run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood;

/// The progress of a side.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// Numbers of messages of RC that are posted, that have completed, and that the peer has received.
    posted: u32,
    done: u32,
    received: u32,
    /// Number of datagrams that have completed.
    datagrams: u64,
}

impl Flood {
    /// Name of the scenario.
    pub const NAME: &'static str = "ud-flood";

    /// Runs it.
    pub fn run(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        establish(fabric)?;
        let mut progress = [Progress::default(); 2];
        for side in Side::BOTH {
            for n in 1..=FLOODS {
                (0..ENTRIES).for_each(|_| send(fabric, side, n, 0));
            }
        }
        let ended = |p: &Progress| p.done == MESSAGES && p.received == MESSAGES;
        while !progress.iter().all(ended) {
            for side in Side::BOTH {
                let p = &mut progress[side as usize];
                while p.posted < MESSAGES && p.posted - p.done.min(p.received) < ENTRIES {
                    send(fabric, side, 0, p.posted.into());
                    p.posted += 1;
                }
            }
            fabric.run_until("a completion", |fabric| fabric.has_completion())?;
            for side in Side::BOTH {
                while let Some(reaped) = fabric.reap(side) {
                    complete(fabric, &mut progress, side, &reaped.completion)?;
                }
            }
            let [x, y] = progress;
            fabric.report_progress(x.done.min(y.done).into(), MESSAGES.into());
        }
        fabric.settle()
    }
}

/// Takes a completion of this side. The flood continues while messages of RC are under way.
fn complete(
    fabric: &mut Fabric<'_>,
    progress: &mut [Progress; 2],
    side: Side,
    completion: &Completion,
) -> Result<(), Stop> {
    fabric.expect("status of a completion", Status::Success, completion.status)?;
    let n = number_of(completion.qpn);
    match (n, is_received(completion)) {
        (0, true) => {
            let peer = &mut progress[side.other() as usize];
            fabric.expect(
                "messages in order",
                RECEIVE | u64::from(peer.received),
                completion.wr_id,
            )?;
            peer.received += 1;
        }
        (0, false) => {
            let own = &mut progress[side as usize];
            fabric.expect("messages in order", u64::from(own.done), completion.wr_id)?;
            own.done += 1;
        }
        (n, true) => receive(fabric, side, n, 0),
        (n, false) => {
            let own = &mut progress[side as usize];
            own.datagrams += 1;
            // The queues were full of datagrams before RC began.
            let fair = UNFAIR * u64::from(FLOODS) * u64::from(own.done + ENTRIES);
            let starves = own.done < MESSAGES && own.datagrams > fair;
            fabric.expect("starvation of RC by datagrams", false, starves)?;
            if own.done < MESSAGES {
                send(fabric, side, n, 0);
            }
        }
    }
    Ok(())
}

fn establish(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let link = fabric.link();
    for side in Side::BOTH {
        let entries = 2 * (FLOODS + 1) * ENTRIES;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq {
                cqn,
                entries: entries.next_power_of_two(),
            })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        verbs.push(Verb::CreateAh {
            handle: HANDLE,
            attributes: address(link, side, HANDLE),
        });
        for n in 0..=FLOODS {
            let (service, receive_entries) = match n {
                0 => (Service::Rc, MESSAGES.next_power_of_two()),
                _ => (Service::Ud, ENTRIES),
            };
            verbs.push(Verb::CreateQp {
                attributes: attributes(link, side, n, service, Pmtu::B4096, [100, 200]),
                send_entries: ENTRIES,
                receive_entries,
            });
            let qpn = qpn_of(side, n);
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
        }
        fabric.verbs(side, verbs)?;
        (0..MESSAGES).for_each(|m| receive(fabric, side, 0, m.into()));
        for n in 1..=ATTENTIVE {
            (0..ENTRIES).for_each(|_| receive(fabric, side, n, 0));
        }
        fabric.verbs(side, [])?;
    }
    Ok(())
}

/// Posts a message of queue pair `n` to the peer's queue pair with the same number.
fn send(fabric: &mut Fabric<'_>, side: Side, n: u32, wr_id: u64) {
    let request = SendRequest {
        wr_id,
        operation: SendOperation::Send,
        sges: vec![sge(place(SOURCES, n, 0), LENGTH)],
        signaled: true,
        datagram: (n != 0).then_some(Datagram {
            handle: HANDLE,
            dest_qpn: qpn_of(side.other(), n),
            q_key: q_key(n),
            p_key_index: 0,
        }),
        ..SendRequest::default()
    };
    let qpn = qpn_of(side, n);
    fabric.station(side).submit(Verb::PostSend { qpn, request });
}

/// Posts a receive buffer of queue pair `n`.
fn receive(fabric: &mut Fabric<'_>, side: Side, n: u32, wr_id: u64) {
    let request = ReceiveRequest {
        wr_id: RECEIVE | wr_id,
        sges: vec![sge(place(BUFFERS, n, 0), LENGTH + AREA)],
    };
    let qpn = qpn_of(side, n);
    fabric.station(side).submit(Verb::PostReceive { qpn, request });
}

fn sge(addr: u64, length: u32) -> Sge {
    Sge {
        addr,
        length,
        l_key: L_KEY,
    }
}
