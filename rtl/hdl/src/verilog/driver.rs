//! Checks that each signal has exactly one driver.
use super::collect::Instance;
use super::scope::{source_name, Class, NetId, Scope};
use super::statement::{Assign, Origin, Part, Statement};
use super::ExportError;
use std::collections::BTreeMap;

/// Refuses signals with several drivers or none.
///
/// # Errors
/// Returns [`ExportError::MultipleDrivers`] or [`ExportError::Undriven`].
pub(super) fn check(scope: &Scope, instance: &Instance, statements: &[Statement]) -> Result<(), ExportError> {
    let mut assigns: BTreeMap<NetId, Vec<(usize, Assign, bool)>> = BTreeMap::new();
    let mut read: BTreeMap<NetId, Vec<usize>> = BTreeMap::new();
    for (position, statement) in statements.iter().enumerate() {
        statement.assigns(false, &mut |assign, guarded| {
            assigns
                .entry(assign.target)
                .or_default()
                .push((position, assign.clone(), guarded));
        });
        statement.reads(scope, &mut |net, _, _| {
            read.entry(net).or_default().push(position)
        });
    }
    for (id, net) in scope.nets() {
        let error = |drivers: &str| ExportError::MultipleDrivers {
            block: scope.path.clone(),
            signal: source_name(&net.source),
            drivers: drivers.into(),
        };
        let own = assigns.get(&id).map(Vec::as_slice).unwrap_or_default();
        match net.class {
            Class::Input if !own.is_empty() => return Err(error("the parent and this kernel")),
            Class::ChildOutput(child) if !own.is_empty() => {
                let name = source_name(&instance.children[child].name);
                return Err(error(&format!("`{name}` and this kernel")));
            }
            Class::Input | Class::ChildOutput(_) | Class::Temporary => continue,
            Class::Local if own.is_empty() && !read.contains_key(&id) => continue,
            _ if own.is_empty() => {
                return Err(ExportError::Undriven {
                    block: scope.path.clone(),
                    signal: source_name(&net.source),
                });
            }
            _ => {}
        }
        if own.len() > 1 && own.iter().any(|(_, assign, _)| assign.origin == Origin::Link) {
            return Err(error("a connected interface and another assignment"));
        }
        if overwritten(own, read.get(&id).map(Vec::as_slice).unwrap_or_default()) {
            return Err(error("two assignments, the second of which always wins"));
        }
    }
    Ok(())
}

/// Returns true if two assignments of the kernel follow each other and nothing can see the first.
fn overwritten(assigns: &[(usize, Assign, bool)], reads: &[usize]) -> bool {
    assigns.windows(2).any(|pair| {
        let [(first, earlier, a), (second, later, b)] = pair else {
            return false;
        };
        let plain = |assign: &Assign, guarded: bool| {
            !guarded && assign.origin == Origin::Kernel && matches!(assign.part, Part::Whole)
        };
        plain(earlier, *a) && plain(later, *b) && !reads.iter().any(|read| first < read && read <= second)
    })
}
