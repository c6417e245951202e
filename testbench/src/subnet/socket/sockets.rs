//! The server's ends of the sockets.
use super::super::clients::MOST;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Number of bytes of a read. Every message is shorter.
const READ: usize = 1024;

/// Why the sockets cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("another subnet has the socket `{0}` already")]
    InUse(String),
    #[error("the name `{0}` is too long for a socket, or not text")]
    Name(String),
    #[error("socket `{name}`: {source}")]
    Io { name: String, source: io::Error },
}

/// A received message.
#[derive(Clone, Debug)]
pub enum Inbound {
    /// A control message, and the address to answer to.
    Control(Vec<u8>, SocketAddr),
    /// A data message of the client with this number.
    Data(usize, Vec<u8>),
}

/// The result of sending a message to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    Done,
    /// The client has not read what was sent before.
    Later,
    Gone,
}

/// One socket for control messages, and one for the data of each client.
#[derive(Debug)]
pub struct Sockets {
    base: String,
    control: UnixDatagram,
    data: Vec<UnixDatagram>,
    connected: [bool; MOST],
}

impl Sockets {
    /// Makes the sockets `base:ctl` and `base:out0` to `base:out9`.
    pub fn bind(base: &str) -> Result<Sockets, SocketError> {
        let numbers = 0..MOST;
        Ok(Sockets {
            base: base.to_owned(),
            control: bind(&format!("{base}:ctl"))?,
            data: numbers
                .map(|n| bind(&format!("{base}:out{n}")))
                .collect::<Result<_, _>>()?,
            connected: [false; MOST],
        })
    }

    /// Sends a client's data to its process from now on. Returns `Err` if no such process listens.
    pub fn connect(&mut self, client: usize, pid: u32) -> Result<(), SocketError> {
        let name = format!("{}:in{pid}", self.base);
        let socket = &self.data[client];
        let connected = socket.connect_addr(&address(&name)?);
        connected.map_err(|source| SocketError::Io { name, source })?;
        // Data that was sent to its predecessor belongs to nobody.
        let mut bytes = [0; READ];
        while socket.recv(&mut bytes).is_ok() {}
        self.connected[client] = true;
        Ok(())
    }

    /// Ends the reception from this client.
    pub fn disconnect(&mut self, client: usize) {
        self.connected[client] = false;
    }

    /// Returns true if the process of a client still has its socket.
    pub fn is_alive(&self, pid: u32) -> bool {
        let Ok(name) = address(&format!("{}:in{pid}", self.base)) else {
            return false;
        };
        let probe = UnixDatagram::unbound().and_then(|socket| socket.connect_addr(&name));
        // A socket that exists refuses all but its own peer.
        probe.map_or_else(|error| error.kind() == ErrorKind::PermissionDenied, |()| true)
    }

    /// Answers a control message. A client that has gone meanwhile gets no answer.
    pub fn answer(&self, bytes: &[u8], to: &SocketAddr) {
        let _ = self.control.send_to_addr(bytes, to);
    }

    /// Sends data to a client.
    pub fn send(&self, client: usize, bytes: &[u8]) -> Sent {
        if !self.connected[client] {
            return Sent::Gone;
        }
        match self.data[client].send(bytes) {
            Ok(_) => Sent::Done,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Sent::Later
            }
            Err(_) => Sent::Gone,
        }
    }

    /// Waits at most `limit` for a message, and takes those that have come.
    pub fn receive(&self, limit: Duration) -> Result<Vec<Inbound>, SocketError> {
        let failed = |source: io::Error| SocketError::Io {
            name: self.base.clone(),
            source,
        };
        let of_clients = self.data.iter().enumerate().filter(|(n, _)| self.connected[*n]);
        let of_clients: Vec<(usize, &UnixDatagram)> = of_clients.collect();
        let mut polled = vec![PollFd::new(&self.control, PollFlags::IN)];
        polled.extend(
            of_clients
                .iter()
                .map(|(_, socket)| PollFd::new(*socket, PollFlags::IN)),
        );
        let limit = Timespec {
            tv_sec: limit.as_secs() as i64,
            tv_nsec: limit.subsec_nanos().into(),
        };
        match poll(&mut polled, Some(&limit)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let mut inbound = Vec::new();
        let mut bytes = [0; READ];
        // One message of each socket is taken, so that none keeps the others waiting.
        if let Some((length, from)) = unless_empty(self.control.recv_from(&mut bytes)).map_err(failed)? {
            inbound.push(Inbound::Control(bytes[..length].to_vec(), from));
        }
        for (client, socket) in of_clients {
            match unless_empty(socket.recv(&mut bytes)) {
                Ok(Some(length)) => inbound.push(Inbound::Data(client, bytes[..length].to_vec())),
                Ok(None) => {}
                // The client closed its socket; the next message to it reports that.
                Err(_) => {}
            }
        }
        Ok(inbound)
    }
}

/// Returns `None` if there was nothing to read.
fn unless_empty<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns an abstract address. The protocol includes a closing NUL in the name.
fn address(name: &str) -> Result<SocketAddr, SocketError> {
    let address = SocketAddr::from_abstract_name(format!("{name}\0"));
    address.map_err(|_| SocketError::Name(name.to_owned()))
}

fn bind(name: &str) -> Result<UnixDatagram, SocketError> {
    let failed = |source: io::Error| match source.kind() {
        ErrorKind::AddrInUse => SocketError::InUse(name.to_owned()),
        _ => SocketError::Io {
            name: name.to_owned(),
            source,
        },
    };
    let socket = UnixDatagram::bind_addr(&address(name)?).map_err(failed)?;
    socket.set_nonblocking(true).map_err(failed)?;
    Ok(socket)
}
