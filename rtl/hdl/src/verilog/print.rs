//! Verilog text of expressions and statements.
use super::expression::{Expr, Operator, Unary};
use super::scope::{Class, NetId, Scope};
use super::statement::{Arm, Assign, Part, Statement};
use num_bigint::BigUint;
use std::fmt::Write;

/// Longest line that is not broken.
const COLUMNS: usize = 110;

/// Returns `[width-1:0] `, or nothing for one bit.
pub(super) fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}

pub(super) fn literal(value: &BigUint, width: usize) -> String {
    match width {
        1 => format!("1'b{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// Returns the text of an expression in a context of exactly its width.
pub(super) fn expression(scope: &Scope, expr: &Expr) -> String {
    let name = |net: &NetId| scope.net(*net).verilog.as_str();
    match expr {
        Expr::Net(net) => name(net).into(),
        Expr::Constant(constant) => scope.constant(*constant).verilog.clone(),
        Expr::Literal { value, width } => literal(value, *width),
        Expr::Slice { net, low, width: 1 } => format!("{}[{low}]", name(net)),
        Expr::Slice { net, low, width } => format!("{}[{}:{low}]", name(net), low + width - 1),
        Expr::Part { net, index, width: 1 } => format!("{}[{}]", name(net), expression(scope, index)),
        Expr::Part { net, index, width } => {
            format!("{}[{} +: {width}]", name(net), expression(scope, index))
        }
        Expr::Unary(Unary::Signed, operand) => format!("$signed({})", expression(scope, operand)),
        Expr::Unary(op, operand) => format!("{}{}", sign(*op, operand, scope), atom(scope, operand)),
        Expr::Binary(op, left, right) => {
            // `a & b & c` groups to the left by itself.
            let chained = matches!(&**left, Expr::Binary(inner, ..) if inner == op && associative(*op));
            let left = if chained {
                expression(scope, left)
            } else {
                operand(scope, left)
            };
            let right = match (op, &**right) {
                (Operator::Shl | Operator::Shr, Expr::Literal { value, .. }) => value.to_string(),
                (_, right) => operand(scope, right),
            };
            format!("{left} {} {right}", symbol(*op))
        }
        Expr::Extend(operand, zeros) => format!("{{{zeros}'d0, {}}}", expression(scope, operand)),
        Expr::SignExtend(net, copies) => {
            let name = name(net);
            let sign = match scope.net(*net).ty.width {
                1 => name.to_string(),
                width => format!("{name}[{}]", width - 1),
            };
            format!("{{{{{copies}{{{sign}}}}}, {name}}}")
        }
    }
}

fn is_atom(expr: &Expr) -> bool {
    !matches!(expr, Expr::Binary(..) | Expr::Unary(..)) || matches!(expr, Expr::Unary(Unary::Signed, _))
}

fn atom(scope: &Scope, expr: &Expr) -> String {
    let text = expression(scope, expr);
    if is_atom(expr) {
        text
    } else {
        format!("({text})")
    }
}

fn operand(scope: &Scope, expr: &Expr) -> String {
    match expr {
        Expr::Unary(Unary::Not, _) => expression(scope, expr),
        _ => atom(scope, expr),
    }
}

fn associative(op: Operator) -> bool {
    matches!(
        op,
        Operator::And
            | Operator::Or
            | Operator::Xor
            | Operator::Add
            | Operator::LogicalAnd
            | Operator::LogicalOr
    )
}

fn sign(op: Unary, operand: &Expr, scope: &Scope) -> &'static str {
    match op {
        Unary::Not if operand.width(scope) == 1 => "!",
        Unary::Not => "~",
        Unary::Negate => "-",
        Unary::All => "&",
        Unary::Any => "|",
        Unary::Parity => "^",
        Unary::Signed => "",
    }
}

fn symbol(op: Operator) -> &'static str {
    match op {
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mul => "*",
        Operator::And => "&",
        Operator::Or => "|",
        Operator::Xor => "^",
        Operator::LogicalAnd => "&&",
        Operator::LogicalOr => "||",
        Operator::Eq => "==",
        Operator::Ne => "!=",
        Operator::Lt => "<",
        Operator::Le => "<=",
        Operator::Gt => ">",
        Operator::Ge => ">=",
        Operator::Shl => "<<",
        Operator::Shr => ">>",
    }
}

/// Writes one line at `depth`, broken at spaces if it is too long.
pub(super) fn line(text: &mut String, depth: usize, content: &str) {
    wrapped(text, &"  ".repeat(depth), &"  ".repeat(depth + 2), content);
}

/// Writes a comment at `depth`.
pub(super) fn comment(text: &mut String, depth: usize, content: &str) {
    let indent = format!("{}// ", "  ".repeat(depth));
    wrapped(text, &indent, &indent, content);
}

fn wrapped(text: &mut String, first: &str, further: &str, content: &str) {
    let (mut indent, mut rest) = (first, content);
    while indent.len() + rest.len() > COLUMNS {
        let room = COLUMNS.saturating_sub(indent.len()).max(40);
        let spaces = || {
            rest.char_indices()
                .skip(1)
                .filter(|(_, c)| *c == ' ')
                .map(|(at, _)| at)
        };
        let Some(cut) = spaces()
            .take_while(|at| *at <= room)
            .last()
            .or_else(|| spaces().next())
        else {
            break;
        };
        let _ = writeln!(text, "{indent}{}", &rest[..cut]);
        rest = &rest[cut + 1..];
        indent = further;
    }
    let _ = writeln!(text, "{indent}{rest}");
}

/// Returns the left side of an assignment.
pub(super) fn target(scope: &Scope, assign: &Assign) -> String {
    let name = &scope.net(assign.target).verilog;
    match &assign.part {
        Part::Whole => name.clone(),
        Part::Fixed { low, width: 1 } => format!("{name}[{low}]"),
        Part::Fixed { low, width } => format!("{name}[{}:{low}]", low + width - 1),
        Part::Variable { index, width: 1 } => format!("{name}[{}]", expression(scope, index)),
        Part::Variable { index, width } => format!("{name}[{} +: {width}]", expression(scope, index)),
    }
}

/// Writes the statements of an `always` block.
pub(super) fn statements(text: &mut String, scope: &Scope, block: &[Statement], depth: usize) {
    for statement in block {
        match statement {
            Statement::Comment(content) => comment(text, depth, content),
            Statement::Assign(assign) => {
                let value = expression(scope, &assign.value);
                line(text, depth, &format!("{} = {value};", target(scope, assign)));
            }
            Statement::If { .. } => conditional(text, scope, statement, depth, ""),
            Statement::Case { test, arms } => case(text, scope, test, arms, depth),
        }
    }
}

fn conditional(text: &mut String, scope: &Scope, statement: &Statement, depth: usize, before: &str) {
    let Statement::If {
        test,
        then,
        otherwise,
    } = statement
    else {
        return;
    };
    line(
        text,
        depth,
        &format!("{before}if ({}) begin", expression(scope, test)),
    );
    statements(text, scope, then, depth + 1);
    match otherwise.as_slice() {
        [] => line(text, depth, "end"),
        [chained @ Statement::If { .. }] => conditional(text, scope, chained, depth, "end else "),
        block => {
            line(text, depth, "end else begin");
            statements(text, scope, block, depth + 1);
            line(text, depth, "end");
        }
    }
}

fn case(text: &mut String, scope: &Scope, test: &Expr, arms: &[Arm], depth: usize) {
    line(text, depth, &format!("case ({})", expression(scope, test)));
    let labels = arms.iter().filter(|arm| arm.label.is_some()).count();
    let open = arms.iter().any(|arm| arm.label.is_none());
    let every_code = labels == 1usize << test.width(scope).min(32);
    let every_variant = test.variants(scope) == Some(labels);
    for (number, arm) in arms.iter().enumerate() {
        let label = arm.label.as_ref().map(|label| expression(scope, label));
        // Codes that no variant has go to the last arm, so that no latch is inferred.
        let stands_for_rest = !open && !every_code && every_variant && number + 1 == arms.len();
        match label {
            Some(label) if stands_for_rest => {
                comment(text, depth + 1, &label);
                line(text, depth + 1, "default: begin");
            }
            Some(label) => line(text, depth + 1, &format!("{label}: begin")),
            None => line(text, depth + 1, "default: begin"),
        }
        statements(text, scope, &arm.block, depth + 2);
        line(text, depth + 1, "end");
    }
    if !open && !every_code && !every_variant {
        line(text, depth + 1, "default: begin");
        line(text, depth + 1, "end");
    }
    line(text, depth, "endcase");
}

/// Writes `net = 0;` for each intermediate value that only some paths compute.
pub(super) fn guarded_temporaries(text: &mut String, scope: &Scope, block: &[Statement], depth: usize) {
    for statement in block {
        statement.assigns(false, &mut |assign, guarded| {
            let net = scope.net(assign.target);
            if guarded && net.class == Class::Temporary {
                let zero = literal(&BigUint::default(), net.ty.width);
                line(text, depth, &format!("{} = {zero};", net.verilog));
            }
        });
    }
}
