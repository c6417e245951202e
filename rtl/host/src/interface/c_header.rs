//! The C header with the numbers of the interface, for a driver.
use super::version;
use crate::argument::{Argument, COMMANDS, RESULTS, SERVICES, STATES};
use crate::field::{Code, Field};
use crate::layout::Layout;
use crate::register::{Register, MAP};
use crate::{cqe, eqe, wqe};
use std::fmt::Write;

pub fn text() -> String {
    let mut file = String::new();
    write(&mut file).expect("a string takes everything");
    file
}

fn write(file: &mut String) -> std::fmt::Result {
    writeln!(
        file,
        "/* Host interface, version {}. Made by `hca interface`.\n *\n \
         * HCA_REG_*: byte offsets of registers. HCA_CMD_*: command codes. HCA_ARG_*, HCA_ANSWER_*: words of their\n * arguments and answers.\n \
         * *_SHIFT and *_MASK: a field is (word & MASK) >> SHIFT. HCA_*_AT and HCA_*_BYTES: members of entries in host\n \
         * memory, the most significant byte first.\n */\n#ifndef HCA_H\n#define HCA_H",
        version()
    )?;
    for group in MAP {
        writeln!(file, "\n/* {}. */", group.meaning)?;
        for register in group.registers {
            register_text(file, register)?;
        }
    }
    writeln!(file, "\n/* Commands. */")?;
    for command in COMMANDS {
        define(
            file,
            &format!("CMD_{}", command.name),
            &format!("{}u", command.code),
        )?;
        for argument in command.arguments {
            argument_text(file, "ARG", command.name, argument)?;
        }
        for answer in command.answer {
            argument_text(file, "ANSWER", command.name, answer)?;
        }
    }
    codes(file, "Results of a command", "RESULT", RESULTS)?;
    codes(file, "QP states", "STATE", STATES)?;
    codes(file, "Transport services", "SERVICE", SERVICES)?;
    for layout in [
        &wqe::SEND,
        &wqe::SEND_DATAGRAM,
        &wqe::RECEIVE,
        &wqe::SGE,
        &cqe::LAYOUT,
        &eqe::LAYOUT,
    ] {
        layout_text(file, layout)?;
    }
    codes(file, "Operations of a send WQE", "OP", wqe::OPERATIONS)?;
    codes(
        file,
        "Operations of a CQE of the receive queue",
        "OP",
        cqe::RECEIVED,
    )?;
    flags(file, "Flags of a WQE", "WQE_FLAG", wqe::FLAGS)?;
    flags(file, "Flags of a CQE", "CQE_FLAG", cqe::FLAGS)?;
    codes(file, "Statuses of a CQE", "STATUS", cqe::STATUSES)?;
    codes(file, "Kinds of events", "EVENT", eqe::KINDS)?;
    writeln!(file, "\n#endif")
}

fn register_text(file: &mut String, register: &Register) -> std::fmt::Result {
    let name = format!("REG_{}", register.name);
    match register.count {
        1 => define(file, &name, &format!("0x{:05X}u", register.offset))?,
        count => {
            let place = format!("(0x{:05X}u + {}u * (n))", register.offset, register.stride);
            define(file, &format!("{name}(n)"), &place)?;
            define(file, &format!("{name}_COUNT"), &format!("{count}u"))?;
        }
    }
    fields(file, &name, register.fields)
}

fn argument_text(file: &mut String, kind: &str, command: &str, argument: &Argument) -> std::fmt::Result {
    let name = format!("{kind}_{command}_{}", argument.name);
    define(file, &name, &format!("{}u", argument.index))?;
    fields(file, &name, argument.fields)
}

/// Writes the masks and shifts of fields. A field that fills its word needs neither.
fn fields(file: &mut String, word: &str, fields: &[Field]) -> std::fmt::Result {
    for field in fields.iter().filter(|field| field.mask() != u32::MAX) {
        let name = format!("{word}_{}", field.name.to_uppercase());
        define(file, &format!("{name}_SHIFT"), &format!("{}u", field.low))?;
        define(file, &format!("{name}_MASK"), &format!("0x{:08X}u", field.mask()))?;
    }
    Ok(())
}

fn layout_text(file: &mut String, layout: &Layout) -> std::fmt::Result {
    writeln!(file, "\n/* {}: {}. */", layout.name, layout.meaning)?;
    define(
        file,
        &format!("{}_BYTES", layout.name),
        &format!("{}u", layout.bytes),
    )?;
    for member in layout.members {
        let name = format!("{}_{}", layout.name, member.name.to_uppercase());
        define(file, &format!("{name}_AT"), &format!("{}u", member.at))?;
        define(file, &format!("{name}_BYTES"), &format!("{}u", member.bytes))?;
    }
    Ok(())
}

fn codes(file: &mut String, title: &str, prefix: &str, codes: &[Code]) -> std::fmt::Result {
    writeln!(file, "\n/* {title}. */")?;
    for code in codes {
        define(
            file,
            &format!("{prefix}_{}", code.name),
            &format!("{}u", code.value),
        )?;
    }
    Ok(())
}

fn flags(file: &mut String, title: &str, prefix: &str, flags: &[Field]) -> std::fmt::Result {
    writeln!(file, "\n/* {title}. */")?;
    for flag in flags {
        let name = format!("{prefix}_{}", flag.name.to_uppercase());
        define(file, &name, &format!("0x{:02X}u", flag.mask()))?;
    }
    Ok(())
}

fn define(file: &mut String, name: &str, value: &str) -> std::fmt::Result {
    writeln!(file, "#define HCA_{name:<44} {value}")
}
