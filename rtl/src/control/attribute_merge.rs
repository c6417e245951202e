//! Assigns each byte of a queue pair's words to an attribute, and merges the words with the arguments of a command.
use hca_hdl::prelude::*;
use hca_host::command::{attribute, modify_qp as words};

/// Owner of a byte that only `CREATE_QP` sets.
const CREATED: u32 = 30;
/// Owner of a byte that has no meaning and is 0.
const NONE: u32 = 31;

/// The attribute of each byte of a word (`protocol/qp_cq.md` section 2), most significant byte first: a bit number of
/// `ATTRIBUTES`, or one of the constants above.
fn owners(word: usize) -> [u32; 4] {
    let bit = |attribute: u32| attribute.trailing_zeros();
    match word {
        words::STATE => [NONE, NONE, bit(attribute::PMTU), CREATED],
        words::LOG_SIZES..=words::CQNS | words::PD => [CREATED; 4],
        words::DEST_QPN => [bit(attribute::DEST_QPN); 4],
        words::ADDRESS | words::GRH..=words::MAC_LOW => [bit(attribute::ADDRESS); 4],
        words::P_KEY => {
            let index = bit(attribute::P_KEY_INDEX);
            [NONE, bit(attribute::PORT), index, index]
        }
        words::SQ_PSN => [bit(attribute::SQ_PSN); 4],
        words::Q_KEY => [bit(attribute::Q_KEY); 4],
        words::RQ_PSN => [bit(attribute::RQ_PSN); 4],
        words::TIMERS => [
            bit(attribute::RNR_RETRY),
            bit(attribute::RETRY_CNT),
            bit(attribute::TIMEOUT),
            bit(attribute::MIN_RNR_TIMER),
        ],
        words::LIMITS => [
            bit(attribute::CREDITS),
            bit(attribute::ACCESS),
            bit(attribute::MAX_DEST_RD_ATOMIC),
            bit(attribute::MAX_RD_ATOMIC),
        ],
        _ => [NONE; 4],
    }
}

/// One word of a queue pair after a command. Pure function.
///
/// Without `creates`, `resets` or `queries`, the bytes of given attributes come from the argument, and all others from
/// the stored word.
#[derive(LogicBlock, SmartDefault)]
pub struct AttributeMerge {
    /// Index into `ARGUMENT`, 1 to 25.
    pub word: Signal<In, Bits<5>>,
    /// The word of the arguments.
    pub argument: Signal<In, Bits<32>>,
    /// The stored word.
    pub stored: Signal<In, Bits<32>>,
    /// The argument `ATTRIBUTES`.
    pub given: Signal<In, Bits<32>>,
    /// High if the queue pair is created: `CREATED` bytes come from the argument, and attributes are 0.
    pub creates: Signal<In, Bit>,
    /// High if attributes are reset to 0.
    pub resets: Signal<In, Bit>,
    /// High if nothing changes.
    pub queries: Signal<In, Bit>,
    /// New state of the queue pair, or the state that is reported.
    pub state: Signal<In, Bits<3>>,
    /// The word after the command.
    pub merged: Signal<Out, Bits<32>>,
    #[default(Rom::new((0..32).map(row)))]
    owner: Rom<20, 5>,
    bytes: Concat<8, 4, 32>,
    #[default(array_init::array_init(|_| Default::default()))]
    number: [Signal<Local, Bits<5>>; 4],
    #[default(constant(words::STATE))]
    state_word: Constant<Bits<5>>,
    #[default(constant(CREATED))]
    created: Constant<Bits<5>>,
    #[default(constant(NONE))]
    none: Constant<Bits<5>>,
}

fn row(word: usize) -> Bits<20> {
    let owners = owners(word);
    owners.iter().fold(0, |row, n| row << 5 | *n as usize).to_bits()
}

#[kernel]
impl Logic for AttributeMerge {
    fn update(&mut self) {
        self.owner.address.next = self.word.val();
        for i in 0..4 {
            self.number[i].next = self.owner.data.val().get_bits::<5>(i * 5);
            self.bytes.i[3 - i].next = self.stored.val().get_bits::<8>(i * 8);
            if self.number[i].val() == self.created.val() {
                if self.creates.val() {
                    self.bytes.i[3 - i].next = self.argument.val().get_bits::<8>(i * 8);
                }
            } else if (self.number[i].val() == self.none.val()) || self.creates.val() || self.resets.val() {
                self.bytes.i[3 - i].next = bits::<8>(0);
            } else if !self.queries.val() && self.given.val().get_bit(self.number[i].val().index()) {
                self.bytes.i[3 - i].next = self.argument.val().get_bits::<8>(i * 8);
            }
        }
        self.merged.next = self.bytes.o.val();
        if self.word.val() == self.state_word.val() {
            self.merged.next = ((self.bytes.o.val() >> 3) << 3) | bit_cast::<32, 3>(self.state.val());
        }
    }
}
