//! Agreements of the communication managers of two ports (`protocol/mad.md` section 9): which queue pairs form a
//! connection, and how often each may retry.
use super::flow::{Address, Flow, Tenant};
use crate::trace::communication;
use crate::trace::field::HeaderLayout;
use crate::trace::mad::HEADER_BYTES;
use std::collections::VecDeque;

/// ConnectRequest and ConnectReply.
const REQUEST: u16 = 0x0010;
const REPLY: u16 = 0x0013;
/// Reliable connection, as a ConnectRequest encodes the service.
const RELIABLE: u128 = 0;
/// Method of all these messages.
const SEND: u8 = 0x03;
/// Largest number of ConnectRequests without a reply that are remembered.
const REMEMBERED: usize = 1 << 10;

/// How often a requester may retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub retries: u8,
    pub rnr_retries: u8,
    /// Code of the least time for which it waits for an answer.
    pub timeout: u8,
}

/// The fields of a message that the judge needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    Request {
        id: u32,
        qp: u32,
        retries: u8,
        rnr_retries: u8,
        timeout: u8,
    },
    Reply {
        id: u32,
        request: u32,
        qp: u32,
        rnr_retries: u8,
    },
}

impl Statement {
    /// The fields of a MAD between these ports; `None` if its connection is between other ports, or is no reliable one.
    pub(super) fn of(payload: &[u8], [from, to]: [Address; 2]) -> Option<Statement> {
        let (header, message) = payload.split_first_chunk::<HEADER_BYTES>()?;
        if (header[1], header[3]) != (communication::CLASS, SEND) {
            return None;
        }
        let attribute = u16::from_be_bytes([header[16], header[17]]);
        let layout = communication::layout(attribute).filter(|layout| message.len() >= layout.bytes)?;
        let value = |name: &str| value(layout, message, name);
        match attribute {
            REQUEST => {
                let is_between = match (from, to) {
                    (Address::Lid(from), Address::Lid(to)) => {
                        value("REQ.PrimaryLocalLID")? == from.into()
                            && value("REQ.PrimaryRemoteLID")? == to.into()
                    }
                    (Address::Gid(from), Address::Gid(to)) => {
                        value("REQ.PrimaryLocalGID")? == u128::from_be_bytes(from)
                            && value("REQ.PrimaryRemoteGID")? == u128::from_be_bytes(to)
                    }
                    _ => false,
                };
                let is_meant = is_between && value("REQ.TransportService")? == RELIABLE;
                is_meant.then_some(Statement::Request {
                    id: value("REQ.LocalCommID")? as u32,
                    qp: value("REQ.LocalQPN")? as u32,
                    retries: value("REQ.RetryCount")? as u8,
                    rnr_retries: value("REQ.RNRRetryCount")? as u8,
                    timeout: value("REQ.PrimaryAckTimeout")? as u8,
                })
            }
            REPLY => Some(Statement::Reply {
                id: value("REP.LocalCommID")? as u32,
                request: value("REP.RemoteCommID")? as u32,
                qp: value("REP.LocalQPN")? as u32,
                rnr_retries: value("REP.RNRRetryCount")? as u8,
            }),
            _ => None,
        }
    }
}

fn value(layout: &HeaderLayout, message: &[u8], name: &str) -> Option<u128> {
    let field = layout.fields.iter().find(|field| field.name == name)?;
    Some(field.value(message))
}

/// The port that sent a ConnectRequest, and its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    tenant: Tenant,
    from: Address,
    to: Address,
    statement: Statement,
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    pub asked: Flow,
    pub answers: Flow,
    pub limits: Limits,
}

/// ConnectRequests that wait for a reply.
#[derive(Debug, Default)]
pub(super) struct Agreements {
    requests: VecDeque<Asked>,
}

impl Agreements {
    /// The next message, by the flow of its MAD; both directions of the connection that it makes.
    pub fn message(&mut self, flow: &Flow, statement: Statement) -> Option<[Direction; 2]> {
        let Flow { tenant, from, to, .. } = *flow;
        let Statement::Reply {
            request,
            qp,
            rnr_retries,
            ..
        } = statement
        else {
            let asked = Asked {
                tenant,
                from,
                to,
                statement,
            };
            if !self.requests.contains(&asked) {
                if self.requests.len() == REMEMBERED {
                    self.requests.pop_front();
                }
                self.requests.push_back(asked);
            }
            return None;
        };
        let is_its = |asked: &Asked| {
            let between = (asked.tenant, asked.from, asked.to) == (tenant, to, from);
            between && matches!(asked.statement, Statement::Request { id, .. } if id == request)
        };
        // A repeated reply finds no request, because the connection may be in use.
        let at = self.requests.iter().position(is_its)?;
        let asked = self.requests.remove(at)?;
        let Statement::Request {
            qp: asking_qp,
            retries,
            rnr_retries: of_passive,
            timeout,
            ..
        } = asked.statement
        else {
            return None;
        };
        let between = |from, to, dest_qp| Flow {
            tenant,
            from,
            to,
            dest_qp,
        };
        let (there, back) = (
            between(asked.from, asked.to, qp),
            between(asked.to, asked.from, asking_qp),
        );
        // REQ and REP each carry the RNR retry count for the other side (`protocol/mad.md` section 9).
        let direction = |asked, answers, rnr_retries| Direction {
            asked,
            answers,
            limits: Limits {
                retries,
                rnr_retries,
                timeout,
            },
        };
        Some([
            direction(there, back, rnr_retries),
            direction(back, there, of_passive),
        ])
    }
}
