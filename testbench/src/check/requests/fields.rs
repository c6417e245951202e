//! What a request packet shows by itself: its bits, its partition and its length.
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::observed::Observed;
use super::Requests;
use hca_golden::wire::opcode::{Header, Opcode, Operation, Position};

/// Longest message (`requester.md` section 1).
const LONGEST: u32 = 1 << 31;

impl Requests {
    /// Judges what a packet shows by itself (CF159 to CF161, CF050, CF083, CF131, CF006 to CF008).
    pub(super) fn fields(&mut self, packet: &Observed, opcode: &Opcode, findings: &mut Findings<'_>) {
        let may_be_solicited = match opcode.operation {
            Operation::Send => opcode.ends(),
            Operation::Write => opcode.headers.contains(&Header::ImmDt),
            _ => false,
        };
        if packet.solicits && !may_be_solicited {
            let rule = match opcode.operation {
                Operation::Send => Rule::SolicitedSend,
                _ => Rule::SolicitedEvent,
            };
            findings.add(rule, format!("SE in {}", opcode.name));
        }
        if opcode.ends() && !packet.asks {
            findings.add(Rule::AckRequest, format!("A = 0 in {}", opcode.name));
        }
        self.partition(packet, opcode, findings);
        if let Some(reth) = packet.reth().filter(|reth| reth.dma_len > LONGEST) {
            findings.add(
                Rule::DmaLength,
                format!("{} bytes in {}", reth.dma_len, opcode.name),
            );
        }
        if !opcode.has_payload() && packet.body.bytes > 0 {
            let detail = format!("{} bytes in {}", packet.body.bytes, opcode.name);
            findings.add(Rule::NoPayload, detail);
        }
        let length = u32::from(packet.body.bytes);
        let full = matches!(opcode.position, Position::First | Position::Middle);
        match self.pmtu {
            Some(pmtu) if full && length != pmtu => {
                let detail = format!("PMTU {pmtu}, {length} bytes in {}", opcode.name);
                findings.add(Rule::FullPackets, detail);
            }
            Some(pmtu) if !full && length > pmtu => {
                let detail = format!("PMTU {pmtu}, {length} bytes in {}", opcode.name);
                let rule = match opcode.position {
                    Position::Only => Rule::OnlyLength,
                    _ => Rule::LastLength,
                };
                findings.add(rule, detail);
            }
            None if full => {
                self.learn_pmtu(length);
                if self.pmtu.is_none() {
                    let detail = format!("{length} bytes in {} are no PMTU", opcode.name);
                    findings.add(Rule::FullPackets, detail);
                }
            }
            _ => {}
        }
        if opcode.position == Position::Last && length == 0 {
            findings.add(Rule::LastLength, format!("no byte in {}", opcode.name));
        }
    }

    /// Checks that requests and answers belong to one partition, as full or limited members.
    pub fn partition(&mut self, packet: &Observed, opcode: &Opcode, findings: &mut Findings<'_>) {
        let p_key = packet.p_key & 0x7FFF;
        if *self.p_key.get_or_insert(p_key) != p_key {
            let detail = format!("P_Key {:04X}h in {}", packet.p_key, opcode.name);
            findings.add(Rule::PKey, detail);
        }
    }
}
