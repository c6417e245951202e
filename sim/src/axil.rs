//! AXI4-Lite master: it reads and writes registers for software, one after the other.
use crate::chance::Pauses;
use crate::handshake::{Channel, Violation};
use crate::verilated::{Direction, Error, Library, Model, Port};
use std::collections::VecDeque;

/// An access to a register; `addr` is a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read { addr: u32 },
    Write { addr: u32, value: u32 },
}

/// A finished register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub access: Access,
    /// The value read; 0 for a write.
    pub value: u32,
    /// True if the response was OKAY.
    pub okay: bool,
}

/// The ports for address, valid and ready.
type AddressPorts = (Port, Port, Port);

/// The AXI4-Lite master.
pub struct AxilMaster {
    aw: AddressPorts,
    ar: AddressPorts,
    w_data: Port,
    w_strobe: Port,
    w_valid: Port,
    w_ready: Port,
    b: Channel,
    b_response: Port,
    b_ready: Port,
    r: Channel,
    r_data: Port,
    r_response: Port,
    r_ready: Port,
    pauses: Pauses,
    queue: VecDeque<Access>,
    done: VecDeque<Done>,
    /// True while the front of the queue is on the bus.
    started: bool,
    address_open: bool,
    data_open: bool,
    answer_ready: bool,
    /// Clock cycle in which the last write was accepted.
    last_write: Option<u64>,
}

impl AxilMaster {
    /// Makes a master at the ports `PREFIX_awaddr` and so on.
    pub fn new(library: &Library, prefix: &str, pauses: Pauses) -> Result<AxilMaster, Error> {
        let port = |name: &str, direction, bits| library.expect(&format!("{prefix}_{name}"), direction, bits);
        let (input, output) = (Direction::In, Direction::Out);
        let address = |channel: &str| -> Result<AddressPorts, Error> {
            Ok((
                port(&format!("{channel}addr"), input, 20)?,
                port(&format!("{channel}valid"), input, 1)?,
                port(&format!("{channel}ready"), output, 1)?,
            ))
        };
        let b_response = port("bresp", output, 2)?;
        let (r_data, r_response) = (port("rdata", output, 32)?, port("rresp", output, 2)?);
        Ok(AxilMaster {
            aw: address("aw")?,
            ar: address("ar")?,
            w_data: port("wdata", input, 32)?,
            w_strobe: port("wstrb", input, 4)?,
            w_valid: port("wvalid", input, 1)?,
            w_ready: port("wready", output, 1)?,
            b: Channel::new(
                &format!("{prefix}_b"),
                port("bvalid", output, 1)?,
                vec![b_response],
            ),
            b_response,
            b_ready: port("bready", input, 1)?,
            r: Channel::new(
                &format!("{prefix}_r"),
                port("rvalid", output, 1)?,
                vec![r_data, r_response],
            ),
            r_data,
            r_response,
            r_ready: port("rready", input, 1)?,
            pauses,
            queue: VecDeque::new(),
            done: VecDeque::new(),
            started: false,
            address_open: false,
            data_open: false,
            answer_ready: false,
            last_write: None,
        })
    }

    /// Queues an access.
    pub fn push(&mut self, access: Access) {
        self.queue.push_back(access);
    }

    /// Returns the next finished access, in order.
    pub fn pop(&mut self) -> Option<Done> {
        self.done.pop_front()
    }

    /// Returns the clock cycle in which address and data of the last write were accepted.
    pub fn last_write(&self) -> Option<u64> {
        self.last_write
    }

    /// Returns true if nothing is queued or under way.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sets the ports for this clock.
    pub fn drive(&mut self, model: &mut Model) {
        if !self.started && !self.queue.is_empty() && !self.pauses.pause() {
            self.started = true;
            self.address_open = true;
            self.data_open = true;
        }
        let writing = matches!(self.queue.front(), Some(Access::Write { .. }));
        match self.queue.front() {
            Some(Access::Write { addr, value }) if self.started => {
                model.set(self.aw.0, *addr);
                model.set(self.w_data, *value);
                model.set(self.w_strobe, 0xFu32);
            }
            Some(Access::Read { addr }) if self.started => model.set(self.ar.0, *addr),
            _ => {}
        }
        self.answer_ready = self.started && !self.pauses.pause();
        model.set(self.aw.1, self.started && writing && self.address_open);
        model.set(self.w_valid, self.started && writing && self.data_open);
        model.set(self.ar.1, self.started && !writing && self.address_open);
        model.set(self.b_ready, self.answer_ready && writing);
        model.set(self.r_ready, self.answer_ready && !writing);
    }

    /// Notes the transfers of this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        let access = self.queue.front().copied().filter(|_| self.started);
        let writing = matches!(access, Some(Access::Write { .. }));
        let whole = !self.address_open && !self.data_open;
        let address_ready = if writing { self.aw.2 } else { self.ar.2 };
        if access.is_some() && model.is_set(address_ready) {
            self.address_open = false;
        }
        if writing && model.is_set(self.w_ready) {
            self.data_open = false;
        }
        if writing && !whole && !self.address_open && !self.data_open {
            self.last_write = Some(cycle);
        }
        // An answer may come in the clock that completes the request.
        let asked = access.is_some() && !self.address_open && !(writing && self.data_open);
        let written = self.b.transfers(model, self.answer_ready && writing, cycle)?;
        let read = self.r.transfers(model, self.answer_ready && !writing, cycle)?;
        for (answered, channel) in [(written, &self.b), (read, &self.r)] {
            if answered && !asked {
                let rule = "an answer must wait for its request (AXI A3.3.1)";
                return Err(channel.violation(cycle, rule, String::new()));
            }
        }
        if let Some(access) = access.filter(|_| written || read) {
            let response = if written { self.b_response } else { self.r_response };
            let value = if read { model.get(self.r_data) as u32 } else { 0 };
            self.done.push_back(Done {
                access,
                value,
                okay: model.get(response) == 0,
            });
            self.queue.pop_front();
            self.started = false;
        }
        Ok(())
    }
}
