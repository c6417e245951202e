//! Measures the shares of the link that VL arbitration gives to VLs on which packets always wait.
use super::rate::{establish, stream, Load};
use crate::device::Verb;
use crate::fabric::{Fabric, Observer, Reaped, Stop};
use crate::station::Station;
use crate::trace::output::OutputError;
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::arbitration::{Arbitration, Entry, Table};

const PATIENCE: u64 = 50_000;
/// Payload of each packet in bytes, and blocks of 64 bytes of the packet: 1050 bytes with its headers and CRCs.
pub const BYTES: u32 = 1024;
const BLOCKS: u8 = 17;
/// Average number of clock cycles, of 256, in which the link takes no beat, so that packets are made faster than they
/// leave.
pub const STALLS: u32 = 208;

/// Tables, and the packets of each VL between two equal states of them (`protocol/link.md` section 6).
#[derive(Clone, Debug)]
pub struct Turns {
    pub name: &'static str,
    pub arbitration: Arbitration,
    pub packets: Vec<u64>,
}

/// Returns a table whose entries let each VL send that many packets in its turn.
fn table(turns: impl IntoIterator<Item = (u8, u8)>) -> Table {
    let mut table = Table::default();
    for (entry, (vl, packets)) in table.iter_mut().zip(turns) {
        let weight = packets * BLOCKS;
        *entry = Entry { vl, weight };
    }
    table
}

/// Returns the tables to measure with so many data VLs, 2 to 8.
pub fn turns(vls: u8) -> Vec<Turns> {
    let last = vls - 1;
    let others = u64::from(last);
    vec![
        Turns {
            name: "low, by weight",
            arbitration: Arbitration {
                high: Table::default(),
                low: table((0..vls).map(|vl| (vl, vl + 1))),
                high_limit: 0,
            },
            packets: (1..=u64::from(vls)).collect(),
        },
        // 4096 bytes end within the fourth packet.
        Turns {
            name: "high, limit 1",
            arbitration: Arbitration {
                high: table([(last, 1)]),
                low: table((0..last).map(|vl| (vl, 1))),
                high_limit: 1,
            },
            packets: (0..vls)
                .map(|vl| if vl == last { 4 * others } else { 1 })
                .collect(),
        },
        // 8192 bytes end within the eighth packet.
        Turns {
            name: "both by weight",
            arbitration: Arbitration {
                high: table([(0, 1), (1, 2)]),
                low: match vls {
                    2 => table([(0, 1)]),
                    _ => table((2..vls).map(|vl| (vl, 1))),
                },
                high_limit: 2,
            },
            packets: match vls {
                2 => vec![8 + 3, 16],
                _ => {
                    let rest = u64::from(vls - 2);
                    let high = [8 * rest, 16 * rest];
                    high.into_iter().chain(vec![3; rest as usize]).collect()
                }
            },
        },
    ]
}

/// The data packets of X in the order in which they leave: VL and bytes.
#[derive(Default)]
struct Meter {
    left: Vec<(u8, u64)>,
}

impl Observer for Meter {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        if packet.from == Side::X {
            self.left.push((packet.bytes[0] >> 4, packet.bytes.len() as u64));
        }
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

impl Meter {
    /// Returns the bytes of each VL, from when all of them have sent until the first one has nothing left.
    fn bytes(&self, vls: u8) -> Vec<u64> {
        let of = |vl: u8| move |(of, _): &(u8, u64)| *of == vl;
        let begins = (0..vls).filter_map(|vl| self.left.iter().position(of(vl)));
        let ends = (0..vls).filter_map(|vl| self.left.iter().rposition(of(vl)));
        let (begin, end) = (begins.max().unwrap_or(0), ends.min().unwrap_or(0));
        let window = self.left.get(begin + 1..end).unwrap_or_default();
        let sum = |vl: u8| window.iter().filter(|left| left.0 == vl).map(|left| left.1).sum();
        (0..vls).map(sum).collect()
    }
}

/// Runs a load whose queue pairs leave on all of `vls` data VLs between two stations that a cable joins, and returns
/// the bytes of each VL while packets wait on all of them.
pub fn measure(
    load: &Load,
    vls: u8,
    arbitration: Arbitration,
    stations: [Box<dyn Station>; 2],
) -> Result<Vec<u64>, Stop> {
    let mut meter = Meter::default();
    let [x, y] = stations;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut meter).cabled();
    establish(&mut fabric, load)?;
    fabric.verbs(Side::X, vec![Verb::SetArbitration { arbitration }])?;
    stream(&mut fabric, load, &mut |_| ())?;
    drop(fabric);
    Ok(meter.bytes(vls))
}
