//! OpenSM at a node.
use super::super::cable::Cable;
use super::super::Node;
use super::error::Ran;
use super::running::Running;
use super::Session;
use std::path::PathBuf;

/// Text in its log when every port of the subnet is Active.
const UP: &str = "SUBNET UP";
/// Text in its log that marks an error.
const ERROR: &str = "ERR ";

/// A subnet manager with its own options and files.
#[derive(Debug)]
pub struct Manager {
    node: Node,
    folder: PathBuf,
    arguments: Vec<String>,
}

impl Manager {
    /// Makes an OpenSM with these lines as its configuration, these as its partitions, and these arguments.
    pub fn new<C: Cable>(
        session: &mut Session<C>,
        node: Node,
        configuration: &str,
        partitions: &str,
        arguments: &[&str],
    ) -> Ran<Manager> {
        let folder = session.make_folder(&format!("opensm-{}", node.name()))?;
        let path = |name: &str| folder.join(name).display().to_string();
        session.write(&folder.join("opensm.conf"), configuration)?;
        session.write(&folder.join("partitions.conf"), partitions)?;
        let files = [
            "-e".to_owned(),
            // Each line of the log is written at once.
            "-d".to_owned(),
            "2".to_owned(),
            "-f".to_owned(),
            path("osm.log"),
            "-F".to_owned(),
            path("opensm.conf"),
            "-P".to_owned(),
            path("partitions.conf"),
        ];
        let given = arguments.iter().map(|argument| (*argument).to_owned());
        let arguments = given.chain(files).collect();
        Ok(Manager {
            node,
            folder,
            arguments,
        })
    }

    /// Starts it. It continues to sweep unless its arguments have `-o`.
    pub fn start<C: Cable>(&self, session: &mut Session<C>) -> Ran<Running> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        session.start(self.node, "opensm", &arguments, &self.folder)
    }

    /// Runs one sweep (`-o`), which must bring the subnet up without an error.
    pub fn sweep_once<C: Cable>(
        session: &mut Session<C>,
        node: Node,
        configuration: &str,
        partitions: &str,
        arguments: &[&str],
    ) -> Ran<Manager> {
        let manager = Manager::new(
            session,
            node,
            configuration,
            partitions,
            &[&["-o"], arguments].concat(),
        )?;
        let running = manager.start(session)?;
        let finished = session.finish(running)?;
        session.check(finished.status.success(), || finished.describe())?;
        manager.check_log(session)?;
        Ok(manager)
    }

    /// Checks that the log says that the subnet is up, and reports no error.
    pub fn check_log<C: Cable>(&self, session: &mut Session<C>) -> Ran<()> {
        let log = self.log();
        session.check(log.contains(UP), || {
            format!("opensm did not bring the subnet up:\n{log}")
        })?;
        session.check(!log.contains(ERROR), || {
            let errors: Vec<&str> = log.lines().filter(|line| line.contains(ERROR)).collect();
            format!("the log of opensm has errors:\n{}", errors.join("\n"))
        })
    }

    /// Returns its log so far.
    pub fn log(&self) -> String {
        let bytes = std::fs::read(self.folder.join("osm.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns true if it has brought the subnet up.
    pub fn is_up(&self) -> bool {
        self.log().contains(UP)
    }
}
