//! Ctrl-C ends `hca fuzz` soon, whatever it is at, and with its usual summary.
#![cfg(unix)]
use assert_cmd::cargo::cargo_bin;
use hca_host::profile::SMALL;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far less than a build takes.
const SOON: Duration = Duration::from_secs(15);

/// By then the C++ is made, on a machine that has other work too.
const LATEST: Duration = Duration::from_secs(300);

/// A design that no cache knows.
fn new_design(folder: &Path) {
    let mut design = hca_rtl::export::hca(&SMALL).unwrap();
    let name = folder.display();
    let top = design.modules.iter_mut().find(|module| module.name == "hca");
    top.unwrap().text += &format!("\n// {name}\n");
    design.write(folder).unwrap();
}

/// Folders of builds of this design that have not ended.
fn builds(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(hca_sim::verilated::target_dir().join("verilated"));
    let is_of = |path: &PathBuf| {
        let text = fs::read_to_string(path.join("verilog/hca.v"));
        text.is_ok_and(|text| text.contains(folder.to_str().unwrap()))
    };
    let paths = all.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.filter(is_of).collect()
}

/// `hca fuzz` that builds, its C++ being compiled; it leads a process group.
fn building(folder: &Path) -> Child {
    let dut = folder.join("dut");
    new_design(&dut);
    let fuzz = Command::new(cargo_bin("hca"))
        .args(["fuzz", "--cases", "3", "--dut"])
        .arg(&dut)
        .arg("--out")
        .arg(folder.join("out"))
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let compiles = |build: &PathBuf| build.join("cpp/unit0.cc").exists();
    while !builds(folder).iter().any(compiles) {
        assert!(begun.elapsed() < LATEST, "nothing is compiled");
        sleep(Duration::from_millis(100));
    }
    fuzz
}

fn ends_soon(fuzz: Child, whom: &str) {
    let begun = Instant::now();
    let kill = Command::new("kill").args(["-INT", "--", whom]).status().unwrap();
    assert!(kill.success());
    let output = fuzz.wait_with_output().unwrap();
    assert!(begun.elapsed() < SOON, "after {:?}", begun.elapsed());
    let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(
        (output.status.code(), errors.as_str()),
        (Some(0), ""),
        "{printed}"
    );
    assert!(
        printed.contains(", interrupted\n") && printed.contains("HELD: 0 cases"),
        "{printed}"
    );
}

#[test]
fn a_build_ends_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let fuzz = building(folder.path());
    let id = fuzz.id().to_string();
    ends_soon(fuzz, &id);
    assert_eq!(builds(folder.path()), [] as [PathBuf; 0]);
}

#[test]
fn what_a_terminal_tells_the_whole_group_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let fuzz = building(folder.path());
    let group = format!("-{}", fuzz.id());
    ends_soon(fuzz, &group);
}
