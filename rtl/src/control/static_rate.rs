//! The rates of queue pairs and address handles.
use hca_hdl::prelude::*;

/// Looks up the code of a static rate, for one port (`protocol/link.md` section 7). Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct StaticRate {
    /// Code of the rate.
    pub code: Signal<In, Bits<6>>,
    /// High if `protocol/static_rate.csv` has the code.
    pub known: Signal<Out, Bit>,
    /// IPD: how many times as long as a packet the pause behind it is. 0 for a rate that the port does not exceed.
    pub delay: Signal<Out, Bits<6>>,
    /// Known 1 | IPD 6. That of a port at 4X SDR, unless [`StaticRate::new`] says otherwise.
    #[default(table(4))]
    rates: Rom<7, 4>,
}

/// Multiples of 2.5 Gb/s by code, as far as there are any (`protocol/static_rate.csv`).
const MULTIPLES: [(usize, usize); 9] = [
    (2, 1),
    (5, 2),
    (3, 4),
    (6, 8),
    (4, 12),
    (7, 16),
    (8, 24),
    (9, 32),
    (10, 48),
];

fn table(port_rate: usize) -> Rom<7, 4> {
    let row = |code: usize| {
        let multiple = MULTIPLES.iter().find(|known| known.0 == code);
        match multiple {
            Some((_, multiple)) => 1 << 6 | port_rate.div_ceil(*multiple).saturating_sub(1),
            None if code == 0 => 1 << 6,
            None => 0,
        }
    };
    Rom::new((0..16).map(|code| row(code).to_bits()))
}

impl StaticRate {
    /// For a port of this rate, in units of 2.5 Gb/s; 0 for one whose packets are never paced.
    pub fn new(port_rate: usize) -> Self {
        Self {
            rates: table(port_rate),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for StaticRate {
    fn update(&mut self) {
        self.rates.address.next = self.code.val().get_bits::<4>(0);
        self.known.next = self.rates.data.val().get_bit(6) && !self.code.val().get_bits::<2>(4).any();
        self.delay.next = self.rates.data.val().get_bits::<6>(0);
    }
}
