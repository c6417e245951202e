//! Checks the order of assignments: no latches, no reads of unassigned nets.
use super::expression::mask;
use super::scope::{source_name, Class, NetId, Scope};
use super::statement::Statement;
use super::ExportError;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// The bits of each net that are assigned on every path so far.
type Assigned = BTreeMap<NetId, BigUint>;

/// Refuses kernels whose Verilog would hold state or depend on the order of evaluation.
///
/// # Errors
/// Returns [`ExportError::Latch`] or [`ExportError::ReadBeforeAssigned`].
pub(super) fn check(scope: &Scope, statements: &[Statement]) -> Result<(), ExportError> {
    let mut written = BTreeSet::new();
    for statement in statements {
        statement.assigns(false, &mut |assign, _| {
            written.insert(assign.target);
        });
    }
    let mut assigned = Assigned::new();
    block(scope, statements, &mut assigned)?;
    for net in written {
        let declared = scope.net(net);
        if declared.class == Class::Temporary {
            continue;
        }
        let missing = mask(0, declared.ty.width) ^ assigned.remove(&net).unwrap_or_default();
        if missing.bits() > 0 {
            return Err(ExportError::Latch {
                block: scope.path.clone(),
                signal: source_name(&declared.source),
                bits: ranges(&missing),
            });
        }
    }
    Ok(())
}

fn block(scope: &Scope, statements: &[Statement], assigned: &mut Assigned) -> Result<(), ExportError> {
    for statement in statements {
        for expression in statement.expressions() {
            let mut early = None;
            expression.reads(scope, &mut |net, low, width| {
                let bits = mask(low, width);
                let known = assigned.get(&net).is_some_and(|known| known & &bits == bits);
                if ordered(scope, net) && !known {
                    early.get_or_insert(net);
                }
            });
            if let Some(net) = early {
                return Err(ExportError::ReadBeforeAssigned {
                    block: scope.path.clone(),
                    signal: source_name(&scope.net(net).source),
                    reader: reader(scope, statement),
                });
            }
        }
        match statement {
            Statement::Comment(_) => {}
            Statement::Assign(assign) => {
                *assigned.entry(assign.target).or_default() |= assign.bits(scope);
            }
            Statement::If { then, otherwise, .. } => {
                branches(scope, &[then, otherwise], assigned)?;
            }
            Statement::Case { test, arms } => {
                let blocks: Vec<&[Statement]> = arms.iter().map(|arm| arm.block.as_slice()).collect();
                let covered = arms.iter().any(|arm| arm.label.is_none())
                    || arms.len() == test.variants(scope).unwrap_or(1 << test.width(scope).min(32));
                if covered {
                    branches(scope, &blocks, assigned)?;
                } else {
                    blocks
                        .iter()
                        .try_for_each(|inner| block(scope, inner, &mut assigned.clone()))?;
                }
            }
        }
    }
    Ok(())
}

fn branches(scope: &Scope, blocks: &[&[Statement]], assigned: &mut Assigned) -> Result<(), ExportError> {
    let mut common: Option<Assigned> = None;
    for inner in blocks {
        let mut after = assigned.clone();
        block(scope, inner, &mut after)?;
        common = Some(match common {
            None => after,
            Some(common) => {
                let both = common
                    .into_iter()
                    .filter_map(|(net, bits)| Some((net, bits & after.get(&net)?)));
                both.collect()
            }
        });
    }
    *assigned = common.unwrap_or_default();
    Ok(())
}

/// Returns true if a read of the net sees the last assignment before it, as with a variable.
pub(super) fn ordered(scope: &Scope, net: NetId) -> bool {
    matches!(
        scope.net(net).class,
        Class::Local | Class::Output | Class::Temporary
    )
}

fn reader(scope: &Scope, statement: &Statement) -> String {
    match statement {
        Statement::Assign(assign) => source_name(&scope.net(assign.target).source),
        Statement::If { .. } => "a condition".into(),
        _ => "a match".into(),
    }
}

/// Returns bit ranges as text, such as `7:4, 0`.
fn ranges(bits: &BigUint) -> String {
    let mut texts = vec![];
    let mut bit = bits.bits();
    while bit > 0 {
        bit -= 1;
        if bits.bit(bit) {
            let high = bit;
            while bit > 0 && bits.bit(bit - 1) {
                bit -= 1;
            }
            texts.push(if high == bit {
                high.to_string()
            } else {
                format!("{high}:{bit}")
            });
        }
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_bits() {
        assert_eq!(ranges(&0xf1u8.into()), "7:4, 0");
        assert_eq!(ranges(&0b0110u8.into()), "2:1");
    }
}
