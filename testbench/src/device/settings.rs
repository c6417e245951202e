//! The registers of the adapter's identity and settings. At the end of a run they are compared with the expected
//! values.
use super::translation::link;
use super::Fault;
use hca_golden::arbitration::{Arbitration, Entry};
use hca_golden::port::PortConfig;
use hca_host::profile::{Link, Profile};
use hca_host::register::{self, Access, Group, MAP};
use hca_sim::driver::DriverError;

/// A register, and its expected value.
pub type Said = (String, u32, u32);

/// Checks that a register was read and had the expected value.
pub fn register_is(name: &str, expected: u32, outcome: &Result<u32, DriverError>) -> Result<(), Fault> {
    let found = match outcome {
        Ok(value) if *value == expected => return Ok(()),
        Ok(value) => format!("{value:08X}h"),
        Err(e) => e.to_string(),
    };
    Err(Fault {
        rule: format!("register {name}: expected {expected:08X}h, found {found}"),
    })
}

/// The group of registers that only software changes.
const PORT: &str = "PORT";

/// Returns the identity registers of a profile.
pub fn identity(profile: &Profile) -> Vec<Said> {
    let limits = profile.qp_bits as u32
        | (profile.cq_bits as u32) << 8
        | (profile.stream_bits as u32 / 8) << 16
        | (profile.region_bits as u32) << 24;
    let is_roce = u32::from(profile.link == Link::Roce);
    let ports = profile.ports() as u32;
    let said = [
        ("ID", register::ID, register::ID_VALUE),
        ("VERSION", register::VERSION, register::VERSION_VALUE),
        ("LIMITS", register::LIMITS, limits),
        (
            "QUEUE_LIMITS",
            register::QUEUE_LIMITS,
            register::QUEUE_LIMITS_VALUE,
        ),
        (
            "WORK_LIMITS",
            register::WORK_LIMITS,
            register::WORK_LIMITS_VALUE | is_roce << 24 | ports << register::PORTS_SHIFT,
        ),
    ];
    said.map(|(name, at, value)| (name.to_owned(), at, value)).into()
}

/// Returns the settings registers of the port.
pub fn port(port: &PortConfig) -> Vec<Said> {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    let mut said = vec![(
        "PORT".to_owned(),
        register::PORT,
        u32::from(port.lid) | u32::from(port.lmc) << 16,
    )];
    said.push(("PORT_MTU".to_owned(), register::PORT_MTU, port.mtu.code().into()));
    for (n, words) in (0..).zip(port.gid.chunks(4)) {
        said.push((format!("PORT_GID[{n}]"), register::PORT_GID + 4 * n, word(words)));
    }
    if link(port.link) == Link::InfiniBand {
        let halves = port
            .guids
            .iter()
            .flat_map(|guid| [guid >> 32, guid & 0xFFFF_FFFF]);
        for (n, half) in (0..).zip(halves) {
            said.push((
                format!("PORT_GUID[{n}]"),
                register::PORT_GUID + 4 * n,
                half as u32,
            ));
        }
    }
    if link(port.link) == Link::InfiniBand {
        said.extend(arbitration(&port.arbitration));
    }
    for (n, p_key) in (0..).zip(port.p_keys) {
        said.push((
            format!("PORT_P_KEY[{n}]"),
            register::PORT_P_KEY + 4 * n,
            p_key.into(),
        ));
    }
    if link(port.link) == Link::Roce {
        said.push((
            "PORT_MAC_HIGH".to_owned(),
            register::PORT_MAC_HIGH,
            word(&port.mac[..2]),
        ));
        said.push((
            "PORT_MAC_LOW".to_owned(),
            register::PORT_MAC_LOW,
            word(&port.mac[2..]),
        ));
    }
    let stride = (u32::from(port.number) - 1) * register::PORT_STRIDE;
    for (_, address, _) in &mut said {
        *address += stride;
    }
    said
}

/// Returns the registers of the arbitration of data VLs.
fn arbitration(port: &Arbitration) -> Vec<Said> {
    let limit = u32::from(port.high_limit) | register::VL_ARBITRATION_ENTRIES << 8;
    let half = |entry: &Entry| u32::from(entry.weight) | u32::from(entry.vl) << 8;
    let words = port.high.chunks(2).chain(port.low.chunks(2));
    let words = words.map(|pair| half(&pair[0]) | half(&pair[1]) << 16);
    let tables = (0..).zip(words).map(|(n, word)| {
        let name = format!("VL_ARBITRATION[{n}]");
        (name, register::VL_ARBITRATION + 4 * n, word)
    });
    let limit = ("VL_HIGH_LIMIT".to_owned(), register::VL_HIGH_LIMIT, limit);
    std::iter::once(limit).chain(tables).collect()
}

/// Returns the registers of so many ports after ones were written to all their bits: the bits that exist read as one.
/// Ones are no code of an MTU.
pub fn all_ones(link: Link, ports: usize) -> Vec<Said> {
    let group = |group: &&Group| group.name == PORT;
    let registers = MAP.iter().filter(group).flat_map(|group| group.registers);
    let of_link = |name: &str| match link {
        Link::InfiniBand => !name.contains("MAC"),
        Link::Roce => !name.contains("GUID"),
    };
    registers
        .filter(|r| r.access == Access::ReadWrite && r.offset != register::PORT_MTU && of_link(r.name))
        .flat_map(|r| {
            (0..ports as u32).flat_map(move |port| {
                (0..r.count).map(move |n| {
                    (
                        format!("{}[{n}] of ones, port {}", r.name, port + 1),
                        r.offset + n * r.stride + port * register::PORT_STRIDE,
                        r.mask(),
                    )
                })
            })
        })
        .collect()
}
