//! Bugs planted in the exported Verilog, all of them in one design. Its input `select` activates one of them.
use hca_hdl::verilog::Design;
use serde::Deserialize;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../planted/bugs.toml");
/// Placeholder that is 1 if the bug is active.
const SHOWS: &str = "@bug";

/// A change of a module's text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub module: String,
    /// Text that occurs in it exactly once.
    pub text: String,
    /// Replacement for that text.
    pub planted: String,
}

/// A bug of profile `small` behind a native link.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// Name of the bug: a row of `field-bugs.csv`, FBnn, or a bug of the project's own, OBnn.
    pub id: String,
    pub what: String,
    pub changes: Vec<Change>,
}

/// A row of `field-bugs.csv` that does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Without {
    pub id: String,
    pub why: String,
}

/// All bugs and rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planted {
    #[serde(rename = "bug")]
    pub bugs: Vec<Bug>,
    pub without: Vec<Without>,
}

/// A bug no longer fits the hardware, which has changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlantError {
    #[error("{id}: `{text}` stands {places} times in module `{module}`, not once")]
    Places {
        id: String,
        module: String,
        text: String,
        places: usize,
    },
    #[error("{id} changes what {other} changes in module `{module}`")]
    Overlap {
        id: String,
        other: String,
        module: String,
    },
    #[error("the design has no module `{0}` with a list of ports")]
    NoTop(&'static str),
}

/// Returns the table.
pub fn planted() -> &'static Planted {
    static PLANTED: LazyLock<Planted> =
        LazyLock::new(|| toml::from_str(TABLE).expect("the table is part of the program"));
    &PLANTED
}

/// Returns the value of `select` that activates the n-th bug. With 0 none is active.
pub fn select_of(n: usize) -> u64 {
    n as u64 + 1
}

/// A change in its module: start, end and new text.
struct Place<'a> {
    id: &'a str,
    from: usize,
    to: usize,
    planted: String,
}

/// Returns the design with all bugs in it.
pub fn plant(mut design: Design, bugs: &[Bug], top: &'static str) -> Result<Design, PlantError> {
    for module in &mut design.modules {
        let mut places = Vec::new();
        for (n, bug) in bugs.iter().enumerate() {
            let select = select_of(n);
            let shows = format!("({top}.select == 32'd{select})");
            for change in bug.changes.iter().filter(|change| change.module == module.name) {
                let from = only(&module.text, bug, change)?;
                places.push(Place {
                    id: &bug.id,
                    from,
                    to: from + change.text.len(),
                    planted: change.planted.replace(SHOWS, &shows),
                });
            }
        }
        places.sort_by_key(|place| place.from);
        for pair in places.windows(2) {
            if pair[1].from < pair[0].to {
                return Err(PlantError::Overlap {
                    id: pair[1].id.to_owned(),
                    other: pair[0].id.to_owned(),
                    module: module.name.clone(),
                });
            }
        }
        for place in places.iter().rev() {
            module.text.replace_range(place.from..place.to, &place.planted);
        }
    }
    for (bug, change) in bugs
        .iter()
        .flat_map(|bug| bug.changes.iter().map(move |c| (bug, c)))
    {
        if !design.modules.iter().any(|module| module.name == change.module) {
            return Err(misplaced(bug, change, 0));
        }
    }
    let ports = format!("module {top} (\n");
    let module = design
        .modules
        .iter_mut()
        .find(|module| module.text.contains(&ports));
    let module = module.ok_or(PlantError::NoTop(top))?;
    module.text = module
        .text
        .replace(&ports, &format!("{ports}  input  wire [31:0] select,\n"));
    Ok(design)
}

/// Returns the place of the change's text.
fn only(text: &str, bug: &Bug, change: &Change) -> Result<usize, PlantError> {
    let mut places = text.match_indices(&change.text);
    match (places.next(), places.count()) {
        (Some((from, _)), 0) => Ok(from),
        (first, more) => Err(misplaced(bug, change, more + usize::from(first.is_some()))),
    }
}

fn misplaced(bug: &Bug, change: &Change, places: usize) -> PlantError {
    PlantError::Places {
        id: bug.id.clone(),
        module: change.module.clone(),
        text: change.text.clone(),
        places,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_host::designs::TOP;
    use hca_host::profile::SMALL;
    use std::collections::BTreeSet;

    #[test]
    fn every_bug_has_its_place_in_the_hardware() {
        let design = hca_rtl::export::hca(&SMALL).unwrap();
        let design = plant(design, &planted().bugs, TOP).unwrap_or_else(|e| panic!("{e}"));
        let texts: String = design.modules.iter().map(|module| module.text.as_str()).collect();
        assert!(!texts.contains(SHOWS));
        for n in 0..planted().bugs.len() {
            assert!(texts.contains(&format!("hca.select == 32'd{})", select_of(n))));
        }
    }

    #[test]
    fn every_bug_of_the_field_is_planted_or_does_not_apply() {
        let Planted { bugs, without } = planted();
        let row = |id: &str| id.split(',').next().unwrap_or_default().to_owned();
        let ids: BTreeSet<&str> = bugs.iter().map(|bug| bug.id.as_str()).collect();
        assert_eq!(ids.len(), bugs.len(), "an id stands twice");
        let rows = bugs
            .iter()
            .map(|bug| &bug.id)
            .chain(without.iter().map(|w| &w.id));
        let rows: BTreeSet<String> = rows.map(|id| row(id)).filter(|id| id.starts_with("FB")).collect();
        let table = include_str!("../../planted/field-bugs.csv");
        let expected: BTreeSet<String> = table.lines().skip(1).map(row).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let design = hca_rtl::export::hca(&SMALL).unwrap();
        let bug = |id: &str, module: &str, text: &str| Bug {
            id: id.to_owned(),
            what: String::new(),
            changes: vec![Change {
                module: module.to_owned(),
                text: text.to_owned(),
                planted: "@bug".to_owned(),
            }],
        };
        let error = |bugs: &[Bug]| plant(design.clone(), bugs, TOP).unwrap_err().to_string();
        let message = error(&[bug("A", "psn_region", "distance")]);
        assert!(
            message.starts_with("A: `distance` stands ") && message.contains("`psn_region`"),
            "{message}"
        );
        let message = error(&[bug("A", "nowhere", "x")]);
        assert!(
            message.contains("stands 0 times in module `nowhere`"),
            "{message}"
        );
        let both = [
            bug("A", "psn_region", "psn == epsn"),
            bug("B", "psn_region", "== epsn"),
        ];
        assert_eq!(error(&both), "B changes what A changes in module `psn_region`");
    }
}
