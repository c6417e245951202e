//! Divides the statements of a region into blocks. Each block can run by itself after earlier ones.
use super::statement::{Region, Variable};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// Statements that run together, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Indices into [`Region::statements`].
    pub statements: Vec<usize>,
    /// Members of the design whose values from before the block may be read by it.
    pub needs: BTreeSet<Variable>,
    pub writes: BTreeSet<Variable>,
}

/// Divides a region into blocks of at most `limit` statements, or more if more statements write one variable.
///
/// Statements that write one variable, or use one local, stay together in their order. If a statement reads a value
/// that another writes, their order stays, so that a block sees the same values as if all statements ran.
pub fn blocks(region: &Region, limit: usize) -> Vec<Block> {
    let groups = groups(region);
    let parts = components(&groups.after);
    let order = order(region, &groups, &parts);
    let mut blocks: Vec<Block> = Vec::new();
    let mut module = None;
    for (statements, of) in order {
        let fits = blocks
            .last()
            .is_some_and(|block| block.statements.len() + statements.len() <= limit);
        match blocks.last_mut() {
            Some(block) if fits && module.as_ref() == Some(&of) => block.statements.extend(statements),
            _ => blocks.push(Block {
                statements,
                ..Block::default()
            }),
        }
        module = Some(of);
    }
    for block in &mut blocks {
        let mut certain = BTreeSet::new();
        for statement in block.statements.iter().map(|index| &region.statements[*index]) {
            let needs = statement.reads().into_iter().filter(|v| !certain.contains(v));
            block
                .needs
                .extend(needs.filter(|v| region.variables[*v].local.is_none()));
            certain.extend(statement.certain());
            let writes = statement.writes().into_iter();
            block
                .writes
                .extend(writes.filter(|v| region.variables[*v].local.is_none()));
        }
    }
    blocks
}

/// Groups of statements that must stay together, and the order of these groups.
struct Groups {
    /// Group of each statement.
    of: Vec<usize>,
    /// For each group, the groups that follow it.
    after: Vec<BTreeSet<usize>>,
}

fn groups(region: &Region) -> Groups {
    let count = region.statements.len();
    let reads: Vec<_> = region.statements.iter().map(|s| s.reads()).collect();
    let writes: Vec<_> = region.statements.iter().map(|s| s.writes()).collect();
    let mut sets = Sets::new(count);
    let mut together: HashMap<Variable, usize> = HashMap::new();
    for statement in 0..count {
        let locals = reads[statement]
            .iter()
            .filter(|v| region.variables[**v].local.is_some());
        for variable in locals.chain(&writes[statement]) {
            if let Some(other) = together.insert(*variable, statement) {
                sets.join(other, statement);
            }
        }
    }
    let of: Vec<usize> = (0..count).map(|statement| sets.find(statement)).collect();
    let mut after = vec![BTreeSet::new(); count];
    let mut writer: HashMap<Variable, usize> = HashMap::new();
    let mut readers: HashMap<Variable, Vec<usize>> = HashMap::new();
    let mut follows = |first: usize, then: usize| {
        if of[first] != of[then] {
            after[of[first]].insert(of[then]);
        }
    };
    for statement in 0..count {
        for variable in &reads[statement] {
            if let Some(before) = writer.get(variable) {
                follows(*before, statement);
            }
        }
        for variable in &writes[statement] {
            readers
                .remove(variable)
                .unwrap_or_default()
                .into_iter()
                .for_each(|r| follows(r, statement));
            writer.insert(*variable, statement);
        }
        for variable in &reads[statement] {
            readers.entry(*variable).or_default().push(statement);
        }
    }
    Groups { of, after }
}

/// Disjoint sets of numbers, as a union-find structure.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Sets {
        Sets((0..count).collect())
    }

    fn find(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[other] = one;
    }
}

/// Returns the strongly connected component of each node (Tarjan's algorithm, without recursion).
fn components(after: &[BTreeSet<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let count = after.len();
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let (mut stack, mut on_stack) = (Vec::new(), vec![false; count]);
    let mut component = vec![UNSEEN; count];
    let (mut seen, mut made) = (0, 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut work = vec![(root, after[root].iter())];
        (index[root], low[root]) = (seen, seen);
        seen += 1;
        stack.push(root);
        on_stack[root] = true;
        while let Some((node, next)) = work.last_mut() {
            let node = *node;
            match next.next() {
                Some(&other) if index[other] == UNSEEN => {
                    (index[other], low[other]) = (seen, seen);
                    seen += 1;
                    stack.push(other);
                    on_stack[other] = true;
                    work.push((other, after[other].iter()));
                }
                Some(&other) if on_stack[other] => low[node] = low[node].min(index[other]),
                Some(_) => {}
                None => {
                    work.pop();
                    if let Some((above, _)) = work.last() {
                        low[*above] = low[*above].min(low[node]);
                    }
                    if low[node] == index[node] {
                        while let Some(member) = stack.pop() {
                            on_stack[member] = false;
                            component[member] = made;
                            if member == node {
                                break;
                            }
                        }
                        made += 1;
                    }
                }
            }
        }
    }
    component
}

/// Returns the parts in an order in which each comes after those that it needs, grouped by module as far as possible.
/// Each part has its statements and its module.
fn order(region: &Region, groups: &Groups, parts: &[usize]) -> Vec<(Vec<usize>, String)> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (statement, group) in groups.of.iter().enumerate() {
        members.entry(parts[*group]).or_default().push(statement);
    }
    let mut after: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    let mut waits: HashMap<usize, usize> = HashMap::new();
    for (group, next) in groups.after.iter().enumerate() {
        for other in next {
            let (one, other) = (parts[group], parts[*other]);
            if one != other && after.entry(one).or_default().insert(other) {
                *waits.entry(other).or_default() += 1;
            }
        }
    }
    let modules: HashMap<usize, String> = members
        .iter()
        .map(|(part, statements)| (*part, module(region, statements)))
        .collect();
    let mut ready: BTreeMap<&str, BinaryHeap<Reverse<(usize, usize)>>> = BTreeMap::new();
    for (part, statements) in &members {
        if !waits.contains_key(part) {
            ready
                .entry(&modules[part])
                .or_default()
                .push(Reverse((statements[0], *part)));
        }
    }
    let mut order = Vec::new();
    let mut module = "";
    loop {
        if ready.get(module).is_none_or(BinaryHeap::is_empty) {
            let most = ready
                .iter()
                .max_by_key(|(name, parts)| (parts.len(), Reverse(**name)));
            match most.filter(|(_, parts)| !parts.is_empty()) {
                Some((name, _)) => module = name,
                None => return order,
            }
        }
        let Some(Reverse((_, part))) = ready.get_mut(module).and_then(BinaryHeap::pop) else {
            return order;
        };
        order.push((members[&part].clone(), module.to_owned()));
        for next in after.get(&part).into_iter().flatten() {
            if let Some(left) = waits.get_mut(next) {
                *left -= 1;
                if *left == 0 {
                    ready
                        .entry(&modules[next])
                        .or_default()
                        .push(Reverse((members[next][0], *next)));
                }
            }
        }
    }
}

/// Returns the instance whose variables these statements write, or read if they write none.
fn module(region: &Region, statements: &[usize]) -> String {
    let of = |variables: BTreeSet<Variable>| {
        variables
            .into_iter()
            .find_map(|v| instance(&region.variables[v].name).map(str::to_owned))
    };
    let statements = || statements.iter().map(|index| &region.statements[*index]);
    let written = statements().find_map(|s| of(s.writes()));
    written
        .or_else(|| statements().find_map(|s| of(s.reads())))
        .unwrap_or_default()
}

/// Returns the instance of a variable: `hca__DOT__timers` for `__Vdly__hca__DOT__timers__DOT__due`.
fn instance(name: &str) -> Option<&str> {
    let name = match name.strip_prefix("__V") {
        Some(rest) => rest.split_once("__")?.1,
        None => name,
    };
    name.rsplit_once("__DOT__").map(|(instance, _)| instance)
}

#[cfg(test)]
mod tests {
    use super::super::function::{Cpp, ROOT};
    use super::*;

    fn cut(body: &str, limit: usize) -> (Region, Vec<Block>) {
        let text = format!(
            "void {ROOT}___eval_ico({ROOT}* vlSelf) {{ IData l; if ((1ULL & vlSelfRef.__VicoTriggered[0U])) {{ {body} }} }}"
        );
        let region = Region::read(&Cpp::read(text).unwrap(), "ico").unwrap();
        let blocks = blocks(&region, limit);
        (region, blocks)
    }

    fn statements(blocks: &[Block]) -> Vec<Vec<usize>> {
        blocks.iter().map(|b| b.statements.clone()).collect()
    }

    fn needs<'a>(region: &'a Region, block: &Block) -> Vec<&'a str> {
        block
            .needs
            .iter()
            .map(|v| &region.variables[*v].name[..])
            .collect()
    }

    #[test]
    fn writers_of_one_variable_stay_together() {
        let body = "vlSelfRef.a = vlSelfRef.x; vlSelfRef.b = vlSelfRef.y; if (vlSelfRef.c) { vlSelfRef.a = vlSelfRef.z; }";
        let (region, blocks) = cut(body, 1);
        assert_eq!(statements(&blocks), [vec![0, 2], vec![1]]);
        assert_eq!(needs(&region, &blocks[0]), ["x", "c", "z"]);
    }

    #[test]
    fn users_of_one_local_stay_together() {
        let body = "l = vlSelfRef.x; vlSelfRef.b = vlSelfRef.y; vlSelfRef.a = l;";
        assert_eq!(statements(&cut(body, 1).1), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn a_register_is_read_before_it_is_written() {
        let body = "vlSelfRef.old = vlSelfRef.q; vlSelfRef.q = vlSelfRef.d; vlSelfRef.y = vlSelfRef.q;";
        let (_, blocks) = cut(body, 1);
        assert_eq!(statements(&blocks), [[0], [1], [2]]);
    }

    #[test]
    fn statements_that_need_each_other_are_one_block() {
        // a is read before and after b is written, b before and after a.
        let body = "vlSelfRef.a = vlSelfRef.b; vlSelfRef.b = vlSelfRef.a; vlSelfRef.a = vlSelfRef.c;";
        let (region, blocks) = cut(body, 1);
        assert_eq!(statements(&blocks), [[0, 1, 2]]);
        assert_eq!(needs(&region, &blocks[0]), ["b", "c"]);
    }

    #[test]
    fn a_variable_that_is_surely_written_before_it_is_read_is_no_need() {
        let body = "vlSelfRef.a = vlSelfRef.x; vlSelfRef.a = (1U & vlSelfRef.a);";
        let (region, blocks) = cut(body, 8);
        assert_eq!(needs(&region, &blocks[0]), ["x"]);
    }
}
