//! The credit code of an AETH (`protocol/aeth.md` section 3, `protocol/credit_table.csv`).
use hca_hdl::prelude::*;

/// Credits of codes 0 to 30; code 31 says that no credits are given.
const CREDITS: [u64; 31] = [
    0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768,
];

/// Encodes a count of receive WQEs, rounding down, and decodes another count's code. Pure: a table, and a search for
/// the count's highest bit.
#[derive(LogicBlock, SmartDefault)]
pub struct CreditTable {
    /// Receive WQEs.
    pub count: Signal<In, Bits<16>>,
    /// Code of the largest entry that is not above `count`, 0 to 30.
    pub code: Signal<Out, Bits<5>>,
    /// Code to be decoded.
    pub given: Signal<In, Bits<5>>,
    /// High if `given` is 31.
    pub unlimited: Signal<Out, Bit>,
    /// Credits of `given`; 0 for code 31.
    pub credits: Signal<Out, Bits<16>>,

    #[default(Rom::new(CREDITS.map(Bits::from)))]
    table: Rom<16, 5>,
    /// Code of 2^n, n the count's highest bit; the code after it is that of 3 * 2^(n - 1).
    power: Signal<Local, Bits<5>>,
    half: Signal<Local, Bit>,
    #[default(array_init::array_init(|n| constant(code_of(1 << n))))]
    codes: [Constant<Bits<5>>; 16],
}

/// The code whose entry in [`CREDITS`] is `credits`; 0 if no entry is.
fn code_of(credits: u64) -> usize {
    CREDITS.iter().position(|&entry| entry == credits).unwrap_or(0)
}

#[kernel]
impl Logic for CreditTable {
    fn update(&mut self) {
        self.table.address.next = self.given.val();
        self.credits.next = self.table.data.val();
        self.unlimited.next = self.given.val().all();

        self.power.next = bits::<5>(0);
        self.half.next = false;
        for n in 0..16 {
            if self.count.val().get_bit(n) {
                self.power.next = self.codes[n].val();
            }
        }
        for n in 1..16 {
            if self.count.val().get_bit(n) {
                self.half.next = self.count.val().get_bit(n - 1);
            }
        }
        // No entry is between 2^15 and the largest count.
        self.code.next = self.power.val();
        if self.half.val() && (self.power.val() != 30) {
            self.code.next = self.power.val() + 1;
        }
    }
}
