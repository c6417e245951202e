//! The types of values.
use rust_hdl_core::prelude::{TypeDescriptor, TypeKind};

/// What a value means beyond its width.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Bits,
    Signed,
    Clock,
    /// An enum: its variants as `Enum::Variant`, in the order of their encoding.
    Enum(Vec<String>),
    /// A struct: its named fields, from the least significant end.
    Struct {
        name: String,
        fields: Vec<(String, Type)>,
    },
}

/// The type of a value: its width and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Type {
    /// Width in bits.
    pub width: usize,
    /// Meaning of the value.
    pub kind: Kind,
}

impl Type {
    pub fn bits(width: usize) -> Self {
        Self {
            width,
            kind: Kind::Bits,
        }
    }

    pub fn signed(width: usize) -> Self {
        Self {
            width,
            kind: Kind::Signed,
        }
    }

    pub fn is_signed(&self) -> bool {
        self.kind == Kind::Signed
    }

    pub fn of(descriptor: &TypeDescriptor) -> Self {
        match &descriptor.kind {
            TypeKind::Bits(_) if descriptor.name == "clock" => Self {
                width: 1,
                kind: Kind::Clock,
            },
            TypeKind::Bits(width) => Self::bits(*width),
            TypeKind::Signed(width) => Self::signed(*width),
            TypeKind::Enum(variants) => Self {
                width: rust_hdl_core::prelude::clog2(variants.len()),
                kind: Kind::Enum(variants.clone()),
            },
            TypeKind::Composite(fields) => {
                let fields = fields
                    .iter()
                    .map(|field| (field.fieldname.clone(), Self::of(&field.kind)));
                let fields: Vec<(String, Type)> = fields.collect();
                Self {
                    width: fields.iter().map(|(_, field)| field.width).sum(),
                    kind: Kind::Struct {
                        name: descriptor.name.clone(),
                        fields,
                    },
                }
            }
        }
    }

    /// Returns name and width of each field of a struct, from the least significant end.
    pub fn fields(&self) -> Vec<(String, usize)> {
        match &self.kind {
            Kind::Struct { fields, .. } => fields.iter().map(|(name, ty)| (name.clone(), ty.width)).collect(),
            _ => vec![],
        }
    }

    /// Returns how a struct lies in its vector, as text: its name, then each field with its bits.
    pub fn layout(&self) -> Option<String> {
        let Kind::Struct { name, fields } = &self.kind else {
            return None;
        };
        let mut low = 0;
        let fields = fields.iter().map(|(field, ty)| {
            let range = match ty.width {
                1 => format!("[{low}]"),
                width => format!("[{}:{low}]", low + width - 1),
            };
            low += ty.width;
            format!("{field} {range}")
        });
        Some(format!("{name}: {}", fields.collect::<Vec<_>>().join(", ")))
    }

    /// Returns the type of `width` bits from bit `low` up. A field keeps its own type.
    pub fn part(&self, low: usize, width: usize) -> Type {
        match &self.kind {
            Kind::Signed => Self::signed(width),
            Kind::Struct { fields, .. } => {
                let mut offset = 0;
                for (_, field) in fields {
                    if offset == low && field.width == width {
                        return field.clone();
                    }
                    offset += field.width;
                }
                Self::bits(width)
            }
            _ => Self::bits(width),
        }
    }

    /// Calls `visit` with each enum in the type.
    pub fn enums(&self, visit: &mut dyn FnMut(&[String], usize)) {
        match &self.kind {
            Kind::Enum(variants) => visit(variants, self.width),
            Kind::Struct { fields, .. } => fields.iter().for_each(|(_, field)| field.enums(visit)),
            _ => {}
        }
    }
}
