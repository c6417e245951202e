//! Compares a duplicate Read or atomic with a stored one (`responder.md` section 6).
use super::comparison::Comparison;
use super::limits;
use super::subject::Subject;
use crate::wire::draw::Draw;
use hca_golden::decision::responder::resource::{Kind, Resource, Resources};
use hca_golden::psn;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::length::{packets, MAX_MESSAGE_BYTES};
use hca_golden::wire::reth::Reth;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// RC opcodes.
const COMPARE_SWAP: u8 = 0x13;
const FETCH_ADD: u8 = 0x14;

pub(super) struct Duplicate;

#[derive(Debug)]
pub(super) struct Case {
    pmtu: Pmtu,
    stored: Resource,
    psn: u32,
    asked: RunSpec,
}

#[derive(Debug)]
enum RunSpec {
    Read(Reth),
    /// Kinds of requests by opcode.
    Atomic(u8),
}

impl Subject for Duplicate {
    type Case = Case;
    const NAME: &'static str = "duplicate";
    const BLOCK: &'static str = "duplicate_match";
    const OUTCOMES: &'static [&'static str] = &[
        "repeats a whole Read",
        "repeats the end of a Read",
        "repeats an atomic",
        "matches nothing",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let pmtu = limits::pmtu(draw);
        let first_psn = limits::psn(draw);
        let target = Reth {
            va: limits::address(draw),
            r_key: draw.bits(2),
            dma_len: limits::message_length(draw, pmtu),
        };
        let spans = packets(target.dma_len.into(), pmtu.bytes());
        let (kind, last_psn) = match draw.percent(60) {
            true => (Kind::Read { target }, psn::add(first_psn, spans - 1)),
            false => {
                let opcode = draw.one_of(&[COMPARE_SWAP, FETCH_ADD]);
                (Kind::Atomic { opcode, original: 0 }, first_psn)
            }
        };
        let skipped = match draw.below(8) {
            0..=2 => 0,
            3 => draw.bits(24),
            4 => psn::subtract(0, 1),
            5 => spans - draw.below(2) as u32,
            _ => draw.below(spans as usize) as u32,
        };
        let asked = match draw.percent(60) {
            true => RunSpec::Read(rest(draw, target, skipped, pmtu)),
            false => RunSpec::Atomic(draw.one_of(&[COMPARE_SWAP, FETCH_ADD])),
        };
        Case {
            pmtu,
            stored: Resource {
                first_psn,
                last_psn,
                kind,
                owed: draw.flag(),
                ackable_psn: 0,
            },
            psn: psn::add(first_psn, skipped),
            asked,
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let Case { stored, .. } = case;
        block.set("pmtu", case.pmtu.code().into());
        block.set("psn", case.psn.into());
        block.set("stored.psn", stored.first_psn.into());
        let span = psn::subtract(stored.last_psn, stored.first_psn);
        block.set("stored.span", span.into());
        match stored.kind {
            Kind::Read { target } => {
                block.set("stored.read", 1);
                block.set("stored.va", target.va);
                block.set("stored.r_key", target.r_key.into());
                block.set("stored.length", target.dma_len.into());
            }
            Kind::Atomic { opcode, .. } => {
                block.set("stored.read", 0);
                block.set("stored.fetch_add", (opcode == FETCH_ADD).into());
            }
        }
        match case.asked {
            RunSpec::Read(target) => {
                block.set("read", 1);
                block.set("va", target.va);
                block.set("r_key", target.r_key.into());
                block.set("dma_len", target.dma_len.into());
            }
            RunSpec::Atomic(opcode) => {
                block.set("read", 0);
                block.set("fetch_add", (opcode == FETCH_ADD).into());
            }
        }
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let mut kept = Resources::new(1);
        kept.keep(case.stored);
        let found = match case.asked {
            RunSpec::Read(target) => kept.matches_read(case.psn, &target, case.pmtu.bytes()),
            RunSpec::Atomic(opcode) => kept.original(case.psn, opcode).is_some(),
        };
        c.same("found", found, block.get("found"));
        c.outcome(match case.asked {
            _ if !found => "matches nothing",
            RunSpec::Atomic(_) => "repeats an atomic",
            RunSpec::Read(_) if case.psn == case.stored.first_psn => "repeats a whole Read",
            RunSpec::Read(_) => "repeats the end of a Read",
        });
        Ok(())
    }
}

/// Returns the rest of a Read after this many packets, sometimes with one wrong field.
fn rest(draw: &mut Draw, target: Reth, skipped: u32, pmtu: Pmtu) -> Reth {
    let bytes = u64::from(skipped) * pmtu.bytes() as u64;
    let left = u64::from(target.dma_len).wrapping_sub(bytes) as u32;
    let mut asked = Reth {
        va: target.va.wrapping_add(bytes),
        r_key: target.r_key,
        dma_len: left.min(MAX_MESSAGE_BYTES as u32),
    };
    match draw.below(10) {
        0 => asked.va = asked.va.wrapping_add(1),
        1 => asked.va = target.va,
        2 => asked.r_key ^= 1,
        3 => asked.dma_len = asked.dma_len.saturating_sub(1),
        4 => asked.dma_len = target.dma_len,
        _ => {}
    }
    asked
}
