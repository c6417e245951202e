//! The interface as a Markdown page.
use super::version;
use crate::argument::{Argument, Command, COMMANDS, RESULTS, SERVICES, STATES};
use crate::field::{Code, Field};
use crate::layout::Layout;
use crate::register::{Access, Register, MAP};
use crate::{cqe, eqe, wqe};
use std::fmt::Write;

pub fn text() -> String {
    let mut page = String::new();
    write(&mut page).expect("a string takes everything");
    page.lines().map(|line| wrapped(line) + "\n").collect()
}

/// Returns a paragraph wrapped at 120 characters. The rows of a table are not wrapped.
fn wrapped(line: &str) -> String {
    let end = line.char_indices().nth(120).map(|(end, _)| end);
    match end.and_then(|end| line[..end].rfind(' ')) {
        Some(space) if !line.starts_with('|') => {
            format!("{}\n{}", &line[..space], wrapped(&line[space + 1..]))
        }
        _ => line.to_owned(),
    }
}

fn write(page: &mut String) -> std::fmt::Result {
    writeln!(
        page,
        "<!-- Made by `hca interface`. -->\n# Host interface, version {}\n\n\
         Registers of 32 bits behind the AXI4-Lite port, at byte offsets; work queues, completion queues and an event \
         queue in\nhost memory, every number in it with its most significant byte first. Bits and bytes that are not \
         listed are 0.\n\n\
         ## Registers",
        version()
    )?;
    for group in MAP {
        writeln!(page, "\n### {}\n{}.\n", group.name, group.meaning)?;
        writeln!(
            page,
            "| offset | register | access | reset | bits | field |\n|---|---|---|---|---|---|"
        )?;
        for register in group.registers {
            register_rows(page, register)?;
        }
    }
    writeln!(
        page,
        "\n## Commands\nArguments first, then the code into `COMMAND`; `COMMAND_STATUS` tells the end and the result. \
         A command that is\nrefused changes nothing, and there is no answer.\n"
    )?;
    codes(page, "result", RESULTS)?;
    for command in COMMANDS {
        command_table(page, command)?;
    }
    writeln!(page, "\n### QP states\n")?;
    codes(page, "state", STATES)?;
    writeln!(page, "\n### Transport services\n")?;
    codes(page, "service", SERVICES)?;
    writeln!(page, "\n## Work queue entries")?;
    for layout in [&wqe::SEND, &wqe::SEND_DATAGRAM, &wqe::RECEIVE, &wqe::SGE] {
        layout_table(page, layout)?;
    }
    writeln!(page, "\n### Operations of a send WQE\n")?;
    codes(page, "operation", wqe::OPERATIONS)?;
    writeln!(page, "\n### Flags of a WQE\n")?;
    flags(page, wqe::FLAGS)?;
    writeln!(page, "\n## Completion queue entries")?;
    layout_table(page, &cqe::LAYOUT)?;
    writeln!(page, "\n### Flags of a CQE\n")?;
    flags(page, cqe::FLAGS)?;
    writeln!(page, "\n### Operations of a CQE of the receive queue\n")?;
    codes(page, "operation", cqe::RECEIVED)?;
    writeln!(page, "\n### Statuses\n")?;
    codes(page, "status", cqe::STATUSES)?;
    writeln!(page, "\n## Event queue entries")?;
    layout_table(page, &eqe::LAYOUT)?;
    writeln!(page, "\n### Kinds of events\n")?;
    codes(page, "kind", eqe::KINDS)
}

fn register_rows(page: &mut String, register: &Register) -> std::fmt::Result {
    let access = match register.access {
        Access::ReadOnly => "read",
        Access::ReadWrite => "read, write",
        Access::WriteOnly => "write",
        Access::WriteOneToClear => "read, write 1 to clear",
    };
    let reset = match register.reset {
        Some(value) if value > 9 => format!("{value:08X}h"),
        Some(value) => value.to_string(),
        None => "of the profile".to_string(),
    };
    let (offset, name) = match register.count {
        1 => (format!("{:05X}h", register.offset), register.name.to_string()),
        n => (
            format!("{:05X}h + {} n", register.offset, register.stride),
            format!("{}[{n}]", register.name),
        ),
    };
    writeln!(
        page,
        "| {offset} | `{name}` | {access} | {reset} | | {} |",
        register.meaning
    )?;
    for field in register.fields {
        writeln!(
            page,
            "| | | | | {} | `{}`: {} |",
            bits(field),
            field.name,
            field.meaning
        )?;
    }
    Ok(())
}

fn command_table(page: &mut String, command: &Command) -> std::fmt::Result {
    let name_of = |refusal: &u32| RESULTS.iter().find(|result| result.value == *refusal);
    let results: Vec<String> = command
        .refusals
        .iter()
        .filter_map(name_of)
        .map(|result| format!("`{}`", result.name))
        .collect();
    let refusals = match results.is_empty() {
        true => "Never refused".to_string(),
        false => format!(
            "Refused with the first of these that applies: {}",
            results.join(", ")
        ),
    };
    writeln!(
        page,
        "\n### {}, code {}\n{}. {refusals}.\n",
        command.name,
        command.code,
        sentence(command.meaning)
    )?;
    words(page, "argument", command.arguments)?;
    if !command.answer.is_empty() {
        writeln!(page)?;
        words(page, "answer", command.answer)?;
    }
    Ok(())
}

fn words(page: &mut String, title: &str, arguments: &[Argument]) -> std::fmt::Result {
    writeln!(page, "| word | {title} | bits | field |\n|---|---|---|---|")?;
    for argument in arguments {
        let word = match argument.words {
            1 => argument.index.to_string(),
            n => format!("{} to {}", argument.index, argument.index + n - 1),
        };
        for (n, field) in argument.fields.iter().enumerate() {
            let (word, name) = match n {
                0 => (word.as_str(), format!("`{}`", argument.name)),
                _ => ("", String::new()),
            };
            let bits = match argument.words {
                1 => bits(field),
                n => format!("{}:0, first word on top", 32 * n - 1),
            };
            writeln!(
                page,
                "| {word} | {name} | {bits} | `{}`: {} |",
                field.name, field.meaning
            )?;
        }
    }
    Ok(())
}

fn layout_table(page: &mut String, layout: &Layout) -> std::fmt::Result {
    writeln!(
        page,
        "\n### {}, {} bytes\n{}.\n\n| bytes | member | |\n|---|---|---|",
        layout.name,
        layout.bytes,
        sentence(layout.meaning)
    )?;
    for member in layout.members {
        let bytes = match member.bytes {
            1 => member.at.to_string(),
            n => format!("{} to {}", member.at, member.at + n - 1),
        };
        writeln!(page, "| {bytes} | `{}` | {} |", member.name, member.meaning)?;
    }
    Ok(())
}

fn codes(page: &mut String, kind: &str, codes: &[Code]) -> std::fmt::Result {
    writeln!(page, "| {kind} | name | |\n|---|---|---|")?;
    for code in codes {
        writeln!(page, "| {} | `{}` | {} |", code.value, code.name, code.meaning)?;
    }
    Ok(())
}

fn flags(page: &mut String, flags: &[Field]) -> std::fmt::Result {
    writeln!(page, "| bit | flag | |\n|---|---|---|")?;
    for flag in flags {
        writeln!(page, "| {} | `{}` | {} |", flag.low, flag.name, flag.meaning)?;
    }
    Ok(())
}

fn bits(field: &Field) -> String {
    match field.high == field.low {
        true => field.low.to_string(),
        false => format!("{}:{}", field.high, field.low),
    }
}

/// Returns the text with a capital first letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
