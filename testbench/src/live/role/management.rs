//! The adapter's QP1, and the connection manager behind it.
use crate::device::Verb;
use crate::live::adapter::QP1;
use crate::live::session::{Ran, Session, SessionError};
use crate::live::software::{request, segment, BUFFER, GRH};
use hca_golden::verbs::{
    CompletedOperation, Datagram, EndToEndCredits, Pmtu, QpAttributes, QpState, ReceiveRequest, RemoteAccess,
    SendOperation, Service, Status,
};
use hca_sim::cm::{Event, Limits, Manager, MAD_BYTES};
use std::collections::VecDeque;
use std::time::Instant;

/// CQN of the completion queue of QP1, which serves no other queue pair (`special_qps.md` section 1).
const CQ: u32 = 1;
const CQ_ENTRIES: u32 = 256;
/// Q_Key of QP1.
const Q_KEY: u32 = 0x8001_0000;
/// The address handle of the peer's QP1.
const HANDLE: u32 = 3;
/// Number of places for MADs that are sent, and number of receive requests that wait.
const PLACES: u64 = 16;
/// Offsets in the buffer of MADs that are sent and of those that are received, and distance from one to the next.
const SENT: u64 = 0x7E_0000;
const RECEIVED: u64 = 0x7F_0000;
const PLACE: u64 = 0x200;
/// Limits of repetitions: a message is repeated every 2 s of the wall clock, for half a minute.
const LIMITS: Limits = Limits {
    interval: 2000,
    repeats: 15,
    connections: 64,
};

/// QP1 in use.
pub struct Management {
    pub manager: Manager,
    began: Instant,
    sent: u64,
    events: VecDeque<Event>,
}

impl Management {
    /// Makes QP1 ready for MADs of the peer.
    pub fn begin(session: &mut Session) -> Ran<Management> {
        let attributes = QpAttributes {
            qpn: QP1,
            service: Service::Ud,
            send_cq: CQ,
            receive_cq: CQ,
            port: 1,
            p_key_index: 0,
            dest_qpn: 0,
            dlid: 0,
            sl: 0,
            source_path_bits: 0,
            static_rate: 0,
            sgid_index: 0,
            global: None,
            ethernet: None,
            pmtu: Pmtu::B256,
            sq_psn: 0,
            rq_psn: 0,
            min_rnr_timer: 0,
            timeout: 0,
            retry_cnt: 0,
            rnr_retry: 0,
            pd: 0,
            access: RemoteAccess::default(),
            max_rd_atomic: 0,
            max_dest_rd_atomic: 0,
            credits: EndToEndCredits::default(),
            q_key: Q_KEY,
            dry_event: false,
        };
        let modify = |state| Verb::ModifyQp { qpn: QP1, state };
        session.verbs([
            Verb::CreateCq {
                cqn: CQ,
                entries: CQ_ENTRIES,
            },
            Verb::CreateQp {
                attributes,
                send_entries: 64,
                receive_entries: 64,
            },
            modify(QpState::Init),
            modify(QpState::Rtr),
            modify(QpState::Rts),
        ])?;
        for place in 0..PLACES {
            receive(session, place)?;
        }
        let (gid, mac) = (
            session.peer.gid(),
            session.neighbour().unwrap_or(session.peer.mac()),
        );
        session.address(HANDLE, gid, mac)?;
        // Linux derives a node's GUID from a MAC address in this way.
        let [a, b, c, d, e, f] = session.own.mac();
        let guid = u64::from_be_bytes([a ^ 2, b, c, 0xFF, 0xFE, d, e, f]);
        Ok(Management {
            manager: Manager::new(guid, LIMITS),
            began: Instant::now(),
            sent: 0,
            events: VecDeque::new(),
        })
    }

    /// Returns the manager's time in milliseconds.
    pub fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Waits for the manager's next event. `what` names it in messages.
    pub fn event(&mut self, session: &mut Session, what: &str) -> Ran<Event> {
        let patience = session.patience();
        let start = Instant::now();
        loop {
            self.work(session)?;
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            if start.elapsed() > patience {
                return Err(SessionError::Silent {
                    what: what.to_owned(),
                    seconds: patience.as_secs(),
                });
            }
            session.turn()?;
        }
    }

    /// Carries MADs in both directions.
    pub fn work(&mut self, session: &mut Session) -> Ran<()> {
        while let Some(completion) = session.adapter.management() {
            if completion.status != Status::Success {
                return Err(SessionError::Wrong(format!("QP1 completed {completion:?}")));
            }
            if completion.operation != CompletedOperation::Receive {
                continue;
            }
            let place = completion.wr_id % PLACES;
            session.settle()?;
            let payload = session.bytes(RECEIVED + place * PLACE + GRH as u64, MAD_BYTES);
            self.events.extend(self.manager.receive(&payload));
            receive(session, place)?;
        }
        self.events.extend(self.manager.tick(self.now()));
        while let Some(mad) = self.manager.outgoing() {
            let at = SENT + self.sent % PLACES * PLACE;
            session.adapter.write(BUFFER + at, &mad)?;
            let mut send = request(self.sent, SendOperation::Send, at, MAD_BYTES);
            send.datagram = Some(Datagram {
                handle: HANDLE,
                dest_qpn: QP1,
                q_key: Q_KEY,
                p_key_index: 0,
            });
            session.post_send(QP1, send)?;
            self.sent += 1;
        }
        Ok(())
    }

    /// Destroys QP1 and its queue.
    pub fn end(mut self, session: &mut Session) -> Ran<()> {
        self.work(session)?;
        session.settle()?;
        session.verbs([
            Verb::DestroyQp { qpn: QP1 },
            Verb::DestroyCq { cqn: CQ },
            Verb::DestroyAh { handle: HANDLE },
        ])?;
        while session.adapter.management().is_some() {}
        Ok(())
    }
}

fn receive(session: &mut Session, place: u64) -> Ran<()> {
    let sges = segment(RECEIVED + place * PLACE, GRH + MAD_BYTES);
    let request = ReceiveRequest { wr_id: place, sges };
    session.verbs([Verb::PostReceive { qpn: QP1, request }])
}
