//! The registers in SystemRDL 2.0.
use super::version;
use crate::field::Field;
use crate::register::{Access, Group, Register, MAP};
use std::fmt::Write;

pub fn text() -> String {
    let mut file = String::new();
    write(&mut file).expect("a string takes everything");
    file
}

fn write(file: &mut String) -> std::fmt::Result {
    writeln!(
        file,
        "// Made by `hca interface`.\n\
         addrmap hca {{\n    name = \"Host interface\";\n    desc = \"Version {}\";\n\
         \x20   default regwidth = 32;\n    default accesswidth = 32;\n    default hw = rw;\n",
        version()
    )?;
    for group in MAP {
        match interleaved(group) {
            Some((count, stride)) => {
                let base = group.registers[0].offset;
                writeln!(file, "    regfile {{\n        desc = {};", text_of(group.meaning))?;
                for register in group.registers {
                    let place = format!("@ 0x{:X}", register.offset - base);
                    register_text(file, register, "        ", &place)?;
                }
                writeln!(
                    file,
                    "    }} {}[{count}] @ 0x{base:05X} += {stride};\n",
                    group.name
                )?;
            }
            None => {
                for register in group.registers {
                    let place = match register.count {
                        1 => format!("@ 0x{:05X}", register.offset),
                        n => format!("[{n}] @ 0x{:05X} += {}", register.offset, register.stride),
                    };
                    register_text(file, register, "    ", &place)?;
                }
            }
        }
    }
    writeln!(file, "}};")
}

/// Returns count and stride of a register array.
fn interleaved(group: &Group) -> Option<(u32, u32)> {
    let first = group.registers.first()?;
    (first.stride > 4).then_some((first.count, first.stride))
}

fn register_text(file: &mut String, register: &Register, margin: &str, place: &str) -> std::fmt::Result {
    writeln!(
        file,
        "{margin}reg {{\n{margin}    desc = {};",
        text_of(register.meaning)
    )?;
    let software = match register.access {
        Access::ReadOnly => "sw = r;",
        Access::ReadWrite => "sw = rw;",
        Access::WriteOnly => "sw = w;",
        Access::WriteOneToClear => "sw = rw; onwrite = woclr;",
    };
    for field in register.fields {
        let reset = match register.reset {
            Some(value) => format!(" = 0x{:X}", field.of(value)),
            None => String::new(),
        };
        writeln!(
            file,
            "{margin}    field {{ {software} desc = {}; }} {}{}{reset};",
            text_of(field.meaning),
            field.name,
            bits(field)
        )?;
    }
    writeln!(
        file,
        "{margin}}} {}{}{place};\n",
        register.name,
        if place.starts_with('[') { "" } else { " " }
    )
}

fn bits(field: &Field) -> String {
    format!("[{}:{}]", field.high, field.low)
}

/// Returns a string literal.
fn text_of(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
