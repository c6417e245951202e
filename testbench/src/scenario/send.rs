//! Sends any bytes as messages from X to Y.
use super::connection::{qpn_of, Connection};
use super::region::L_KEY;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::verbs::{Pmtu, ReceiveRequest, SendOperation, SendRequest, Sge, Status};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of entries of the work queues, which is the largest number of messages under way.
const WINDOW: u64 = 64;
const SOURCE: u64 = 0x1_0000_0000;
const TARGET: u64 = 0x2_0000_0000;

/// Returns random bytes, which are the same for the same seed on any machine.
pub fn message(seed: u64, bytes: usize) -> Vec<u8> {
    let mut message = vec![0; bytes];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut message);
    message
}

/// Sends `payload` in messages of `message_size` bytes. An empty payload is one empty message. The seed sets the first
/// PSNs and the alignment of the buffers.
pub fn run(
    fabric: &mut Fabric<'_>,
    seed: u64,
    payload: &[u8],
    message_size: u32,
    pmtu: Pmtu,
) -> Result<(), Stop> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |limit: u32| random.next_u32() % limit;
    let connection = Connection {
        link: fabric.link(),
        pmtu,
        x_psn: below(1 << 24),
        y_psn: below(1 << 24),
        entries: WINDOW as u32,
    };
    let (source, target) = (SOURCE + u64::from(below(64)), TARGET + u64::from(below(64)));
    connection.establish(fabric)?;
    fabric.station(Side::X).register(source, payload.len() as u64);
    fabric.station(Side::X).write_memory(source, payload);
    fabric.station(Side::Y).register(target, payload.len() as u64);

    let messages = Messages {
        source,
        target,
        bytes: payload.len() as u64,
        size: u64::from(message_size),
    };
    let total = messages.count();
    let (mut posted, mut received, mut sent) = (0, 0, 0);
    while received < total || sent < total {
        let room = (received.min(sent) + WINDOW).min(total);
        if posted < room && fabric.station(Side::Y).verbs_open() == 0 {
            // A receive WQE must be posted before its Send arrives.
            fabric.verbs(Side::Y, (posted..room).map(|n| messages.receive(n)))?;
            for n in posted..room {
                fabric.station(Side::X).submit(messages.send(n));
            }
            posted = room;
        }
        fabric.run_until("a completion", |fabric| fabric.has_completion())?;
        received += drain(fabric, Side::Y)?;
        sent += drain(fabric, Side::X)?;
        fabric.report_progress(received.min(sent), total);
    }
    let mut arrived = vec![0; payload.len()];
    fabric.station(Side::Y).read_memory(target, &mut arrived);
    fabric.expect("received bytes equal the payload", true, arrived == payload)
}

/// Takes the completions, which must all be successes, and returns their number.
fn drain(fabric: &mut Fabric<'_>, side: Side) -> Result<u64, Stop> {
    let mut taken = 0;
    while let Some(reaped) = fabric.reap(side) {
        fabric.expect(
            "status of a completion",
            Status::Success,
            reaped.completion.status,
        )?;
        taken += 1;
    }
    Ok(taken)
}

/// The payload, cut into messages.
struct Messages {
    source: u64,
    target: u64,
    bytes: u64,
    size: u64,
}

impl Messages {
    fn count(&self) -> u64 {
        self.bytes.div_ceil(self.size).max(1)
    }

    /// Returns the gather or scatter list of message `n`; an empty one for an empty message.
    fn segments(&self, base: u64, n: u64) -> Vec<Sge> {
        let offset = n * self.size;
        let length = self.size.min(self.bytes - offset) as u32;
        let segment = Sge {
            addr: base + offset,
            length,
            l_key: L_KEY,
        };
        Vec::from_iter((length > 0).then_some(segment))
    }

    fn send(&self, n: u64) -> Verb {
        Verb::PostSend {
            qpn: qpn_of(Side::X),
            request: SendRequest {
                wr_id: n,
                operation: SendOperation::Send,
                sges: self.segments(self.source, n),
                signaled: true,
                ..SendRequest::default()
            },
        }
    }

    fn receive(&self, n: u64) -> Verb {
        Verb::PostReceive {
            qpn: qpn_of(Side::Y),
            request: ReceiveRequest {
                wr_id: n,
                sges: self.segments(self.target, n),
            },
        }
    }
}
