//! The functions in Verilator's C++, and a check that its scheduler only settles and clocks.
use super::token::{tokens, Kind, Token};
use super::unread::Unread;
use std::collections::HashMap;
use std::ops::Range;

/// Name of the class of the whole design, with which Verilator's functions begin.
pub const ROOT: &str = "Vdut___024root";

/// All C++ of a design, except construction and debugging.
pub struct Cpp {
    pub text: String,
    pub tokens: Vec<Token>,
    /// For each opening bracket, the index of the closing one.
    counterparts: HashMap<usize, usize>,
    /// For each function name, the tokens between the braces of its body.
    functions: HashMap<String, Range<usize>>,
}

impl Cpp {
    pub fn read(text: String) -> Result<Cpp, Unread> {
        let tokens = tokens(&text)?;
        let mut cpp = Cpp {
            text,
            tokens,
            counterparts: HashMap::new(),
            functions: HashMap::new(),
        };
        cpp.counterparts = cpp.find_counterparts()?;
        cpp.functions = cpp.find_functions()?;
        Ok(cpp)
    }

    pub fn word(&self, index: usize) -> &str {
        match self.tokens.get(index) {
            Some(token) => &self.text[token.at.clone()],
            None => "",
        }
    }

    pub fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|t| t.kind == Kind::Word)
    }

    /// Returns the source of these tokens.
    pub fn source(&self, tokens: Range<usize>) -> &str {
        match (self.tokens.get(tokens.start), tokens.end.checked_sub(1)) {
            (Some(first), Some(last)) if last >= tokens.start => {
                &self.text[first.at.start..self.tokens[last].at.end]
            }
            _ => "",
        }
    }

    fn find_counterparts(&self) -> Result<HashMap<usize, usize>, Unread> {
        let unbalanced = || Unread::new("a bracket without its counterpart");
        let mut counterparts = HashMap::new();
        let mut open = Vec::new();
        for index in 0..self.tokens.len() {
            let closes = match self.word(index) {
                word @ ("(" | "[" | "{") => {
                    open.push((word, index));
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            let (word, from) = open.pop().ok_or_else(unbalanced)?;
            if word != closes {
                return Err(unbalanced());
            }
            counterparts.insert(from, index);
        }
        match open.is_empty() {
            true => Ok(counterparts),
            false => Err(unbalanced()),
        }
    }

    /// Returns the index of the token that closes what the one at `open` opens.
    pub fn closing(&self, open: usize) -> Result<usize, Unread> {
        let missing = || Unread::new(format!("no bracket: {}", self.word(open)));
        self.counterparts.get(&open).copied().ok_or_else(missing)
    }

    fn find_functions(&self) -> Result<HashMap<String, Range<usize>>, Unread> {
        let mut functions = HashMap::new();
        let mut index = 0;
        while index < self.tokens.len() {
            if self.word(index) == "(" && index > 0 {
                let close = self.closing(index)?;
                if self.word(close + 1) == "{" {
                    let end = self.closing(close + 1)?;
                    let name = self.word(index - 1).to_owned();
                    if functions.insert(name.clone(), close + 2..end).is_some() {
                        return Err(Unread::new(format!("two functions {name}")));
                    }
                    index = end;
                } else {
                    index = close;
                }
            } else if self.word(index) == "{" {
                index = self.closing(index)?;
            }
            index += 1;
        }
        Ok(functions)
    }

    /// Returns the tokens of the body of `ROOT___NAME`, if there is such a function.
    pub fn function(&self, name: &str) -> Option<Range<usize>> {
        self.functions.get(&format!("{ROOT}___{name}")).cloned()
    }

    /// Returns that body without the prelude that every body has, which declares how to reach the design.
    pub fn body(&self, name: &str) -> Result<Range<usize>, Unread> {
        let missing = || Unread::new(format!("no function {name}"));
        let whole = self.function(name).ok_or_else(missing)?;
        let mut start = whole.start;
        loop {
            let end = self.prelude(start)?;
            if end == start {
                return Ok(start..whole.end);
            }
            start = end;
        }
    }

    /// Returns the end of the statement at `start` if it belongs to the prelude, else `start`.
    fn prelude(&self, start: usize) -> Result<usize, Unread> {
        const OPENINGS: [&[&str]; 4] = [
            &["if", "(", "false", "&&", "vlSelf", ")", "{", "}"],
            &[
                "Vdut__Syms", "*", "const", "__restrict", "vlSymsp", "VL_ATTR_UNUSED", "=", "vlSelf", "->",
                "vlSymsp", ";",
            ],
            &[
                "auto", "&", "vlSelfRef", "=", "std", "::", "ref", "(", "*", "vlSelf", ")", ".", "get", "(",
                ")", ";",
            ],
            &["VL_DEBUG_IF", "("],
        ];
        for opening in OPENINGS {
            if self.is(start, opening) {
                return Ok(match opening {
                    ["VL_DEBUG_IF", "("] => self.closing(start + 1)? + 2,
                    _ => start + opening.len(),
                });
            }
        }
        Ok(start)
    }

    /// Returns true if the tokens from `start` on are these.
    pub fn is(&self, start: usize, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(n, word)| self.word(start + n) == *word)
    }

    /// Returns the design's only clock, if an `eval` does only this: the logic behind inputs settles and, if that clock
    /// has risen, the clocked logic follows.
    pub fn only_clock(&self) -> Result<String, Unread> {
        for name in ["eval", "eval_phase__ico", "eval_phase__act", "eval_phase__nba"] {
            self.only_schedules(name)?;
        }
        if self.function("eval_act").is_some() && !self.body("eval_act")?.is_empty() {
            return Err(Unread::new("logic in the active region"));
        }
        let body = match self.function("eval_triggers_vec__act") {
            Some(_) => self.body("eval_triggers_vec__act")?,
            None => self.body("eval_triggers__act")?,
        };
        if self.function("eval_nba").is_none() {
            return Err(Unread::new("nothing that is clocked"));
        }
        let text: String = body
            .clone()
            .map(|index| self.word(index))
            .collect::<Vec<_>>()
            .concat();
        let clock = rising(&text).ok_or_else(|| Unread::new("another trigger than one rising clock"))?;
        let outside = (0..self.tokens.len()).filter(|index| !body.contains(index));
        let read =
            |index| self.is(index, &["vlSelfRef", ".", &clock]) || self.is(index, &["vlSelf", "->", &clock]);
        match outside.into_iter().any(read) {
            true => Err(Unread::new("logic that reads the clock")),
            false => Ok(clock),
        }
    }

    /// Returns true if anything but registers depends on inputs.
    pub fn settles(&self) -> bool {
        self.function("eval_ico").is_some()
    }

    /// Checks that a function of the scheduler uses only its own members and calls only its own functions.
    fn only_schedules(&self, name: &str) -> Result<(), Unread> {
        const MEMBERS: [&str; 5] = ["__Vstl", "__Vico", "__Vact", "__Vpre", "__Vnba"];
        const CALLS: [&str; 9] = [
            "eval_phase__ico", "eval_phase__act", "eval_phase__nba", "eval_triggers", "eval_ico", "eval_act",
            "eval_nba", "trigger_", "dump_triggers__",
        ];
        // Until 5.03 or so `eval` has all phases in it.
        let Some(whole) = self.function(name) else {
            return match name {
                "eval" => Err(Unread::new("no function eval")),
                _ => Ok(()),
            };
        };
        for index in whole {
            let word = self.word(index);
            let member =
                ["vlSelfRef", "vlSelf"].contains(&word) && [".", "->"].contains(&self.word(index + 1));
            let next = self.word(index + 2);
            let known = if member {
                MEMBERS.iter().any(|m| next.starts_with(m)) || next == "vlSymsp"
            } else if let Some(call) = word.strip_prefix(ROOT).and_then(|w| w.strip_prefix("___")) {
                CALLS.iter().any(|c| call.starts_with(c))
            } else {
                true
            };
            if !known {
                return Err(Unread::new(format!(
                    "{name} does more than schedule: {word} {next}"
                )));
            }
        }
        Ok(())
    }
}

/// The clock of `vlSelf->__VactTriggered.at(0U)=((IData)(vlSelf->clock)&(~(IData)(vlSelf->__Vtrigrprev__TOP__clock)));
/// vlSelf->__Vtrigrprev__TOP__clock=vlSelf->clock;` or of what newer versions write.
fn rising(text: &str) -> Option<String> {
    let text = text.replace("vlSelf->", "").replace("vlSelfRef.", "");
    let (_, rest) = text.split_once("((IData)(")?;
    let rest = rest.strip_prefix("((IData)(").unwrap_or(rest);
    let clock = &rest[..rest.find(')')?];
    let old = format!(
        "__VactTriggered.at(0U)=((IData)({clock})&(~(IData)(__Vtrigrprev__TOP__{clock})));__Vtrigrprev__TOP__{clock}={clock};"
    );
    let new = format!(
        "__VactTriggered[0U]=(QData)((IData)(((IData)({clock})&(~(IData)(__Vtrigprevexpr___TOP__{clock}__0)))));\
         __Vtrigprevexpr___TOP__{clock}__0={clock};"
    );
    (text == old || text == new).then(|| clock.to_owned())
}
