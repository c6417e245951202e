//! A queue pair of the adapter and one of the guest, connected, and the actions of cases on them.
use super::agent::Agent;
use crate::device::Verb;
use crate::live::session::{Ran, Session, SessionError};
use crate::live::software::{request, Peer, QpNumbers};
use hca_golden::verbs::{Completion, EndToEndCredits, Pmtu, SendOperation, Service, Status};
use std::fmt::Debug;
use std::time::Duration;

/// An operation, with its number in libibverbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestOperation {
    Write = 0,
    WriteWithImmediate = 1,
    Send = 2,
    SendWithImmediate = 3,
    Read = 4,
    CompareSwap = 5,
    FetchAdd = 6,
    SendWithInvalidate = 9,
}

/// The settings of both ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub service: Service,
    pub pmtu: Pmtu,
    /// RNR NAK timer of both responders, a code of `rnr_timer.csv`.
    pub min_rnr_timer: u8,
    /// Ack timeouts of the adapter and of the guest, codes of `ack_timeout.csv`. The adapter's clock runs about a
    /// thousand times slower than the guest's.
    pub timeout: u8,
    pub guest_timeout: u8,
    /// Number of retries of the guest without an answer. Soft-RoCE takes 7 as unlimited.
    pub guest_retries: u8,
    pub credits: EndToEndCredits,
    /// First PSNs of the adapter and of the guest.
    pub psn: u32,
    pub guest_psn: u32,
}

impl Setting {
    /// A reliable connection whose PSNs soon wrap to 0.
    pub const RC: Setting = Setting {
        service: Service::Rc,
        pmtu: Pmtu::B1024,
        min_rnr_timer: 12,
        timeout: 8,
        guest_timeout: 18,
        guest_retries: 6,
        credits: EndToEndCredits {
            supplied: false,
            expected: false,
        },
        psn: 0xFF_FFF0,
        guest_psn: 0xFF_FFFE,
    };
}

/// Q_Key of both ends of datagrams.
pub const Q_KEY: u32 = 0x1ED5_EA1D;
/// Number of the adapter's address handle for place 0 of the guest. Those for other places follow.
const HANDLE: u32 = 2;
/// Largest number of Reads and atomics under way in each direction.
const RD_ATOMIC: u8 = 4;

/// A queue pair of each end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// QPN of the adapter's queue pair.
    pub qpn: u32,
    /// QPN of the guest's queue pair, and its place with the agent.
    pub guest_qpn: u32,
    pub place: u8,
    /// Address of the guest's buffer, and its R_Key.
    pub va: u64,
    pub r_key: u32,
    service: Service,
}

impl Ends {
    /// Returns the number of the adapter's address handle for the guest, for queue pairs of datagrams.
    pub fn handle(&self) -> u32 {
        HANDLE + u32::from(self.place)
    }
}

/// The session with a guest.
pub struct Rig<'a> {
    pub session: &'a mut Session,
    pub agent: Agent,
    pub numbers: &'a mut QpNumbers,
    /// Number of operations of the case that have completed.
    pub operations: u64,
}

impl Rig<'_> {
    /// Creates and connects new queue pairs. The guest's replaces the one at the same place.
    pub fn connect(&mut self, place: u8, setting: &Setting) -> Ran<Ends> {
        let qpn = self
            .numbers
            .give()
            .ok_or_else(|| SessionError::Wrong("all queue pairs are in use".to_owned()))?;
        let kind = match setting.service {
            Service::Uc => 3,
            Service::Ud => 4,
            _ => 2,
        };
        let line = format!("qp {place:x} {kind} {Q_KEY:x}");
        let [guest_qpn, r_key, va] = self.agent.numbers(self.session, &line)?;
        let peer = Peer {
            own_psn: setting.psn,
            pmtu: setting.pmtu,
            rd_atomic: RD_ATOMIC,
            min_rnr_timer: setting.min_rnr_timer,
            timeout: setting.timeout,
            credits: setting.credits,
            q_key: Q_KEY,
            ..self.session.peer(guest_qpn as u32, setting.guest_psn)
        };
        self.session.connect(qpn, setting.service, &peer)?;
        if setting.service == Service::Ud {
            let handle = HANDLE + u32::from(place);
            self.session.address(handle, peer.gid, peer.mac)?;
        }
        let line = format!(
            "connect {place:x} {qpn:x} {:x} {:x} {:x} {:x} {:x} {:x} 7 {:x} {RD_ATOMIC:x}",
            setting.psn,
            setting.guest_psn,
            u32::from(self.session.own.ipv4()),
            setting.pmtu.code(),
            setting.guest_timeout,
            setting.guest_retries,
            setting.min_rnr_timer,
        );
        match self.agent.numbers(self.session, &line)? {
            [0, 0] => {}
            [ready, sending] => {
                return Err(SessionError::Wrong(format!(
                    "the guest's modify_qp came to {ready} and {sending}"
                )))
            }
        }
        Ok(Ends {
            qpn,
            guest_qpn: guest_qpn as u32,
            place,
            va,
            r_key: r_key as u32,
            service: setting.service,
        })
    }

    /// Destroys the adapter's queue pair, in whatever state.
    pub fn disconnect(&mut self, ends: Ends) -> Ran<()> {
        let handle = ends.handle();
        let handle = (ends.service == Service::Ud).then_some(Verb::DestroyAh { handle });
        let destroy = Verb::DestroyQp { qpn: ends.qpn };
        self.session.verbs([destroy].into_iter().chain(handle))?;
        while self.session.adapter.completion().is_some() {}
        self.numbers.take_back(ends.qpn);
        Ok(())
    }

    /// Posts a send request of the adapter.
    pub fn post(
        &mut self,
        ends: Ends,
        wr_id: u64,
        operation: SendOperation,
        at: u64,
        length: usize,
    ) -> Ran<()> {
        self.session
            .post_send(ends.qpn, request(wr_id, operation, at, length))
    }

    /// Posts a receive request of the adapter.
    pub fn receive(&mut self, ends: Ends, wr_id: u64, at: u64, length: usize) -> Ran<()> {
        self.session.post_receive(ends.qpn, wr_id, at, length)
    }

    /// Waits for the adapter's next completion, which must be a success.
    pub fn done(&mut self) -> Ran<Completion> {
        self.operations += 1;
        self.session.success()
    }

    /// Waits for the adapter's next completion, which must have this status.
    pub fn fails(&mut self, status: Status) -> Ran<Completion> {
        let completion = self.session.completion()?;
        self.operations += 1;
        self.expect("the adapter's status", completion.status, status)?;
        Ok(completion)
    }

    /// Sends a line to the agent, and returns the answer.
    pub fn ask(&mut self, line: &str) -> Ran<String> {
        self.agent.ask(self.session, line)
    }

    /// Posts a send request of the guest: from or to this part of its buffer, to or from this address of the adapter.
    pub fn guest_send(&mut self, ends: Ends, what: GuestSend) -> Ran<()> {
        self.guest_send_to(ends, ends.qpn, what)
    }

    /// Posts such a request, with the destination QPN of a datagram.
    pub fn guest_send_to(&mut self, ends: Ends, dest_qpn: u32, what: GuestSend) -> Ran<()> {
        let GuestSend {
            wr_id,
            operation,
            at,
            length,
            va,
            r_key,
            immediate,
            compare,
            swap,
        } = what;
        let line = format!(
            "send {:x} {wr_id:x} {:x} {at:x} {length:x} {va:x} {r_key:x} {immediate:x} {compare:x} {swap:x} {dest_qpn:x} {Q_KEY:x}",
            ends.place, operation as u32
        );
        let answer = self.ask(&line)?;
        self.expect("the guest's post_send", answer.as_str(), "0")
    }

    /// Posts a receive request of the guest.
    pub fn guest_receive(&mut self, ends: Ends, wr_id: u64, at: u64, length: usize) -> Ran<()> {
        let answer = self.ask(&format!("recv {:x} {wr_id:x} {at:x} {length:x}", ends.place))?;
        self.expect("the guest's post_recv", answer.as_str(), "0")
    }

    /// Waits for this many completions of the guest, all of which must be successes. Returns the agent's text about
    /// them.
    pub fn guest_done(&mut self, count: usize) -> Ran<String> {
        self.operations += count as u64;
        let answer = self.guest_polls(count)?;
        match answer.matches("status 0 ").count() {
            found if found == count => Ok(answer),
            _ => Err(SessionError::Wrong(format!("the guest completed {answer:?}"))),
        }
    }

    /// Waits for the guest's next completion, which must have this status of libibverbs.
    pub fn guest_fails(&mut self, status: u8) -> Ran<()> {
        self.operations += 1;
        let answer = self.guest_polls(1)?;
        match answer.contains(&format!(" status {status} ")) {
            true => Ok(()),
            false => Err(SessionError::Wrong(format!(
                "the guest completed {answer:?}, and status {status} was due"
            ))),
        }
    }

    fn guest_polls(&mut self, count: usize) -> Ran<String> {
        let milliseconds = self.session.patience().as_millis() / 2;
        self.ask(&format!("poll {count:x} {milliseconds:x}"))
    }

    /// Fills the guest's buffer.
    pub fn guest_fill(&mut self, at: u64, length: usize, seed: u32) -> Ran<()> {
        self.ask(&format!("fill {at:x} {length:x} {seed:x}")).map(drop)
    }

    /// Checks that the guest's buffer holds the pattern of a seed.
    pub fn guest_holds(&mut self, at: u64, length: usize, seed: u32) -> Ran<()> {
        let answer = self.ask(&format!("check {at:x} {length:x} {seed:x}"))?;
        match answer.starts_with("ok") {
            true => Ok(()),
            false => Err(SessionError::Wrong(format!(
                "the guest's memory is {answer} of {length:x} bytes"
            ))),
        }
    }

    /// Checks that the adapter's buffer holds the pattern of a seed, once all data that the adapter has acknowledged is
    /// in memory.
    pub fn holds(&mut self, at: u64, length: usize, seed: u32) -> Ran<()> {
        self.session.settle()?;
        self.session.holds(at, length, seed)
    }

    /// Returns a number in the adapter's buffer, once all data that the adapter has acknowledged is in memory.
    pub fn number(&mut self, at: u64) -> Ran<u64> {
        self.session.settle()?;
        let bytes = self.session.bytes(at, 8);
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Checks that two values are equal.
    pub fn expect<T: PartialEq<U> + Debug, U: Debug>(&self, what: &str, found: T, due: U) -> Ran<()> {
        match found == due {
            true => Ok(()),
            false => Err(SessionError::Wrong(format!(
                "{what} is {found:?}, and {due:?} was due"
            ))),
        }
    }

    /// Lets the guest wait.
    pub fn pass(&mut self, seconds: u64) -> Ran<()> {
        self.session.pass(Duration::from_secs(seconds))
    }
}

/// A send request of the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestSend {
    pub wr_id: u64,
    pub operation: GuestOperation,
    /// Offset in the guest's buffer, and length in bytes.
    pub at: u64,
    pub length: usize,
    /// Address and R_Key of the adapter's memory; for an invalidate only the R_Key.
    pub va: u64,
    pub r_key: u32,
    pub immediate: u32,
    /// Compare value, or addend, and swap value of an atomic.
    pub compare: u64,
    pub swap: u64,
}

impl GuestSend {
    /// Makes a request without a remote address.
    pub fn new(operation: GuestOperation, at: u64, length: usize) -> GuestSend {
        GuestSend {
            wr_id: 3,
            operation,
            at,
            length,
            va: 0,
            r_key: 0,
            immediate: 0,
            compare: 0,
            swap: 0,
        }
    }

    /// Returns the same request for this memory of the adapter.
    pub fn to(self, va: u64, r_key: u32) -> GuestSend {
        GuestSend { va, r_key, ..self }
    }
}
