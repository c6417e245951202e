//! Finds assignments that only connect, so that the ports of children take the net itself.
use super::analysis::ordered;
use super::collect::Instance;
use super::expression::Expr;
use super::scope::{Class, NetId, Scope};
use super::statement::{Assign, Part, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// The connections of the children's ports, other than to nets of their own name.
#[derive(Default)]
pub(super) struct Connections {
    /// For each connected input of a child, what drives it.
    pub inputs: BTreeMap<NetId, Expr>,
    /// Outputs of children that are connected to an output of this block and carry its name.
    pub outputs: BTreeSet<NetId>,
    /// Outputs of this block that a child drives.
    pub driven: BTreeSet<NetId>,
}

/// Where each net is assigned and read.
struct Uses {
    writes: BTreeMap<NetId, Vec<usize>>,
    read: BTreeSet<NetId>,
}

impl Uses {
    fn of(scope: &Scope, statements: &[Statement]) -> Self {
        let mut uses = Self {
            writes: BTreeMap::new(),
            read: BTreeSet::new(),
        };
        for (position, statement) in statements.iter().enumerate() {
            statement.assigns(false, &mut |assign, _| {
                uses.writes.entry(assign.target).or_default().push(position);
            });
            statement.reads(scope, &mut |net, _, _| {
                uses.read.insert(net);
            });
        }
        uses
    }

    /// Returns true if the value that the expression reads at `position` is the final one.
    fn settled(&self, scope: &Scope, expr: &Expr, position: usize) -> bool {
        let mut settled = true;
        expr.reads(scope, &mut |net, _, _| {
            let last = self.writes.get(&net).and_then(|writes| writes.last());
            settled &= match scope.net(net).class {
                Class::ChildInput(_) => false,
                _ if ordered(scope, net) => last.is_none_or(|last| *last < position),
                _ => true,
            };
        });
        settled
    }
}

/// Removes plain connections from `statements`.
pub(super) fn connect(
    scope: &mut Scope,
    instance: &Instance,
    statements: &mut Vec<Statement>,
) -> Connections {
    drop_dead_defaults(scope, statements);
    let uses = Uses::of(scope, statements);
    let mut connections = Connections::default();
    let mut position = 0;
    statements.retain(|statement| {
        let at = position;
        position += 1;
        let Statement::Assign(Assign {
            target,
            part: Part::Whole,
            value,
            ..
        }) = statement
        else {
            return true;
        };
        let once = uses.writes.get(target).is_some_and(|writes| writes.len() == 1);
        if !once || !uses.settled(scope, value, at) {
            return true;
        }
        match scope.net(*target).class {
            Class::ChildInput(child) if !uses.read.contains(target) => {
                let register = instance.children[child].register.is_some();
                let wire = matches!(
                    value,
                    Expr::Net(_) | Expr::Slice { .. } | Expr::Literal { .. } | Expr::Constant(_)
                );
                if !wire && !register {
                    return true;
                }
                connections.inputs.insert(*target, value.clone());
                false
            }
            Class::Output => {
                let Expr::Net(source) = value else { return true };
                let Class::ChildOutput(child) = scope.net(*source).class else {
                    return true;
                };
                if instance.children[child].register.is_some() || !connections.outputs.insert(*source) {
                    return true;
                }
                connections.driven.insert(*target);
                let name = scope.net(*target).verilog.clone();
                scope.rename(*source, name);
                false
            }
            _ => true,
        }
    });
    connections
}

/// Removes whole assignments that a later one always replaces before anything reads them.
fn drop_dead_defaults(scope: &Scope, statements: &mut Vec<Statement>) {
    let mut dead = BTreeSet::new();
    let mut pending: BTreeMap<NetId, usize> = BTreeMap::new();
    for (position, statement) in statements.iter().enumerate() {
        statement.reads(scope, &mut |net, _, _| {
            if ordered(scope, net) {
                pending.remove(&net);
            }
        });
        match statement {
            Statement::Assign(assign) if matches!(assign.part, Part::Whole) => {
                dead.extend(pending.insert(assign.target, position));
            }
            _ => statement.assigns(false, &mut |assign, _| {
                pending.remove(&assign.target);
            }),
        }
    }
    let mut position = 0;
    statements.retain(|_| {
        position += 1;
        !dead.contains(&(position - 1))
    });
}
