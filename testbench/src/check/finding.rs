//! Findings: packets that break a rule.
use super::flow::Flow;
use super::ladder::Rung;
use enumset::{EnumSet, EnumSetType};
use serde::Serialize;
use std::fmt;

/// A rule that packets alone can show to be broken.
#[derive(EnumSetType, Debug, Hash, PartialOrd, Ord)]
pub enum Rule {
    Malformed,
    Icrc,
    Vcrc,
    Lpcrc,
    LinkOp,
    LinkVersion,
    TransportVersion,
    UnknownOpcode,
    PacketLength,
    HeaderIncomplete,
    RequestPsn,
    OutstandingPsns,
    OpcodeSequence,
    FullPackets,
    LastLength,
    OnlyLength,
    MessageLength,
    SolicitedEvent,
    SolicitedSend,
    AckRequest,
    Resent,
    UnknownPsn,
    ResponseOrder,
    OwnResponse,
    ReadResponse,
    ReadLength,
    AtomicResponse,
    Msn,
    RepeatedNak,
    AfterFatalNak,
    RnrNak,
    ReservedBit,
    ReservedSyndrome,
    RefusingResponse,
    AckFields,
    AnswerQp,
    NakPsn,
    NakMsn,
    GoneBack,
    RnrWait,
    Retries,
    RnrRetries,
    NoPayload,
    DmaLength,
    AtomicAddress,
    AtomicReplay,
    PKey,
    CreditProbe,
    CreditRest,
    CreditOrder,
    CreditsTaken,
    UnreliableAsks,
    UnreliableSegments,
    UnreliableOrder,
    UnreliableLength,
    MulticastAddress,
    MadLength,
    Qp1QKey,
    OwnQKey,
    DatagramOpcode,
    UnreliableOpcode,
}

impl Rule {
    /// Returns the requirement of `conformance.csv`, and the rule in words.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Rule::Malformed => ("CF001", "a packet is well formed"),
            Rule::Icrc => ("CF034", "a packet's ICRC is right"),
            Rule::Vcrc => ("CF035", "a packet's VCRC is right"),
            Rule::Lpcrc => ("CF440", "a link packet's LPCRC is right"),
            Rule::LinkOp => ("CF441", "the Op of a link packet is 0 or 1"),
            Rule::LinkVersion => ("CF039", "LVer is 0"),
            Rule::TransportVersion => ("CF040", "TVer is 0"),
            Rule::UnknownOpcode => ("CF002", "an opcode is one that there is"),
            Rule::PacketLength => ("CF055", "a packet is as long as its headers say"),
            Rule::HeaderIncomplete => ("CF056", "a packet holds the headers of its opcode"),
            Rule::RequestPsn => (
                "CF155",
                "PSNs increase by one per request packet, by the responses of a Read",
            ),
            Rule::OutstandingPsns => ("CF286", "outstanding PSNs never exceed 2^23"),
            Rule::OpcodeSequence => ("CF157", "messages are sent whole, one after the other"),
            Rule::FullPackets => ("CF006", "first and middle packets carry exactly PMTU bytes"),
            Rule::LastLength => ("CF007", "a last packet carries 1 to PMTU bytes"),
            Rule::OnlyLength => ("CF008", "an only packet carries 0 to PMTU bytes"),
            Rule::MessageLength => ("CF018", "the packets of a Write carry what its RETH says"),
            Rule::SolicitedEvent => ("CF161", "SE is 0 in plain Writes, Reads and atomics"),
            Rule::SolicitedSend => (
                "CF160",
                "SE is 0 but on the last packet of a Send or of a Write with immediate",
            ),
            Rule::AckRequest => (
                "CF159",
                "a last or only packet, a Read and an atomic ask for an ack",
            ),
            Rule::Resent => (
                "CF191",
                "a packet that is sent again is the same in opcode, headers and payload",
            ),
            Rule::UnknownPsn => ("CF128", "a response has the PSN of a request"),
            Rule::ResponseOrder => ("CF134", "responses leave in PSN order"),
            Rule::OwnResponse => (
                "CF133",
                "an ack covers no Read or atomic without its own response",
            ),
            Rule::ReadResponse => (
                "CF140",
                "read responses are first, middle, last or only, from the request's PSN on",
            ),
            Rule::ReadLength => ("CF184", "read responses carry what was asked for"),
            Rule::AtomicResponse => ("CF185", "an atomic ack answers an atomic"),
            Rule::Msn => ("CF135", "the MSN counts the messages that are complete"),
            Rule::RepeatedNak => ("CF061", "a NAK is sent once until its PSN comes again"),
            Rule::AfterFatalNak => ("CF092", "after a fatal NAK the connection is over"),
            Rule::RnrNak => ("CF106", "an RNR NAK answers what takes a receive WQE"),
            Rule::ReservedBit => ("CF138", "bit 7 of a syndrome is 0"),
            Rule::ReservedSyndrome => ("CF183", "a syndrome is an ack, an RNR NAK or NAK 60h to 63h"),
            Rule::RefusingResponse => (
                "CF142",
                "a NAK is an ack of its own, and no read response or atomic ack",
            ),
            Rule::AckFields => ("CF131", "a response has A = 0 and SE = 0"),
            Rule::AnswerQp => ("CF130", "answers go to the queue pair that asked"),
            Rule::NakPsn => ("CF059", "a NAK has the PSN that the responder expects"),
            Rule::NakMsn => ("CF067", "a NAK carries the current MSN"),
            Rule::GoneBack => (
                "CF177",
                "who goes back sends all again from there that has no answer",
            ),
            Rule::RnrWait => ("CF112", "after an RNR NAK the requester waits as long as it says"),
            Rule::Retries => (
                "CF189",
                "a packet without an answer is sent again as often as the retry count says, and no more",
            ),
            Rule::RnrRetries => (
                "CF114",
                "after RNR NAKs a packet is sent again as often as the RNR retry count says, and no more",
            ),
            Rule::NoPayload => ("CF131", "acks, Reads and atomics carry no payload"),
            Rule::DmaLength => ("CF083", "a RETH asks for 2^31 bytes at most"),
            Rule::AtomicAddress => ("CF090", "an atomic is of an address that is a multiple of 8"),
            Rule::AtomicReplay => ("CF122", "an atomic that comes again is answered as before"),
            Rule::PKey => ("CF050", "the packets of a connection are of one partition"),
            Rule::CreditProbe => ("CF198", "without a credit a Send's first packet asks for an ack"),
            Rule::CreditRest => ("CF197", "without a credit a Send sends its first packet alone"),
            Rule::CreditOrder => ("CF202", "a message without a credit holds up those behind it"),
            Rule::CreditsTaken => (
                "CF144",
                "acks tell of all posted receive WQEs, which none takes back",
            ),
            Rule::UnreliableAsks => ("CF167", "packets of UC and UD ask for no ack"),
            Rule::UnreliableSegments => (
                "CF288",
                "first and middle packets of UC carry exactly PMTU bytes, last ones 1 to PMTU, only ones 0 to PMTU",
            ),
            Rule::UnreliableOrder => (
                "CF298",
                "a middle or last packet of UC goes on with the message before it",
            ),
            Rule::UnreliableLength => ("CF304", "the packets of a Write of UC carry what its RETH says"),
            Rule::MulticastAddress => ("CF354", "what goes to QP FFFFFFh goes to a group"),
            Rule::MadLength => ("CF424", "QP0 and QP1 take 256 bytes"),
            Rule::Qp1QKey => ("CF228", "QP1 takes Q_Key 80010000h"),
            Rule::OwnQKey => (
                "CF219",
                "a Q_Key with bit 31 set is the own one of the queue pair that sends it",
            ),
            Rule::DatagramOpcode => ("CF004", "UD has the opcodes 64h and 65h"),
            Rule::UnreliableOpcode => ("CF003", "UC has the opcodes 20h to 2Bh"),
        }
    }

    /// True for rules that relate a request to earlier ones; they do not hold across a queue pair that is made anew.
    pub(super) fn is_of_one_life(self) -> bool {
        matches!(
            self,
            Rule::RequestPsn
                | Rule::OutstandingPsns
                | Rule::OpcodeSequence
                | Rule::FullPackets
                | Rule::LastLength
                | Rule::OnlyLength
                | Rule::MessageLength
                | Rule::Resent
                | Rule::GoneBack
                | Rule::RnrWait
                | Rule::Retries
                | Rule::RnrRetries
                | Rule::PKey
                | Rule::CreditProbe
                | Rule::CreditRest
                | Rule::CreditOrder
        )
    }

    /// Every rule.
    pub fn all() -> impl Iterator<Item = Rule> {
        EnumSet::all().iter()
    }

    /// Returns the row of `conformance.csv`.
    pub fn requirement(self) -> &'static str {
        self.text().0
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().1)
    }
}

/// One packet that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Number of the packet, counted as in Wireshark.
    pub packet: u64,
    pub rule: Rule,
    /// Source and destination of the packet, as text.
    pub flow: String,
    /// What was expected, and what was found.
    pub detail: String,
    /// The packets that lead to it, that of the finding last; empty if it could not be read.
    pub ladder: Vec<Rung>,
    /// Flow of the connection's requests; `None` if the packet could not be read.
    pub(super) of: Option<Flow>,
    /// When the packet was captured, in nanoseconds since 1970.
    pub(super) time: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            packet,
            rule,
            flow,
            detail,
            ladder,
            ..
        } = self;
        write!(f, "{packet:>7}  {}  {flow}: {rule}: {detail}", rule.requirement())?;
        ladder.iter().try_for_each(|rung| write!(f, "\n{rung}"))
    }
}

impl Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut s = serializer.serialize_struct("Finding", 6)?;
        s.serialize_field("packet", &self.packet)?;
        s.serialize_field("requirement", self.rule.requirement())?;
        s.serialize_field("rule", &self.rule.to_string())?;
        s.serialize_field("flow", &self.flow)?;
        s.serialize_field("detail", &self.detail)?;
        s.serialize_field("ladder", &self.ladder)?;
        s.end()
    }
}
