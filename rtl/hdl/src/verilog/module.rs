//! The text of one module.
use super::collect::Instance;
use super::connect::{connect, Connections};
use super::design::{Direction, Port};
use super::expression::Expr;
use super::group::{groups, Group};
use super::name::identifier;
use super::print;
use super::scope::{Class, NetId, Scope};
use super::{analysis, driver, elaborate, ExportError};
use crate::primitive::MODULE_MARKER;
use rust_hdl_core::ast::{Verilog, VerilogBlock, VerilogStatement};
use rust_hdl_core::prelude::AtomKind;
use std::collections::{BTreeMap, BTreeSet};

/// A module before it has a name. In its text, the marks that `child` returns stand for the names of its children's
/// modules.
pub(super) struct Draft {
    /// The name that the block asks for.
    pub base: String,
    /// Ports of the module.
    pub ports: Vec<Port>,
    /// The text after the name.
    pub body: String,
}

/// Returns the mark that stands for the name of module `id`.
pub(super) fn child(id: usize) -> String {
    format!("\u{1}{id}\u{1}")
}

/// Returns the text with names in place of the marks that [`child`] returned.
pub(super) fn with_names(text: &str, names: &[String]) -> String {
    let parts = text.split('\u{1}').enumerate();
    parts
        .map(|(position, part)| match part.parse::<usize>() {
            Ok(id) if position % 2 == 1 => &names[id],
            _ => part,
        })
        .collect()
}

pub(super) fn ports(instance: &Instance) -> Vec<Port> {
    let port = |atom: &super::collect::Atom| Port {
        name: identifier(&atom.name),
        direction: if atom.kind == AtomKind::InputParameter {
            Direction::In
        } else {
            Direction::Out
        },
        width: atom.ty.width,
        fields: atom.ty.fields(),
    };
    instance.ports().map(port).collect()
}

/// Returns the text of `instance`. `modules` are the modules of its children, `None` for registers.
pub(super) fn draft(
    instance: &Instance,
    modules: &[Option<usize>],
    drafts: &[Draft],
) -> Result<Draft, ExportError> {
    let unsupported = |construct: &str| ExportError::Unsupported {
        block: instance.path.clone(),
        signal: "its kernel".into(),
        construct: construct.into(),
    };
    let ports = ports(instance);
    match &instance.code {
        Verilog::Combinatorial(code) => {
            let base = code.iter().find_map(marker_of_statement);
            let body = kernel(instance, code, modules, drafts, &ports)?;
            Ok(Draft {
                base: base.unwrap_or_else(|| field_name(instance)),
                ports,
                body,
            })
        }
        Verilog::Custom(text) => {
            let base = text.lines().find_map(marker);
            let mut body = header(&ports, &|_| true);
            for text in text.lines().filter(|line| marker(line).is_none()) {
                body.push_str(&format!("  {text}\n"));
            }
            Ok(Draft {
                base: base.unwrap_or_else(|| field_name(instance)),
                ports,
                body,
            })
        }
        Verilog::Empty => Err(unsupported("a block without `hdl()`")),
        Verilog::Blackbox(_) => Err(unsupported("a black box")),
        Verilog::Wrapper(_) => Err(unsupported("a wrapper of foreign Verilog")),
    }
}

fn field_name(instance: &Instance) -> String {
    identifier(instance.name.split('$').next().unwrap_or(&instance.name))
}

fn marker(text: &str) -> Option<String> {
    let (_, name) = text.split_once(MODULE_MARKER)?;
    let name: String = name
        .trim()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then(|| identifier(&name))
}

fn marker_of_statement(statement: &VerilogStatement) -> Option<String> {
    match statement {
        VerilogStatement::Comment(text) => marker(text),
        _ => None,
    }
}

fn header(ports: &[Port], is_reg: &dyn Fn(usize) -> bool) -> String {
    let declare = |(number, port): (usize, &Port)| {
        let kind = match port.direction {
            Direction::In => "input  wire",
            Direction::Out if is_reg(number) => "output reg ",
            Direction::Out => "output wire",
        };
        format!("  {kind} {}{}", print::range(port.width), port.name)
    };
    let list: Vec<String> = ports.iter().enumerate().map(declare).collect();
    format!(" (\n{}\n);\n", list.join(",\n"))
}

fn kernel(
    instance: &Instance,
    code: &VerilogBlock,
    modules: &[Option<usize>],
    drafts: &[Draft],
    ports: &[Port],
) -> Result<String, ExportError> {
    let mut scope = Scope::new(instance)?;
    let mut statements = elaborate::kernel(&mut scope, code)?;
    driver::check(&scope, instance, &statements)?;
    analysis::check(&scope, &statements)?;
    let connections = connect(&mut scope, instance, &mut statements);
    let groups = groups(&scope, statements)?;
    let text = Text {
        instance,
        modules,
        drafts,
        connections,
    };
    let logic = text.logic(&scope, &groups);
    let children = text.children(&mut scope);
    let registers = text.registers(&scope);
    let procedural: BTreeSet<NetId> = groups
        .iter()
        .filter(|group| !group.continuous(&scope))
        .flat_map(Group::targets)
        .collect();
    // Ports are the first nets of the scope, in order.
    let header = header(ports, &|port| procedural.contains(&port));
    let declarations = text.declarations(&scope, &groups, &procedural);
    let parts = [declarations, children, registers, logic];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(format!("{header}{}", parts.join("\n")))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

struct Text<'a> {
    instance: &'a Instance,
    modules: &'a [Option<usize>],
    drafts: &'a [Draft],
    connections: Connections,
}

impl Text<'_> {
    fn declarations(&self, scope: &Scope, groups: &[Group], procedural: &BTreeSet<NetId>) -> String {
        let mut text = String::new();
        let layouts: BTreeSet<String> = scope.nets().filter_map(|(_, net)| net.ty.layout()).collect();
        layouts
            .iter()
            .for_each(|layout| print::comment(&mut text, 1, layout));
        for constant in self.constants(groups) {
            let constant = scope.constant(constant);
            let value = print::literal(&constant.value, constant.width);
            let range = print::range(constant.width);
            let comment = if constant.source == constant.verilog {
                ""
            } else {
                " // "
            };
            let comment = if comment.is_empty() {
                String::new()
            } else {
                format!("{comment}{}", constant.source)
            };
            text.push_str(&format!(
                "  localparam {range}{} = {value};{comment}\n",
                constant.verilog
            ));
        }
        let written: BTreeSet<NetId> = groups.iter().flat_map(Group::targets).collect();
        for (id, net) in scope.nets() {
            let range = print::range(net.ty.width);
            let register = |child: usize| self.instance.children[child].register.as_ref();
            match net.class {
                Class::Input | Class::Output => {}
                Class::ChildOutput(child) => match register(child) {
                    Some(initial) => {
                        let value = print::literal(initial, net.ty.width);
                        text.push_str(&format!("  reg {range}{} = {value};\n", net.verilog));
                    }
                    None if self.connections.outputs.contains(&id) => {}
                    None => text.push_str(&format!("  wire {range}{};\n", net.verilog)),
                },
                _ if written.contains(&id) => {
                    let kind = if procedural.contains(&id) { "reg" } else { "wire" };
                    text.push_str(&format!("  {kind} {range}{};\n", net.verilog));
                }
                _ => {}
            }
        }
        text
    }

    /// Returns the named constants in use.
    fn constants(&self, groups: &[Group]) -> BTreeSet<usize> {
        let mut used = BTreeSet::new();
        let mut note = |expr: &Expr| {
            expr.walk(&mut |expr| {
                if let Expr::Constant(constant) = expr {
                    used.insert(*constant);
                }
            });
        };
        self.connections.inputs.values().for_each(&mut note);
        groups
            .iter()
            .flat_map(|group| &group.statements)
            .for_each(|statement| statement.walk(&mut note));
        used
    }

    fn children(&self, scope: &mut Scope) -> String {
        let mut text = String::new();
        for (instance, module) in self.instance.children.iter().zip(self.modules) {
            let Some(module) = module else { continue };
            // Linters confuse a name inside a module with the instance of the same name.
            let body = &self.drafts[*module].body;
            let name = identifier(&instance.name);
            let hides = words(body).any(|word| word == name);
            let name = scope.instance_name(&format!(
                "{}{}",
                instance.name,
                if hides { "$instance" } else { "" }
            ));
            let ports: Vec<String> = instance
                .ports()
                .map(|port| {
                    let net = scope.child_port(instance, &port.name);
                    let net = net.map(|net| self.connection(scope, net)).unwrap_or_default();
                    format!("    .{}({net})", identifier(&port.name))
                })
                .collect();
            text.push_str(&format!(
                "  {} {name} (\n{}\n  );\n",
                child(*module),
                ports.join(",\n")
            ));
        }
        text
    }

    fn connection(&self, scope: &Scope, net: NetId) -> String {
        match self.connections.inputs.get(&net) {
            Some(expr) => print::expression(scope, expr),
            None => scope.net(net).verilog.clone(),
        }
    }

    fn registers(&self, scope: &Scope) -> String {
        let mut by_clock: BTreeMap<String, String> = BTreeMap::new();
        for register in self
            .instance
            .children
            .iter()
            .filter(|child| child.register.is_some())
        {
            let port = |name| {
                scope
                    .child_port(register, name)
                    .map(|net| self.connection(scope, net))
            };
            if let (Some(clock), Some(d), Some(q)) = (port("clock"), port("d"), port("q")) {
                print::line(by_clock.entry(clock).or_default(), 2, &format!("{q} <= {d};"));
            }
        }
        by_clock
            .iter()
            .map(|(clock, lines)| format!("  always @(posedge {clock}) begin\n{lines}  end\n"))
            .collect()
    }

    fn logic(&self, scope: &Scope, groups: &[Group]) -> String {
        let mut text = String::new();
        for group in groups {
            group
                .comments
                .iter()
                .for_each(|comment| print::comment(&mut text, 1, comment));
            if group.continuous(scope) {
                let mut lines = String::new();
                print::statements(&mut lines, scope, &group.statements, 1);
                for line in lines.split_inclusive(";\n") {
                    text.push_str(&line.replacen("  ", "  assign ", 1));
                }
            } else {
                print::line(&mut text, 1, "always @* begin");
                print::guarded_temporaries(&mut text, scope, &group.statements, 2);
                print::statements(&mut text, scope, &group.statements, 2);
                print::line(&mut text, 1, "end");
            }
        }
        text
    }
}
