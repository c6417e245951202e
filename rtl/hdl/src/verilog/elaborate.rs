//! Turns rust-hdl's syntax tree into typed statements: loops are unrolled, names resolved, widths checked.
use super::collect::{is_bool, literal, twos_complement};
use super::expression::{Expr, Unary};
use super::index;
use super::kind::Type;
use super::scope::{source_name, Meaning, NetId, Scope};
use super::statement::{Arm, Assign, Origin, Part, Statement};
use super::{link, ExportError};
use num_bigint::BigInt;
use rust_hdl_core::ast::*;

type Result<T> = std::result::Result<T, ExportError>;

/// A value of the kernel.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Sized(Expr, Type),
    /// A number, which takes the width of the other operand.
    Number(BigInt),
    /// A sign extension (or truncation) to the width of the other operand; rust-hdl does not pass the width on.
    SignExtended(Expr, usize),
}

/// The state of the walk through one kernel.
pub(super) struct Elaborator<'a> {
    /// Names of the block.
    pub scope: &'a mut Scope,
    /// Name and value of each loop variable in use.
    pub loops: Vec<(String, usize)>,
    /// The statements of the block being filled.
    pub block: Vec<Statement>,
    /// The target of the present assignment, for messages and for names of intermediate values.
    pub target: String,
}

/// Returns the statements of a kernel.
pub(super) fn kernel(scope: &mut Scope, code: &VerilogBlock) -> Result<Vec<Statement>> {
    let mut elaborator = Elaborator {
        scope,
        loops: vec![],
        block: vec![],
        target: String::new(),
    };
    elaborator.statements(code, Origin::Kernel)?;
    Ok(elaborator.block)
}

impl Elaborator<'_> {
    fn statements(&mut self, code: &VerilogBlock, origin: Origin) -> Result<()> {
        code.iter()
            .try_for_each(|statement| self.statement(statement, origin))
    }

    fn nested(&mut self, code: &VerilogBlock) -> Result<Vec<Statement>> {
        let outer = std::mem::take(&mut self.block);
        let result = self.statements(code, Origin::Kernel);
        let inner = std::mem::replace(&mut self.block, outer);
        result.map(|()| inner)
    }

    fn statement(&mut self, statement: &VerilogStatement, origin: Origin) -> Result<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => self.assign(target, value, origin),
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => self.assign_part(base, *width, offset, replacement),
            VerilogStatement::If(conditional) => self.conditional(conditional),
            VerilogStatement::Match(choice) => self.choice(choice),
            VerilogStatement::Loop(code) => self.unroll(code),
            VerilogStatement::Macro(code) => self.statements(code, Origin::Setup),
            VerilogStatement::Comment(text) => {
                if let Some(text) = comment(text) {
                    self.block.push(Statement::Comment(text));
                }
                Ok(())
            }
            VerilogStatement::Link(links) => {
                for (target, source) in links.iter().map(link::ends) {
                    let (target, source) = (
                        VerilogExpression::Signal(target),
                        VerilogExpression::Signal(source),
                    );
                    self.assign(&target, &source, Origin::Link)?;
                }
                Ok(())
            }
        }
    }

    fn unroll(&mut self, code: &VerilogLoop) -> Result<()> {
        let bound = |end: &VerilogLiteral| {
            usize::try_from(literal(end)).map_err(|_| self.unsupported(format!("a loop to {end}")))
        };
        for value in bound(&code.from)?..bound(&code.to)? {
            self.loops.push((code.index.clone(), value));
            let result = self.statements(&code.block, Origin::Kernel);
            self.loops.pop();
            result?;
        }
        Ok(())
    }

    fn conditional(&mut self, conditional: &VerilogConditional) -> Result<()> {
        self.target = "condition".into();
        let test = self.value(&conditional.test)?;
        let test = self.exactly(test, 1)?;
        let known = test.value(self.scope).map(|value| value.bit(0));
        let otherwise = match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => block.clone(),
            VerilogBlockOrConditional::Conditional(statement) => vec![(**statement).clone()],
            VerilogBlockOrConditional::None => vec![],
        };
        match known {
            Some(true) => self.statements(&conditional.then, Origin::Kernel),
            Some(false) => self.statements(&otherwise, Origin::Kernel),
            None => {
                let then = self.nested(&conditional.then)?;
                let otherwise = self.nested(&otherwise)?;
                self.block.push(Statement::If {
                    test,
                    then,
                    otherwise,
                });
                Ok(())
            }
        }
    }

    fn choice(&mut self, choice: &VerilogMatch) -> Result<()> {
        self.target = "match".into();
        let test = self.value(&choice.test)?;
        let (test, ty) = self.sized(test)?;
        let mut arms = vec![];
        for case in &choice.cases {
            let label = match case.condition.as_str() {
                "default" => None,
                label => Some(self.label(label, &ty)?),
            };
            arms.push(Arm {
                label,
                block: self.nested(&case.block)?,
            });
            self.target = "match".into();
        }
        self.block.push(Statement::Case { test, arms });
        Ok(())
    }

    fn label(&self, label: &str, ty: &Type) -> Result<Expr> {
        if let Some(Meaning::Constant(constant)) = self.scope.find(&label.replace("::", "$")) {
            let found = self.scope.constant(constant).width;
            if found == ty.width {
                return Ok(Expr::Constant(constant));
            }
            return Err(self.mismatch(ty.width, found, label.into()));
        }
        match label {
            "true" | "false" if ty.width == 1 => Ok(Expr::literal(u8::from(label == "true"), 1)),
            _ => Err(self.unknown(label)),
        }
    }

    fn assign(&mut self, to: &VerilogExpression, value: &VerilogExpression, origin: Origin) -> Result<()> {
        let target = self.target_net(to)?;
        let width = self.scope.net(target).ty.width;
        let value = self.value(value)?;
        let value = self.exactly(value, width)?;
        self.block.push(Statement::Assign(Assign {
            target,
            part: Part::Whole,
            value,
            origin,
        }));
        Ok(())
    }

    fn assign_part(
        &mut self,
        to: &VerilogExpression,
        width: usize,
        offset: &VerilogExpression,
        value: &VerilogExpression,
    ) -> Result<()> {
        let target = self.target_net(to)?;
        let whole = self.scope.net(target).ty.width;
        let offset = self.index(offset)?;
        let part = match offset.fixed {
            Some(low) if low.saturating_add(width) > whole => {
                return Err(self.out_of_range(low.saturating_add(width - 1), whole, to));
            }
            Some(0) if width == whole => Part::Whole,
            Some(low) => Part::Fixed { low, width },
            None => Part::Variable {
                index: self.address(offset, whole)?,
                width,
            },
        };
        let value = self.value(value)?;
        let value = self.exactly(value, width)?;
        self.block.push(Statement::Assign(Assign {
            target,
            part,
            value,
            origin: Origin::Kernel,
        }));
        Ok(())
    }

    fn target_net(&mut self, to: &VerilogExpression) -> Result<NetId> {
        let VerilogExpression::Signal(name) = to else {
            return Err(self.unsupported(format!("an assignment to `{to:?}`")));
        };
        let name = name.trim_end_matches("$next");
        self.target = source_name(name.trim_start_matches(['.', '$']));
        match self.resolve(name)? {
            Meaning::Net(net) => Ok(net),
            Meaning::Constant(_) => Err(self.unsupported("an assignment to a constant".into())),
        }
    }

    /// Resolves a name of the kernel, with its array indices computed.
    fn resolve(&mut self, name: &str) -> Result<Meaning> {
        let plain = name.replace('.', "$").replace("::", "$");
        let plain = index::resolve(plain.trim_start_matches('$'), &self.loops)
            .map_err(|part| self.unknown(&format!("{} (in {})", source_name(&part), source_name(&plain))))?;
        self.scope.find(&plain).ok_or_else(|| self.unknown(&plain))
    }

    pub fn value(&mut self, expression: &VerilogExpression) -> Result<Value> {
        use VerilogExpression as E;
        match expression {
            E::Signal(name) => {
                if let Some((_, value)) = self.loops.iter().rev().find(|(index, _)| index == name) {
                    return Ok(Value::Number((*value).into()));
                }
                Ok(match self.resolve(name)? {
                    Meaning::Net(net) => Value::Sized(Expr::Net(net), self.scope.net(net).ty.clone()),
                    Meaning::Constant(constant) => {
                        Value::Sized(Expr::Constant(constant), self.scope.constant(constant).ty.clone())
                    }
                })
            }
            E::Literal(number) if is_bool(number) => {
                let value = twos_complement(&literal(number), 1);
                Ok(Value::Sized(Expr::literal(value, 1), Type::bits(1)))
            }
            E::Literal(number) => Ok(Value::Number(literal(number))),
            E::Paren(inner) => self.value(inner),
            E::Cast(inner, width) => {
                let value = self.value(inner)?;
                self.cast(value, *width)
            }
            E::Signed(inner) => Ok(match self.value(inner)? {
                Value::Sized(expr, ty) if ty.is_signed() => Value::SignExtended(expr, ty.width),
                Value::Sized(expr, ty) => Value::Sized(expr, Type::signed(ty.width)),
                other => other,
            }),
            E::Unsigned(inner) => Ok(match self.value(inner)? {
                Value::Sized(expr, ty) => Value::Sized(expr, Type::bits(ty.width)),
                other => other,
            }),
            E::Binary(left, op, right) => self.binary(left, op, right),
            E::Unary(op, inner) => self.unary(op, inner),
            E::Index(inner, at) => self.bit(inner, at),
            E::Slice(inner, width, low) => self.slice(inner, *width, low),
            E::IndexReplace(inner, at, bit) => self.replace_bit(inner, at, bit),
        }
    }

    /// Returns the value and its type.
    ///
    /// # Errors
    /// If only the value's surroundings could give it a width.
    pub fn sized(&self, value: Value) -> Result<(Expr, Type)> {
        match value {
            Value::Sized(expr, ty) => Ok((expr, ty)),
            Value::Number(number) => {
                Err(self.unsupported(format!("the number {number} where nothing gives it a width")))
            }
            Value::SignExtended(..) => {
                Err(self.unsupported("a sign extension where nothing gives it a width".into()))
            }
        }
    }

    /// Returns the value at `width` bits.
    pub fn exactly(&mut self, value: Value, width: usize) -> Result<Expr> {
        match value {
            Value::Sized(expr, ty) if ty.width == width => Ok(expr),
            Value::Sized(expr, ty) => {
                let text = super::print::expression(self.scope, &expr);
                Err(self.mismatch(width, ty.width, text))
            }
            Value::Number(number) => {
                if number.magnitude().bits() > width as u64 {
                    return Err(ExportError::OversizeLiteral {
                        block: self.scope.path.clone(),
                        signal: self.target.clone(),
                        value: number.to_string(),
                        width,
                    });
                }
                Ok(Expr::literal(twos_complement(&number, width), width))
            }
            Value::SignExtended(expr, from) if from >= width => Ok(self.part(expr, 0, width)),
            Value::SignExtended(expr, from) => {
                let net = self.named(expr);
                Ok(Expr::SignExtend(net, width - from))
            }
        }
    }

    /// Extends the value with zeros, or truncates it, to `width` bits.
    fn cast(&mut self, value: Value, width: usize) -> Result<Value> {
        let expr = match value {
            Value::Number(_) => self.exactly(value, width)?,
            other => {
                let (expr, ty) = self.sized(other)?;
                if ty.width < width {
                    Expr::Extend(Box::new(expr), width - ty.width)
                } else {
                    self.part(expr, 0, width)
                }
            }
        };
        Ok(Value::Sized(expr, Type::bits(width)))
    }

    /// Returns the result of an operator.
    pub fn operator_value(&self, expr: Expr, signed: bool) -> Value {
        let width = expr.width(self.scope);
        Value::Sized(
            expr,
            if signed {
                Type::signed(width)
            } else {
                Type::bits(width)
            },
        )
    }

    /// Returns the result of a reduction or a complement.
    fn unary(&mut self, op: &VerilogOpUnary, inner: &VerilogExpression) -> Result<Value> {
        let value = self.value(inner)?;
        if let (VerilogOpUnary::Neg, Value::Number(number)) = (op, &value) {
            return Ok(Value::Number(-number));
        }
        let (expr, ty) = self.sized(value)?;
        let reduce = |op| {
            if ty.width == 1 {
                expr.clone()
            } else {
                Expr::unary(op, expr.clone())
            }
        };
        Ok(match op {
            VerilogOpUnary::Not => Value::Sized(Expr::unary(Unary::Not, expr), ty),
            VerilogOpUnary::Neg => Value::Sized(Expr::unary(Unary::Negate, expr), ty),
            VerilogOpUnary::All => Value::Sized(reduce(Unary::All), Type::bits(1)),
            VerilogOpUnary::Any => Value::Sized(reduce(Unary::Any), Type::bits(1)),
            VerilogOpUnary::Xor => Value::Sized(reduce(Unary::Parity), Type::bits(1)),
        })
    }
}

/// Returns the text of a kernel's comment; `None` for the comment that names the module.
fn comment(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("comment!").unwrap_or(text).trim();
    let text = text
        .trim_start_matches('(')
        .trim_end_matches([')', ';'])
        .trim()
        .trim_matches('"')
        .trim();
    let shown = !text.is_empty() && !text.starts_with(crate::primitive::MODULE_MARKER);
    shown.then(|| text.replace(['\n', '\r'], " "))
}
