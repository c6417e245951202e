//! Gives all blocks with the same text one module.
use super::collect::Instance;
use super::design::{Design, Module};
use super::module::{draft, ports, with_names, Draft};
use super::name::Names;
use super::ExportError;
use std::collections::BTreeMap;

/// Returns the modules from `root` down, children first.
pub(super) fn modules(root: &Instance, top: &str) -> Result<Design, ExportError> {
    let mut library = Library {
        by_body: BTreeMap::new(),
        drafts: vec![],
    };
    let children = library.children(root)?;
    let mut draft = draft(root, &children, &library.drafts)?;
    draft.base = top.into();
    library.drafts.push(draft);

    let mut names = Names::default();
    let top = names.unique(top);
    let last = library.drafts.len() - 1;
    let mut named: Vec<String> = vec![];
    for (id, draft) in library.drafts.iter().enumerate() {
        named.push(if id == last {
            top.clone()
        } else {
            names.unique(&library.distinct(draft))
        });
    }
    let modules = library.drafts.iter().zip(&named).map(|(draft, name)| {
        let body = with_names(&draft.body, &named);
        Module {
            name: name.clone(),
            text: format!("`default_nettype none\nmodule {name}{body}endmodule\n`default_nettype wire\n"),
        }
    });
    Ok(Design {
        modules: modules.collect(),
        ports: ports(root),
        top,
    })
}

struct Library {
    by_body: BTreeMap<String, usize>,
    drafts: Vec<Draft>,
}

impl Library {
    fn children(&mut self, instance: &Instance) -> Result<Vec<Option<usize>>, ExportError> {
        let module = |child: &Instance| match child.register {
            Some(_) => Ok(None),
            None => self.module(child).map(Some),
        };
        instance.children.iter().map(module).collect()
    }

    fn module(&mut self, instance: &Instance) -> Result<usize, ExportError> {
        let children = self.children(instance)?;
        let draft = draft(instance, &children, &self.drafts)?;
        let key = format!("{}\n{}", draft.base, draft.body);
        let drafts = &mut self.drafts;
        Ok(*self.by_body.entry(key).or_insert_with(|| {
            drafts.push(draft);
            drafts.len() - 1
        }))
    }

    /// Returns the base name with the width of the first port in which the modules of that name differ.
    fn distinct(&self, draft: &Draft) -> String {
        let same: Vec<&Draft> = self
            .drafts
            .iter()
            .filter(|other| other.base == draft.base)
            .collect();
        let differs = (0..draft.ports.len()).find(|port| {
            same.iter()
                .any(|other| other.ports.get(*port).map(|port| port.width) != Some(draft.ports[*port].width))
        });
        match differs {
            Some(port) if same.len() > 1 => format!("{}_{}", draft.base, draft.ports[port].width),
            _ => draft.base.clone(),
        }
    }
}
