//! Messages at the same time: of several kinds on one connection, posted at once, with receive requests in time or not.
use super::addresses::MAX_LENGTH;
use super::datagrams;
use crate::case::limits::{INVALIDATED, LONG_WRITE};
use crate::case::{Act, Operation, Receives, Volley, Work};
use proptest::prelude::*;

/// Largest number of messages of one kind, and of several kinds.
const ALIKE: u8 = 12;
const MIXED: u8 = 7;
/// Largest number of clock cycles by which receive requests come late: rarely more than an RNR wait.
const LATE: u16 = 200;
const LATER: u16 = 2000;

/// Draws a burst: one kind again and again, or several that take turns. Datagrams are possible if it is known whether
/// the last handle is the address of a multicast group.
pub(super) fn burst(
    qp: u8,
    datagrams: Option<bool>,
    arms: f64,
    met: impl Strategy<Value = Option<Volley>>,
) -> impl Strategy<Value = Act> {
    let work = || suited(datagrams.is_some(), work());
    let alike = (1..=ALIKE, suited(datagrams.is_some(), likely()), Just(Vec::new()));
    let mixed = (2..=MIXED, work(), prop::collection::vec(work(), 1..=3));
    // The number of missing receive requests, and their delay.
    let short = prop_oneof![4 => Just(0u8), 1 => 1u8..=2];
    let late = prop_oneof![10 => Just(0u16), 9 => 1..=LATE, 1 => LATE..=LATER];
    let mixed = prop_oneof![1 => alike, 2 => mixed];
    let mixed = (mixed, Just(None));
    let messages = match datagrams {
        Some(is_grouped) => {
            let full = prop::collection::vec(datagrams::full(), 1..=2);
            let lists = (2..=ALIKE, datagrams::bare(qp, is_grouped), full);
            let lists = (lists, (200..=LATER).prop_map(Some));
            prop_oneof![3 => mixed, 2 => lists].boxed()
        }
        None => mixed.boxed(),
    };
    // Events of the first arming may wait by then.
    let armed = (prop::bool::weighted(arms), 0u16..=600).prop_map(|(arms, late)| arms.then_some(late));
    (messages, short, late, armed, met).prop_map(move |((messages, again), short, late, armed, met)| {
        let (count, work, others) = messages;
        let kinds: Vec<Work> = [work].into_iter().chain(others.iter().copied()).collect();
        let messages = kinds.iter().cycle().take(count.into());
        let taken = messages.filter(|work| work.operation.takes_receive()).count() as u8;
        let receives = Some(Receives {
            count: taken.saturating_sub(short),
            late,
        });
        Act::Burst {
            qp,
            count,
            work,
            others,
            receives,
            armed,
            again,
            met,
        }
    })
}

/// Draws the same request, as a datagram if the queue pair is for datagrams.
pub(super) fn suited(datagrams: bool, work: impl Strategy<Value = Work> + 'static) -> BoxedStrategy<Work> {
    match datagrams {
        true => datagrams::datagram(work).boxed(),
        false => work.boxed(),
    }
}

/// Draws a receive request with room for any message.
pub(super) fn room() -> impl Strategy<Value = Work> {
    (1u8..=3).prop_map(|sges| Work {
        operation: Operation::Send,
        length: MAX_LENGTH,
        sges,
        signaled: true,
        solicited: false,
        fence: false,
        inline: false,
        region: 0,
        tight: false,
        to: None,
    })
}

/// Draws a request, mostly a valid one.
pub(super) fn likely() -> impl Strategy<Value = Work> {
    prop_oneof![4 => work(), 1 => super::draw::work()]
}

/// Draws a valid request, so that the messages under way continue. Reads, atomics and long Writes come more often.
fn work() -> impl Strategy<Value = Work> {
    let operation = prop_oneof![
        3 => Just(Operation::Read),
        3 => Just(Operation::Write),
        2 => Just(Operation::Send),
        2 => prop::sample::select(&[Operation::CompareSwap, Operation::FetchAdd][..]),
        2 => prop::sample::select(&Operation::ALL[..]),
    ];
    let flags = (
        prop::bool::weighted(0.8),
        any::<bool>(),
        prop::bool::weighted(0.1),
    );
    // Without bytes, keys do not matter.
    let keyless = (0u8..=3, 0..INVALIDATED);
    let sized = operation.prop_flat_map(|operation| (Just(operation), length(operation)));
    (sized, 1u8..=3, flags, keyless).prop_map(
        |((operation, length), sges, (signaled, solicited, fence), keyless)| {
            let (sges, region) = match length {
                0 => keyless,
                _ => (sges, 0),
            };
            Work {
                operation,
                length,
                sges,
                signaled,
                solicited,
                fence,
                inline: false,
                region,
                tight: false,
                to: None,
            }
        },
    )
}

/// Draws a length. Reads are mostly short and Writes long, so that a Read's result is known while a Write continues.
fn length(operation: Operation) -> impl Strategy<Value = u32> {
    let [none, short, middle, long, longest] = match operation {
        Operation::Read => [4, 12, 12, 4, 0],
        Operation::Write => [4, 8, 8, 12, 5],
        _ => [4, 12, 8, 4, 0],
    };
    prop_oneof![
        none => Just(0u32),
        short => 1u32..=64,
        middle => 65u32..=1100,
        long => 1101u32..=MAX_LENGTH,
        longest => LONG_WRITE,
    ]
}
