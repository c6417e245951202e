//! The other end of libibverbs' `ibv_rc_pingpong`, `ibv_uc_pingpong` and `ibv_ud_pingpong`.
//!
//! Both ends exchange the numbers of their queue pairs over TCP, then messages go back and forth. The programs send
//! back what came, so that each message that was sent is recognised when it comes back.
use super::Done;
use crate::device::Verb;
use crate::live::gateway::Tcp;
use crate::live::session::{Ran, Session, SessionError};
use crate::live::software::{pattern, request, Peer, QpNumbers, BUFFER, GRH, RECEIVE_ENTRIES};
use hca_golden::verbs::{CompletedOperation, Datagram, SendOperation, Service};

/// The TCP port of the programs without option `-p`.
pub const PORT: u16 = 18515;
/// Length of the text about an end's queue pair in bytes, with the zero at its end.
const MESSAGE: usize = 52;
/// The client's message when it is ready, with the zero at its end.
const READY: &[u8; 5] = b"done\0";
/// First PSN of the adapter's end.
const PSN: u32 = 0x12_3456;
/// Q_Key of `ibv_ud_pingpong`.
const Q_KEY: u32 = 0x1111_1111;
/// Largest number of receive requests that wait. The programs post 500.
const DEPTH: u64 = RECEIVE_ENTRIES as u64 - 12;
/// Offsets in the buffer of messages that are sent, and of those that are received.
const SENT: u64 = 0;
const RECEIVED: u64 = 0x40_0000;
/// The adapter's address handle.
const HANDLE: u32 = 1;

/// The role of the adapter at the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The adapter waits for the peer. It sends back what came, as the programs do, or else new messages.
    Server { echoes: bool },
    /// The adapter connects to the peer, and sends new messages.
    Client,
}

/// A run of ping-pong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingPong {
    pub service: Service,
    pub end: End,
    pub port: u16,
    /// Length of a message in bytes.
    pub size: usize,
    /// Number of messages in each direction.
    pub count: u64,
}

/// The numbers of an end's queue pair, as `LID:QPN:PSN:GID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// QPN, 24 bits.
    pub qpn: u32,
    /// First PSN, 24 bits.
    pub psn: u32,
    pub gid: [u8; 16],
}

impl Hello {
    /// Returns the text that goes over TCP.
    pub fn text(&self) -> Vec<u8> {
        let gid: String = self.gid.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:04x}:{:06x}:{:06x}:{gid}\0", 0, self.qpn, self.psn).into_bytes()
    }

    /// Parses such a text; `None` if it has another form.
    pub fn parse(message: &[u8]) -> Option<Hello> {
        let text = std::str::from_utf8(message.strip_suffix(&[0])?).ok()?;
        let mut words = text.split(':');
        let mut number = || u32::from_str_radix(words.next()?, 16).ok();
        let (_lid, qpn, psn) = (number()?, number()?, number()?);
        let digits = words.next().filter(|digits| digits.len() == 32)?;
        let gid = u128::from_str_radix(digits, 16).ok()?.to_be_bytes();
        let whole = words.next().is_none() && (qpn | psn) >> 24 == 0;
        whole.then_some(Hello { qpn, psn, gid })
    }
}

/// The state after all messages have come. The peer may still wait for an acknowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub done: Done,
    tcp: Tcp,
    qpn: u32,
    handle: Option<u32>,
}

impl Played {
    /// Ends the run: closes the connection to the peer and destroys what the run has made.
    pub fn end(self, session: &mut Session, numbers: &mut QpNumbers) -> Ran<Done> {
        session.part(self.tcp)?;
        let handle = self.handle.map(|handle| Verb::DestroyAh { handle });
        let destroy = Verb::DestroyQp { qpn: self.qpn };
        session.verbs([destroy].into_iter().chain(handle))?;
        numbers.take_back(self.qpn);
        Ok(self.done)
    }
}

impl PingPong {
    /// Plays the run until all messages have come. [`Played::end`] must follow once the peer is done, too.
    pub fn play(&self, session: &mut Session, numbers: &mut QpNumbers) -> Ran<Played> {
        let qpn = numbers
            .give()
            .ok_or_else(|| SessionError::Wrong("all queue pairs are in use".to_owned()))?;
        let tcp = match self.end {
            End::Server { .. } => session.accept(self.port)?,
            End::Client => session.connect_tcp(self.port)?,
        };
        let hello = Hello {
            qpn,
            psn: PSN,
            gid: session.own.gid(),
        };
        let theirs = match self.end {
            End::Server { .. } => {
                let theirs = self.hear(session, tcp)?;
                let peer = self.connect(session, qpn, &theirs)?;
                self.receives(session, qpn, 0, DEPTH.min(self.count))?;
                session.say(tcp, &hello.text())?;
                session.hear(tcp, READY.len(), "the client's readiness")?;
                peer
            }
            End::Client => {
                session.say(tcp, &hello.text())?;
                let theirs = self.hear(session, tcp)?;
                let peer = self.connect(session, qpn, &theirs)?;
                self.receives(session, qpn, 0, DEPTH.min(self.count))?;
                session.say(tcp, READY)?;
                peer
            }
        };
        self.exchange(session, qpn, &theirs)?;
        let done = Done {
            name: format!("{} as {}", self.name(), self.end.name()),
            operations: 2 * self.count,
            remark: format!("{} messages of {} bytes each way", self.count, self.size),
        };
        Ok(Played {
            done,
            tcp,
            qpn,
            handle: (self.service == Service::Ud).then_some(HANDLE),
        })
    }

    fn name(&self) -> &'static str {
        match self.service {
            Service::Rc => "RC",
            Service::Uc => "UC",
            _ => "UD",
        }
    }

    fn hear(&self, session: &mut Session, tcp: Tcp) -> Ran<Hello> {
        let message = session.hear(tcp, MESSAGE, "what the peer says of its queue pair")?;
        Hello::parse(&message).ok_or_else(|| {
            let said = String::from_utf8_lossy(&message);
            SessionError::Wrong(format!("the peer says {said:?} in place of LID:QPN:PSN:GID"))
        })
    }

    fn connect(&self, session: &mut Session, qpn: u32, theirs: &Hello) -> Ran<Peer> {
        let peer = Peer {
            own_psn: PSN,
            gid: theirs.gid,
            rd_atomic: 1,
            q_key: Q_KEY,
            ..session.peer(theirs.qpn, theirs.psn)
        };
        session.connect(qpn, self.service, &peer)?;
        if self.service == Service::Ud {
            session.address(HANDLE, peer.gid, peer.mac)?;
        }
        Ok(peer)
    }

    /// Returns the number of bytes before a message in its receive buffer.
    fn before(&self) -> usize {
        match self.service {
            Service::Ud => GRH,
            _ => 0,
        }
    }

    fn receives(&self, session: &mut Session, qpn: u32, from: u64, to: u64) -> Ran<()> {
        (from..to).try_for_each(|n| session.post_receive(qpn, n, RECEIVED, self.size + self.before()))
    }

    fn send(&self, session: &mut Session, qpn: u32, peer: &Peer, number: u64) -> Ran<()> {
        let datagram = Datagram {
            handle: HANDLE,
            dest_qpn: peer.qpn,
            q_key: Q_KEY,
            p_key_index: 0,
        };
        let mut request = request(number, SendOperation::Send, SENT, self.size);
        request.datagram = (self.service == Service::Ud).then_some(datagram);
        session.post_send(qpn, request)
    }

    /// Exchanges messages until all have come and all of the adapter's own are done.
    fn exchange(&self, session: &mut Session, qpn: u32, peer: &Peer) -> Ran<()> {
        let echoes = self.end == End::Server { echoes: true };
        let (mut sent, mut came, mut went) = (0, 0, 0);
        let mut posted = DEPTH.min(self.count);
        // The seed of the message that has to come back.
        let mut under_way = None;
        if self.end == End::Client {
            session.fill(SENT, self.size, sent as u32)?;
            under_way = Some(sent as u32);
            self.send(session, qpn, peer, sent)?;
            sent += 1;
        }
        while came < self.count || went < self.count {
            let completion = session.success()?;
            if completion.operation != CompletedOperation::Receive {
                went += 1;
                continue;
            }
            came += 1;
            let message = session.bytes(RECEIVED + self.before() as u64, self.size);
            let whole = completion.byte_count as usize == self.size + self.before();
            if !whole || under_way.is_some_and(|seed| pattern(seed, self.size) != message) {
                return Err(SessionError::Wrong(format!(
                    "message {came} of {} bytes did not come back as it was sent",
                    completion.byte_count
                )));
            }
            if posted < self.count {
                self.receives(session, qpn, posted, posted + 1)?;
                posted += 1;
            }
            if sent < self.count {
                match echoes {
                    true => session.adapter.write(BUFFER + SENT, &message)?,
                    false => {
                        session.fill(SENT, self.size, sent as u32)?;
                        under_way = Some(sent as u32);
                    }
                }
                self.send(session, qpn, peer, sent)?;
                sent += 1;
            }
        }
        Ok(())
    }
}

impl End {
    fn name(self) -> &'static str {
        match self {
            End::Server { .. } => "server",
            End::Client => "client",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_end_says_is_what_libibverbs_says() {
        let said = b"0000:000011:95f1ed:00000000000000000000ffff0a000002\0";
        let hello = Hello {
            qpn: 0x11,
            psn: 0x95_F1ED,
            gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2],
        };
        assert_eq!(Hello::parse(said), Some(hello));
        assert_eq!(hello.text(), said);
        assert_eq!(said.len(), MESSAGE);
    }

    #[test]
    fn what_is_too_wide_or_too_long_is_refused() {
        assert_eq!(
            Hello::parse(b"0:1000000:0:00000000000000000000000000000000\0"),
            None
        );
        assert_eq!(Hello::parse(b"0:1:2:00000000000000000000000000000000:3\0"), None);
        assert_eq!(Hello::parse(b"0:1:2:00000000000000000000000000000000"), None);
        assert_eq!(Hello::parse(b"0:1:2:0\0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_hello_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(hello) = Hello::parse(&bytes) {
                prop_assert_eq!(Hello::parse(&hello.text()), Some(hello));
            }
        }
    }
}
