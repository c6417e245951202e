//! `hca conformance`, on test programs that are scripts: what they list, and what they print of each case.
use assert_cmd::Command;
use hca_testbench::conformance::reason::why_without;
use hca_testbench::conformance::row::rows;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A case on each device for every row that must have one.
fn all_cases() -> Vec<String> {
    let due = rows().iter().filter(|row| why_without(&row.id).is_none());
    let case =
        |id: &str| ["model", "hardware"].map(|device| format!("a::{device}::{}_holds", id.to_lowercase()));
    due.flat_map(|row| case(&row.id)).collect()
}

/// Writes a test program with these cases. It prints on what profile a case ran that `fails` names; a case that `dies`
/// names ends it.
fn program(folder: &TempDir, cases: &[String], fails: &str, dies: &str) -> PathBuf {
    program_that_says(folder, cases, fails, dies, r#"echo "it ran on $HCA_PROFILE""#)
}

/// Writes a test program as [`program`] does, with the commands `says` for a `$case` that fails.
fn program_that_says(folder: &TempDir, cases: &[String], fails: &str, dies: &str, says: &str) -> PathBuf {
    let path = folder.path().join("program");
    let listed: String = cases.iter().map(|case| format!("{case}: test\n")).collect();
    let script = format!(
        r#"#!/bin/sh
case $1 in --list) cat <<'EOF'
{listed}EOF
exit ;;
esac
shift
for case; do
    case $case in
    {fails}) echo "test $case ... FAILED"; failed="$failed $case" ;;
    {dies}) echo "out of luck" >&2; exit 3 ;;
    *) echo "test $case ... ok" ;;
    esac
done
echo; echo failures:
for case in $failed; do printf '\n---- %s stdout ----\n' "$case"; {says}; done
[ -z "$failed" ]
"#
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn conformance(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["conformance", "--cases", "4"]).args(arguments);
    command.arg("--program").arg(program);
    command
}

#[test]
fn every_row_has_its_results_or_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, &all_cases(), "none", "none");
    conformance(&program, &["--profile", "small,line"])
        .assert()
        .success()
        .stdout(starts_with(
            "row    area         model        small        line         random  requirement",
        ))
        .stdout(contains(
            "CF230  raw-rd       Raw packets bypass P_Key and Q_Key checks",
        ))
        .stdout(contains("waits: the adapter takes and sends no Raw packets"))
        .stdout(contains(
            "CF001  packet       1 held       1 held       1 held            4  Header fields",
        ))
        .stdout(contains("4 random cases on two golden models, seed 1"))
        .stdout(contains("no case: a stall of the protocol above"))
        .stdout(contains("HELD: 549 rows: 442 met, 106 wait").and(contains("yet, 1 without a case for")));
}

#[test]
fn a_case_that_fails_on_one_profile_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, &all_cases(), "*hardware*cf128*", "none");
    let [json, junit] = ["json", "junit"].map(|name| folder.path().join(name));
    conformance(
        &program,
        &[
            "--json",
            json.to_str().unwrap(),
            "--junit",
            junit.to_str().unwrap(),
        ],
    )
    .assert()
    .code(1)
    .stdout(contains("random  requirement\nCF128  "))
    .stdout(contains("FAILED on small: a::hardware::cf128_holds\n"))
    .stdout(contains("1 unmet"));
    let data: serde_json::Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let first = &data["rows"][0];
    assert_eq!(
        (&first["id"], &first["standing"]),
        (&"CF128".into(), &"unmet".into())
    );
    assert_eq!(first["cases"][1]["printed"], "it ran on small\n");
    assert_eq!(data["rows"].as_array().unwrap().len(), 549);
    let junit = fs::read_to_string(junit).unwrap();
    assert!(
        junit.contains("tests=\"1098\" skipped=\"214\" failures=\"1\""),
        "{junit}"
    );
}

/// Line that a case prints if it cannot run on somebody's Verilog.
const ELSEWHERE: &str = "no case of this device: it is of another link";

#[test]
fn somebodys_verilog_takes_the_place_of_our_hardware() {
    let folder = tempfile::tempdir().unwrap();
    // For one row that it cannot run, for others the Verilog and the selection that it was given.
    let says = format!(
        r#"case $case in *cf059*) echo "{ELSEWHERE}" ;; *) echo "$HCA_DUT select $HCA_SELECT" ;; esac"#
    );
    let program = program_that_says(&folder, &all_cases(), "*cf059*|*cf128*", "none", &says);
    let dut = folder.path().canonicalize().unwrap();
    conformance(&program, &["--select", "7", "--json", "-"])
        .arg("--dut")
        .arg(&dut)
        .assert()
        .code(1)
        .stdout(contains(format!("{} select 7", dut.display())))
        .stdout(contains("\"id\": \"CF128\"").and(contains("\"id\": \"CF059\"").not()))
        .stdout(contains("model\"").not());
    conformance(&program, &["--dut", "/nowhere"])
        .assert()
        .code(2)
        .stderr(contains("/nowhere"));
    conformance(&program, &["--select", "7"])
        .assert()
        .code(2)
        .stderr(contains("--dut"));
}

#[test]
fn a_program_that_dies_leaves_its_cases_without_result() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, &all_cases(), "none", "*hardware*cf262*");
    conformance(&program, &["--json", "-", "cq"])
        .assert()
        .code(1)
        .stdout(contains(
            "the test program ended with exit status: 3\\nout of luck",
        ))
        .stdout(contains("\"id\": \"CF263\""));
}

#[test]
fn rows_are_asked_for_by_name_or_area() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, &all_cases(), "*cf001*", "none");
    conformance(&program, &["cf059", "link", "--golden-only"])
        .assert()
        .success()
        .stdout(contains("held on model: a::model::cf059_holds\n"))
        .stdout(contains("hardware").not().and(contains("CF001").not()));
    conformance(&program, &["cf550"])
        .assert()
        .code(2)
        .stderr(contains("no row and no area `cf550`").and(contains("areas ah, cm, cq, crc")));
    conformance(Path::new("/nowhere"), &[])
        .assert()
        .code(2)
        .stderr(contains("cannot run `/nowhere`"));
}

#[test]
fn random_runs_are_counted_from_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, &all_cases(), "none", "none");
    let runs = ["1", "2"].map(|seed| {
        let out = folder.path().join(seed);
        let mut fuzz = Command::cargo_bin("hca").unwrap();
        fuzz.args(["fuzz", "--golden-only", "--cases", "3", "--seed", seed, "--out"])
            .arg(&out);
        fuzz.assert().success();
        out
    });
    let mut command = Command::cargo_bin("hca").unwrap();
    command
        .args(["conformance", "--golden-only", "--program"])
        .arg(&program)
        .arg("--runs");
    command
        .args(&runs)
        // Its cases count once.
        .arg(&runs[0])
        .assert()
        .success()
        .stdout(contains("6 random cases of `hca fuzz`"));
}
