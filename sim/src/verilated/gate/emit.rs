//! Writes C++ that runs only those blocks of a design that read a changed value.
use super::block::Block;
use super::function::ROOT;
use super::member::{Member, Storage};
use super::statement::{Name, Region, Statement, Variable};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// The two regions: the logic behind inputs, and the logic at a clock's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Settle,
    Edge,
}

/// A region divided into blocks.
#[derive(Default)]
pub struct Blocks {
    pub region: Region,
    pub blocks: Vec<Block>,
}

/// The code of both regions.
pub struct Gated<'a> {
    pub settle: Blocks,
    pub edge: Blocks,
    pub members: &'a HashMap<String, Member>,
    pub clock: &'a str,
    /// Declarations of the constants that statements use.
    pub constants: &'a str,
}

impl Gated<'_> {
    /// Returns, for each block of the logic behind inputs, whether it writes values that no clocked block writes.
    fn alone(&self) -> Vec<bool> {
        let clocked: BTreeSet<&String> = self.edge.written().collect();
        let of = |block: &Block| {
            block
                .writes
                .iter()
                .any(|v| !clocked.contains(self.settle.name(*v)))
        };
        self.settle.blocks.iter().map(of).collect()
    }
}

/// The blocks that read a member, by its name.
struct Readers {
    of: BTreeMap<String, BTreeSet<(Phase, usize)>>,
    /// See [`Gated::alone`].
    alone: Vec<bool>,
}

impl Readers {
    fn new(gated: &Gated<'_>) -> Readers {
        let mut of: BTreeMap<String, BTreeSet<(Phase, usize)>> = BTreeMap::new();
        for (phase, blocks) in [(Phase::Settle, &gated.settle), (Phase::Edge, &gated.edge)] {
            for (index, block) in blocks.blocks.iter().enumerate() {
                for variable in &block.needs {
                    of.entry(blocks.name(*variable).clone())
                        .or_default()
                        .insert((phase, index));
                }
            }
        }
        let alone = gated.alone();
        Readers { of, alone }
    }

    /// Returns the blocks that have to run after this member has changed in this phase. Clocked logic renews all values
    /// that follow from registers. Blocks of the logic behind inputs therefore have to run after it only if they write
    /// something that no clocked block writes.
    fn woken(&self, phase: Phase, member: &str) -> impl Iterator<Item = (Phase, usize)> + '_ {
        let of = self.of.get(member).into_iter().flatten().copied();
        of.filter(move |(reader, index)| match (phase, reader) {
            (Phase::Edge, Phase::Settle) => self.alone[*index],
            _ => true,
        })
    }

    /// Returns the blocks that have to run after this input has changed.
    fn of_input(&self, name: &str) -> impl Iterator<Item = (Phase, usize)> + '_ {
        self.of.get(name).into_iter().flatten().copied()
    }
}

/// Number of bits in a word of flags; a flag is set if its block has to run.
const BITS: usize = 64;
/// Largest number of statements of a function that runs blocks unconditionally, because longer functions take a
/// compiler long.
const RUN: usize = 400;

/// Returns the C++ files: `parts` files with the blocks, and one that calls them.
pub fn files(gated: &Gated<'_>, parts: usize) -> Vec<(String, String)> {
    let readers = Readers::new(gated);
    let all = gated.settle.texts(Phase::Settle, gated, &readers);
    let edges = gated.edge.texts(Phase::Edge, gated, &readers);
    let [settles, clocks] = [gated.settle.runs(Phase::Settle), gated.edge.runs(Phase::Edge)];
    let runs = [(Phase::Settle, settles.len()), (Phase::Edge, clocks.len())];
    let all: Vec<String> = all
        .into_iter()
        .chain(edges)
        .chain(settles)
        .chain(clocks)
        .collect();
    let total: usize = all.iter().map(String::len).sum();
    let head = format!("#include \"{ROOT}.h\"\n#include <cstring>\n{}\n", gated.constants);
    let mut files: Vec<(String, String)> = Vec::new();
    let mut written = 0;
    for text in all {
        if files.is_empty() || written > total * files.len() / parts {
            files.push((format!("gate{}.cpp", files.len()), head.clone()));
        }
        written += text.len();
        if let Some((_, file)) = files.last_mut() {
            file.push_str(&text);
        }
    }
    files.push(("gate.cpp".to_owned(), caller(gated, &readers, runs)));
    files
}

/// Returns code that marks these blocks as having to run.
fn marks(blocks: impl Iterator<Item = (Phase, usize)>) -> String {
    let mut words: BTreeMap<(Phase, usize), u64> = BTreeMap::new();
    for (phase, block) in blocks {
        *words.entry((phase, block / BITS)).or_default() |= 1 << (block % BITS);
    }
    let mut text = String::new();
    for ((phase, word), bits) in words {
        let name = phase.name();
        let _ = write!(text, " {name}[{word}] |= {bits:#x}ULL;");
    }
    text
}

impl Blocks {
    fn texts(&self, phase: Phase, gated: &Gated<'_>, readers: &Readers) -> Vec<String> {
        let numbered = self.blocks.iter().enumerate();
        numbered
            .map(|(index, block)| self.text(phase, index, block, gated, readers))
            .collect()
    }

    /// Returns a function that runs a block and marks the readers of the values that it changed.
    fn text(
        &self,
        phase: Phase,
        index: usize,
        block: &Block,
        gated: &Gated<'_>,
        readers: &Readers,
    ) -> String {
        let mut text = format!("{} {{\n auto& vlSelfRef = *vlSelf;\n", signature(phase, index));
        let statements = || {
            block
                .statements
                .iter()
                .map(|index| &self.region.statements[*index])
        };
        text.push_str(&self.locals(statements()));
        let mut memories: BTreeMap<Variable, String> = BTreeMap::new();
        let mut after = String::new();
        for variable in &block.writes {
            let member = self.name(*variable);
            let marks = marks(readers.woken(phase, member));
            if marks.is_empty() {
                continue;
            }
            let differs = match gated.members[member.as_str()].storage {
                Storage::Memory => {
                    memories.insert(*variable, marks);
                    continue;
                }
                Storage::Scalar => format!("o_{member} != vlSelfRef.{member}"),
                Storage::Wide => format!("std::memcmp(&o_{member}, &vlSelfRef.{member}, sizeof o_{member})"),
            };
            let _ = writeln!(text, " const auto o_{member} = vlSelfRef.{member};");
            let _ = writeln!(after, " if (VL_UNLIKELY({differs})) {{{marks} }}");
        }
        for statement in statements() {
            print(statement, &memories, &mut text);
        }
        text.push_str(&after);
        text.push_str("}\n");
        text
    }

    /// Returns functions that run all blocks unconditionally.
    fn runs(&self, phase: Phase) -> Vec<String> {
        let mut runs: Vec<Vec<&Statement>> = Vec::new();
        for block in &self.blocks {
            let statements = block
                .statements
                .iter()
                .map(|index| &self.region.statements[*index]);
            match runs.last_mut() {
                Some(run) if run.len() < RUN => run.extend(statements),
                _ => runs.push(statements.collect()),
            }
        }
        let text = |(index, statements): (usize, &Vec<&Statement>)| {
            let mut text = format!(
                "{} {{\n auto& vlSelfRef = *vlSelf;\n",
                run_signature(phase, index)
            );
            text.push_str(&self.locals(statements.iter().copied()));
            statements
                .iter()
                .for_each(|s| print(s, &BTreeMap::new(), &mut text));
            text.push_str("}\n");
            text
        };
        runs.iter().enumerate().map(text).collect()
    }

    /// Returns declarations of the locals that these statements use.
    fn locals<'a>(&self, statements: impl Iterator<Item = &'a Statement>) -> String {
        let used: BTreeSet<Variable> = statements
            .flat_map(|s| s.reads().into_iter().chain(s.writes()))
            .collect();
        let variables = used.into_iter().map(|v| &self.region.variables[v]);
        let declare = |v: &Name| Some(format!(" {} {};\n", v.local.as_ref()?, v.name));
        variables.filter_map(declare).collect()
    }

    fn name(&self, variable: Variable) -> &String {
        &self.region.variables[variable].name
    }

    /// Returns the names of all members that its blocks write.
    fn written(&self) -> impl Iterator<Item = &String> {
        self.blocks.iter().flat_map(|b| &b.writes).map(|v| self.name(*v))
    }
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Settle => "settle",
            Phase::Edge => "edge",
        }
    }
}

fn run_signature(phase: Phase, index: usize) -> String {
    format!("void hca_all_{}_{index}({ROOT}* vlSelf)", phase.name())
}

fn signature(phase: Phase, index: usize) -> String {
    let name = phase.name();
    format!("void hca_{name}_{index}({ROOT}* vlSelf, uint64_t* settle, uint64_t* edge)")
}

fn print(statement: &Statement, memories: &BTreeMap<Variable, String>, to: &mut String) {
    match statement {
        Statement::Write { source, written, .. } => {
            let marks = memories.get(written).map_or("", String::as_str);
            let _ = writeln!(to, " {source}{marks}");
        }
        Statement::If {
            source,
            then,
            otherwise,
            ..
        } => {
            let _ = writeln!(to, " {source} {{");
            then.iter().for_each(|s| print(s, memories, to));
            if !otherwise.is_empty() {
                to.push_str(" } else {\n");
                otherwise.iter().for_each(|s| print(s, memories, to));
            }
            to.push_str(" }\n");
        }
    }
}

/// Returns code that calls the marked blocks, or all of them in a row while most would have to run.
fn caller(gated: &Gated<'_>, readers: &Readers, runs: [(Phase, usize); 2]) -> String {
    let mut text = String::new();
    let counts = [
        (Phase::Settle, gated.settle.blocks.len()),
        (Phase::Edge, gated.edge.blocks.len()),
    ];
    for (phase, count) in counts {
        for index in 0..count {
            let _ = writeln!(text, "{};", signature(phase, index));
        }
    }
    let all = |phase: Phase, count: usize| {
        let calls = (0..count).map(|index| format!("    hca_all_{}_{index}(root);\n", phase.name()));
        calls.collect::<String>()
    };
    for (phase, count) in runs {
        for index in 0..count {
            let _ = writeln!(text, "{};", run_signature(phase, index));
        }
    }
    let (mut shadows, mut compare, mut keep) = (String::new(), String::new(), String::new());
    let mut inputs: Vec<&String> = gated
        .members
        .iter()
        .filter(|(_, m)| m.input)
        .map(|(name, _)| name)
        .collect();
    inputs.sort();
    for name in inputs.into_iter().filter(|name| *name != gated.clock) {
        let marks = marks(readers.of_input(name));
        let _ = writeln!(
            shadows,
            "    std::remove_reference_t<decltype({ROOT}::{name})> {name};"
        );
        let copy = format!("std::memcpy(&was.{name}, &root->{name}, sizeof root->{name});");
        let _ = writeln!(keep, "    {copy}");
        let _ = writeln!(
            compare,
            "    if (std::memcmp(&was.{name}, &root->{name}, sizeof root->{name})) {{ {copy}{marks} }}"
        );
    }
    let table = |phase: &str, count: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("hca_{phase}_{index}")).collect();
        // No array is empty.
        if names.is_empty() {
            "nullptr".to_owned()
        } else {
            names.join(", ")
        }
    };
    let settle_words = counts[0].1.div_ceil(BITS).max(1);
    let edge_words = counts[1].1.div_ceil(BITS).max(1);
    CALLER
        .replace("@ROOT@", ROOT)
        .replace("@BLOCKS@", &text)
        .replace("@ALL_SETTLE@", &all(runs[0].0, runs[0].1))
        .replace("@ALL_EDGE@", &all(runs[1].0, runs[1].1))
        .replace("@SHADOWS@", &shadows)
        .replace("@COMPARE@", &compare)
        .replace("@KEEP@", &keep)
        .replace("@SETTLE_TABLE@", &table("settle", counts[0].1))
        .replace("@EDGE_TABLE@", &table("edge", counts[1].1))
        .replace("@SETTLE_WORDS@", &settle_words.to_string())
        .replace("@EDGE_WORDS@", &edge_words.to_string())
        .replace("@SETTLE_BLOCKS@", &counts[0].1.to_string())
        .replace("@EDGE_BLOCKS@", &counts[1].1.to_string())
        .replace("@BUSY@", &busy(counts[1].1).to_string())
}

/// Returns the number of blocks a clock from which on it is faster to run all of them than to test each.
fn busy(blocks: usize) -> usize {
    blocks / BUSY_SHARE
}

/// Divisor of the number of blocks, measured on recorded runs of `small` and `line`.
const BUSY_SHARE: usize = 4;

const CALLER: &str = r#"#include "@ROOT@.h"
#include "evaluation.h"
#include <cstring>
#include <type_traits>

@BLOCKS@
namespace {
typedef void (*Block)(@ROOT@*, uint64_t*, uint64_t*);
constexpr Block settle_blocks[] = {@SETTLE_TABLE@};
constexpr Block edge_blocks[] = {@EDGE_TABLE@};

// Clocks between two looks at how many blocks run.
constexpr unsigned LOOK = 8;
// Blocks a clock from which on running all without asking is faster, and for how many clocks that is done then.
constexpr unsigned BUSY = @BUSY@;
constexpr unsigned PLAIN = 256;

struct Inputs {
@SHADOWS@};

struct Gate final : Evaluation {
    uint64_t settle_marks[@SETTLE_WORDS@] = {};
    uint64_t edge_marks[@EDGE_WORDS@] = {};
    Inputs was;
    unsigned ran = 0, clocks = 0, plain = 0;
    uint64_t total = 0;

    // Marks every block.
    void mark(@ROOT@* root) override {
        fill(settle_marks, @SETTLE_BLOCKS@);
        fill(edge_marks, @EDGE_BLOCKS@);
@KEEP@    }

    static void fill(uint64_t* words, unsigned blocks) {
        for (unsigned i = 0; i < blocks; ++i) words[i / 64] |= 1ULL << (i % 64);
    }

    // Runs the marked blocks in their order, those that get marked by earlier ones too.
    template <unsigned WORDS> unsigned run(@ROOT@* root, uint64_t* words, const Block* blocks) {
        unsigned count = 0;
        for (unsigned i = 0; i < WORDS; ++i) {
            uint64_t later = ~0ULL;
            while (uint64_t marked = words[i] & later) {
                const unsigned bit = __builtin_ctzll(marked);
                words[i] &= ~(1ULL << bit);
                later = ~1ULL << bit;
                ++count;
                blocks[64 * i + bit](root, settle_marks, edge_marks);
            }
        }
        return count;
    }

    static void all_settle(@ROOT@* root) {
@ALL_SETTLE@    }

    static void all_clock(@ROOT@* root) {
@ALL_EDGE@    }

    void settle(@ROOT@* root) override {
        if (plain) {
            total += @SETTLE_BLOCKS@;
            return all_settle(root);
        }
        uint64_t *settle = settle_marks, *edge = edge_marks;
@COMPARE@        total += run<@SETTLE_WORDS@>(root, settle_marks, settle_blocks);
    }

    void clock(@ROOT@* root) override {
        if (plain) {
            all_clock(root);
            total += @EDGE_BLOCKS@;
            if (--plain == 0) mark(root);
            return;
        }
        const unsigned count = run<@EDGE_WORDS@>(root, edge_marks, edge_blocks);
        ran += count;
        total += count;
        if (++clocks == LOOK) {
            if (ran > LOOK * BUSY) plain = PLAIN;
            ran = clocks = 0;
        }
    }

    uint64_t blocks_run() const override { return total; }
};
}  // namespace

Evaluation* hca_evaluation() { return new Gate; }
"#;
