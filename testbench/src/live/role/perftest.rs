//! The other end of perftest's programs for reliable connections.
//!
//! Both ends exchange their settings over TCP, the server repeating the client's steps, before and after the traffic.
//! Their measurements do not matter here, because the adapter's clock is not the guest's.
use super::Done;
use crate::device::Verb;
use crate::live::gateway::Tcp;
use crate::live::session::{Ran, Session, SessionError};
use crate::live::software::{request, Peer, QpNumbers, BUFFER, R_KEY};
use hca_golden::verbs::{CompletedOperation, SendOperation as Operation, Service};

/// The TCP port of the programs without option `-p`.
pub const PORT: u16 = 18515;
/// Length of an end's settings in bytes, with the zero at their end.
const MESSAGE: usize = 108;
/// Lengths in bytes of what the ends send before: version, and three settings.
const SETTINGS: [usize; 4] = [16, 4, 4, 2];
/// The settings of the adapter as client: a version that the programs accept, a buffer of 4096 bytes, 64 bytes of
/// inline data, PMTU 1024.
const VERSION: &[u8; 16] = b"5.80\0\0\0\0\0\0\0\0\0\0\0\0";
const BUFFER_BYTES: [u8; 4] = [0, 0, 0x10, 0];
const INLINE_BYTES: [u8; 4] = [0, 0, 0, 64];
const PMTU: &[u8; 2] = b"3\0";
/// Number of values of a bandwidth test's report, of 8 bytes each.
const REPORT: usize = 5;
/// The client's last message, with the zero at its end.
const DONE: &[u8; 5] = b"done\0";
/// First PSN of the adapter's end.
const PSN: u32 = 0x12_3456;
/// Largest number of Reads and atomics under way.
const RD_ATOMIC: u8 = 4;
/// Largest number of requests of the adapter under way.
const DEPTH: u64 = 16;
/// Largest number of receive requests of the adapter that wait.
const RECEIVES: u64 = 256;
/// Offsets in the buffer: of data that the peer writes and reads, that the adapter sends, that it reads and receives.
const TARGET: u64 = 0;
const SOURCE: u64 = 0x20_0000;
const SINK: u64 = 0x40_0000;

/// The operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Send,
    Write,
    Read,
    /// FetchAdd of 8 bytes.
    Atomic,
}

/// A program of perftest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    pub kind: Kind,
    /// Requests are made one after another, rather than many at once.
    pub latency: bool,
}

/// The end that makes requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    Peer,
    Adapter,
}

/// A run of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perftest {
    pub tool: Tool,
    pub asker: Asker,
    /// Length of each request in bytes; 8 for an atomic.
    pub size: usize,
    /// Number of requests.
    pub count: u64,
}

/// The settings of an end, as words of hexadecimal digits: LID, Reads under way, QPN, PSN, R_Key, address, GID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Largest number of Reads and atomics under way.
    pub rd_atomic: u32,
    /// QPN, 24 bits.
    pub qpn: u32,
    /// First PSN, 24 bits.
    pub psn: u32,
    pub r_key: u32,
    pub va: u64,
    pub gid: [u8; 16],
}

impl Hello {
    /// Returns the text that goes over TCP.
    pub fn text(&self) -> Vec<u8> {
        let gid: Vec<String> = self.gid.iter().map(|byte| format!("{byte:02x}")).collect();
        let gid = gid.join(":");
        let (reads, qpn, psn) = (self.rd_atomic, self.qpn, self.psn);
        let (r_key, va) = (self.r_key, self.va);
        format!("0000:{reads:04x}:{qpn:06x}:{psn:06x}:{r_key:08x}:{va:016x}:{gid}:00000000:\0").into_bytes()
    }

    /// Parses such a text; `None` if it has another form.
    pub fn parse(message: &[u8]) -> Option<Hello> {
        let text = std::str::from_utf8(message.strip_suffix(&[0])?).ok()?;
        let words: Vec<&str> = text.split(':').collect();
        let word = |n: usize| u64::from_str_radix(words.get(n)?, 16).ok();
        let narrow = |n: usize| u32::try_from(word(n)?).ok();
        let mut gid = [0; 16];
        for (n, byte) in gid.iter_mut().enumerate() {
            *byte = u8::try_from(word(6 + n)?).ok()?;
        }
        let hello = Hello {
            rd_atomic: narrow(1)?,
            qpn: narrow(2)?,
            psn: narrow(3)?,
            r_key: narrow(4)?,
            va: word(5)?,
            gid,
        };
        ((hello.qpn | hello.psn) >> 24 == 0).then_some(hello)
    }
}

/// The state after all requests are done. The program may still have something to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    done: Done,
    tcp: Tcp,
    qpn: u32,
}

impl Played {
    /// Ends the run: closes the connection to the peer and destroys what the run has made.
    pub fn end(self, session: &mut Session, numbers: &mut QpNumbers) -> Ran<Done> {
        session.part(self.tcp)?;
        session.verbs([Verb::DestroyQp { qpn: self.qpn }])?;
        numbers.take_back(self.qpn);
        Ok(self.done)
    }
}

impl Tool {
    /// Returns all programs for RC, bandwidth first.
    pub fn all() -> impl Iterator<Item = Tool> {
        let kinds = [Kind::Write, Kind::Read, Kind::Atomic, Kind::Send];
        [false, true]
            .into_iter()
            .flat_map(move |latency| kinds.map(|kind| Tool { kind, latency }))
    }

    /// Returns the name of the program.
    pub fn program(self) -> &'static str {
        match (self.kind, self.latency) {
            (Kind::Send, false) => "ib_send_bw",
            (Kind::Write, false) => "ib_write_bw",
            (Kind::Read, false) => "ib_read_bw",
            (Kind::Atomic, false) => "ib_atomic_bw",
            (Kind::Send, true) => "ib_send_lat",
            (Kind::Write, true) => "ib_write_lat",
            (Kind::Read, true) => "ib_read_lat",
            (Kind::Atomic, true) => "ib_atomic_lat",
        }
    }

    /// Returns how often both ends exchange their settings again between the connection and the traffic.
    fn barriers(self) -> usize {
        match (self.kind, self.latency) {
            // A Send waits until its receive requests are posted.
            (Kind::Send, _) | (_, true) => 3,
            (_, false) => 2,
        }
    }

    /// Returns true if the client says that it is done. If both ends write, both know it.
    fn says_the_end(self) -> bool {
        !(self.latency && self.kind == Kind::Write)
    }

    /// Returns true if the ends exchange their measurements at the end. With Sends each end knows its own.
    fn reports(self) -> bool {
        !self.latency && self.kind != Kind::Send
    }
}

impl Perftest {
    /// Returns the arguments of the program in the guest, without the server's address.
    pub fn command(&self, gid_index: u8) -> String {
        let program = self.tool.program();
        // Code 18 is one second of the guest, because the adapter is slow.
        let mut command = format!("{program} -x {gid_index} -F -m 1024 -u 18 -n {}", self.count);
        if !self.tool.latency {
            command += &format!(" -t {DEPTH}");
        }
        if self.tool.kind != Kind::Atomic {
            command += &format!(" -s {}", self.size);
        }
        command
    }

    /// Plays the run until all requests are done. [`Played::end`] must follow once the program has ended.
    pub fn play(&self, session: &mut Session, numbers: &mut QpNumbers) -> Ran<Played> {
        let number = numbers.give();
        let qpn = number.ok_or_else(|| SessionError::Wrong("all queue pairs are in use".to_owned()))?;
        let hello = Hello {
            rd_atomic: RD_ATOMIC.into(),
            qpn,
            psn: PSN,
            r_key: R_KEY,
            va: BUFFER + TARGET,
            gid: session.own.gid(),
        };
        let tcp = match self.asker {
            Asker::Peer => self.serve(session, &hello)?,
            Asker::Adapter => self.ask(session, &hello)?,
        };
        let who = match self.asker {
            Asker::Peer => "server",
            Asker::Adapter => "client",
        };
        let done = Done {
            name: format!("{} as {who}", self.tool.program()),
            operations: self.count,
            remark: format!("{} requests of {} bytes", self.count, self.size),
        };
        Ok(Played { done, tcp, qpn })
    }

    /// Plays the server: the adapter repeats what the client says.
    fn serve(&self, session: &mut Session, own: &Hello) -> Ran<Tcp> {
        session.fill(TARGET, self.size, own.qpn)?;
        let tcp = session.accept(PORT)?;
        for length in SETTINGS {
            echo(session, tcp, length)?;
        }
        let theirs = hear(session, tcp)?;
        self.connect(session, own, &theirs)?;
        session.say(tcp, &own.text())?;
        for _ in 0..self.tool.barriers() {
            hear(session, tcp)?;
            session.say(tcp, &own.text())?;
        }
        self.answer(session, own, &theirs)?;
        if !self.tool.says_the_end() {
            return Ok(tcp);
        }
        hear(session, tcp)?;
        session.say(tcp, &own.text())?;
        if self.tool.reports() {
            for _ in 0..REPORT {
                echo(session, tcp, 8)?;
            }
            hear(session, tcp)?;
            session.say(tcp, &own.text())?;
        }
        session.hear(tcp, DONE.len(), "the end of the client's test")?;
        session.say(tcp, DONE)?;
        Ok(tcp)
    }

    /// Plays the adapter's part in the traffic of a client in the guest.
    fn answer(&self, session: &mut Session, own: &Hello, theirs: &Hello) -> Ran<()> {
        match (self.tool.kind, self.tool.latency) {
            (Kind::Send, latency) => {
                for came in 0..self.count {
                    receive(session)?;
                    let next = came + RECEIVES;
                    if next < self.count {
                        session.post_receive(own.qpn, next, SINK, self.size)?;
                    }
                    if latency {
                        self.request(session, own.qpn, theirs, came)?;
                        session.sent_one()?;
                    }
                }
            }
            // Both ends write, the server first.
            (Kind::Write, true) => {
                for n in 1..=self.count {
                    self.write_number(session, own.qpn, theirs, n)?;
                    self.await_number(session, n)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Plays the client.
    fn ask(&self, session: &mut Session, own: &Hello) -> Ran<Tcp> {
        let tcp = session.connect_tcp(PORT)?;
        for setting in [&VERSION[..], &BUFFER_BYTES, &INLINE_BYTES, PMTU] {
            session.say(tcp, setting)?;
            session.hear(tcp, setting.len(), "the server's settings")?;
        }
        session.say(tcp, &own.text())?;
        let theirs = hear(session, tcp)?;
        self.connect(session, own, &theirs)?;
        for _ in 0..self.tool.barriers() {
            session.say(tcp, &own.text())?;
            hear(session, tcp)?;
        }
        session.fill(SOURCE, self.size, own.qpn)?;
        self.traffic(session, own, &theirs)?;
        if !self.tool.says_the_end() {
            return Ok(tcp);
        }
        session.say(tcp, &own.text())?;
        hear(session, tcp)?;
        if self.tool.reports() {
            for number in [self.size as u64, self.count, 0, 0, 0] {
                session.say(tcp, &number.to_be_bytes())?;
                session.hear(tcp, 8, "the server's report")?;
            }
            session.say(tcp, &own.text())?;
            hear(session, tcp)?;
        }
        session.say(tcp, DONE)?;
        session.hear(tcp, DONE.len(), "the end of the server's test")?;
        Ok(tcp)
    }

    /// Makes the adapter's requests.
    fn traffic(&self, session: &mut Session, own: &Hello, theirs: &Hello) -> Ran<()> {
        if (self.tool.kind, self.tool.latency) == (Kind::Write, true) {
            return (1..=self.count).try_for_each(|n| {
                self.await_number(session, n)?;
                self.write_number(session, own.qpn, theirs, n)
            });
        }
        let depth = if self.tool.latency { 1 } else { DEPTH };
        let (mut posted, mut done) = (0, 0);
        while done < self.count {
            while posted < self.count && posted - done < depth {
                self.request(session, own.qpn, theirs, posted)?;
                posted += 1;
            }
            session.sent_one()?;
            done += 1;
            if self.tool.kind == Kind::Send && self.tool.latency {
                receive(session)?;
                if RECEIVES + done <= self.count {
                    session.post_receive(own.qpn, done, SINK, self.size)?;
                }
            }
        }
        Ok(())
    }

    /// Writes data to the peer that ends with this number, modulo 256.
    fn write_number(&self, session: &mut Session, qpn: u32, theirs: &Hello, number: u64) -> Ran<()> {
        session.put(SOURCE + self.size as u64 - 1, &[number as u8])?;
        self.request(session, qpn, theirs, number)?;
        session.sent_one()
    }

    /// Waits until the data that the peer has written ends with this number.
    fn await_number(&self, session: &mut Session, number: u64) -> Ran<()> {
        let last = TARGET + self.size as u64 - 1;
        session.until("a Write of the peer", |session| {
            Ok((session.bytes(last, 1) == [number as u8]).then_some(()))
        })
    }

    fn connect(&self, session: &mut Session, own: &Hello, theirs: &Hello) -> Ran<()> {
        let peer = Peer {
            own_psn: own.psn,
            gid: theirs.gid,
            rd_atomic: (theirs.rd_atomic as u8).clamp(1, RD_ATOMIC),
            ..session.peer(theirs.qpn, theirs.psn)
        };
        // The peer does not begin with this number.
        session.put(TARGET + self.size as u64 - 1, &[0])?;
        session.connect(own.qpn, Service::Rc, &peer)?;
        let receives = match self.tool.kind {
            Kind::Send if self.tool.latency || self.asker == Asker::Peer => RECEIVES.min(self.count),
            _ => 0,
        };
        (0..receives).try_for_each(|n| session.post_receive(own.qpn, n, SINK, self.size))
    }

    /// Posts a request of the adapter.
    fn request(&self, session: &mut Session, qpn: u32, theirs: &Hello, number: u64) -> Ran<()> {
        let (va, r_key) = (theirs.va, theirs.r_key);
        // Answers that are under way at once have different places. A completion says that its own place is filled.
        let sink = SINK + number % DEPTH * self.size as u64;
        let (operation, at) = match self.tool.kind {
            Kind::Send => (Operation::Send, SOURCE),
            Kind::Write => (Operation::Write { va, r_key }, SOURCE),
            Kind::Read => (Operation::Read { va, r_key }, sink),
            Kind::Atomic => (Operation::FetchAdd { va, r_key, add: 1 }, sink),
        };
        session.post_send(qpn, request(number, operation, at, self.size))
    }
}

/// Waits for the next message for the adapter.
fn receive(session: &mut Session) -> Ran<()> {
    loop {
        if session.success()?.operation == CompletedOperation::Receive {
            return Ok(());
        }
    }
}

/// Sends back what the client sends.
fn echo(session: &mut Session, tcp: Tcp, length: usize) -> Ran<()> {
    let said = session.hear(tcp, length, "the client's settings")?;
    session.say(tcp, &said)
}

fn hear(session: &mut Session, tcp: Tcp) -> Ran<Hello> {
    let message = session.hear(tcp, MESSAGE, "what the peer says of itself")?;
    Hello::parse(&message).ok_or_else(|| {
        let said = String::from_utf8_lossy(&message);
        SessionError::Wrong(format!(
            "the peer says {said:?} in place of LID, Reads, QPN, PSN, R_Key, address and GID"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_end_says_is_what_perftest_says() {
        let said = b"0000:0010:000011:95f1ed:00000208:00007f0123456000:\
            00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:02:00000000:\0";
        let hello = Hello {
            rd_atomic: 16,
            qpn: 0x11,
            psn: 0x95_F1ED,
            r_key: 0x208,
            va: 0x7F01_2345_6000,
            gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2],
        };
        assert_eq!(Hello::parse(said), Some(hello));
        assert_eq!(hello.text(), said);
        assert_eq!(said.len(), MESSAGE);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_hello_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..150)) {
            if let Some(hello) = Hello::parse(&bytes) {
                prop_assert_eq!(Hello::parse(&hello.text()), Some(hello));
            }
        }
    }
}
