//! `hca live`: runs the adapter as a live peer.
mod adapter;
mod arguments;
mod guest;
mod replay;
mod table;

pub use arguments::Arguments;

use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::Verdict;
use crate::live::adapter::Adapter;
use crate::live::address::Address;
use crate::live::cable::stream::{Socket, Stream};
use crate::live::cable::tap::Tap;
use crate::live::cable::{Cable, CableError};
use crate::live::capture::Capture;
use crate::live::noise::{Noise, Rates};
use crate::live::recording::{Header, Recorder};
use crate::live::role::pingpong::{self, End, PingPong};
use crate::live::session::{Parts, Session, SessionError};
use crate::live::software::QpNumbers;
use crate::report::{self, Context};
use arguments::{Recorded, Role};
use clap::ValueEnum;
use hca_golden::verbs::Service;
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::Table;

/// Largest message of a datagram, in bytes: the MTU of a guest whose link takes 1500 bytes.
const DATAGRAM: usize = 1024;
/// Set when the user has pressed Ctrl-C.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    if let Some(Recorded::Replay(recorded)) = &arguments.replay {
        return replay::run(designs, recorded);
    }
    let Some(way) = arguments.way() else {
        return Err(CallError::NoWire);
    };
    let needing = arguments.roles.iter().find(|role| **role != Role::Pingpong);
    if let (Some(role), Way::Peer(_)) = (needing, way) {
        let role = role.to_possible_value().map(|value| value.get_name().to_owned());
        return Err(CallError::NeedsGuest {
            role: role.unwrap_or_default(),
        });
    }
    let profile = profile_named(&arguments.profile)?.over(profile::Link::Roce);
    let built = arguments.choice.build(designs, &profile)?;
    ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed)).map_err(CallError::Signals)?;
    let mut console = Console::new();
    let wire = way.open(&mut console, Duration::from_secs(arguments.patience))?;
    let Some((own, cable, socket)) = wire else {
        console.line("interrupted before the peer came")?;
        return Ok(Verdict::Unjudged);
    };
    console.line(&format!(
        "{way}: {} at {}, peer at {}",
        arguments.choice.describe(&profile),
        own.ipv4(),
        other(own).ipv4()
    ))?;
    let recorder = match &arguments.record {
        None => None,
        Some(path) => {
            let header = Header::new(own.0, profile.name, arguments.seed, arguments.choice.golden_only);
            Some(Recorder::create(path, &header)?)
        }
    };
    let capture = arguments
        .pcap
        .as_deref()
        .map(|path| Capture::create(path, profile.clock_hz));
    let station = arguments.choice.station(&built, &profile, own, arguments.seed)?;
    let rates = Rates {
        drop: arguments.drop,
        duplicate: arguments.duplicate,
        swap: arguments.swap,
    };
    let mut session = Session::new(Parts {
        own,
        peer: other(own),
        adapter: Adapter::new(station, recorder),
        cable,
        noise: Noise::new(rates, arguments.seed),
        capture: capture.transpose()?,
        patience: Duration::from_secs(arguments.patience),
        interrupted: &STOPPED,
    });
    let mut table = Table::default();
    let played = arguments.play(&mut session, own, &mut table, &mut console);
    // The file of the socket is removed, however the session ended.
    drop(socket);
    for line in table.roles() {
        console.line(&line)?;
    }
    conclude(arguments, &profile, &mut session, played, &mut console)
}

/// Returns the other one of the two ends.
fn other(own: Address) -> Address {
    match own {
        Address::FIRST => Address::SECOND,
        _ => Address::FIRST,
    }
}

/// The connection to the peer.
#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    /// The socket of QEMU.
    Qemu(&'a Path),
    /// An interface of this system.
    Tap(&'a str),
    /// The socket of another adapter.
    Peer(&'a Path),
}

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Qemu(path) | Way::Peer(path) => write!(f, "{}", path.display()),
            Way::Tap(name) => f.write_str(name),
        }
    }
}

/// The address of this end, its cable, and the socket, whose file exists as long as this value.
type Opened = (Address, Box<dyn Cable>, Option<Socket>);

impl Way<'_> {
    /// Opens the cable to the peer. The first of two adapters listens. Returns `None` after Ctrl-C.
    fn open(&self, console: &mut Console, patience: Duration) -> Result<Option<Opened>, CallError> {
        let failed = |error: CableError| CallError::Session(error.into());
        let path = match self {
            Way::Tap(name) => {
                let tap = Tap::open(name).map_err(CallError::Tap)?;
                return Ok(Some((Address::FIRST, Box::new(tap), None)));
            }
            Way::Peer(path) => {
                if let Some(cable) = Stream::connect(path).map_err(failed)? {
                    return Ok(Some((Address::SECOND, Box::new(cable), None)));
                }
                path
            }
            Way::Qemu(path) => path,
        };
        let socket = Socket::listen(path).map_err(failed)?;
        console.line(&format!("{self}: awaiting the peer"))?;
        let start = Instant::now();
        while !STOPPED.load(Ordering::Relaxed) {
            if let Some(cable) = socket.accept().map_err(failed)? {
                return Ok(Some((Address::FIRST, Box::new(cable), Some(socket))));
            }
            if start.elapsed() > patience {
                return Err(CallError::NobodyCame {
                    path: path.to_path_buf(),
                    seconds: patience.as_secs(),
                });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(None)
    }
}

impl Arguments {
    /// Returns the connection that the call names.
    fn way(&self) -> Option<Way<'_>> {
        let qemu = self.qemu_socket.as_deref().map(Way::Qemu);
        qemu.or(self.tap.as_deref().map(Way::Tap))
            .or(self.peer.as_deref().map(Way::Peer))
    }

    fn play(
        &self,
        session: &mut Session,
        own: Address,
        table: &mut Table,
        console: &mut Console,
    ) -> Result<(), SessionError> {
        session.begin()?;
        let mut numbers = QpNumbers::default();
        if self.peer.is_none() {
            return guest::play(self, session, &mut numbers, table, console);
        }
        let end = match own {
            Address::FIRST => End::Server { echoes: true },
            _ => End::Client,
        };
        for (n, service) in self.services().iter().enumerate() {
            let run = self.pingpong(*service, end, n as u16);
            table.begin(session);
            let played = run.play(session, &mut numbers)?;
            let done = played.end(session, &mut numbers)?;
            console.line(&table.end(session, "pingpong", &done))?;
        }
        Ok(())
    }

    /// Returns the n-th ping-pong of the session.
    fn pingpong(&self, service: Service, end: End, n: u16) -> PingPong {
        PingPong {
            service,
            end,
            port: pingpong::PORT + n,
            size: self.size_of(service),
            count: self.messages,
        }
    }

    /// Returns the services whose messages arrive on this wire.
    fn services(&self) -> &'static [Service] {
        match self.drop + self.duplicate + self.swap {
            0 => &[Service::Rc, Service::Uc, Service::Ud],
            _ => &[Service::Rc],
        }
    }

    fn size_of(&self, service: Service) -> usize {
        match service {
            Service::Ud => (self.size as usize).min(DATAGRAM),
            _ => self.size as usize,
        }
    }
}

/// Makes the final checks, closes all files, and prints the result.
fn conclude(
    arguments: &Arguments,
    profile: &Profile,
    session: &mut Session,
    played: Result<(), SessionError>,
    console: &mut Console,
) -> Result<Verdict, CallError> {
    let ended = match played {
        Ok(()) | Err(SessionError::Interrupted) => session.finish(),
        Err(error) => {
            let closed = session.close();
            match error {
                // The user needs the files to understand these errors, so a file that cannot be written is reported
                // first.
                SessionError::Differed(_) | SessionError::Wrong(_) => closed.and(Err(error)),
                error => Err(error),
            }
        }
    };
    if STOPPED.load(Ordering::Relaxed) {
        console.line("interrupted: what follows is judged as far as it went")?;
    }
    let suffered = session.suffered();
    if arguments.drop + arguments.duplicate + arguments.swap > 0 {
        console.line(&format!(
            "on the wire: {} frames lost, {} doubled, {} passed by the next",
            suffered.dropped, suffered.duplicated, suffered.swapped
        ))?;
    }
    let adapter = &session.adapter;
    let crossed = format!(
        "{} frames out, {} in, {} decisions judged in {} cycles",
        adapter.frames_out(),
        adapter.frames_in(),
        adapter.decisions(),
        adapter.now()
    );
    match ended {
        Ok(()) if arguments.choice.unchecked => {
            console.line(&format!("ENDED: {crossed}; nothing compared it"))?
        }
        Ok(()) => console.line(&format!("HELD: {crossed}; nothing differed"))?,
        Err(SessionError::Differed(failure)) => {
            let replay = match &arguments.record {
                Some(path) => format!("hca live replay {}", path.display()),
                None => {
                    "name a file with `--record FILE`, and `hca live replay FILE` shows it again".to_owned()
                }
            };
            let context = Context {
                scenario: &format!("live, profile {}", profile.name),
                seed: arguments.seed,
                replay: &replay,
            };
            console.line(&report::render(&failure, &context))?;
            return Ok(Verdict::Differed);
        }
        Err(SessionError::Wrong(what)) => {
            console.line(&format!("WRONG: {what}; {crossed}"))?;
            return Ok(Verdict::Differed);
        }
        Err(SessionError::Output(error)) => return Err(error.into()),
        Err(error) => return Err(CallError::Session(error)),
    }
    Ok(Verdict::Held)
}
