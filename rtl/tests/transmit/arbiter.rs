//! The read arbiter: data of each reader, and who goes first.
use crate::bench::{library, Bench};
use crate::memory::{bytes, Memory};
use hca_rtl::memory::ReadArbiter;
use std::collections::VecDeque;

/// Names of the readers by their ID, and which of them name their beats; the others read 64 bytes, or a word.
const READERS: [(&str, bool); 7] = [
    ("payload", true),
    ("send_wqe", true),
    ("receive_wqe", true),
    ("responder_list", false),
    ("requester_list", false),
    ("response_list", false),
    ("atomic", false),
];
const ATOMIC: usize = 6;

/// Bytes that a reader waits for, and whether they end a burst.
type Expected = VecDeque<(Vec<u8>, bool)>;

struct Reader {
    left: usize,
    /// (address, beats).
    asks: Option<(u64, u64)>,
    expected: Expected,
    /// A beat of the burst that comes in was an error; whether one was of each burst that has come.
    failing: bool,
    failed: VecDeque<bool>,
}

/// What the reader gets for a request: beats of the bus, or a word.
fn expected(reader: usize, bus_bytes: usize, (address, beats): (u64, u64)) -> Expected {
    if reader == ATOMIC {
        return [(bytes(address, 8), true)].into();
    }
    let beat = |at| bytes(address + at * bus_bytes as u64, bus_bytes);
    (0..beats).map(|at| (beat(at), at + 1 == beats)).collect()
}

fn any(rng: &mut fastrand::Rng, reader: usize, bus_bytes: u64) -> (u64, u64) {
    let block = rng.u64(..1 << 40) * 1024;
    if reader == ATOMIC {
        return (block + 8 * rng.u64(..128), 1);
    }
    if !READERS[reader].1 {
        return (block + 64 * rng.u64(..16), 64 / bus_bytes);
    }
    let first = rng.u64(..1024 / bus_bytes);
    (block + first * bus_bytes, rng.u64(1..=1024 / bus_bytes - first))
}

/// Who was asked for in which order.
fn read<const M: usize>(count: [usize; 7], hold: u8, latency: std::ops::RangeInclusive<u64>) -> Vec<u64> {
    let mut bench = Bench::new(&library::<ReadArbiter<M>>("read_arbiter"), 1);
    let mut rng = fastrand::Rng::with_seed(u64::from(hold) + M as u64);
    let mut memory = Memory::new(M, latency, hold, 2);
    let mut readers: Vec<_> = count
        .into_iter()
        .map(|left| Reader {
            left,
            asks: None,
            expected: Expected::new(),
            failing: false,
            failed: VecDeque::new(),
        })
        .collect();
    let mut order = vec![];
    while readers
        .iter()
        .any(|r| r.left > 0 || r.asks.is_some() || !r.expected.is_empty())
    {
        assert!(bench.cycle < 200_000, "a reader waits for ever");
        for (number, reader) in readers.iter_mut().enumerate() {
            let (name, beats) = READERS[number];
            if reader.asks.is_none() && reader.left > 0 && rng.u8(..) >= hold {
                reader.left -= 1;
                reader.asks = Some(any(&mut rng, number, M as u64 / 8));
            }
            bench.set(&format!("{name}_request"), reader.asks.is_some().into());
            let ask = reader.asks.unwrap_or((rng.u64(..), 1));
            bench.set(&format!("{name}_address"), ask.0);
            if beats {
                bench.set(&format!("{name}_beats"), ask.1 - 1);
            }
        }
        bench.set("axi_arready", u64::from(rng.u8(..) >= hold));
        let answer = memory.answer(bench.cycle);
        let response = match rng.u8(..32) {
            0 => 2,
            1 => 3,
            _ => 0,
        };
        bench.set("axi_rresp", response);
        bench.set("axi_rvalid", answer.is_some().into());
        if let Some(data) = answer {
            let reader = &mut readers[usize::from(data.id)];
            reader.failing |= response != 0;
            if data.last {
                reader.failed.push_back(std::mem::take(&mut reader.failing));
            }
            bench.set("axi_rid", data.id.into());
            bench.set("axi_rlast", data.last.into());
            bench.set_bytes("axi_rdata", &data.bytes);
        }
        bench.settle();
        assert!(bench.is_set("axi_rready"));
        if bench.is_set("axi_arvalid") && bench.is_set("axi_arready") {
            order.push(bench.get("axi_arid"));
            let (id, address) = (bench.get("axi_arid"), bench.get("axi_araddr"));
            memory.ask(bench.cycle, id, address, bench.get("axi_arlen"));
        }
        for (number, reader) in readers.iter_mut().enumerate() {
            let (name, beats) = READERS[number];
            if bench.is_set(&format!("{name}_valid")) {
                let [port, last, error] = match (beats, number) {
                    (true, _) => ["data", "data_last", "data_error"].map(str::to_owned),
                    _ => ["data", "last", "error"].map(|port| format!("{name}_{port}")),
                };
                let mut data = bench.bytes(&port);
                data.reverse();
                let last = number == ATOMIC || bench.is_set(&last);
                let wanted = reader.expected.pop_front();
                let failed = last && reader.failed.pop_front().unwrap_or(false);
                let error = bench.is_set(&error);
                match number {
                    ATOMIC => assert_eq!(error, failed, "error of {name}"),
                    _ => assert_eq!(error, response != 0, "RRESP of {name}"),
                }
                assert_eq!(Some((data, last)), wanted, "data of {name}");
            }
            if bench.is_set(&format!("{name}_ready")) {
                if let Some(ask) = reader.asks.take() {
                    reader.expected.extend(expected(number, M / 8, ask));
                }
            }
        }
        bench.tick();
    }
    order
}

/// Every reader gets its own bytes, whatever the order in which memory answers different IDs.
#[test]
fn every_reader_gets_its_data() {
    for hold in [0, 100, 220] {
        read::<64>([60; 7], hold, 1..=50);
        read::<128>([60; 7], hold, 1..=300);
        read::<512>([60; 7], hold, 1..=50);
    }
}

/// WQEs and lists go first, yet payload has every second burst.
#[test]
fn payload_has_every_second_burst() {
    let order = read::<128>([20, 20, 20, 20, 20, 20, 0], 0, 200..=200);
    let payload: Vec<_> = (0..order.len()).filter(|at| order[*at] == 0).collect();
    let first = payload[0];
    assert!(first <= 1, "payload waits: {order:?}");
    let turns: Vec<_> = (0..20).map(|turn| first + 2 * turn).collect();
    assert_eq!(payload, turns, "{order:?}");
}
