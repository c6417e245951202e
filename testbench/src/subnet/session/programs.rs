//! The external programs that run as clients of the subnet.
use super::super::cable::FIRST;
use super::super::Node;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path, below a folder of libraries, at which distributions keep the library that replaces the kernel's MAD device.
const LIBRARY: &str = "umad2sim/libumad2sim.so";
/// Folders of libraries.
const LIBRARIES: [&str; 3] = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
/// All programs that steps run.
const NEEDED: [&str; 9] = [
    "opensm", "smpquery", "perfquery", "ibnetdiscover", "ibportstate", "ibping", "sminfo", "iblinkinfo",
    "saquery",
];
/// Folders of programs that are not in every user's `PATH`.
const ADMINISTRATION: &str = "/usr/sbin:/sbin:/usr/local/sbin";

/// Why the programs cannot run: something is not installed.
#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    #[error("`libumad2sim.so` is not installed")]
    NoLibrary,
    #[error("`{0}` is not installed")]
    NoProgram(&'static str),
}

/// The places of the programs.
#[derive(Clone, Debug)]
pub struct Programs {
    library: PathBuf,
    path: String,
}

impl Programs {
    /// Finds the programs. `library` is the path of `libumad2sim.so`, if it is not where distributions have it.
    pub fn find(library: Option<&Path>) -> Result<Programs, ProgramsError> {
        let library = match library {
            Some(path) => path.is_file().then(|| path.to_owned()),
            None => installed_library(),
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{path}:{ADMINISTRATION}");
        let is_there = |name: &str| {
            path.split(':')
                .any(|folder| Path::new(folder).join(name).is_file())
        };
        match NEEDED.into_iter().find(|name| !is_there(name)) {
            Some(missing) => Err(ProgramsError::NoProgram(missing)),
            None => Ok(Programs {
                library: library.ok_or(ProgramsError::NoLibrary)?,
                path,
            }),
        }
    }

    /// Returns a command for a program at a port of a node, with that environment. It is to be run in its own folder,
    /// where it leaves its files.
    pub fn command(
        &self,
        socket: &str,
        place: (Node, u8),
        program: &str,
        arguments: &[&str],
        folder: &Path,
    ) -> Command {
        // The program is looked up in the server's own path, because the `PATH` of the environment is that of the
        // child.
        let found = self.path.split(':').map(|place| Path::new(place).join(program));
        let program = found.into_iter().find(|path| path.is_file());
        let mut command = Command::new(program.unwrap_or_default());
        command
            .args(arguments)
            .envs(environment(socket, place))
            .env("LD_PRELOAD", &self.library)
            .env("PATH", &self.path)
            .env("OSM_CACHE_DIR", folder)
            .env("OSM_TMP_DIR", folder)
            // The client must not connect to another server of ibsim.
            .env_remove("IBSIM_SERVER_NAME")
            .current_dir(folder);
        command
    }
}

/// Returns the environment of a client at a port of a node, behind the sockets with this name. `LD_PRELOAD` is set for
/// the library.
pub fn environment(socket: &str, (node, port): (Node, u8)) -> [(&'static str, String); 2] {
    let host = match port {
        FIRST => node.name().to_owned(),
        port => format!("{}:{port}", node.name()),
    };
    [("IBSIM_SOCKNAME", socket.to_owned()), ("SIM_HOST", host)]
}

/// Returns `libumad2sim.so` if it is where distributions have it.
pub fn installed_library() -> Option<PathBuf> {
    LIBRARIES.iter().find_map(|folder| {
        let direct = Path::new(folder).join(LIBRARY);
        let by_architecture = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let below = by_architecture.map(|entry| entry.path().join(LIBRARY));
        std::iter::once(direct).chain(below).find(|path| path.is_file())
    })
}
