//! A session: the adapter, its wire to the peer with the wire's faults, and the gateway, all on one thread.
//!
//! The clock of the adapter runs while the adapter has anything to do, and stops while software waits for the peer. The
//! wall-clock time of that only affects the limits of waiting.
use super::adapter::{Adapter, Halt};
use super::address::Address;
use super::cable::{Cable, CableError};
use super::capture::Capture;
use super::frame;
use super::gateway::{Gateway, Tcp, TcpState};
use super::noise::{Noise, Suffered, Way};
use crate::device::Verb;
use crate::scoreboard::failure::Failure;
use crate::trace::output::OutputError;
use hca_golden::verbs::Completion;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of clock cycles between two looks at the wire.
const CLOCKS: u32 = 64;
/// Number of bytes of a frame that come in a clock cycle.
const BEAT: usize = 8;
/// Time for which the adapter's software sleeps if there is nothing to do.
const NAP: Duration = Duration::from_micros(500);

/// Why a session ended early.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The adapter and its model differ.
    #[error("the adapter differs from its model")]
    Differed(Box<Failure>),
    #[error(transparent)]
    Cable(#[from] CableError),
    #[error("{what} did not come within {seconds} s: the peer is silent")]
    Silent { what: String, seconds: u64 },
    #[error("interrupted")]
    Interrupted,
    #[error("the peer closed the TCP connection in place of {0}")]
    Hung(String),
    /// The peer or the adapter's software got a wrong result, though model and adapter agree.
    #[error("{0}")]
    Wrong(String),
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl From<Halt> for SessionError {
    fn from(halt: Halt) -> SessionError {
        match halt {
            Halt::Failed(failure) => SessionError::Differed(failure),
            Halt::Output(error) => SessionError::Output(error),
        }
    }
}

impl From<Box<Failure>> for SessionError {
    fn from(failure: Box<Failure>) -> SessionError {
        SessionError::Differed(failure)
    }
}

/// The result of functions of sessions.
pub type Ran<T> = Result<T, SessionError>;

/// The parts of a session.
pub struct Parts {
    pub own: Address,
    pub peer: Address,
    pub adapter: Adapter,
    pub cable: Box<dyn Cable>,
    pub noise: Noise,
    pub capture: Option<Capture>,
    /// Longest silence of the peer.
    pub patience: Duration,
    /// Set when the user has pressed Ctrl-C.
    pub interrupted: &'static AtomicBool,
}

/// The adapter's end of a session.
pub struct Session {
    pub own: Address,
    pub peer: Address,
    pub adapter: Adapter,
    pub noise: Noise,
    cable: Box<dyn Cable>,
    gateway: Gateway,
    capture: Option<Capture>,
    patience: Duration,
    interrupted: &'static AtomicBool,
    /// Frames on their way to the adapter. As on a link, one comes after another.
    arriving: VecDeque<Vec<u8>>,
    /// Clock cycle in which the last of them has come completely.
    arrived: u64,
    /// Why the cable ended, once the peer has closed it.
    gone: Option<CableError>,
}

impl Session {
    /// Makes a session in which nothing has crossed the wire yet.
    pub fn new(parts: Parts) -> Session {
        Session {
            own: parts.own,
            peer: parts.peer,
            adapter: parts.adapter,
            noise: parts.noise,
            cable: parts.cable,
            gateway: Gateway::new(parts.own),
            capture: parts.capture,
            patience: parts.patience,
            interrupted: parts.interrupted,
            arriving: VecDeque::new(),
            arrived: 0,
            gone: None,
        }
    }

    /// Returns the longest permitted silence of the peer.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Returns the faults of the wire so far.
    pub fn suffered(&self) -> Suffered {
        self.noise.suffered()
    }

    /// Returns the MAC address of the peer, once it is known.
    pub fn neighbour(&self) -> Option<[u8; 6]> {
        self.gateway.neighbour()
    }

    /// Does one round: some clock cycles, if there is something to do in them, then the wire.
    pub fn turn(&mut self) -> Ran<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(SessionError::Interrupted);
        }
        let idle = self.arriving.is_empty() && !self.noise.holds() && self.adapter.rests();
        if !idle {
            for _ in 0..CLOCKS {
                self.clock()?;
            }
        }
        self.cable.exchange()?;
        let mut came = false;
        while let Some(frame) = self.next_frame()? {
            came = true;
            match frame::bth(&frame) {
                Some(_) => {
                    let now = self.adapter.now();
                    self.arriving.extend(self.noise.pass(now, Way::In, frame));
                }
                None => {
                    self.captured(Way::In, &frame)?;
                    self.gateway.receive(frame);
                }
            }
        }
        for frame in self.gateway.frames() {
            came = true;
            self.captured(Way::Out, &frame)?;
            self.cable.send(&frame);
        }
        if idle && !came {
            std::thread::sleep(NAP);
        }
        Ok(())
    }

    /// Takes the next frame from the peer. A closed connection is an error only for those who wait for the peer.
    fn next_frame(&mut self) -> Ran<Option<Vec<u8>>> {
        match self.cable.frame() {
            Err(error @ CableError::Closed(_)) => {
                self.gone.get_or_insert(error);
                Ok(None)
            }
            frame => Ok(frame?),
        }
    }

    fn clock(&mut self) -> Ran<()> {
        let now = self.adapter.now();
        self.arriving.extend(self.noise.overdue(now, Way::In));
        if now >= self.arrived {
            if let Some(frame) = self.arriving.pop_front() {
                self.arrived = now + frame.len().div_ceil(BEAT) as u64;
                self.captured(Way::In, &frame)?;
                self.adapter.receive(frame)?;
            }
        }
        for frame in self.adapter.clock()? {
            self.leave(frame)?;
        }
        if let Some(frame) = self.noise.overdue(now, Way::Out) {
            self.cable.send(&frame);
        }
        Ok(())
    }

    fn leave(&mut self, frame: Vec<u8>) -> Ran<()> {
        self.captured(Way::Out, &frame)?;
        let now = self.adapter.now();
        for frame in self.noise.pass(now, Way::Out, frame) {
            self.cable.send(&frame);
        }
        Ok(())
    }

    fn captured(&mut self, way: Way, frame: &[u8]) -> Ran<()> {
        let cycle = self.adapter.now();
        match &mut self.capture {
            Some(capture) => Ok(capture.frame(cycle, way, frame)?),
            None => Ok(()),
        }
    }

    /// Runs until `come` returns something, at most as long as the peer may be silent.
    pub fn until<T>(&mut self, what: &str, come: impl FnMut(&mut Session) -> Ran<Option<T>>) -> Ran<T> {
        let patience = self.patience;
        match self.within(patience, come)? {
            Some(come) => Ok(come),
            None => Err(SessionError::Silent {
                what: what.to_owned(),
                seconds: patience.as_secs(),
            }),
        }
    }

    /// Runs until `come` returns something, or for this long.
    pub fn within<T>(
        &mut self,
        limit: Duration,
        mut come: impl FnMut(&mut Session) -> Ran<Option<T>>,
    ) -> Ran<Option<T>> {
        let start = Instant::now();
        loop {
            if let Some(come) = come(self)? {
                return Ok(Some(come));
            }
            if let Some(gone) = self.gone.take() {
                return Err(gone.into());
            }
            if start.elapsed() > limit {
                return Ok(None);
            }
            self.turn()?;
        }
    }

    /// Runs for this long.
    pub fn pass(&mut self, time: Duration) -> Ran<()> {
        self.within(time, |_| Ok(None::<()>)).map(drop)
    }

    /// Submits these verbs and waits for their outcomes.
    pub fn verbs(&mut self, verbs: impl IntoIterator<Item = Verb>) -> Ran<()> {
        for verb in verbs {
            self.adapter.submit(verb)?;
        }
        while self.adapter.moment().open > 0 {
            self.turn()?;
        }
        Ok(())
    }

    /// Runs the clock until all data that the adapter has acknowledged is in memory. An acknowledge says that the
    /// adapter has taken a request, and may leave before the data is written.
    pub fn settle(&mut self) -> Ran<()> {
        while !self.adapter.is_settled() {
            self.turn()?;
        }
        Ok(())
    }

    /// Waits for the next completion.
    pub fn completion(&mut self) -> Ran<Completion> {
        self.until("a completion", |session| Ok(session.adapter.completion()))
    }

    /// Waits for a connection to this port.
    pub fn accept(&mut self, port: u16) -> Ran<Tcp> {
        let tcp = self.gateway.listen(port);
        let what = format!("a TCP connection to port {port}");
        self.until(&what, |session| {
            Ok((session.gateway.state(tcp) != TcpState::Opening).then_some(()))
        })?;
        Ok(tcp)
    }

    /// Connects to a port of the peer, again and again until something listens there.
    pub fn connect_tcp(&mut self, port: u16) -> Ran<Tcp> {
        let what = format!("a TCP connection to the peer's port {port}");
        let peer = self.peer;
        let start = Instant::now();
        loop {
            let tcp = self.gateway.connect(peer, port);
            let opened = self.within(Duration::from_secs(3), |session| {
                Ok(match session.gateway.state(tcp) {
                    TcpState::Opening => None,
                    state => Some(state),
                })
            })?;
            if opened == Some(TcpState::Open) {
                return Ok(tcp);
            }
            self.gateway.forget(tcp);
            if start.elapsed() > self.patience {
                let seconds = self.patience.as_secs();
                return Err(SessionError::Silent { what, seconds });
            }
            self.pass(Duration::from_millis(200))?;
        }
    }

    /// Sends bytes over TCP.
    pub fn say(&mut self, tcp: Tcp, bytes: &[u8]) -> Ran<()> {
        let mut rest = bytes;
        self.until("room on a TCP connection", |session| {
            let sent = session.gateway.send(tcp, rest);
            rest = &rest[sent..];
            match session.gateway.state(tcp) {
                _ if rest.is_empty() => Ok(Some(())),
                TcpState::Ended => Err(SessionError::Hung("taking what is said".to_owned())),
                _ => Ok(None),
            }
        })
    }

    /// Waits for this many bytes over TCP.
    pub fn hear(&mut self, tcp: Tcp, length: usize, what: &str) -> Ran<Vec<u8>> {
        let mut heard = Vec::new();
        self.until(what, |session| {
            heard.extend(session.gateway.take(tcp, length - heard.len()));
            match session.gateway.state(tcp) {
                _ if heard.len() == length => Ok(Some(std::mem::take(&mut heard))),
                TcpState::Ended => Err(SessionError::Hung(what.to_owned())),
                _ => Ok(None),
            }
        })
    }

    /// Closes this end's direction of a TCP connection, and waits until the peer does the same.
    pub fn part(&mut self, tcp: Tcp) -> Ran<()> {
        self.gateway.close(tcp);
        self.until("the end of a TCP connection", |session| {
            Ok((session.gateway.state(tcp) == TcpState::Ended).then_some(()))
        })?;
        // The last acknowledge still has to leave; a peer that is done may have gone before.
        match self.pass(Duration::from_millis(20)) {
            Err(SessionError::Cable(CableError::Closed(_))) => {}
            passed => passed?,
        }
        self.gateway.forget(tcp);
        Ok(())
    }

    /// Lets the adapter come to rest, makes the final checks, and closes all files. Frames that the adapter still sends
    /// go to a peer that may have gone.
    pub fn finish(&mut self) -> Ran<()> {
        let left = self.adapter.finish()?;
        for frame in left {
            self.leave(frame)?;
        }
        self.close()
    }

    /// Closes all files of a session that cannot continue.
    pub fn close(&mut self) -> Ran<()> {
        self.adapter.close()?;
        match self.capture.take() {
            Some(capture) => Ok(capture.finish()?),
            None => Ok(()),
        }
    }
}
