//! A tap of this system: a network interface whose wire is this program.
use super::framing::LARGEST;
use super::{Cable, CableError};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::path::Path;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// Number of frames that wait for the system, from which on the oldest is lost, as in a queue of a network card.
const QUEUE: usize = 1024;
/// Bit of an interface that is up, in its flags under `/sys` (`IFF_UP`).
const UP: u32 = 1;
/// Errors of the kernel for a tap that is down, or was removed.
const DOWN: [Errno; 2] = [Errno::IO, Errno::BADFD];

/// An interface that exists, and is up.
pub struct Tap {
    name: String,
    device: SyncDevice,
    outbox: VecDeque<Vec<u8>>,
    inbox: VecDeque<Vec<u8>>,
}

impl Tap {
    /// Attaches to an interface with this name. If the interface is down, brings it up, which needs the right to do so.
    pub fn open(name: &str) -> Result<Tap, CableError> {
        let is_a_name = !name.is_empty() && !name.contains(['/', '\0']) && ![".", ".."].contains(&name);
        let folder = Path::new("/sys/class/net").join(name);
        if !is_a_name || !folder.exists() {
            return Err(CableError::NoInterface(name.to_owned()));
        }
        let failed = |source| CableError::Interface {
            name: name.to_owned(),
            source,
        };
        let flags = std::fs::read_to_string(folder.join("flags")).map_err(failed)?;
        let flags = u32::from_str_radix(flags.trim().trim_start_matches("0x"), 16);
        let builder = DeviceBuilder::new().name(name).layer(Layer::L2);
        let device = match flags {
            Ok(flags) if flags & UP != 0 => builder.inherit_enable_state(),
            _ => builder.enable(true),
        };
        let device = device.build_sync().map_err(failed)?;
        device.set_nonblocking(true).map_err(failed)?;
        Ok(Tap {
            name: name.to_owned(),
            device,
            outbox: VecDeque::new(),
            inbox: VecDeque::new(),
        })
    }

    fn failed(&self, source: io::Error) -> CableError {
        let name = self.name.clone();
        match Errno::from_io_error(&source) {
            Some(error) if DOWN.contains(&error) => CableError::Down(name),
            _ => CableError::Interface { name, source },
        }
    }
}

impl Cable for Tap {
    fn send(&mut self, frame: &[u8]) {
        if self.outbox.len() == QUEUE {
            self.outbox.pop_front();
        }
        self.outbox.push_back(frame.to_vec());
    }

    fn exchange(&mut self) -> Result<(), CableError> {
        while let Some(frame) = self.outbox.front() {
            match self.device.send(frame) {
                Ok(_) => drop(self.outbox.pop_front()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) => return Err(self.failed(e)),
            }
        }
        let mut bytes = [0; LARGEST];
        loop {
            match self.device.recv(&mut bytes) {
                Ok(length) => self.inbox.push_back(bytes[..length].to_vec()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(self.failed(e)),
            }
        }
    }

    fn frame(&mut self) -> Result<Option<Vec<u8>>, CableError> {
        Ok(self.inbox.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_that_is_not_there_is_named() {
        for name in ["hca-no-such-0", "", "..", "a/b", "a\0b"] {
            let error = Tap::open(name).map(drop).unwrap_err();
            assert!(
                matches!(&error, CableError::NoInterface(of) if of == name),
                "{error}"
            );
        }
    }

    #[test]
    fn an_interface_that_is_no_tap_is_refused() {
        let error = Tap::open("lo").map(drop).unwrap_err();
        assert!(
            matches!(&error, CableError::Interface { name, .. } if name == "lo"),
            "{error}"
        );
    }
}
