//! Splits a kernel into parts that share no variable. Each becomes an assignment or an `always` block, which is
//! readable and forms no false loops with the others.
use super::analysis::ordered;
use super::scope::{source_name, Class, NetId, Scope};
use super::statement::{Part, Statement};
use super::ExportError;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Statements that must stay together, in kernel order.
#[derive(Default)]
pub(super) struct Group {
    /// Comments that stand before the statements.
    pub comments: Vec<String>,
    /// The statements.
    pub statements: Vec<Statement>,
}

impl Group {
    pub fn targets(&self) -> BTreeSet<NetId> {
        let mut targets = BTreeSet::new();
        for statement in &self.statements {
            statement.assigns(false, &mut |assign, _| {
                targets.insert(assign.target);
            });
        }
        targets
    }

    /// Returns true if continuous assignments can replace the group.
    pub fn continuous(&self, scope: &Scope) -> bool {
        let targets = self.targets();
        let mut assigned: BTreeMap<NetId, BigUint> = BTreeMap::new();
        self.statements.iter().all(|statement| {
            let Statement::Assign(assign) = statement else {
                return false;
            };
            let mut independent = !matches!(assign.part, Part::Variable { .. });
            statement.reads(scope, &mut |net, _, _| independent &= !targets.contains(&net));
            let bits = assign.bits(scope);
            let known = assigned.entry(assign.target).or_default();
            independent &= (&*known & &bits).bits() == 0;
            *known |= bits;
            independent
        })
    }
}

/// Returns the groups in the order of their first statements.
pub(super) fn groups(scope: &Scope, statements: Vec<Statement>) -> Result<Vec<Group>, ExportError> {
    let mut sets = Sets {
        parent: (0..statements.len()).collect(),
    };
    let mut writes: BTreeMap<NetId, Vec<usize>> = BTreeMap::new();
    for (position, statement) in statements.iter().enumerate() {
        statement.assigns(false, &mut |assign, _| {
            writes.entry(assign.target).or_default().push(position);
        });
    }
    for positions in writes.values() {
        positions
            .iter()
            .for_each(|position| sets.join(positions[0], *position));
    }
    // A variable that changes again after a read must keep its order with the reader.
    for (position, statement) in statements.iter().enumerate() {
        statement.reads(scope, &mut |net, _, _| {
            if let Some(positions) = writes.get(&net).filter(|_| ordered(scope, net)) {
                if positions.iter().any(|write| *write > position) {
                    sets.join(positions[0], position);
                }
            }
        });
    }
    refuse_child_input_feedback(scope, &statements, &writes, &mut sets)?;

    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    let mut order = vec![];
    let mut comments = vec![];
    for (position, statement) in statements.into_iter().enumerate() {
        if let Statement::Comment(text) = statement {
            comments.push(text);
            continue;
        }
        let set = sets.find(position);
        let group = groups.entry(set).or_insert_with(|| {
            order.push(set);
            Group {
                comments: std::mem::take(&mut comments),
                statements: vec![],
            }
        });
        group
            .statements
            .extend(std::mem::take(&mut comments).into_iter().map(Statement::Comment));
        group.statements.push(statement);
    }
    Ok(order.into_iter().filter_map(|set| groups.remove(&set)).collect())
}

/// Refuses a kernel that reads an input of a child before the input is settled: the kernel reads the settled value, but
/// a Verilog variable has the value assigned so far.
fn refuse_child_input_feedback(
    scope: &Scope,
    statements: &[Statement],
    writes: &BTreeMap<NetId, Vec<usize>>,
    sets: &mut Sets,
) -> Result<(), ExportError> {
    let mut failure = None;
    for (position, statement) in statements.iter().enumerate() {
        statement.reads(scope, &mut |net, _, _| {
            let own = writes
                .get(&net)
                .is_some_and(|writes| sets.find(writes[0]) == sets.find(position));
            if own && matches!(scope.net(net).class, Class::ChildInput(_)) {
                failure.get_or_insert(net);
            }
        });
    }
    match failure {
        None => Ok(()),
        Some(net) => Err(ExportError::Unsupported {
            block: scope.path.clone(),
            signal: source_name(&scope.net(net).source),
            construct: "reading a child's input in the statements that assign it".into(),
        }),
    }
}

struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    fn find(&mut self, mut member: usize) -> usize {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
