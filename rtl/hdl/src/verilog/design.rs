//! The result of an export.
use super::ExportError;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The direction of a port, seen from the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog.
    pub name: String,
    /// Whether the port is an input or an output.
    pub direction: Direction,
    /// Width in bits.
    pub width: usize,
    /// Name and width of each field of a struct, from the least significant end; empty for other types.
    pub fields: Vec<(String, usize)>,
}

/// The Verilog of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Name of the module.
    pub name: String,
    /// Text of the module.
    pub text: String,
}

/// The Verilog of a block: its modules, children first, the top last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    /// Name of the top module.
    pub top: String,
    /// All modules, children first.
    pub modules: Vec<Module>,
    /// Ports of the top, in order of declaration.
    pub ports: Vec<Port>,
}

impl Design {
    /// The name of the file list in an exported folder.
    pub const FILE_LIST: &'static str = "files.f";

    /// Writes `MODULE.v` for each module and the file list, children first, into `folder`. Each file appears whole or
    /// not at all, the file list last.
    ///
    /// # Errors
    /// Returns [`ExportError::Write`] if a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ExportError> {
        let failed = |source| ExportError::Write {
            path: folder.into(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        for module in &self.modules {
            place(folder, &format!("{}.v", module.name), &module.text)?;
        }
        let list: String = self
            .modules
            .iter()
            .map(|module| format!("{}.v\n", module.name))
            .collect();
        place(folder, Self::FILE_LIST, &list)
    }
}

fn place(folder: &Path, name: &str, text: &str) -> Result<(), ExportError> {
    let path = folder.join(name);
    let failed = |source| ExportError::Write {
        path: path.clone(),
        source,
    };
    let mut file = plain_file().tempfile_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Returns a builder of temporary files that other users may read, as they may read files of a plain `create`.
fn plain_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
