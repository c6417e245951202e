//! One run of the receive side: packets go in, outcomes come out.
use super::outcome::{Arrival, Outcome, ReceiveError};
use super::{Header, Manners, Receiver};
use std::collections::VecDeque;

/// Number of clocks without any transfer after which the run ends as failed.
const PATIENCE: u64 = 4000;

/// Number of clocks that the bench observes after the last outcome.
const SILENCE: u64 = 32;

/// The state of a packet.
#[derive(Clone, Default)]
struct Progress {
    first_beat: u64,
    last_beat: u64,
    known: Option<u64>,
    done: u64,
    outcome: Option<Outcome>,
    /// The payload, if it has been read and is read once more.
    kept: Option<Vec<u8>>,
}

/// A packet between its header and the end of its payload.
#[derive(Clone)]
struct Passing {
    number: usize,
    header: Header,
    payload: Vec<u8>,
    /// True if the packet stays, so that its payload comes again.
    keeps: bool,
}

/// A payload command.
#[derive(Clone, Copy)]
struct Command {
    discard: bool,
    keeps: bool,
}

impl Passing {
    fn missing(&self) -> usize {
        usize::from(self.header.payload) - self.payload.len()
    }
}

struct Session<'a, P> {
    receiver: &'a mut Receiver,
    packets: &'a [P],
    manners: Manners,
    progress: Vec<Progress>,
    /// Number of packets without an outcome.
    open: usize,
    /// Number of clocks since the last transfer.
    quiet: u64,
    // The stream: the next packet, and its next byte.
    packet: usize,
    at: usize,
    offering: bool,
    last_drop: Option<usize>,
    /// Bytes of a waiting header.
    waiting_header: Option<Vec<u8>>,
    waiting_beat: Option<(Vec<u8>, bool)>,
    // Headers without a command, and packets whose payload is under way.
    taken: VecDeque<Passing>,
    draining: VecDeque<Passing>,
    /// The command that is being given.
    command: Option<Command>,
}

impl Receiver {
    /// Sends the packets and waits for the outcome of each. Returns one arrival for each packet, in order. A packet
    /// without bytes goes in as one beat without any.
    ///
    /// # Errors
    /// If the receive side breaks a rule, see [`ReceiveError`].
    pub fn run(
        &mut self,
        packets: &[impl AsRef<[u8]>],
        manners: Manners,
    ) -> Result<Vec<Arrival>, ReceiveError> {
        Session::new(self, packets, manners).run()
    }
}

impl<'a, P: AsRef<[u8]>> Session<'a, P> {
    fn new(receiver: &'a mut Receiver, packets: &'a [P], manners: Manners) -> Session<'a, P> {
        Session {
            receiver,
            packets,
            manners,
            progress: vec![Progress::default(); packets.len()],
            open: packets.len(),
            quiet: 0,
            packet: 0,
            at: 0,
            offering: false,
            last_drop: None,
            waiting_header: None,
            waiting_beat: None,
            taken: VecDeque::new(),
            draining: VecDeque::new(),
            command: None,
        }
    }

    fn run(mut self) -> Result<Vec<Arrival>, ReceiveError> {
        // The bench runs a while longer, to find outputs that must not come.
        while self.open > 0 || self.quiet < SILENCE {
            if self.quiet == PATIENCE {
                let lost = self.progress.iter().position(|p| p.outcome.is_none());
                return Err(ReceiveError::Lost {
                    number: lost.unwrap_or_default(),
                });
            }
            self.quiet += 1;
            let (header_ready, payload_ready) = self.drive();
            self.receiver.settle()?;
            self.sample_stream();
            self.sample_drop()?;
            self.sample_payload(payload_ready)?;
            self.sample_command()?;
            self.sample_header(header_ready)?;
            self.receiver.tick()?;
        }
        self.receiver.arrived = self.receiver.arrived.wrapping_add(self.packets.len() as u32);
        let arrivals = self.progress.into_iter().filter_map(|progress| {
            Some(Arrival {
                outcome: progress.outcome?,
                first_beat: progress.first_beat,
                last_beat: progress.last_beat,
                known: progress.known?,
                done: progress.done,
            })
        });
        Ok(arrivals.collect())
    }

    /// Sets the inputs. Returns whether header and payload are taken in this clock.
    fn drive(&mut self) -> (bool, bool) {
        let Receiver {
            model, ports, draws, ..
        } = &mut *self.receiver;
        let stall = u32::from(self.manners.stall);
        // An offer stays until it is taken.
        if !self.offering && self.packet < self.packets.len() && !draws.gap.hits(self.manners.gap.into()) {
            let rest = &self.packets[self.packet].as_ref()[self.at..];
            ports.offer(model, rest, &mut draws.filler);
            self.offering = true;
        }
        model.set(ports.stream_valid, self.offering);
        let header_ready = !draws.stall.hits(stall);
        model.set(ports.header_ready, header_ready);
        if self.command.is_none() && !self.taken.is_empty() && !draws.stall.hits(stall) {
            let chance = self.manners.discard.into();
            self.command = Some(Command {
                discard: draws.discard.hits(chance),
                keeps: draws.keep.hits(chance),
            });
        }
        model.set(ports.command_valid, self.command.is_some());
        model.set(ports.command_discard, self.command.is_some_and(|c| c.discard));
        model.set(ports.command_keeps, self.command.is_some_and(|c| c.keeps));
        model.set(ports.command_prefix, false);
        let payload_ready = !draws.stall.hits(stall);
        model.set(ports.payload_ready, payload_ready);
        (header_ready, payload_ready)
    }

    fn sample_stream(&mut self) {
        let Receiver {
            model, ports, cycle, ..
        } = &*self.receiver;
        if !self.offering || !model.is_set(ports.stream_ready) {
            return;
        }
        self.offering = false;
        self.quiet = 0;
        let progress = &mut self.progress[self.packet];
        if self.at == 0 {
            progress.first_beat = *cycle;
        }
        progress.last_beat = *cycle;
        self.at += ports.lanes;
        if self.at >= self.packets[self.packet].as_ref().len() {
            (self.packet, self.at) = (self.packet + 1, 0);
        }
    }

    fn sample_drop(&mut self) -> Result<(), ReceiveError> {
        let Receiver { model, ports, .. } = &*self.receiver;
        if !model.is_set(ports.drop_valid) {
            return Ok(());
        }
        let reason = model.get(ports.drop_reason) as u8;
        let number = self.number(model.get(ports.drop_packet) as u32)?;
        if self.last_drop >= Some(number) {
            return Err(ReceiveError::Order { number });
        }
        self.last_drop = Some(number);
        self.progress[number].known = Some(self.receiver.cycle);
        self.conclude(number, Outcome::Dropped(reason))
    }

    fn sample_payload(&mut self, ready: bool) -> Result<(), ReceiveError> {
        let Receiver {
            model, ports, cycle, ..
        } = &*self.receiver;
        let beat = model.is_set(ports.payload_valid).then(|| {
            let bytes = model.bytes(ports.payload_data).to_vec();
            (bytes, model.is_set(ports.payload_last))
        });
        let (channel, cycle) = ("payload", *cycle);
        if self.waiting_beat.is_some() && self.waiting_beat != beat {
            return Err(ReceiveError::Unstable { channel, cycle });
        }
        let Some((bytes, last)) = beat else {
            return Ok(());
        };
        if !ready {
            self.waiting_beat = Some((bytes, last));
            return Ok(());
        }
        self.waiting_beat = None;
        let Some(passing) = self.draining.front_mut() else {
            return Err(ReceiveError::Unasked { cycle });
        };
        let missing = passing.missing();
        // Byte 0 is at the most significant end.
        passing.payload.extend(bytes.iter().rev().take(missing));
        if last != (missing <= bytes.len()) {
            return Err(ReceiveError::Last {
                number: passing.number,
            });
        }
        self.quiet = 0;
        self.finish()
    }

    fn sample_command(&mut self) -> Result<(), ReceiveError> {
        let ready = self.receiver.model.is_set(self.receiver.ports.command_ready);
        let Some(Command { discard, keeps }) = self.command.filter(|_| ready) else {
            return Ok(());
        };
        self.command = None;
        self.quiet = 0;
        let Some(passing) = self.taken.pop_front() else {
            return Ok(());
        };
        if keeps {
            self.taken.push_front(passing.clone());
        }
        match (discard, keeps) {
            (true, true) => Ok(()),
            (true, false) => self.conclude(passing.number, Outcome::Discarded(passing.header)),
            (false, _) => {
                self.draining.push_back(Passing { keeps, ..passing });
                self.finish()
            }
        }
    }

    fn sample_header(&mut self, ready: bool) -> Result<(), ReceiveError> {
        let Receiver {
            model, ports, cycle, ..
        } = &*self.receiver;
        let bytes = model
            .is_set(ports.header_valid)
            .then(|| model.bytes(ports.header).to_vec());
        let (channel, cycle) = ("header", *cycle);
        if self.waiting_header.is_some() && self.waiting_header != bytes {
            return Err(ReceiveError::Unstable { channel, cycle });
        }
        let Some(bytes) = bytes else {
            return Ok(());
        };
        let header = Header::from_bits(&bytes);
        let number = self.number(header.packet)?;
        self.progress[number].known.get_or_insert(cycle);
        if !ready {
            self.waiting_header = Some(bytes);
            return Ok(());
        }
        self.waiting_header = None;
        self.quiet = 0;
        self.taken.push_back(Passing {
            number,
            payload: Vec::with_capacity(header.payload.into()),
            header,
            keeps: false,
        });
        Ok(())
    }

    /// Finishes packets whose payload is complete.
    fn finish(&mut self) -> Result<(), ReceiveError> {
        while self.draining.front().is_some_and(|p| p.missing() == 0) {
            let Some(Passing {
                number,
                header,
                payload,
                keeps,
            }) = self.draining.pop_front()
            else {
                break;
            };
            let kept = &mut self.progress[number].kept;
            if kept.as_ref().is_some_and(|kept| *kept != payload) {
                return Err(ReceiveError::Kept { number });
            }
            if keeps {
                *kept = Some(payload);
                continue;
            }
            self.conclude(number, Outcome::Accepted { header, payload })?;
        }
        Ok(())
    }

    /// Returns the packet of this run with this arrival number, if it has come in already.
    fn number(&self, arrival: u32) -> Result<usize, ReceiveError> {
        let number = arrival.wrapping_sub(self.receiver.arrived) as usize;
        if number < self.packet {
            return Ok(number);
        }
        Err(ReceiveError::Number { arrival })
    }

    fn conclude(&mut self, number: usize, outcome: Outcome) -> Result<(), ReceiveError> {
        let progress = &mut self.progress[number];
        if progress.outcome.is_some() {
            return Err(ReceiveError::Twice { number });
        }
        progress.outcome = Some(outcome);
        progress.done = self.receiver.cycle;
        self.open -= 1;
        Ok(())
    }
}
