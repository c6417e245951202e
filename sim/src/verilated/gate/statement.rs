//! Finds which variables each statement of a region reads and writes.
use super::function::{Cpp, ROOT};
use super::unread::Unread;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A member of the design or a local of a function, as an index into [`Region::variables`].
pub type Variable = usize;

/// Identity of a variable in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub name: String,
    /// Type of a local; `None` for a member of the design.
    pub local: Option<String>,
}

/// A statement, or a tree of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Writes a variable or, with a subscript, a part of it.
    Write {
        source: String,
        written: Variable,
        /// True if the statement writes the whole variable.
        whole: bool,
        read: BTreeSet<Variable>,
    },
    If {
        /// The source up to the condition's closing parenthesis.
        source: String,
        read: BTreeSet<Variable>,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
}

impl Statement {
    /// Returns all variables that may be read.
    pub fn reads(&self) -> BTreeSet<Variable> {
        match self {
            Statement::Write { read, .. } => read.clone(),
            Statement::If {
                read,
                then,
                otherwise,
                ..
            } => {
                let mut all = read.clone();
                then.iter().chain(otherwise).for_each(|s| all.extend(s.reads()));
                all
            }
        }
    }

    /// Returns all variables that may be written.
    pub fn writes(&self) -> BTreeSet<Variable> {
        match self {
            Statement::Write { written, .. } => BTreeSet::from([*written]),
            Statement::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).flat_map(Statement::writes).collect()
            }
        }
    }

    /// Returns the variable that is written whole in any case.
    pub fn certain(&self) -> Option<Variable> {
        match self {
            Statement::Write {
                written, whole: true, ..
            } => Some(*written),
            _ => None,
        }
    }
}

/// The statements of one of Verilator's regions, in order.
#[derive(Default)]
pub struct Region {
    pub variables: Vec<Name>,
    pub statements: Vec<Statement>,
    by_name: HashMap<String, Variable>,
}

/// Functions that return a value and change nothing. Each name is the part between `VL_` and the kinds of the
/// arguments.
const VALUES: &[&str] = &[
    "CLOG2", "COUNTONES", "DIV", "EQ", "EXTEND", "EXTENDS", "GT", "GTE", "GTS", "GTES", "LT", "LTE", "LTS",
    "LTES", "MODDIV", "MUL", "MULS", "NEQ", "ONEHOT", "ONEHOT0", "REDAND", "REDOR", "REDXOR", "SEL", "SET",
    "SHIFTL", "SHIFTR", "SHIFTRS",
];
/// Functions that write their first argument that is not a number.
const WRITERS: &[&str] = &[
    "ADD", "AND", "ASSIGN", "CONCAT", "COND", "EXTEND", "EXTENDS", "MUL", "NOT", "OR", "REPLICATE", "SEL",
    "SET", "SHIFTL", "SHIFTR", "SHIFTRS", "SUB", "XOR", "ZERO",
];
const TYPES: &[&str] = &["CData", "SData", "IData", "QData"];
const OPERATORS: &[&str] = &[
    "(", ")", "[", "]", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "<=", ">=", "==", "!=",
    "&&", "||", "<<", ">>", "?", ":", ",",
];

/// Splits a function name: `VL_SHIFTL_WWI` is `SHIFTL` with the kinds `WWI`.
fn operation(word: &str) -> Option<(&str, &str)> {
    word.strip_prefix("VL_")?.rsplit_once('_')
}

fn gives_a_value(word: &str) -> bool {
    if ["VL_UNLIKELY", "VL_LIKELY"].contains(&word) {
        return true;
    }
    let Some((name, kinds)) = operation(word) else {
        return false;
    };
    // The kinds in a name are those of the arguments; a single one cannot be a wide result.
    let wide = kinds.len() > 1 && kinds.starts_with('W');
    VALUES.contains(&name) && !wide && kinds.chars().all(|c| "IQWE0123456789".contains(c))
}

/// Returns true for a type in a cast, and for a constant.
fn is_constant(word: &str) -> bool {
    TYPES.contains(&word) || word.starts_with("Vdut__ConstPool__")
}

fn writes_an_argument(word: &str) -> bool {
    operation(word).is_some_and(|(name, kinds)| {
        WRITERS.contains(&name) && kinds.starts_with('W') && kinds.chars().all(|c| "IQWE".contains(c))
    })
}

impl Region {
    /// Reads the region of `eval_ico` or `eval_nba`: one block under the region's trigger.
    pub fn read(cpp: &Cpp, region: &str) -> Result<Region, Unread> {
        let body = cpp.body(&format!("eval_{region}"))?;
        let mut made = Region::default();
        let body = made.locals(cpp, body)?;
        let triggered = format!("__V{region}Triggered");
        let new = [
            "if", "(", "(", "1ULL", "&", "vlSelfRef", ".", &triggered, "[", "0U", "]", ")", ")", "{",
        ];
        let old = [
            "if", "(", "vlSelf", "->", &triggered, ".", "at", "(", "0U", ")", ")", "{",
        ];
        let open = [&new[..], &old[..]]
            .iter()
            .find(|words| cpp.is(body.start, words))
            .map(|words| body.start + words.len() - 1);
        let open = open.ok_or_else(|| Unread::new(format!("eval_{region} has more than one trigger")))?;
        let close = cpp.closing(open)?;
        if close + 1 != body.end {
            return Err(Unread::new(format!("eval_{region} goes on behind its trigger")));
        }
        made.statements = made.block(cpp, open + 1..close)?;
        Ok(made)
    }

    fn variable(&mut self, name: &str, local: Option<&str>) -> Result<Variable, Unread> {
        if let Some(known) = self.by_name.get(name) {
            return match self.variables[*known].local.as_deref() == local {
                true => Ok(*known),
                false => Err(Unread::new(format!("two variables {name}"))),
            };
        }
        self.by_name.insert(name.to_owned(), self.variables.len());
        self.variables.push(Name {
            name: name.to_owned(),
            local: local.map(str::to_owned),
        });
        Ok(self.variables.len() - 1)
    }

    /// Reads the declarations at the start of a body. Returns the rest.
    fn locals(&mut self, cpp: &Cpp, body: Range<usize>) -> Result<Range<usize>, Unread> {
        let mut at = body.start;
        loop {
            let scalar = TYPES.contains(&cpp.word(at)) && cpp.is_word(at + 1);
            let wide = cpp.is(at, &["VlWide", "<"]) && cpp.word(at + 3) == ">" && cpp.is_word(at + 4);
            let name = match (scalar, wide) {
                (true, _) => at + 1,
                (_, true) => at + 4,
                _ => return Ok(at..body.end),
            };
            if cpp.word(name + 1) != ";" {
                return Err(Unread::new(format!("a local with a value: {}", cpp.word(name))));
            }
            let kind: String = (at..name).map(|index| cpp.word(index)).collect();
            self.variable(cpp.word(name), Some(&kind))?;
            at = name + 2;
        }
    }

    fn block(&mut self, cpp: &Cpp, tokens: Range<usize>) -> Result<Vec<Statement>, Unread> {
        let mut statements = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            at = self.statement(cpp, at, &mut statements)?;
        }
        match at == tokens.end {
            true => Ok(statements),
            false => Err(Unread::new("a statement that leaves its block")),
        }
    }

    /// Reads the statement at `at`. Returns the start of the next one.
    fn statement(&mut self, cpp: &Cpp, at: usize, to: &mut Vec<Statement>) -> Result<usize, Unread> {
        let word = cpp.word(at);
        if word == "if" && cpp.word(at + 1) == "(" {
            return self.conditional(cpp, at, to);
        }
        if let Some(called) = word.strip_prefix(ROOT).and_then(|w| w.strip_prefix("___")) {
            if !cpp.is(at + 1, &["(", "vlSelf", ")", ";"]) {
                return Err(Unread::new(format!("a call of {word} with arguments")));
            }
            let body = cpp.body(called)?;
            let body = self.locals(cpp, body)?;
            to.extend(self.block(cpp, body)?);
            return Ok(at + 5);
        }
        let end = self.end_of(cpp, at)?;
        let source = cpp.source(at..end + 1).to_owned();
        if writes_an_argument(word) && cpp.word(at + 1) == "(" && cpp.closing(at + 1)? + 1 == end {
            let mut first = at + 2;
            while cpp.word(first).starts_with(|c: char| c.is_ascii_digit()) && cpp.word(first + 1) == "," {
                first += 2;
            }
            let (written, after, subscript, mut read) = self.target(cpp, first)?;
            read.extend(self.expression(cpp, after..end)?);
            to.push(Statement::Write {
                source,
                written,
                whole: !subscript,
                read,
            });
            return Ok(end + 1);
        }
        let (written, after, subscript, mut read) = self.target(cpp, at)?;
        if cpp.word(after) != "=" {
            return Err(Unread::new(format!("no assignment: {source}")));
        }
        read.extend(self.expression(cpp, after + 1..end)?);
        to.push(Statement::Write {
            source,
            written,
            whole: !subscript,
            read,
        });
        Ok(end + 1)
    }

    /// Returns the index of the semicolon that ends the statement at `at`.
    fn end_of(&self, cpp: &Cpp, at: usize) -> Result<usize, Unread> {
        let mut index = at;
        while index < cpp.tokens.len() {
            match cpp.word(index) {
                ";" => return Ok(index),
                "(" | "[" => index = cpp.closing(index)?,
                "{" | "}" => break,
                _ => {}
            }
            index += 1;
        }
        Err(Unread::new(format!(
            "a statement without an end: {}",
            cpp.word(at)
        )))
    }

    fn conditional(&mut self, cpp: &Cpp, at: usize, to: &mut Vec<Statement>) -> Result<usize, Unread> {
        let close = cpp.closing(at + 1)?;
        let read = self.expression(cpp, at + 1..close + 1)?;
        let source = cpp.source(at..close + 1).to_owned();
        if cpp.word(close + 1) != "{" {
            return Err(Unread::new("an if without braces"));
        }
        let end = cpp.closing(close + 1)?;
        let then = self.block(cpp, close + 2..end)?;
        let mut next = end + 1;
        let mut otherwise = Vec::new();
        if cpp.word(next) == "else" {
            if cpp.word(next + 1) == "if" {
                next = self.conditional(cpp, next + 1, &mut otherwise)?;
            } else if cpp.word(next + 1) == "{" {
                let end = cpp.closing(next + 1)?;
                otherwise = self.block(cpp, next + 2..end)?;
                next = end + 1;
            } else {
                return Err(Unread::new("an else without braces"));
            }
        }
        to.push(Statement::If {
            source,
            read,
            then,
            otherwise,
        });
        Ok(next)
    }

    /// Reads the target of an assignment: a variable, with or without subscripts. Returns its end, and the variables
    /// that the subscripts read.
    fn target(
        &mut self,
        cpp: &Cpp,
        at: usize,
    ) -> Result<(Variable, usize, bool, BTreeSet<Variable>), Unread> {
        let (variable, mut after) = self.named(cpp, at)?;
        let mut read = BTreeSet::new();
        let subscript = cpp.word(after) == "[";
        while cpp.word(after) == "[" {
            let close = cpp.closing(after)?;
            read.extend(self.expression(cpp, after + 1..close)?);
            after = close + 1;
        }
        Ok((variable, after, subscript, read))
    }

    /// Returns the variable whose name begins at `at`, and where the name ends.
    fn named(&mut self, cpp: &Cpp, at: usize) -> Result<(Variable, usize), Unread> {
        let member = cpp.is(at, &["vlSelfRef", "."]) || cpp.is(at, &["vlSelf", "->"]);
        if member && cpp.is_word(at + 2) {
            return Ok((self.variable(cpp.word(at + 2), None)?, at + 3));
        }
        match self.by_name.get(cpp.word(at)) {
            Some(known) if self.variables[*known].local.is_some() => Ok((*known, at + 1)),
            _ => Err(Unread::new(format!("no variable: {}", cpp.word(at)))),
        }
    }

    /// Reads an expression, which must change nothing. Returns the variables that it reads.
    fn expression(&mut self, cpp: &Cpp, tokens: Range<usize>) -> Result<BTreeSet<Variable>, Unread> {
        let mut read = BTreeSet::new();
        let mut at = tokens.start;
        while at < tokens.end {
            let word = cpp.word(at);
            if !cpp.is_word(at) {
                if !word.starts_with(|c: char| c.is_ascii_digit()) && !OPERATORS.contains(&word) {
                    return Err(Unread::new(format!("{word} in an expression")));
                }
                at += 1;
            } else if is_constant(word) || (gives_a_value(word) && cpp.word(at + 1) == "(") {
                at += 1;
            } else {
                let (variable, after) = self.named(cpp, at)?;
                read.insert(variable);
                at = after;
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the region with this body.
    fn region(body: &str) -> Result<Region, Unread> {
        let text = format!(
            "void {ROOT}___eval_nba({ROOT}* vlSelf) {{\n    IData/*31:0*/ __Vtemp_1;\n    \
             if ((1ULL & vlSelfRef.__VnbaTriggered[0U])) {{ {body} }}\n}}\n\
             void {ROOT}___nba__0({ROOT}* vlSelf) {{ vlSelfRef.called = 1U; }}\n"
        );
        Region::read(&Cpp::read(text)?, "nba")
    }

    fn names(region: &Region, variables: BTreeSet<Variable>) -> Vec<&str> {
        let mut names: Vec<&str> = variables.iter().map(|v| &region.variables[*v].name[..]).collect();
        names.sort_unstable();
        names
    }

    /// Returns the variables that the only statement of a body reads and writes, and whether it writes one as a whole.
    fn seen(body: &str) -> (Vec<String>, Vec<String>, bool) {
        let region = region(body).unwrap();
        assert_eq!(region.statements.len(), 1, "{body}");
        let statement = &region.statements[0];
        let owned = |v| names(&region, v).into_iter().map(str::to_owned).collect();
        (
            owned(statement.reads()),
            owned(statement.writes()),
            statement.certain().is_some(),
        )
    }

    #[test]
    fn reads_and_writes_of_each_kind_of_statement_are_told_apart() {
        let all = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        for (body, reads, writes, whole) in [
            (
                "vlSelfRef.a = (1U & (IData)(vlSelfRef.b));",
                &["b"][..],
                &["a"][..],
                true,
            ),
            (
                "vlSelfRef.a[vlSelfRef.i] = vlSelfRef.b[2U];",
                &["b", "i"],
                &["a"],
                false,
            ),
            ("__Vtemp_1 = vlSelfRef.b;", &["b"], &["__Vtemp_1"], true),
            (
                "VL_ADD_W(3, vlSelfRef.a, vlSelfRef.b, vlSelfRef.a);",
                &["a", "b"],
                &["a"],
                true,
            ),
            (
                "VL_SHIFTL_WWI(65,65,32, vlSelfRef.a, vlSelfRef.b, 3U);",
                &["b"],
                &["a"],
                true,
            ),
            ("vlSelfRef.a = VL_REDXOR_32(vlSelfRef.b);", &["b"], &["a"], true),
            ("vlSelfRef.a = Vdut__ConstPool__CONST_1[1U];", &[], &["a"], true),
            (
                "if (vlSelfRef.c) { vlSelfRef.a = 1U; } else if (vlSelfRef.d) { vlSelfRef.b = vlSelfRef.a; }",
                &["a", "c", "d"],
                &["a", "b"],
                false,
            ),
            ("Vdut___024root___nba__0(vlSelf);", &[], &["called"], true),
        ] {
            assert_eq!(seen(body), (all(reads), all(writes), whole), "{body}");
        }
    }

    #[test]
    fn what_might_do_something_else_is_not_read() {
        for body in [
            "vlSelfRef.a += 1U;",
            "vlSelfRef.a = (vlSelfRef.b = 1U);",
            "vlSelfRef.a = vlSelfRef.b++;",
            "vlSelfRef.a = VL_RANDOM_I();",
            "vlSelfRef.a = VL_ADD_W(3, vlSelfRef.b, vlSelfRef.c, vlSelfRef.d)[0U];",
            "vlSelfRef.a = unknown;",
            "vlSelfRef.a = vlSymsp->b;",
            "VL_WRITEF_NX(\"x\", 0);",
            "VL_FINISH_MT(\"a.v\", 1, \"\");",
            "while (vlSelfRef.a) { vlSelfRef.b = 1U; }",
            "if (vlSelfRef.a) vlSelfRef.b = 1U;",
            "{ vlSelfRef.b = 1U; }",
            "Vdut___024root___nothing(vlSelf);",
        ] {
            assert!(region(body).is_err(), "{body}");
        }
    }
}
