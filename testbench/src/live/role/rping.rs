//! The other end of librdmacm's `rping`, over connections of the connection manager.
//!
//! The client names a buffer, which the server reads; then it names another, which the server writes. Each name is a
//! Send of 16 bytes, as is each answer of the server.
use super::management::Management;
use super::{credits_with, Done};
use crate::device::Verb;
use crate::live::session::{Ran, Session, SessionError};
use crate::live::software::{pattern, request, Peer, QpNumbers, BUFFER, R_KEY};
use hca_golden::verbs::{CompletedOperation, Pmtu, SendOperation as Operation, Service};
use hca_sim::cm::{ip_header, tcp_service, Event, Offer, Req};
use std::time::Duration;

/// TCP port of `rping`.
pub const PORT: u16 = 7174;
/// Reason of a rejection: nobody listens yet.
const INVALID_SERVICE: u16 = 8;
/// First PSN that the adapter expects.
const PSN: u32 = 0xAB_CDE0;
/// Length of a name in bytes: address, R_Key, length.
const NAME: usize = 16;
/// Offsets in the buffer: of received and sent names, of the client's two buffers, and of the server's copy.
const CAME: u64 = 0x1000;
const GOES: u64 = 0x2000;
const SOURCE: u64 = 0x1_0000;
const SINK: u64 = 0x2_0000;
const COPY: u64 = 0x3_0000;
/// Largest number of Reads and atomics under way.
const RD_ATOMIC: u8 = 4;

/// A run of `rping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rping {
    /// Number of rounds of Read and Write.
    pub rounds: u64,
    /// Length of each in bytes.
    pub size: usize,
}

impl Rping {
    /// Plays the server, until the client has ended the connection.
    pub fn serve(&self, session: &mut Session, numbers: &mut QpNumbers, qp1: &mut Management) -> Ran<Done> {
        let qpn = give(numbers)?;
        qp1.manager.listen(tcp_service(PORT));
        let (id, req) = match qp1.event(session, "a request of the connection manager")? {
            Event::Asked { id, req } => (id, req),
            other => return Err(unexpected(&other)),
        };
        let peer = Peer {
            own_psn: req.starting_psn,
            rd_atomic: req
                .responder_resources
                .min(req.initiator_depth)
                .clamp(1, RD_ATOMIC),
            pmtu: pmtu(req.pmtu),
            credits: credits_with(req.flow_control),
            ..session.peer(req.qpn, PSN)
        };
        session.connect(qpn, Service::Rc, &peer)?;
        session.post_receive(qpn, 0, CAME, NAME)?;
        let offer = Offer {
            qpn,
            starting_psn: PSN,
            responder_resources: peer.rd_atomic,
            initiator_depth: peer.rd_atomic,
            flow_control: false,
            rnr_retry_count: 7,
            private_data: Vec::new(),
        };
        qp1.manager.grant(qp1.now(), id, offer).map_err(refused)?;
        match qp1.event(session, "readiness of the connection manager's peer")? {
            Event::Ready { .. } => {}
            other => return Err(unexpected(&other)),
        }
        for _ in 0..self.rounds {
            let (va, r_key, size) = self.named(session, qpn)?;
            post(session, qpn, Operation::Read { va, r_key }, COPY, size)?;
            post(session, qpn, Operation::Send, GOES, NAME)?;
            let (va, r_key, size) = self.named(session, qpn)?;
            post(session, qpn, Operation::Write { va, r_key }, COPY, size)?;
            post(session, qpn, Operation::Send, GOES, NAME)?;
        }
        match qp1.event(session, "the end of the connection")? {
            Event::Ended { .. } => {}
            other => return Err(unexpected(&other)),
        }
        qp1.work(session)?;
        self.over(session, numbers, qpn, "server")
    }

    /// Plays the client of a server that may not listen yet.
    pub fn ask(&self, session: &mut Session, numbers: &mut QpNumbers, qp1: &mut Management) -> Ran<Done> {
        let qpn = give(numbers)?;
        let (own, other) = (session.own.ipv4().octets(), session.peer.ipv4().octets());
        let req = Req {
            local_id: 0,
            service: tcp_service(PORT),
            ca_guid: 0,
            qpn,
            responder_resources: RD_ATOMIC,
            initiator_depth: RD_ATOMIC,
            flow_control: false,
            starting_psn: PSN,
            retry_count: 7,
            rnr_retry_count: 7,
            p_key: 0xFFFF,
            pmtu: Pmtu::B1024.code(),
            ack_timeout: 19,
            local_gid: session.own.gid(),
            remote_gid: session.peer.gid(),
            private_data: ip_header(own, 40_000, other).to_vec(),
        };
        qp1.manager.connect(qp1.now(), req.clone());
        let (id, rep) = loop {
            match qp1.event(session, "a reply of the connection manager")? {
                Event::Granted { id, rep } => break (id, rep),
                Event::Rejected {
                    reason: INVALID_SERVICE,
                    ..
                } => {
                    session.pass(Duration::from_secs(1))?;
                    qp1.manager.connect(qp1.now(), req.clone());
                }
                Event::Delayed { .. } => {}
                other => return Err(unexpected(&other)),
            }
        };
        let peer = Peer {
            own_psn: rep.starting_psn,
            rd_atomic: rep.responder_resources.clamp(1, RD_ATOMIC),
            credits: credits_with(rep.flow_control),
            ..session.peer(rep.qpn, PSN)
        };
        session.connect(qpn, Service::Rc, &peer)?;
        session.post_receive(qpn, 0, CAME, NAME)?;
        qp1.manager.ready(id).map_err(refused)?;
        qp1.work(session)?;
        for round in 0..self.rounds {
            // The server writes up to the first zero.
            let letters = pattern(round as u32, self.size - 1).into_iter();
            let text: Vec<u8> = letters.map(|byte| b'A' + byte % 26).chain([0]).collect();
            session.adapter.write(BUFFER + SOURCE, &text)?;
            self.name(session, qpn, SOURCE)?;
            self.name(session, qpn, SINK)?;
            session.settle()?;
            if session.bytes(SINK, self.size) != text {
                return Err(SessionError::Wrong(
                    "what rping wrote is not what it read".to_owned(),
                ));
            }
        }
        qp1.manager.end(qp1.now(), id).map_err(refused)?;
        match qp1.event(session, "the end of the connection")? {
            Event::Ended { .. } => {}
            other => return Err(unexpected(&other)),
        }
        self.over(session, numbers, qpn, "client")
    }

    /// Waits for the client's next name. Returns address, R_Key and length of the buffer.
    fn named(&self, session: &mut Session, qpn: u32) -> Ran<(u64, u32, usize)> {
        let came = session.success()?;
        let name = session.bytes(CAME, NAME);
        session.post_receive(qpn, 0, CAME, NAME)?;
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let size = number(&name[12..]) as usize;
        match came.operation {
            CompletedOperation::Receive if size <= self.size => {
                Ok((number(&name[..8]), number(&name[8..12]) as u32, size))
            }
            _ => Err(SessionError::Wrong(format!(
                "in place of a buffer of at most {} bytes rping names {name:02x?}",
                self.size
            ))),
        }
    }

    /// Names a buffer, and waits until the server is done with it.
    fn name(&self, session: &mut Session, qpn: u32, at: u64) -> Ran<()> {
        let mut name = (BUFFER + at).to_be_bytes().to_vec();
        name.extend(R_KEY.to_be_bytes());
        name.extend((self.size as u32).to_be_bytes());
        session.adapter.write(BUFFER + GOES, &name)?;
        session.post_send(qpn, request(1, Operation::Send, GOES, NAME))?;
        // The Send's own completion, and the server's answer, in either order.
        session.success()?;
        session.success()?;
        session.post_receive(qpn, 0, CAME, NAME)
    }

    fn over(&self, session: &mut Session, numbers: &mut QpNumbers, qpn: u32, end: &str) -> Ran<Done> {
        session.verbs([Verb::DestroyQp { qpn }])?;
        while session.adapter.completion().is_some() {}
        numbers.take_back(qpn);
        Ok(Done {
            name: format!("as {end}"),
            // Two names, two answers, a Read and a Write.
            operations: 6 * self.rounds,
            remark: format!(
                "{} rounds of {} bytes, by the connection manager",
                self.rounds, self.size
            ),
        })
    }
}

/// Posts a request of the server and waits for it. The next name of the client may come at any time before the server
/// has answered, so that only a completion of the request itself counts.
fn post(session: &mut Session, qpn: u32, operation: Operation, at: u64, length: usize) -> Ran<()> {
    session.post_send(qpn, request(2, operation, at, length))?;
    session.sent_one()
}

fn pmtu(code: u8) -> Pmtu {
    // The path of this wire takes 1024 bytes.
    match code {
        1 => Pmtu::B256,
        2 => Pmtu::B512,
        _ => Pmtu::B1024,
    }
}

fn give(numbers: &mut QpNumbers) -> Ran<u32> {
    let number = numbers.give();
    number.ok_or_else(|| SessionError::Wrong("all queue pairs are in use".to_owned()))
}

fn unexpected(event: &Event) -> SessionError {
    SessionError::Wrong(format!("the connection manager came to {event:?}"))
}

fn refused(refused: hca_sim::cm::Refused) -> SessionError {
    SessionError::Wrong(refused.to_string())
}
