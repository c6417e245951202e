//! Typed expressions whose widths are known.
use super::kind::{Kind, Type};
use super::scope::{NetId, Scope};
use num_bigint::BigUint;

/// An operator whose operands Verilog would widen. Here both sides have the same width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unary {
    Not,
    Negate,
    All,
    Any,
    Parity,
    /// Reads the operand as two's complement, for a comparison.
    Signed,
}

/// An expression at its exact width.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Net(NetId),
    /// A `Constant` field or an enum variant, as its index in the scope.
    Constant(usize),
    Literal {
        value: BigUint,
        width: usize,
    },
    /// The bits `net[low + width - 1 : low]`.
    Slice {
        net: NetId,
        low: usize,
        width: usize,
    },
    /// The bits `net[index +: width]`.
    Part {
        net: NetId,
        index: Box<Expr>,
        width: usize,
    },
    Unary(Unary, Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// The value, with zeros above it.
    Extend(Box<Expr>, usize),
    /// The value of the net, with copies of its highest bit above it.
    SignExtend(NetId, usize),
}

impl Expr {
    pub fn literal(value: impl Into<BigUint>, width: usize) -> Self {
        Self::Literal {
            value: value.into(),
            width,
        }
    }

    pub fn binary(op: Operator, left: Expr, right: Expr) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn unary(op: Unary, operand: Expr) -> Self {
        Self::Unary(op, Box::new(operand))
    }

    pub fn width(&self, scope: &Scope) -> usize {
        match self {
            Self::Net(net) => scope.net(*net).ty.width,
            Self::Constant(constant) => scope.constant(*constant).width,
            Self::Literal { width, .. } | Self::Slice { width, .. } | Self::Part { width, .. } => *width,
            Self::Unary(Unary::Not | Unary::Negate | Unary::Signed, operand) => operand.width(scope),
            Self::Unary(..) => 1,
            Self::Binary(op, left, _) => match op {
                Operator::Add | Operator::Sub | Operator::Mul => left.width(scope),
                Operator::And | Operator::Or | Operator::Xor => left.width(scope),
                Operator::Shl | Operator::Shr => left.width(scope),
                _ => 1,
            },
            Self::Extend(operand, zeros) => operand.width(scope) + zeros,
            Self::SignExtend(net, copies) => scope.net(*net).ty.width + copies,
        }
    }

    /// Returns how many variants the enum of its type has.
    pub fn variants(&self, scope: &Scope) -> Option<usize> {
        let ty = match self {
            Self::Net(net) => &scope.net(*net).ty,
            Self::Constant(constant) => &scope.constant(*constant).ty,
            Self::Slice { net, low, width } => return variants(&scope.net(*net).ty.part(*low, *width)),
            _ => return None,
        };
        variants(ty)
    }

    /// Calls `visit` with this expression and all below it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Self::Part { index, .. } => index.walk(visit),
            Self::Unary(_, operand) | Self::Extend(operand, _) => operand.walk(visit),
            Self::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            _ => {}
        }
    }

    /// Calls `visit` with each net that is read, its lowest bit that is read, and the number of bits.
    pub fn reads(&self, scope: &Scope, visit: &mut dyn FnMut(NetId, usize, usize)) {
        self.walk(&mut |expr| match expr {
            Self::Net(net) | Self::SignExtend(net, _) | Self::Part { net, .. } => {
                visit(*net, 0, scope.net(*net).ty.width);
            }
            Self::Slice { net, low, width } => visit(*net, *low, *width),
            _ => {}
        });
    }

    /// Returns the value, if it is known at elaboration.
    pub fn value(&self, scope: &Scope) -> Option<BigUint> {
        match self {
            Self::Literal { value, .. } => Some(value.clone()),
            Self::Constant(constant) => Some(scope.constant(*constant).value.clone()),
            Self::Extend(operand, _) => operand.value(scope),
            _ => None,
        }
    }
}

/// Returns `count` ones from bit `low` up.
pub(super) fn mask(low: usize, count: usize) -> BigUint {
    ((BigUint::from(1u8) << count) - 1u8) << low
}

fn variants(ty: &Type) -> Option<usize> {
    match &ty.kind {
        Kind::Enum(variants) => Some(variants.len()),
        _ => None,
    }
}
