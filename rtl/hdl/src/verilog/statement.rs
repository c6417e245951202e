//! Statements of a kernel after unrolling.
use super::expression::{mask, Expr};
use super::scope::{NetId, Scope};
use num_bigint::BigUint;

/// Which bits of its target an assignment sets.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Whole,
    Fixed { low: usize, width: usize },
    Variable { index: Expr, width: usize },
}

/// Where an assignment comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Origin {
    Kernel,
    /// The assignment comes from `dff_setup!` or `clock!`, whose defaults a kernel overrides.
    Setup,
    /// The assignment comes from `link` or `join` of interfaces.
    Link,
}

#[derive(Clone, Debug)]
pub(super) struct Assign {
    /// Net that the assignment sets.
    pub target: NetId,
    /// Bits of the net that it sets.
    pub part: Part,
    /// Value that it sets them to.
    pub value: Expr,
    /// Where the assignment comes from.
    pub origin: Origin,
}

/// One arm of a case.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    /// Value that selects the arm; `None` for the arm of all other values.
    pub label: Option<Expr>,
    /// Statements of the arm.
    pub block: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Comment(String),
    Assign(Assign),
    If {
        test: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Case {
        test: Expr,
        arms: Vec<Arm>,
    },
}

impl Assign {
    /// Returns the bits that are certainly set.
    pub fn bits(&self, scope: &Scope) -> BigUint {
        match self.part {
            Part::Whole => mask(0, scope.net(self.target).ty.width),
            Part::Fixed { low, width } => mask(low, width),
            Part::Variable { .. } => BigUint::default(),
        }
    }

    fn expressions(&self) -> Vec<&Expr> {
        match &self.part {
            Part::Variable { index, .. } => vec![index, &self.value],
            _ => vec![&self.value],
        }
    }
}

impl Statement {
    /// Returns the statements nested in this one.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        match self {
            Self::Comment(_) | Self::Assign(_) => vec![],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Case { arms, .. } => arms.iter().map(|arm| arm.block.as_slice()).collect(),
        }
    }

    /// Calls `visit` with each assignment in the statement, and with whether a condition guards it.
    pub fn assigns(&self, guarded: bool, visit: &mut dyn FnMut(&Assign, bool)) {
        match self {
            Self::Assign(assign) => visit(assign, guarded),
            _ => self
                .blocks()
                .into_iter()
                .flatten()
                .for_each(|inner| inner.assigns(true, visit)),
        }
    }

    /// Returns the expressions of this statement itself, without those of nested ones.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Comment(_) => vec![],
            Self::Assign(assign) => assign.expressions(),
            Self::If { test, .. } => vec![test],
            Self::Case { test, arms } => std::iter::once(test)
                .chain(arms.iter().filter_map(|arm| arm.label.as_ref()))
                .collect(),
        }
    }

    /// Calls `visit` with each read in the statement: net, lowest bit, width.
    pub fn reads(&self, scope: &Scope, visit: &mut dyn FnMut(NetId, usize, usize)) {
        self.walk(&mut |expr| expr.reads(scope, visit));
    }

    /// Calls `visit` with each outermost expression in the statement.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.expressions().into_iter().for_each(&mut *visit);
        self.blocks()
            .into_iter()
            .flatten()
            .for_each(|inner| inner.walk(visit));
    }
}
