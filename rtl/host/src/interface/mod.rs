//! The host interface for people, for generators of register blocks and for drivers in C, all from `host`.
mod c_header;
mod markdown;
mod system_rdl;

/// A file's name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: &'static str,
    pub text: String,
}

/// All of them.
pub fn files() -> Vec<File> {
    let file = |name, text| File { name, text };
    vec![
        file("registers.md", markdown::text()),
        file("hca.rdl", system_rdl::text()),
        file("hca.h", c_header::text()),
    ]
}

/// The version of the interface, as people say it.
fn version() -> String {
    use crate::register::VERSION_VALUE;
    format!("{}.{}", VERSION_VALUE >> 16, VERSION_VALUE & 0xFFFF)
}
