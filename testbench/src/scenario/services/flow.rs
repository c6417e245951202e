//! The messages of each queue pair, in order, and their results.
use super::beside::Beside;
use super::layout::{is_received, number_of, place, qpn_of, BUFFERS, MESSAGES, QPS};
use super::message::Message;
use super::run::Services;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, SendOperation, Service, Status};
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// The messages of a queue pair.
pub struct Flow {
    pub from: Side,
    pub n: u32,
    service: Service,
    messages: Vec<Message>,
    posted: usize,
    completed: Vec<u64>,
    /// True if all messages arrive, once and in order, because the link is sound or RC recovers losses.
    sound: bool,
    /// True if datagrams by different address handles leave on different VLs, which have no order among them.
    by_vl: bool,
    /// True if its connection of RC ran out of retries.
    broken: bool,
}

impl Flow {
    fn random(run: &Services, random: &mut ChaCha8Rng, from: Side, n: u32) -> Flow {
        let service = run.service(n);
        let datagrams = run.datagrams();
        let own = datagrams.iter().position(|of| *of == n);
        let messages = (0..MESSAGES).map(|m| {
            // Each queue pair of datagrams gets as many as it has receive WQEs.
            let to = own.map_or(n, |own| datagrams[(own + m as usize) % datagrams.len()]);
            Message::random(random, from, service, n, m, to)
        });
        Flow {
            from,
            n,
            service,
            messages: messages.collect(),
            posted: 0,
            completed: Vec::new(),
            sound: run.faults.is_none() || service == Service::Rc,
            by_vl: run.credits.is_some(),
            broken: false,
        }
    }

    pub fn post(&mut self, fabric: &mut Fabric<'_>) {
        let qpn = qpn_of(self.from, self.n);
        let request = self.messages[self.posted].request.clone();
        fabric.station(self.from).submit(Verb::PostSend { qpn, request });
        self.posted += 1;
    }

    fn is_posted(&self) -> bool {
        self.posted == self.messages.len()
    }

    /// Takes a message that has arrived completely. On a sound link it must be the next one that takes a receive WQE of
    /// that queue pair, or the next one of its VL; else it may be any of them, because a packet that is repeated or
    /// late may bring a message again (`uc.md` section 3 step 8).
    fn receive(&mut self, fabric: &mut Fabric<'_>, completion: &Completion) -> Result<(), Stop> {
        let to = number_of(completion.qpn);
        let buffer = place(BUFFERS, to, completion.wr_id as u32);
        let (from, n, sound, by_vl) = (self.from, self.n, self.sound, self.by_vl);
        let mut before = Vec::new();
        let mut open = self
            .messages
            .iter_mut()
            .filter(|m| m.to == to && m.tells() && m.is_sent() && !(sound && m.arrived));
        let found = match sound {
            true => open.find(|m| {
                let vl = m
                    .request
                    .datagram
                    .map(|datagram| datagram.handle)
                    .filter(|_| by_vl);
                let is_next = !before.contains(&vl);
                before.push(vl);
                is_next && m.is_completed_by(fabric, from, n, completion, buffer)
            }),
            false => open.find(|m| m.is_completed_by(fabric, from, n, completion, buffer)),
        };
        match found {
            Some(message) => {
                message.arrived = true;
                Ok(())
            }
            None => fabric.expect(&named(self, "a message that was sent"), true, false),
        }
    }

    /// Checks that every signaled message has completed, in order, and that each has arrived if nothing may be lost.
    fn check(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        if self.broken {
            return Ok(());
        }
        let signaled = self.messages.iter().filter(|m| m.request.signaled);
        let expected: Vec<u64> = signaled.map(|m| m.request.wr_id).collect();
        let field = named(self, "completions of the send queue");
        fabric.expect(&field, expected, self.completed.clone())?;
        if !self.sound {
            return Ok(());
        }
        for message in &self.messages {
            let there = match message.request.operation {
                SendOperation::Write { .. } | SendOperation::Read { .. } => {
                    message.is_placed(fabric, self.from, self.n)
                }
                _ => message.arrived,
            };
            let (what, m) = (message.request.operation.completed(), message.request.wr_id);
            let field = format!(
                "{what:?} of {} bytes, message {m}, is there:",
                message.bytes.len()
            );
            fabric.expect(&named(self, &field), message.is_sent(), there)?;
        }
        Ok(())
    }
}

/// The flows of all queue pairs.
pub struct Flows {
    pub all: Vec<Flow>,
    pub beside: Option<Beside>,
    /// True if retries of a connection of RC may run out.
    faulty: bool,
}

impl Flows {
    pub fn random(run: &Services, link: Link, random: &mut ChaCha8Rng) -> Flows {
        let all = (0..QPS).flat_map(|n| Side::BOTH.map(|from| (n, from)));
        let all = all.map(|(n, from)| Flow::random(run, random, from, n)).collect();
        let faulty = run.faults.is_some();
        let beside = run.beside.then(|| Beside::random(link, faulty, random));
        Flows { all, beside, faulty }
    }

    /// Writes all messages to their sources.
    pub fn write(&self, fabric: &mut Fabric<'_>) {
        for flow in &self.all {
            flow.messages.iter().for_each(|m| m.write(fabric, flow.from));
        }
        self.beside.iter().for_each(|beside| beside.write(fabric));
    }

    /// Returns a random flow that has more to post.
    pub fn next(&self, random: &mut ChaCha8Rng) -> Option<usize> {
        let first = self.all.iter().position(|f| !f.is_posted())?;
        let turn = random.next_u32() as usize % self.all.len();
        Some(if self.all[turn].is_posted() { first } else { turn })
    }

    /// Returns the number of messages posted.
    pub fn posted(&self) -> u64 {
        self.all.iter().map(|f| f.posted as u64).sum()
    }

    /// Takes the completions of both sides.
    pub fn take(&mut self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                self.complete(fabric, side, &reaped.completion)?;
            }
        }
        Ok(())
    }

    fn complete(&mut self, fabric: &mut Fabric<'_>, side: Side, completion: &Completion) -> Result<(), Stop> {
        if let Some(beside) = &mut self.beside {
            if beside.complete(fabric, side, completion)? {
                return Ok(());
            }
        }
        let n = number_of(completion.qpn);
        let gave_up = matches!(completion.status, Status::RetryExcErr | Status::WrFlushErr);
        let mut of_qp = self.all.iter_mut().filter(|f| f.n == n);
        if gave_up && self.faulty && of_qp.any(|f| f.service == Service::Rc) {
            let both = self.all.iter_mut().filter(|f| f.n == n);
            both.for_each(|f| f.broken = true);
            return Ok(());
        }
        fabric.expect("status of a completion", Status::Success, completion.status)?;
        let received = is_received(completion);
        let from = if received { side.other() } else { side };
        let sender = completion.datagram.map_or(n, |source| number_of(source.qpn));
        let Some(flow) = self.all.iter_mut().find(|f| f.n == sender && f.from == from) else {
            return fabric.expect("a completion of a queue pair that there is", true, false);
        };
        match received {
            true => flow.receive(fabric, completion),
            false => {
                flow.completed.push(completion.wr_id);
                Ok(())
            }
        }
    }

    pub fn check(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        self.all.iter().try_for_each(|flow| flow.check(fabric))?;
        self.beside.iter().try_for_each(|beside| beside.check(fabric))
    }
}

/// Returns the name of a queue pair's flow in a report.
fn named(flow: &Flow, what: &str) -> String {
    format!("{what} of QP {:06X}h", qpn_of(flow.from, flow.n))
}
