//! The two QPs of a connection, and the work that software posts.
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::scenario::connection::{self, Connection, RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::{all_memory, r_key_of_all, L_KEY};
use crate::Side;
use hca_golden::verbs::{
    EndToEndCredits, Pmtu, QpAttributes, QpState, ReceiveRequest, RemoteAccess, SendOperation, SendRequest,
    Sge, Status,
};

/// Entries of a work queue.
pub const ENTRIES: u32 = 64;
/// Largest number of entries of any queue.
pub const MOST: u32 = 1 << 15;
/// Length of a receive WQE, and of the longest message, in bytes.
pub const MESSAGE: u32 = 1024;
/// Area of X for the data of its messages, Reads and atomics.
const SOURCE: u64 = 0x1000_0000;
const RESULT: u64 = 0x1800_0000;
const BUFFER: u64 = 0x2000_0000;
/// Area of Y that X writes and reads, and that holds the counters of atomics.
const WRITTEN: u64 = 0x4000_0000;
const READ_FROM: u64 = 0x5000_0000;
const COUNTER: u64 = 0x6000_0000;
/// Number of messages that share no memory, which is more than are under way at once.
const PLACES: u64 = 128;

pub const SEND: SendOperation = SendOperation::Send;
pub const WRITE: SendOperation = SendOperation::Write {
    va: WRITTEN,
    r_key: r_key_of_all(),
};
pub const WRITE_WITH_IMMEDIATE: SendOperation = SendOperation::WriteWithImmediate {
    va: WRITTEN,
    r_key: r_key_of_all(),
    immediate: [0xC4, 0xED, 0x17, 0x00],
};
pub const READ: SendOperation = SendOperation::Read {
    va: READ_FROM,
    r_key: r_key_of_all(),
};
pub const FETCH_ADD: SendOperation = SendOperation::FetchAdd {
    va: COUNTER,
    r_key: r_key_of_all(),
    add: 1,
};

/// One connection.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Number of the connection, which distinguishes the connections of a run.
    pub n: u32,
    /// First PSN that X sends, 24 bits.
    pub x_psn: u32,
    /// Number of entries of Y's receive queue; all other queues have [`ENTRIES`].
    pub receive_entries: u32,
    /// True if X respects credits.
    pub expected: bool,
    /// True if Y supplies credits.
    pub supplied: bool,
    /// Local ack timeout, a code of `ack_timeout.csv`.
    pub timeout: u8,
    /// Timer code of RNR NAKs, as in `rnr_timer.csv`.
    pub rnr_timer: u8,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends {
            n: 0,
            x_psn: 100,
            receive_entries: ENTRIES,
            expected: true,
            supplied: true,
            timeout: 6,
            rnr_timer: 7,
        }
    }
}

impl Ends {
    pub fn qpn(&self, side: Side) -> u32 {
        connection::qpn_of(side) + self.n
    }

    fn attributes(&self, fabric: &Fabric<'_>, side: Side) -> QpAttributes {
        let connection = Connection {
            link: fabric.link(),
            pmtu: Pmtu::B256,
            x_psn: self.x_psn,
            y_psn: 2000,
            entries: ENTRIES,
        };
        QpAttributes {
            qpn: self.qpn(side),
            dest_qpn: self.qpn(side.other()),
            timeout: self.timeout,
            min_rnr_timer: self.rnr_timer,
            access: RemoteAccess {
                write: true,
                read: true,
                atomic: true,
            },
            max_rd_atomic: 4,
            max_dest_rd_atomic: 4,
            credits: EndToEndCredits {
                supplied: self.supplied && side == Side::Y,
                expected: self.expected && side == Side::X,
            },
            ..connection.attributes(side)
        }
    }

    /// Creates a side's QP and moves it to Init. For the first connection it also creates its queues and its region.
    pub fn make(&self, fabric: &mut Fabric<'_>, side: Side) -> Result<(), Stop> {
        if self.n == 0 {
            let cq = |cqn, entries| Verb::CreateCq { cqn, entries };
            let region = all_memory();
            let cqs = [cq(SEND_CQ, 4 * ENTRIES), cq(RECEIVE_CQ, MOST)];
            fabric.verbs(side, cqs.into_iter().chain([Verb::RegMr { region }]))?;
        }
        let attributes = self.attributes(fabric, side);
        let create = Verb::CreateQp {
            attributes,
            send_entries: ENTRIES,
            receive_entries: self.receive_entries,
        };
        fabric.verbs(side, [create])?;
        self.enter(fabric, side, &[QpState::Init])
    }

    /// Moves a side's QP through these states.
    pub fn enter(&self, fabric: &mut Fabric<'_>, side: Side, states: &[QpState]) -> Result<(), Stop> {
        let qpn = self.qpn(side);
        let modify = |&state| Verb::ModifyQp { qpn, state };
        fabric.verbs(side, states.iter().map(modify))
    }

    /// Moves X to RTS, and Y, which gets this many receive WQEs in Init.
    pub fn open(&self, fabric: &mut Fabric<'_>, receives: u64) -> Result<(), Stop> {
        const READY: [QpState; 2] = [QpState::Rtr, QpState::Rts];
        self.make(fabric, Side::X)?;
        self.enter(fabric, Side::X, &READY)?;
        self.make(fabric, Side::Y)?;
        self.bring(fabric, 0..receives)?;
        self.enter(fabric, Side::Y, &READY)
    }

    /// Posts receive WQEs at Y.
    pub fn bring(&self, fabric: &mut Fabric<'_>, wr_ids: impl Iterator<Item = u64>) -> Result<(), Stop> {
        fabric.verbs(Side::Y, wr_ids.map(|wr_id| self.receive(wr_id)))
    }

    pub fn receive(&self, wr_id: u64) -> Verb {
        let place = BUFFER + wr_id % 64 * u64::from(MESSAGE);
        let sges = vec![segment(place, MESSAGE)];
        Verb::PostReceive {
            qpn: self.qpn(Side::Y),
            request: ReceiveRequest { wr_id, sges },
        }
    }

    /// Posts signaled requests at X.
    pub fn post(&self, fabric: &mut Fabric<'_>, work: &[(SendOperation, u32)]) -> Result<(), Stop> {
        let requests = (0..).zip(work);
        let verbs = requests.map(|(wr_id, &(operation, length))| self.request(wr_id, operation, length));
        fabric.verbs(Side::X, verbs)
    }

    /// Returns the post of a signaled request, whose data has its own place.
    pub fn request(&self, wr_id: u64, mut operation: SendOperation, length: u32) -> Verb {
        let place = wr_id % PLACES * u64::from(MESSAGE);
        if let SendOperation::Write { va, .. } | SendOperation::WriteWithImmediate { va, .. } = &mut operation
        {
            *va += place;
        }
        let base = if operation.is_read_or_atomic() {
            RESULT
        } else {
            SOURCE
        };
        let request = SendRequest {
            wr_id,
            operation,
            sges: vec![segment(base + place, length)],
            signaled: true,
            ..SendRequest::default()
        };
        Verb::PostSend {
            qpn: self.qpn(Side::X),
            request,
        }
    }
}

fn segment(addr: u64, length: u32) -> Sge {
    let l_key = L_KEY;
    Sge { addr, length, l_key }
}

/// Waits for this many completions of X, all of which must be successes.
pub fn completed(fabric: &mut Fabric<'_>, count: usize) -> Result<(), Stop> {
    for _ in 0..count {
        let status = fabric.wait_for_completion(Side::X)?.completion.status;
        fabric.expect("status of a completion", Status::Success, status)?;
    }
    Ok(())
}
