//! The addresses of bursts that the hardware issues.
use crate::handshake::{Channel, Violation};
use crate::verilated::{Direction, Error, Library, Model, Port};

/// The ports of an address channel.
pub(super) struct AddressPorts {
    pub channel: Channel,
    pub ready: Port,
    id: Port,
    addr: Port,
    len: Port,
    size: Port,
    burst: Port,
}

/// An accepted address.
#[derive(Clone, Copy)]
pub(super) struct Burst {
    pub id: u64,
    pub addr: u64,
    pub beats: usize,
}

impl AddressPorts {
    pub fn find(library: &Library, prefix: &str) -> Result<AddressPorts, Error> {
        let port = |name, bits| library.expect(&format!("{prefix}{name}"), Direction::Out, bits);
        let valid = port("valid", 1)?;
        let (id, addr, len) = (port("id", 4)?, port("addr", 64)?, port("len", 8)?);
        let (size, burst) = (port("size", 3)?, port("burst", 2)?);
        Ok(AddressPorts {
            channel: Channel::new(prefix, valid, vec![id, addr, len, size, burst]),
            ready: library.expect(&format!("{prefix}ready"), Direction::In, 1)?,
            id,
            addr,
            len,
            size,
            burst,
        })
    }

    /// Returns the burst accepted in this clock, after a check of the bus rules.
    pub fn accept(
        &mut self,
        model: &Model,
        ready: bool,
        lanes: usize,
        cycle: u64,
    ) -> Result<Option<Burst>, Violation> {
        if !self.channel.transfers(model, ready, cycle)? {
            return Ok(None);
        }
        let burst = Burst {
            id: model.get(self.id),
            addr: model.get(self.addr),
            beats: model.get(self.len) as usize + 1,
        };
        let bytes = (burst.beats * lanes) as u64;
        let size = model.get(self.size);
        let kind = model.get(self.burst);
        let broken = if kind != 1 {
            Some("bursts are INCR (AXI A3.4.1)")
        } else if 1 << size != lanes as u64 {
            Some("beats are as wide as the bus (AXI A3.4.1)")
        } else if !burst.addr.is_multiple_of(lanes as u64) {
            Some("addresses are aligned to the beat")
        } else if burst.addr % 4096 + bytes > 4096 {
            Some("a burst must not cross a 4 KiB border (AXI A3.4.1)")
        } else {
            None
        };
        match broken {
            Some(rule) => {
                let shown = format!("address {:#x}, {} beats", burst.addr, burst.beats);
                Err(self.channel.violation(cycle, rule, shown))
            }
            None => Ok(Some(burst)),
        }
    }
}
