//! Binary operators, at the width at which the kernel computes them.
use super::elaborate::{Elaborator, Value};
use super::expression::{Expr, Operator, Unary};
use super::kind::Type;
use super::ExportError;
use num_bigint::{BigInt, Sign};
use rust_hdl_core::ast::{VerilogExpression, VerilogOp};

type Result<T> = std::result::Result<T, ExportError>;

/// Width of a literal on the left of a shift, which is a `u64` in rust-hdl.
const LITERAL_BITS: usize = 64;

impl Elaborator<'_> {
    pub fn binary(
        &mut self,
        left: &VerilogExpression,
        op: &VerilogOp,
        right: &VerilogExpression,
    ) -> Result<Value> {
        let op = operator(op);
        let (left, right) = (self.value(left)?, self.value(right)?);
        if let (Value::Number(a), Value::Number(b)) = (&left, &right) {
            return fold(a, op, b)
                .ok_or_else(|| self.unsupported(format!("{op:?} of the numbers {a} and {b}")));
        }
        match op {
            Operator::Shl | Operator::Shr => self.shift(left, op, right),
            Operator::Mul => self.multiply(left, right),
            _ => self.same_width(left, op, right),
        }
    }

    fn same_width(&mut self, left: Value, op: Operator, right: Value) -> Result<Value> {
        let signed = [&left, &right].into_iter().any(is_signed);
        let width = match (width(&left), width(&right)) {
            (Some(width), _) | (None, Some(width)) => width,
            (None, None) => return Err(self.unsupported("an operation that nothing gives a width".into())),
        };
        let left = self.exactly(left, width)?;
        let right = match right {
            // `Bits + bool`
            Value::Sized(bit, ty) if ty.width == 1 && width > 1 && op == Operator::Add => {
                Expr::Extend(Box::new(bit), width - 1)
            }
            other => self.exactly(other, width)?,
        };
        match op {
            Operator::LogicalAnd | Operator::LogicalOr if width != 1 => {
                Err(self.mismatch(1, width, "an operand of `&&` or `||`".into()))
            }
            Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge if signed => {
                let (left, right) = (
                    Expr::unary(Unary::Signed, left),
                    Expr::unary(Unary::Signed, right),
                );
                Ok(self.operator_value(compare(op, left, right), false))
            }
            Operator::Add | Operator::Sub => Ok(self.operator_value(Expr::binary(op, left, right), signed)),
            _ => Ok(self.operator_value(compare(op, left, right), false)),
        }
    }

    fn shift(&mut self, left: Value, op: Operator, right: Value) -> Result<Value> {
        let left = match left {
            Value::Number(_) => self.exactly(left, LITERAL_BITS)?,
            other => self.sized(other)?.0,
        };
        let width = left.width(self.scope);
        let right = match right {
            Value::Number(by) if by.sign() == Sign::Minus => {
                return Err(self.unsupported(format!("a shift by {by}")));
            }
            Value::Number(by) if by >= BigInt::from(width) => {
                return Ok(Value::Sized(Expr::literal(0u8, width), Type::bits(width)));
            }
            Value::Number(by) => Expr::literal(by.magnitude().clone(), 32),
            other => self.sized(other)?.0,
        };
        Ok(self.operator_value(Expr::binary(op, left, right), false))
    }

    /// Multiplies 16 by 16 bits to 32, which is the only product of rust-hdl.
    fn multiply(&mut self, left: Value, right: Value) -> Result<Value> {
        let ((left, left_type), (right, right_type)) = (self.sized(left)?, self.sized(right)?);
        let width = left_type.width;
        if right_type.width != width {
            let text = super::print::expression(self.scope, &right);
            return Err(self.mismatch(width, right_type.width, text));
        }
        let signed = left_type.is_signed() && right_type.is_signed();
        let mut widen = |operand: Expr| {
            if signed {
                Expr::SignExtend(self.named(operand), width)
            } else {
                Expr::Extend(Box::new(operand), width)
            }
        };
        let (left, right) = (widen(left), widen(right));
        Ok(self.operator_value(Expr::binary(Operator::Mul, left, right), signed))
    }
}

fn width(value: &Value) -> Option<usize> {
    match value {
        Value::Sized(_, ty) => Some(ty.width),
        _ => None,
    }
}

fn is_signed(value: &Value) -> bool {
    match value {
        Value::Sized(_, ty) => ty.is_signed(),
        Value::SignExtended(..) => true,
        Value::Number(_) => false,
    }
}

fn operator(op: &VerilogOp) -> Operator {
    match op {
        VerilogOp::Add => Operator::Add,
        VerilogOp::Sub => Operator::Sub,
        VerilogOp::Mul => Operator::Mul,
        VerilogOp::LogicalAnd => Operator::LogicalAnd,
        VerilogOp::LogicalOr => Operator::LogicalOr,
        VerilogOp::BitXor => Operator::Xor,
        VerilogOp::BitAnd => Operator::And,
        VerilogOp::BitOr => Operator::Or,
        VerilogOp::Shl => Operator::Shl,
        VerilogOp::Shr => Operator::Shr,
        VerilogOp::Eq => Operator::Eq,
        VerilogOp::Lt => Operator::Lt,
        VerilogOp::Le => Operator::Le,
        VerilogOp::Ne => Operator::Ne,
        VerilogOp::Ge => Operator::Ge,
        VerilogOp::Gt => Operator::Gt,
    }
}

/// Compares the order of two values with `<` only, because `<` is the end of a carry chain; synthesis adds an equality
/// comparison for the other operators.
fn compare(op: Operator, left: Expr, right: Expr) -> Expr {
    match op {
        Operator::Gt => Expr::binary(Operator::Lt, right, left),
        Operator::Le => Expr::unary(Unary::Not, Expr::binary(Operator::Lt, right, left)),
        Operator::Ge => Expr::unary(Unary::Not, Expr::binary(Operator::Lt, left, right)),
        _ => Expr::binary(op, left, right),
    }
}

/// Computes with loop indices and literals.
fn fold(a: &BigInt, op: Operator, b: &BigInt) -> Option<Value> {
    let bit = |set: bool| Value::Sized(Expr::literal(u8::from(set), 1), Type::bits(1));
    let by = usize::try_from(b).ok();
    Some(match op {
        Operator::Add => Value::Number(a + b),
        Operator::Sub => Value::Number(a - b),
        Operator::Mul => Value::Number(a * b),
        Operator::And => Value::Number(a & b),
        Operator::Or => Value::Number(a | b),
        Operator::Xor => Value::Number(a ^ b),
        Operator::Shl => Value::Number(a << by.filter(|by| *by < LITERAL_BITS)?),
        Operator::Shr => Value::Number(a >> by.filter(|by| *by < LITERAL_BITS)?),
        Operator::Eq => bit(a == b),
        Operator::Ne => bit(a != b),
        Operator::Lt => bit(a < b),
        Operator::Le => bit(a <= b),
        Operator::Gt => bit(a > b),
        Operator::Ge => bit(a >= b),
        Operator::LogicalAnd | Operator::LogicalOr => return None,
    })
}
