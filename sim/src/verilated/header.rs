//! Reads the ports of a design from the header that Verilator generates. The header has the same form for every
//! Verilator version and any design.
use super::port::{Direction, PortInfo};

/// A port, and the name of its C++ member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub member: String,
    pub info: PortInfo,
}

/// Returns the ports declared in a generated header, in order.
pub(super) fn ports(header: &str) -> Vec<Member> {
    header.lines().filter_map(port).collect()
}

/// Decodes a line such as `VL_IN8(&name,msb,lsb);` or `VL_OUTW(&name,msb,lsb,words);`.
fn port(line: &str) -> Option<Member> {
    let line = line.trim();
    let (direction, rest) = if let Some(rest) = line.strip_prefix("VL_IN") {
        (Direction::In, rest)
    } else {
        (Direction::Out, line.strip_prefix("VL_OUT")?)
    };
    let (_, arguments) = rest.split_once('(')?;
    let (arguments, _) = arguments.split_once(')')?;
    let mut parts = arguments.split(',');
    let member = parts.next()?.trim_start_matches('&').trim();
    let msb: u32 = parts.next()?.trim().parse().ok()?;
    let lsb: u32 = parts.next()?.trim().parse().ok()?;
    // A name that is a C++ keyword gets a prefix.
    let name = member.strip_prefix("__SYM__").unwrap_or(member);
    Some(Member {
        member: member.to_owned(),
        info: PortInfo {
            name: name.to_owned(),
            direction,
            bits: msb - lsb + 1,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_class_is_read() {
        let header = "
    VL_IN8(&clock,0,0);
    VL_OUT16(&status,10,1);
    VL_IN(seventeen,16,0);
    VL_OUTW(&wide,575,0,18);
    VL_IN64(&__SYM__class,63,0);
    Vdut___024root* const rootp;";
        let seen: Vec<_> = ports(header)
            .into_iter()
            .map(|p| (p.info.name, p.info.direction, p.info.bits))
            .collect();
        let expected = [
            ("clock", Direction::In, 1),
            ("status", Direction::Out, 10),
            ("seventeen", Direction::In, 17),
            ("wide", Direction::Out, 576),
            ("class", Direction::In, 64),
        ];
        assert_eq!(seen, expected.map(|(n, d, b)| (n.to_owned(), d, b)));
    }
}
