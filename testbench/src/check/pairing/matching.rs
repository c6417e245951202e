//! Which queue pairs are a connection, by how well they fit each other.
use super::End;
use std::collections::BTreeMap;

/// Largest number of pairs that are tried to find one for every queue pair.
const TRIED: usize = 1 << 21;
/// Largest number of pairs that are changed to make room for one more.
const LONGEST: usize = 64;

/// Another queue pair that fits, and how well.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    score: i64,
}

/// The queue pairs, and the pairs made so far.
struct Graph {
    edges: Vec<Vec<Edge>>,
    with: Vec<Option<Edge>>,
    tried: usize,
}

/// Pairs the queue pairs that fit best. Each belongs to at most one connection. Where many fit equally well, no queue
/// pair stays alone that has another choice.
pub(super) fn connections(scores: BTreeMap<(End, End), i64>) -> Vec<(End, End)> {
    let mut scores: Vec<((End, End), i64)> = scores.into_iter().filter(|(_, score)| *score > 0).collect();
    scores.sort_by_key(|(ends, score)| (-score, *ends));
    let mut numbers = BTreeMap::new();
    for ((x, y), _) in &scores {
        for end in [x, y] {
            let next = numbers.len();
            numbers.entry(*end).or_insert(next);
        }
    }
    let mut graph = Graph {
        edges: vec![Vec::new(); numbers.len()],
        with: vec![None; numbers.len()],
        tried: 0,
    };
    for ((x, y), score) in &scores {
        let (x, y, score) = (numbers[x], numbers[y], *score);
        graph.edges[x].push(Edge { to: y, score });
        graph.edges[y].push(Edge { to: x, score });
        if graph.with[x].is_none() && graph.with[y].is_none() {
            graph.join(x, Edge { to: y, score });
        }
    }
    for alone in 0..graph.with.len() {
        if graph.with[alone].is_none() {
            let mut seen = vec![false; graph.with.len()];
            graph.finds(alone, i64::MIN, LONGEST, &mut seen);
        }
    }
    let ends: Vec<End> = {
        let mut ends: Vec<(usize, End)> = numbers.into_iter().map(|(end, n)| (n, end)).collect();
        ends.sort_unstable_by_key(|(n, _)| *n);
        ends.into_iter().map(|(_, end)| end).collect()
    };
    let joined = |(x, edge): (usize, &Option<Edge>)| edge.map(|edge| (ends[x], ends[edge.to]));
    let both = graph.with.iter().enumerate().filter_map(joined);
    both.filter(|(x, y)| x <= y).collect()
}

impl Graph {
    fn join(&mut self, x: usize, edge: Edge) {
        self.with[x] = Some(edge);
        self.with[edge.to] = Some(Edge { to: x, ..edge });
    }

    /// Finds a partner for `x` that fits at least this well. The partner's own partner must find another that it fits
    /// no worse.
    fn finds(&mut self, x: usize, least: i64, steps: usize, seen: &mut [bool]) -> bool {
        for at in 0..self.edges[x].len() {
            let edge = self.edges[x][at];
            self.tried += 1;
            if self.tried > TRIED || edge.score < least {
                return false;
            }
            if std::mem::replace(&mut seen[edge.to], true) || edge.to == x {
                continue;
            }
            let free = match self.with[edge.to] {
                None => true,
                Some(left) if left.to == x => false,
                Some(left) => steps > 0 && self.finds(left.to, left.score, steps - 1, seen),
            };
            if free {
                self.join(x, edge);
                return true;
            }
        }
        false
    }
}
