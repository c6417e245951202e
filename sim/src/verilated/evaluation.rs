//! How a model is evaluated.
use super::gate::ROOT;
use super::shim::CLASS;

/// The parts of a design that an `eval` runs. The values at every clock are the same with each method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// An `eval` runs all of the design, at each level of the clock.
    Whole,
    /// An `eval` runs the logic behind inputs once an input has changed, and the clocked logic at the clock's edge. If
    /// a design has any trigger other than one rising clock, [`Whole`] is used instead.
    ///
    /// [`Whole`]: Evaluation::Whole
    Divided,
    /// Like [`Divided`], but an `eval` runs only the blocks that read a changed value. [`Divided`] is used instead if
    /// this version of Verilator is unknown or its C++ is not understood. This method is for designs that are large and
    /// run long, because they build more slowly.
    ///
    /// [`Divided`]: Evaluation::Divided
    Gated,
}

/// How the models of a library are evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evaluated {
    pub evaluation: Evaluation,
    /// The clock; `None` if models are evaluated as a whole.
    pub clock: Option<String>,
    /// Why the method is slower than requested.
    pub note: Option<String>,
}

impl Evaluated {
    /// Returns the method of a design that is evaluated by Verilator's own method, for the reason in `note`.
    pub fn whole(note: Option<String>) -> Evaluated {
        Evaluated {
            evaluation: Evaluation::Whole,
            clock: None,
            note,
        }
    }

    /// Returns text that [`parse`](Evaluated::parse) reads.
    pub fn text(&self) -> String {
        let name = match self.evaluation {
            Evaluation::Whole => WHOLE,
            Evaluation::Divided => DIVIDED_NAME,
            Evaluation::Gated => GATED,
        };
        let clock = self.clock.as_deref().unwrap_or_default();
        format!("{name}\n{clock}\n{}", self.note.as_deref().unwrap_or_default())
    }

    pub fn parse(text: &str) -> Option<Evaluated> {
        let mut parts = text.splitn(3, '\n');
        let evaluation = match parts.next()? {
            WHOLE => Evaluation::Whole,
            DIVIDED_NAME => Evaluation::Divided,
            GATED => Evaluation::Gated,
            _ => return None,
        };
        let mut given = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        let (clock, note) = (given(), given());
        Some(Evaluated {
            evaluation,
            clock,
            note,
        })
    }
}

const WHOLE: &str = "whole";
const DIVIDED_NAME: &str = "divided";
const GATED: &str = "gated";

/// Name of the file that [`header`] writes.
pub(super) const HEADER: &str = "evaluation.h";

/// Returns the C++ that divides a design's evaluation. `root` is the text of its class; `settles` says whether logic
/// depends on its inputs.
pub(super) fn header(root: &str, settles: bool) -> String {
    // Until 5.03 or so, triggers were of a type of their own.
    let set = match root.contains("VlTriggerVec<") {
        true => ".at(0) = true",
        false => "[0] = 1",
    };
    HEADER_TEXT
        .replace("@CLASS@", CLASS)
        .replace("@ROOT@", ROOT)
        .replace("@SETTLES@", if settles { "1" } else { "0" })
        .replace("@SET@", set)
}

/// The C++ of a [`Divided`](Evaluation::Divided) design.
pub(super) const DIVIDED: &str = r#"#include "evaluation.h"

namespace {
struct Divided final : Evaluation {};
}  // namespace

Evaluation* hca_evaluation() { return new Divided; }
"#;

const HEADER_TEXT: &str = r#"#pragma once
#include "@CLASS@.h"
#include "@ROOT@.h"

void @ROOT@___eval_ico(@ROOT@*);
void @ROOT@___eval_nba(@ROOT@*);

// What an eval does once Verilator's own has brought the design to life.
struct Evaluation {
    virtual ~Evaluation() = default;
    // All values may have changed.
    virtual void mark(@ROOT@*) {}
    // Inputs have changed.
    virtual void settle(@ROOT@* root) { plain_settle(root); }
    // The clock has risen.
    virtual void clock(@ROOT@* root) { plain_clock(root); }
    // Number of blocks that have run; 0 if the design has none.
    virtual uint64_t blocks_run() const { return 0; }

protected:
    static void plain_settle(@ROOT@* root) {
#if @SETTLES@
        root->__VicoTriggered@SET@;
        @ROOT@___eval_ico(root);
#else
        (void)root;
#endif
    }
    static void plain_clock(@ROOT@* root) {
        root->__VnbaTriggered@SET@;
        @ROOT@___eval_nba(root);
    }
};

Evaluation* hca_evaluation();
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_it_is_read_again() {
        let whole = Evaluated::whole(Some("two\nlines".to_owned()));
        let gated = Evaluated {
            evaluation: Evaluation::Gated,
            clock: Some("clock".to_owned()),
            note: None,
        };
        for evaluated in [whole, gated] {
            assert_eq!(Evaluated::parse(&evaluated.text()), Some(evaluated));
        }
        assert_eq!(Evaluated::parse(""), None);
    }
}
