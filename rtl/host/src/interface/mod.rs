//! Generates the host interface for readers, for generators of register blocks, and for drivers in C. All files come
//! from this crate's constants.
mod c_header;
mod markdown;
mod system_rdl;

/// A file's name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name of the file.
    pub name: &'static str,
    /// Text of the file.
    pub text: String,
}

/// Returns all generated files.
pub fn files() -> Vec<File> {
    let file = |name, text| File { name, text };
    vec![
        file("registers.md", markdown::text()),
        file("hca.rdl", system_rdl::text()),
        file("hca.h", c_header::text()),
    ]
}

/// Returns the version of the interface as text.
fn version() -> String {
    use crate::register::VERSION_VALUE;
    format!("{}.{}", VERSION_VALUE >> 16, VERSION_VALUE & 0xFFFF)
}
