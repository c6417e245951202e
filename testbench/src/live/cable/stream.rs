//! A unix socket, which loses nothing, as a cable to QEMU or to another adapter.
use super::framing::{self, Cutter};
use super::{Cable, CableError, BACKLOG};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Number of bytes of a read.
const READ: usize = 1 << 16;
/// Number of times that a connection is tried while it is refused: a socket has its name for a moment before its
/// process listens.
const TRIES: u32 = 200;
/// Time from a refused try to the next.
const PAUSE: Duration = Duration::from_millis(5);

/// A connected socket that carries the frames of QEMU's `-netdev stream`.
#[derive(Debug)]
pub struct Stream {
    path: PathBuf,
    stream: UnixStream,
    cutter: Cutter,
    outbox: Vec<u8>,
    closed: bool,
}

impl Stream {
    fn over(path: &Path, stream: UnixStream) -> Result<Stream, CableError> {
        stream.set_nonblocking(true).map_err(failed(path))?;
        Ok(Stream {
            path: path.to_owned(),
            stream,
            cutter: Cutter::default(),
            outbox: Vec::new(),
            closed: false,
        })
    }

    /// Connects to a listening socket; `None` if nothing listens.
    pub fn connect(path: &Path) -> Result<Option<Stream>, CableError> {
        for _ in 0..TRIES {
            match UnixStream::connect(path) {
                Ok(stream) => return Stream::over(path, stream).map(Some),
                Err(e) if e.kind() == ErrorKind::ConnectionRefused => std::thread::sleep(PAUSE),
                Err(e) if e.kind() == ErrorKind::NotFound => break,
                Err(e) => return Err(failed(path)(e)),
            }
        }
        Ok(None)
    }

    fn flush(&mut self) -> Result<(), CableError> {
        let mut sent = 0;
        while sent < self.outbox.len() && !self.closed {
            match self.stream.write(&self.outbox[sent..]) {
                Ok(n) => sent += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
                    // What the peer sent before can still be read.
                    self.outbox.clear();
                    return Ok(());
                }
                Err(e) => return Err(failed(&self.path)(e)),
            }
        }
        self.outbox.drain(..sent);
        match self.outbox.len() > BACKLOG {
            true => Err(CableError::Unread(self.path.clone())),
            false => Ok(()),
        }
    }
}

impl Cable for Stream {
    fn send(&mut self, frame: &[u8]) {
        framing::put(frame, &mut self.outbox);
    }

    fn exchange(&mut self) -> Result<(), CableError> {
        self.flush()?;
        let mut bytes = [0; READ];
        while !self.closed {
            match self.stream.read(&mut bytes) {
                Ok(0) => self.closed = true,
                Ok(n) => self
                    .cutter
                    .take(&bytes[..n])
                    .map_err(|source| CableError::NoFrame {
                        path: self.path.clone(),
                        source,
                    })?,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == ErrorKind::ConnectionReset => self.closed = true,
                Err(e) => return Err(failed(&self.path)(e)),
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Result<Option<Vec<u8>>, CableError> {
        match self.cutter.frame() {
            Some(frame) => Ok(Some(frame)),
            None if self.closed && self.cutter.is_cut() => Err(CableError::Cut(self.path.clone())),
            None if self.closed => Err(CableError::Closed(self.path.clone())),
            None => Ok(None),
        }
    }
}

/// A socket that waits for a peer. Its file is removed with it.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    listener: UnixListener,
}

impl Socket {
    /// Listens at this path. A socket on which nothing listens any more is replaced, anything else is left.
    pub fn listen(path: &Path) -> Result<Socket, CableError> {
        let bind = || UnixListener::bind(path);
        let listener = match bind() {
            Err(e) if e.kind() == ErrorKind::AddrInUse => {
                let kind = std::fs::symlink_metadata(path).map_err(failed(path))?.file_type();
                if !kind.is_socket() {
                    return Err(CableError::Taken(path.to_owned()));
                }
                if UnixStream::connect(path).is_ok() {
                    return Err(CableError::InUse(path.to_owned()));
                }
                std::fs::remove_file(path).map_err(failed(path))?;
                bind()
            }
            bound => bound,
        };
        let listener = listener.map_err(failed(path))?;
        listener.set_nonblocking(true).map_err(failed(path))?;
        Ok(Socket {
            path: path.to_owned(),
            listener,
        })
    }

    /// Returns the connection to the peer, once it has connected.
    pub fn accept(&self) -> Result<Option<Stream>, CableError> {
        match self.listener.accept() {
            Ok((stream, _)) => Stream::over(&self.path, stream).map(Some),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(e) => Err(failed(&self.path)(e)),
        }
    }

    /// Returns the path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // It does no harm if the file was removed already.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CableError + '_ {
    |source| CableError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(path: &Path) -> (Socket, Stream, Stream) {
        let socket = Socket::listen(path).unwrap();
        let theirs = Stream::connect(path).unwrap().unwrap();
        let ours = socket.accept().unwrap().unwrap();
        (socket, ours, theirs)
    }

    #[test]
    fn frames_cross_both_ways_however_many() {
        let folder = tempfile::tempdir().unwrap();
        let (_socket, mut x, mut y) = joined(&folder.path().join("wire"));
        // This is more than a socket holds.
        let frames: Vec<Vec<u8>> = (0..400u32).map(|n| vec![n as u8; 9000 + n as usize]).collect();
        frames.iter().for_each(|frame| x.send(frame));
        y.send(&[1, 2, 3]);
        let mut came = Vec::new();
        while came.len() < frames.len() {
            x.exchange().unwrap();
            y.exchange().unwrap();
            came.extend(std::iter::from_fn(|| y.frame().unwrap()));
        }
        assert_eq!(came, frames);
        assert_eq!(x.frame().unwrap(), Some(vec![1, 2, 3]));
        assert_eq!(x.frame().unwrap(), None);
    }

    #[test]
    fn a_closed_socket_is_reported_after_what_came_before() {
        let folder = tempfile::tempdir().unwrap();
        let (_socket, mut x, mut y) = joined(&folder.path().join("wire"));
        x.send(&[9; 60]);
        x.exchange().unwrap();
        drop(x);
        y.send(&[8; 60]);
        y.exchange().unwrap();
        y.exchange().unwrap();
        assert_eq!(y.frame().unwrap(), Some(vec![9; 60]));
        assert!(matches!(y.frame(), Err(CableError::Closed(_))));
    }

    #[test]
    fn a_frame_that_ends_in_the_middle_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wire");
        let socket = Socket::listen(&path).unwrap();
        let mut peer = UnixStream::connect(&path).unwrap();
        let mut ours = socket.accept().unwrap().unwrap();
        peer.write_all(&[0, 0, 0, 9, 1, 2]).unwrap();
        drop(peer);
        ours.exchange().unwrap();
        assert!(matches!(ours.frame(), Err(CableError::Cut(_))));
    }

    #[test]
    fn a_socket_that_has_its_name_already_is_waited_for() {
        use rustix::net::{bind, listen, socket, AddressFamily, SocketAddrUnix, SocketType};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wire");
        let named = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        bind(&named, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        let listener = std::thread::spawn(move || {
            std::thread::sleep(3 * PAUSE);
            listen(&named, 1).unwrap();
            named
        });
        assert!(Stream::connect(&path).unwrap().is_some());
        listener.join().unwrap();
    }

    #[test]
    fn only_a_socket_without_a_listener_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wire");
        std::fs::write(&path, "mine").unwrap();
        assert!(matches!(Socket::listen(&path), Err(CableError::Taken(_))));
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        std::fs::remove_file(&path).unwrap();
        drop(UnixListener::bind(&path).unwrap());
        let socket = Socket::listen(&path).unwrap();
        assert!(matches!(Socket::listen(&path), Err(CableError::InUse(_))));
        drop(socket);
        assert!(!path.exists() && Stream::connect(&path).unwrap().is_none());
    }
}
