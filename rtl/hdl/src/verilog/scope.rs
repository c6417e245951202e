//! The meaning of the names in one block.
use super::collect::{Atom, Instance};
use super::kind::{Kind, Type};
use super::name::Names;
use super::ExportError;
use num_bigint::BigUint;
use rust_hdl_core::prelude::AtomKind;
use std::collections::BTreeMap;

/// The index of a net in its scope.
pub(super) type NetId = usize;

/// What drives a net, and who may read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class {
    Input,
    Output,
    Local,
    /// A net that holds an intermediate value, because Verilog can only slice a value by name.
    Temporary,
    /// An input of the child with this number.
    ChildInput(usize),
    ChildOutput(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Net {
    /// Name in the kernel, with `$` between the parts.
    pub source: String,
    /// Name in the Verilog.
    pub verilog: String,
    /// Width and meaning.
    pub ty: Type,
    /// What drives it, and who may read it.
    pub class: Class,
}

/// A `Constant` field or an enum variant.
#[derive(Clone, Debug)]
pub(super) struct NamedConstant {
    /// Name in the kernel, with `$` between the parts.
    pub source: String,
    /// Name in the Verilog.
    pub verilog: String,
    /// Width in bits.
    pub width: usize,
    /// Its value, as two's complement of the width.
    pub value: BigUint,
    /// Width and meaning.
    pub ty: Type,
}

pub(super) enum Meaning {
    Net(NetId),
    Constant(usize),
}

/// The nets and constants of one block.
pub(super) struct Scope {
    /// Path of the block from the top, joined with dots.
    pub path: String,
    nets: Vec<Net>,
    constants: Vec<NamedConstant>,
    by_name: BTreeMap<String, NetId>,
    constant_by_name: BTreeMap<String, usize>,
    names: Names,
}

impl Scope {
    pub fn new(instance: &Instance) -> Result<Self, ExportError> {
        let mut scope = Self {
            path: instance.path.clone(),
            nets: vec![],
            constants: vec![],
            by_name: BTreeMap::new(),
            constant_by_name: BTreeMap::new(),
            names: Names::default(),
        };
        for atom in instance.ports() {
            let verilog =
                scope
                    .names
                    .claim(&atom.name)
                    .map_err(|(first, name)| ExportError::NameCollision {
                        block: instance.path.clone(),
                        first: source_name(&first),
                        second: source_name(&atom.name),
                        name,
                    })?;
            let class = if atom.kind == AtomKind::InputParameter {
                Class::Input
            } else {
                Class::Output
            };
            scope.add(atom.name.clone(), verilog, atom.ty.clone(), class);
        }
        for (number, child) in instance.children.iter().enumerate() {
            scope.add_child(number, child)?;
        }
        for atom in &instance.atoms {
            match atom.kind {
                AtomKind::LocalSignal => {
                    let verilog = scope.names.unique(&atom.name);
                    scope.add(atom.name.clone(), verilog, atom.ty.clone(), Class::Local);
                }
                AtomKind::Constant => scope.add_constant(atom),
                _ => {}
            }
            scope.add_enums(&atom.ty)?;
        }
        Ok(scope)
    }

    fn add_child(&mut self, number: usize, child: &Instance) -> Result<(), ExportError> {
        for atom in child.ports() {
            let source = format!("{}${}", child.name, atom.name);
            let verilog = self.names.unique(&source);
            let class = match atom.kind {
                AtomKind::InputParameter => Class::ChildInput(number),
                _ => Class::ChildOutput(number),
            };
            self.add(source, verilog, atom.ty.clone(), class);
            self.add_enums(&atom.ty)?;
        }
        Ok(())
    }

    fn add(&mut self, source: String, verilog: String, ty: Type, class: Class) -> NetId {
        self.by_name.insert(source.clone(), self.nets.len());
        self.nets.push(Net {
            source,
            verilog,
            ty,
            class,
        });
        self.nets.len() - 1
    }

    fn add_constant(&mut self, atom: &Atom) {
        let verilog = self.names.unique(&atom.name);
        self.constant_by_name
            .insert(atom.name.clone(), self.constants.len());
        self.constants.push(NamedConstant {
            source: source_name(&atom.name),
            verilog,
            width: atom.ty.width,
            value: atom.value.clone(),
            ty: atom.ty.clone(),
        });
    }

    fn add_enums(&mut self, ty: &Type) -> Result<(), ExportError> {
        let mut failure = None;
        ty.enums(&mut |variants, width| {
            for (number, variant) in variants.iter().enumerate() {
                let key = variant.replace("::", "$");
                let kind = Kind::Enum(variants.to_vec());
                if let Some(known) = self.constant_by_name.get(&key) {
                    if self.constants[*known].ty.kind != kind {
                        failure = Some(variant.clone());
                    }
                    continue;
                }
                let verilog = self.names.unique(variant);
                self.constant_by_name.insert(key, self.constants.len());
                self.constants.push(NamedConstant {
                    source: variant.clone(),
                    verilog,
                    width,
                    value: number.into(),
                    ty: Type { width, kind },
                });
            }
        });
        match failure {
            Some(variant) => Err(ExportError::AmbiguousVariant {
                block: self.path.clone(),
                variant,
            }),
            None => Ok(()),
        }
    }

    /// Adds a net for an intermediate value of the assignment to `owner`.
    pub fn add_temporary(&mut self, owner: &str, width: usize) -> NetId {
        let source = format!("{owner}$term");
        let verilog = self.names.unique(&source);
        self.nets.push(Net {
            source,
            verilog,
            ty: Type::bits(width),
            class: Class::Temporary,
        });
        self.nets.len() - 1
    }

    /// Returns an unused identifier for an instance.
    pub fn instance_name(&mut self, source: &str) -> String {
        self.names.unique(source)
    }

    pub fn net(&self, net: NetId) -> &Net {
        &self.nets[net]
    }

    pub fn nets(&self) -> impl Iterator<Item = (NetId, &Net)> {
        self.nets.iter().enumerate()
    }

    pub fn rename(&mut self, net: NetId, verilog: String) {
        self.nets[net].verilog = verilog;
    }

    pub fn constant(&self, constant: usize) -> &NamedConstant {
        &self.constants[constant]
    }

    /// Returns the net or constant with this name. An enum variant may have a path before it.
    pub fn find(&self, name: &str) -> Option<Meaning> {
        if let Some(net) = self.by_name.get(name) {
            return Some(Meaning::Net(*net));
        }
        if let Some(constant) = self.constant_by_name.get(name) {
            return Some(Meaning::Constant(*constant));
        }
        let mut parts = name.rsplitn(3, '$');
        let (variant, owner) = (parts.next()?, parts.next()?);
        self.constant_by_name
            .get(&format!("{owner}${variant}"))
            .map(|constant| Meaning::Constant(*constant))
    }

    /// Returns the net `child$port`.
    pub fn child_port(&self, child: &Instance, port: &str) -> Option<NetId> {
        self.by_name.get(&format!("{}${port}", child.name)).copied()
    }
}

/// Returns a name as it is written in the kernel.
pub(super) fn source_name(name: &str) -> String {
    name.replace('$', ".")
}
