//! Bits and slices of values.
use super::elaborate::{Elaborator, Value};
use super::expression::{mask, Expr, Operator, Unary};
use super::kind::Type;
use super::scope::NetId;
use super::statement::{Assign, Origin, Part, Statement};
use super::ExportError;
use num_bigint::{BigInt, BigUint};
use rust_hdl_core::ast::{VerilogExpression, VerilogOp};
use rust_hdl_core::prelude::clog2;

type Result<T> = std::result::Result<T, ExportError>;

/// A position in a vector. It is computed as Rust's `usize`, and so never wraps.
pub(super) struct Index {
    /// The position, if known at elaboration.
    pub fixed: Option<usize>,
    expr: Expr,
    width: usize,
    /// The largest position possible.
    highest: BigUint,
}

impl Elaborator<'_> {
    /// Returns `width` bits from bit `low` up, with zeros beyond the value's end.
    pub fn part(&mut self, expr: Expr, low: usize, width: usize) -> Expr {
        let whole = expr.width(self.scope);
        if low == 0 && width == whole {
            return expr;
        }
        if let Some(value) = expr.value(self.scope) {
            return Expr::literal((value >> low) & mask(0, width), width);
        }
        if low >= whole {
            return Expr::literal(0u8, width);
        }
        if low + width > whole {
            let inner = self.part(expr, low, whole - low);
            return Expr::Extend(Box::new(inner), low + width - whole);
        }
        match expr {
            Expr::Slice { net, low: inner, .. } => Expr::Slice {
                net,
                low: inner + low,
                width,
            },
            Expr::Extend(inner, _) => self.part(*inner, low, width),
            other => Expr::Slice {
                net: self.named(other),
                low,
                width,
            },
        }
    }

    /// Returns a net that holds the value, so that it can be sliced.
    pub fn named(&mut self, expr: Expr) -> NetId {
        if let Expr::Net(net) = expr {
            return net;
        }
        let width = expr.width(self.scope);
        let owner = self.target.replace(['.', '[', ']'], "$");
        let target = self.scope.add_temporary(&owner, width);
        self.block.push(Statement::Assign(Assign {
            target,
            part: Part::Whole,
            value: expr,
            origin: Origin::Kernel,
        }));
        target
    }

    pub fn index(&mut self, expression: &VerilogExpression) -> Result<Index> {
        match expression {
            VerilogExpression::Paren(inner) => return self.index(inner),
            VerilogExpression::Binary(left, op, right) => {
                if let Some(op) = arithmetic(op) {
                    return self.index_arithmetic(left, op, right);
                }
            }
            _ => {}
        }
        match self.value(expression)? {
            Value::Number(number) => self.fixed_index(&number),
            other => {
                let (expr, ty) = self.sized(other)?;
                if let Some(value) = expr.value(self.scope) {
                    return self.fixed_index(&value.into());
                }
                Ok(Index {
                    fixed: None,
                    expr,
                    width: ty.width,
                    highest: mask(0, ty.width),
                })
            }
        }
    }

    fn fixed_index(&self, number: &BigInt) -> Result<Index> {
        let value = usize::try_from(number).map_err(|_| self.unsupported(format!("the index {number}")))?;
        let width = clog2(value + 1).max(1);
        Ok(Index {
            fixed: Some(value),
            expr: Expr::literal(value, width),
            width,
            highest: value.into(),
        })
    }

    fn index_arithmetic(
        &mut self,
        left: &VerilogExpression,
        op: Operator,
        right: &VerilogExpression,
    ) -> Result<Index> {
        let (left, right) = (self.index(left)?, self.index(right)?);
        if let (Some(a), Some(b)) = (left.fixed, right.fixed) {
            let value = match op {
                Operator::Add => a.checked_add(b),
                Operator::Sub => a.checked_sub(b),
                _ => a.checked_mul(b),
            };
            let value = value.ok_or_else(|| self.unsupported(format!("the index {a} {op:?} {b}")))?;
            return self.fixed_index(&value.into());
        }
        let (width, highest) = match op {
            Operator::Add => (left.width.max(right.width) + 1, &left.highest + &right.highest),
            Operator::Sub => (left.width.max(right.width), left.highest.clone()),
            _ => (left.width + right.width, &left.highest * &right.highest),
        };
        let expr = Expr::binary(op, widened(left, width), widened(right, width));
        Ok(Index {
            fixed: None,
            expr,
            width,
            highest,
        })
    }

    /// Returns the index at the width that Verilog expects for a vector of `whole` bits.
    pub fn address(&mut self, index: Index, whole: usize) -> Result<Expr> {
        let width = clog2(whole).max(1);
        if index.width > width {
            // The kernel refuses positions beyond the vector.
            return Ok(self.part(index.expr, 0, width));
        }
        Ok(widened(index, width))
    }

    /// Translates `get_bits` and accesses to the fields of structs.
    pub fn slice(&mut self, of: &VerilogExpression, width: usize, low: &VerilogExpression) -> Result<Value> {
        let value = self.value(of)?;
        let (expr, ty) = self.sized(value)?;
        let low = self.index(low)?;
        if let Some(low) = low.fixed {
            if low > ty.width {
                return Err(self.out_of_range(low, ty.width, of));
            }
            return Ok(Value::Sized(self.part(expr, low, width), ty.part(low, width)));
        }
        let whole = ty.width;
        let result = if &low.highest + width <= BigUint::from(whole) {
            let net = self.named(expr);
            Expr::Part {
                net,
                index: Box::new(self.address(low, whole)?),
                width,
            }
        } else {
            let shifted = Expr::binary(Operator::Shr, expr, low.expr);
            self.part(shifted, 0, width)
        };
        Ok(Value::Sized(
            result,
            if ty.is_signed() {
                Type::signed(width)
            } else {
                Type::bits(width)
            },
        ))
    }

    /// Translates `get_bit`.
    pub fn bit(&mut self, of: &VerilogExpression, at: &VerilogExpression) -> Result<Value> {
        let value = self.value(of)?;
        let (expr, ty) = self.sized(value)?;
        let at = self.index(at)?;
        let bit = match at.fixed {
            Some(at) if at >= ty.width => return Err(self.out_of_range(at, ty.width, of)),
            Some(at) => self.part(expr, at, 1),
            None if ty.width == 1 => expr,
            None => {
                let net = self.named(expr);
                Expr::Part {
                    net,
                    index: Box::new(self.address(at, ty.width)?),
                    width: 1,
                }
            }
        };
        Ok(Value::Sized(bit, Type::bits(1)))
    }

    /// Translates `replace_bit`.
    pub fn replace_bit(
        &mut self,
        of: &VerilogExpression,
        at: &VerilogExpression,
        bit: &VerilogExpression,
    ) -> Result<Value> {
        let value = self.value(of)?;
        let (expr, ty) = self.sized(value)?;
        let at = self.index(at)?;
        let bit = self.value(bit)?;
        let bit = self.exactly(bit, 1)?;
        let width = ty.width;
        if let Some(at) = at.fixed.filter(|at| *at >= width) {
            return Err(self.out_of_range(at, width, of));
        }
        if width == 1 {
            return Ok(Value::Sized(bit, ty));
        }
        let bit = Expr::Extend(Box::new(bit), width - 1);
        let (keep, set) = match at.fixed {
            Some(at) => {
                let keep = Expr::literal(mask(0, width) ^ mask(at, 1), width);
                (keep, Expr::binary(Operator::Shl, bit, Expr::literal(at, 32)))
            }
            None => {
                let one = Expr::binary(Operator::Shl, Expr::literal(1u8, width), at.expr.clone());
                (
                    Expr::unary(Unary::Not, one),
                    Expr::binary(Operator::Shl, bit, at.expr),
                )
            }
        };
        let kept = Expr::binary(Operator::And, expr, keep);
        Ok(Value::Sized(Expr::binary(Operator::Or, kept, set), ty))
    }
}

fn arithmetic(op: &VerilogOp) -> Option<Operator> {
    match op {
        VerilogOp::Add => Some(Operator::Add),
        VerilogOp::Sub => Some(Operator::Sub),
        VerilogOp::Mul => Some(Operator::Mul),
        _ => None,
    }
}

fn widened(index: Index, width: usize) -> Expr {
    match (index.fixed, index.width) {
        (Some(value), _) => Expr::literal(value, width),
        (None, found) if found < width => Expr::Extend(Box::new(index.expr), width - found),
        _ => index.expr,
    }
}
