//! The software of one side: queues, buffers, transfers.
use super::credit::{Posted, Rights, Tx, RECEIVES};
use super::message::{Gives, Header, Kind, BUFFER, HEADER};
use crate::device::Verb;
use crate::fabric::{Fabric, Reaped, Stop};
use crate::scenario::connection::qpn_of;
use crate::scenario::region::{r_key_of_all, L_KEY};
use crate::Side;
use hca_golden::verbs::{CompletedOperation, ReceiveRequest, SendOperation, SendRequest, Sge, Status};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Areas of outgoing and incoming messages, and of the sources and targets of transfers.
const OUT: u64 = 0x1000_0000;
const IN: u64 = 0x2000_0000;
const FROM: u64 = 0x3000_0000;
const TO: u64 = 0x4000_0000;
/// Number of buffers in each area, which is more than are under way at once.
const PLACES: u64 = 64;
/// Length of the longest transfer in bytes.
pub const LONGEST: u32 = 3 * BUFFER;
/// Largest distance of requests of a side, from the oldest that is not done to the newest, so that no two share a
/// place.
const OPEN: usize = PLACES as usize / 2;

/// Requests of software. `length` is in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Type of the message: IMMEDIATE, PUT_REQ or GET_REQ.
    pub kind: Kind,
    pub length: u32,
}

/// The state of one side.
pub struct End {
    side: Side,
    pub rights: Rights,
    work: Vec<Work>,
    begun: usize,
    open: BTreeSet<usize>,
    /// Number of bytes that the peer's requests want, by cookie.
    asked: BTreeMap<u32, u32>,
    /// Sends that are not complete, oldest first.
    sent: VecDeque<Tx>,
    /// Number of messages posted.
    posted: u64,
    pub noops: u64,
}

/// Returns byte `n` of the transfer or message with this cookie.
fn byte(cookie: u32, n: u32) -> u8 {
    (cookie.wrapping_mul(0x9E37_79B9) >> 13).wrapping_add(n.wrapping_mul(7)) as u8
}

fn bytes(cookie: u32, length: u32) -> Vec<u8> {
    (0..length).map(|n| byte(cookie, n)).collect()
}

fn segment(addr: u64, length: u32) -> Sge {
    let l_key = L_KEY;
    Sge { addr, length, l_key }
}

/// Returns the number of the request among those of its side.
fn index(cookie: u32) -> usize {
    (cookie & 0x7FFF_FFFF) as usize
}

/// Returns the place of the transfer with this cookie. Each side has half of the places.
fn place(base: u64, cookie: u32) -> u64 {
    let number = u64::from(cookie) % (PLACES / 2) * 2 + u64::from(cookie >> 31);
    base + number * u64::from(LONGEST)
}

impl End {
    pub fn new(side: Side, work: Vec<Work>) -> End {
        End {
            side,
            rights: Rights::default(),
            work,
            begun: 0,
            open: BTreeSet::new(),
            asked: BTreeMap::new(),
            sent: VecDeque::new(),
            posted: 0,
            noops: 0,
        }
    }

    /// Adds work.
    pub fn ask(&mut self, work: Vec<Work>) {
        self.work.extend(work);
    }

    /// Returns true if all its work is done and none of it is under way.
    pub fn is_idle(&self) -> bool {
        self.begun == self.work.len() && self.open.is_empty() && self.rights.is_idle()
    }

    /// Posts every receive buffer. All arrived data is compared at the end.
    pub fn post_receives(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        let station = fabric.station(self.side);
        station.register(IN, u64::from(RECEIVES * BUFFER));
        station.register(TO, PLACES * u64::from(LONGEST));
        let all = (0..u64::from(RECEIVES)).map(|wr_id| self.receive(wr_id));
        fabric.verbs(self.side, all)
    }

    fn receive(&self, wr_id: u64) -> Verb {
        let sges = vec![segment(IN + wr_id * u64::from(BUFFER), BUFFER)];
        Verb::PostReceive {
            qpn: qpn_of(self.side),
            request: ReceiveRequest { wr_id, sges },
        }
    }

    /// Starts as much work as software may have under way.
    pub fn begin(&mut self, fabric: &mut Fabric<'_>) {
        let oldest = |end: &End| end.open.first().copied().unwrap_or(end.begun);
        while self.begun < self.work.len() && self.begun - oldest(self) < OPEN {
            let kind = self.work[self.begun].kind;
            // Each side has different cookies.
            let cookie = self.begun as u32 | (self.side as u32) << 31;
            if kind == Kind::PutReq {
                self.prepare(fabric, cookie, self.work[self.begun].length);
            }
            self.open.insert(self.begun);
            self.begun += 1;
            self.queue(fabric, kind, cookie);
        }
    }

    fn prepare(&self, fabric: &mut Fabric<'_>, cookie: u32, length: u32) {
        let station = fabric.station(self.side);
        station.write_memory(place(FROM, cookie), &bytes(cookie, length));
    }

    fn queue(&mut self, fabric: &mut Fabric<'_>, kind: Kind, cookie: u32) {
        self.rights.queue(Tx { kind, cookie });
        self.check(fabric);
    }

    fn check(&mut self, fabric: &mut Fabric<'_>) {
        for posted in self.rights.check() {
            self.post(fabric, posted);
        }
    }

    /// Returns the number of bytes of the transfer or message with this cookie.
    fn length_of(&self, cookie: u32) -> u32 {
        let own = cookie >> 31 == self.side as u32;
        let length = match own {
            true => self.work.get(index(cookie)).map(|work| work.length),
            false => self.asked.get(&cookie).copied(),
        };
        length.unwrap_or_default()
    }

    fn post(&mut self, fabric: &mut Fabric<'_>, Posted { tx, credits }: Posted) {
        let Tx { kind, cookie } = tx;
        let length = match kind {
            Kind::Noop => 0,
            _ => self.length_of(cookie),
        };
        if matches!(kind, Kind::PutDone | Kind::GetDone) {
            self.write(fabric, cookie, length);
        }
        let header = Header {
            kind,
            credits,
            cookie,
            length,
        };
        let mut message = header.to_bytes().to_vec();
        if kind == Kind::Immediate {
            message.extend(bytes(cookie, length));
        }
        let addr = OUT + self.posted % PLACES * u64::from(BUFFER);
        fabric.station(self.side).write_memory(addr, &message);
        let request = SendRequest {
            wr_id: self.posted,
            operation: SendOperation::Send,
            sges: vec![segment(addr, message.len() as u32)],
            signaled: true,
            ..SendRequest::default()
        };
        self.submit(fabric, request);
        self.posted += 1;
        self.noops += u64::from(kind == Kind::Noop);
        self.sent.push_back(tx);
    }

    fn submit(&self, fabric: &mut Fabric<'_>, request: SendRequest) {
        let qpn = qpn_of(self.side);
        fabric.station(self.side).submit(Verb::PostSend { qpn, request });
    }

    /// Writes a transfer to the peer, at most a buffer's length at a time.
    fn write(&self, fabric: &mut Fabric<'_>, cookie: u32, length: u32) {
        let mut at = 0;
        while at < length {
            let part = (length - at).min(BUFFER);
            let request = SendRequest {
                operation: SendOperation::Write {
                    va: place(TO, cookie) + u64::from(at),
                    r_key: r_key_of_all(),
                },
                sges: vec![segment(place(FROM, cookie) + u64::from(at), part)],
                ..SendRequest::default()
            };
            self.submit(fabric, request);
            at += part;
        }
    }

    /// Takes a completion of this side.
    pub fn completed(&mut self, fabric: &mut Fabric<'_>, reaped: &Reaped) -> Result<(), Stop> {
        let completion = &reaped.completion;
        fabric.expect("status of a completion", Status::Success, completion.status)?;
        if completion.operation != CompletedOperation::Receive {
            let Tx { kind, cookie } = self.sent.pop_front().expect("a completion for each Send");
            self.rights.completed(kind);
            if matches!(kind, Kind::Immediate | Kind::PutDone) {
                self.close(cookie);
            }
            self.check(fabric);
            return Ok(());
        }
        let mut message = vec![0; completion.byte_count as usize];
        let addr = IN + completion.wr_id * u64::from(BUFFER);
        fabric.station(self.side).read_memory(addr, &mut message);
        let header = message.first_chunk().and_then(Header::from_bytes);
        fabric.expect("a message of a known type", true, header.is_some())?;
        let header = header.unwrap_or_else(|| unreachable!("expected above"));
        let fits = self.rights.received(header.credits).is_ok();
        fabric.expect("no more credits than the depth", true, fits)?;
        self.check(fabric);
        self.handle(fabric, header, &message[HEADER as usize..])?;
        let again = self.receive(completion.wr_id);
        fabric.station(self.side).submit(again);
        let gives = header.kind.gives();
        self.rights.reposted(gives);
        if gives != Gives::Nothing {
            self.check(fabric);
        }
        Ok(())
    }

    fn handle(&mut self, fabric: &mut Fabric<'_>, header: Header, data: &[u8]) -> Result<(), Stop> {
        let Header { cookie, length, .. } = header;
        match header.kind {
            Kind::Noop => {}
            Kind::Immediate => {
                fabric.expect("data of an IMMEDIATE", true, data == bytes(cookie, length))?;
            }
            Kind::PutReq => self.queue(fabric, Kind::PutAck, cookie),
            Kind::PutAck => self.queue(fabric, Kind::PutDone, cookie),
            Kind::GetReq => {
                self.asked.insert(cookie, length);
                self.prepare(fabric, cookie, length);
                self.queue(fabric, Kind::GetDone, cookie);
            }
            Kind::PutDone => self.arrived(fabric, cookie, length)?,
            Kind::GetDone => {
                self.arrived(fabric, cookie, length)?;
                self.close(cookie);
            }
        }
        Ok(())
    }

    fn close(&mut self, cookie: u32) {
        self.open.remove(&index(cookie));
    }

    fn arrived(&self, fabric: &mut Fabric<'_>, cookie: u32, length: u32) -> Result<(), Stop> {
        let mut data = vec![0; length as usize];
        fabric
            .station(self.side)
            .read_memory(place(TO, cookie), &mut data);
        fabric.expect("data of a transfer", true, data == bytes(cookie, length))
    }
}
