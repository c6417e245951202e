//! `hca fuzz` as a user calls it: the same seed the same results, in one piece or in shards; what differs is found,
//! shrunk, reported, and comes again.
use assert_cmd::Command;
use hca_host::profile::SMALL;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::{Path, PathBuf};

fn hca(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// `hca fuzz` on models into this folder.
fn fuzz(out: &Path, arguments: &[&str]) -> Command {
    let mut command = hca(&["fuzz", "--golden-only", "--out", text(out)]);
    command.args(arguments);
    command
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, seed: &str| {
        let out = folder.path().join(name);
        fuzz(&out, &["--cases", "12", "--seed", seed]).assert().success();
        (read(out.join("cases.jsonl")), read(out.join("summary.json")))
    };
    let first = run("a", "7");
    assert_eq!(first, run("b", "7"));
    assert_ne!(first, run("c", "8"));
}

#[test]
fn shards_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fuzz(&at("whole"), &["--cases", "20"]).assert().success();
    for shard in ["0/3", "1/3", "2/3"] {
        let out = at(&format!("shard-{}", &shard[..1]));
        fuzz(&out, &["--cases", "20", "--shard", shard, "--jobs", "2"])
            .assert()
            .success();
    }
    let shards = [at("shard-0"), at("shard-1"), at("shard-2")];
    let [a, b, c] = shards.each_ref().map(|path| text(path));
    let (json, junit) = (at("all.json"), at("all.xml"));
    hca(&[
        "fuzz",
        "merge",
        c,
        a,
        b,
        "--json",
        text(&json),
        "--junit",
        text(&junit),
    ])
    .assert()
    .success()
    .stdout(contains("HELD: 20 cases"));
    assert_eq!(read(json), read(at("whole").join("summary.json")));
    assert_eq!(read(junit), read(at("whole").join("junit.xml")));
}

/// Three shards of 20 cases.
fn shards(folder: &Path, limit: &[&str]) -> [PathBuf; 3] {
    ["0/3", "1/3", "2/3"].map(|shard| {
        let out = folder.join(&shard[..1]);
        fuzz(&out, &[limit, &["--shard", shard]].concat())
            .assert()
            .success();
        out
    })
}

fn merge(folders: &[&Path]) -> Command {
    let mut command = hca(&["fuzz", "merge"]);
    command.args(folders);
    command
}

#[test]
fn what_is_missing_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = shards(folder.path(), &["--cases", "20"]);
    let (json, junit) = (folder.path().join("all.json"), folder.path().join("all.xml"));
    merge(&[&a, &b])
        .args(["--json", text(&json), "--junit", text(&junit)])
        .assert()
        .code(2)
        .stdout(
            contains("  shard 2/3 is missing: 6 cases were not run, the first is 2\nINCOMPLETE: 14 cases")
                .and(contains("HELD").not()),
        );
    assert!(read(json).contains("\"shard\": \"2/3\""));
    assert!(read(junit).contains("errors=\"1\""));
    fs::remove_file(c.join("cases.jsonl")).unwrap();
    merge(&[&a, &b, &c])
        .assert()
        .code(2)
        .stdout(contains("shard 2/3 did not end: 6 cases").and(contains("INCOMPLETE: 14 cases")));
    let records = read(b.join("cases.jsonl"));
    let (first, _) = records.split_once('\n').unwrap();
    fs::write(b.join("cases.jsonl"), format!("{first}\n")).unwrap();
    merge(&[&b])
        .assert()
        .code(2)
        .stdout(contains("shard 0/3 is missing: 7 cases").and(contains(
            "shard 1/3 did not end: 6 cases were not run, the first is 4",
        )));
}

#[test]
fn with_time_a_shard_that_is_missing_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = shards(folder.path(), &["--time", "100ms"]);
    merge(&[&a, &b, &c]).assert().success();
    merge(&[&a, &c])
        .assert()
        .code(2)
        .stdout(contains("  shard 1/3 is missing\nINCOMPLETE: "));
}

#[cfg(unix)]
#[test]
fn an_interrupted_shard_did_not_end() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = std::process::Command::new(assert_cmd::cargo::cargo_bin("hca"))
        .args(["fuzz", "--golden-only", "--cases", "100000", "--out", text(&out)])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::read_to_string(out.join("cases.jsonl")).is_ok_and(|text| text.contains('\n')) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = run.id().to_string();
    Command::new("kill").args(["-INT", &id]).assert().success();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains(", interrupted\n") && printed.contains("HELD: "),
        "{printed}"
    );
    merge(&[&out])
        .assert()
        .code(2)
        .stdout(contains("shard 0/1 did not end").and(contains("INCOMPLETE: ")));
}

#[test]
fn folders_that_contradict_each_other_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, _] = shards(folder.path(), &["--cases", "6"]);
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let changed = |name: &str, from: &str, to: &str| {
        let text = read(a.join(name));
        assert!(text.contains(from), "{text}");
        fs::write(copy.join(name), text.replace(from, to)).unwrap();
    };
    changed("fuzz.json", "\"program\": \"", "\"program\": \"0");
    merge(&[&a, &copy])
        .assert()
        .code(2)
        .stderr(contains("different builds of this program"));
    changed("fuzz.json", "\"asked\": [", "\"asked\": [], \"was\": [");
    merge(&[&copy])
        .assert()
        .code(2)
        .stderr(contains("does not say which cases").and(contains("an older build")));
    fs::copy(a.join("fuzz.json"), copy.join("fuzz.json")).unwrap();
    changed("cases.jsonl", "\"digest\":\"", "\"digest\":\"f");
    merge(&[&a, &b, &copy])
        .assert()
        .code(1)
        .stdout(contains("case 0, and 1 more: two runs of it differ: `").and(contains("FAILED: 4 cases")));
    fs::copy(a.join("cases.jsonl"), copy.join("cases.jsonl")).unwrap();
    merge(&[&a, &copy])
        .assert()
        .code(2)
        .stdout(contains("INCOMPLETE: 2 cases"));
}

#[test]
fn json_may_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let whole = |mut command: Command| {
        let output = command
            .current_dir(&folder)
            .assert()
            .success()
            .get_output()
            .stdout
            .clone();
        serde_json::from_slice::<serde_json::Value>(&output).unwrap()
    };
    let run = whole(fuzz(&out, &["--cases", "3", "--json", "-"]));
    let mut merged = merge(&[&out]);
    merged.args(["--json", "-"]);
    assert_eq!(run, whole(merged));
    assert!(!folder.path().join("-").exists());
}

#[test]
fn a_rerun_goes_on_where_the_last_one_ended() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fuzz(&out, &["--cases", "6"]).assert().success();
    let records = read(out.join("cases.jsonl"));
    // A killed run leaves half a line.
    fs::write(out.join("cases.jsonl"), format!("{records}{{\"index\":6,\"cyc")).unwrap();
    fuzz(&out, &["--cases", "9"]).assert().success().stdout(
        contains("; 6 are done")
            .and(contains("\n3 cases and "))
            .and(contains("HELD: 9 cases")),
    );
    let all = read(out.join("cases.jsonl"));
    assert_eq!(all.lines().count(), 9);
    assert!(all.starts_with(&records));
    let whole = folder.path().join("whole");
    fuzz(&whole, &["--cases", "9"]).assert().success();
    assert_eq!(read(out.join("summary.json")), read(whole.join("summary.json")));
    fuzz(&out, &["--cases", "9", "--seed", "2"])
        .assert()
        .code(2)
        .stderr(contains("holds the results of other options").and(contains("name an empty folder")));
}

#[test]
fn the_time_ends_a_run_and_changes_no_case() {
    let folder = tempfile::tempdir().unwrap();
    let (timed, counted) = (folder.path().join("timed"), folder.path().join("counted"));
    fuzz(&timed, &["--time", "1s"])
        .assert()
        .success()
        .stdout(contains("the time is over"));
    let records = read(timed.join("cases.jsonl"));
    let cases = records.lines().count().to_string();
    fuzz(&counted, &["--cases", &cases]).assert().success();
    assert_eq!(records, read(counted.join("cases.jsonl")));
}

#[test]
fn a_wrong_call_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    let bad = folder.path().join("bad.toml");
    fs::write(&bad, "version = 9\n").unwrap();
    for (arguments, message) in [
        (
            &["fuzz", "--golden-only", "--json", "/nowhere/x"][..],
            "cannot write `/nowhere/x`",
        ),
        (
            &["fuzz", "--golden-only", "--junit", "/nowhere/x"],
            "cannot write `/nowhere/x`",
        ),
        (&["fuzz", "--golden-only", "--select", "3"], "cannot be used with"),
        (&["fuzz", "--select", "3"], "--dut <DIR>"),
        (&["fuzz", "--shard", "3/3"], "a shard is i/n"),
        (&["fuzz", "--time", "soon"], "'soon'"),
        (&["fuzz", "--profile", "huge"], "unknown profile `huge`"),
        (&["fuzz", "--dut", text(&none)], "cannot take the design in"),
        (&["fuzz", "merge", text(&none)], "cannot use the folder"),
        (&["replay", text(&none)], "cannot take the case"),
        (
            &["replay", text(&bad)],
            "it is of version 9, and this program reads version 1",
        ),
    ] {
        hca(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
}

/// As it is called here.
fn program() -> String {
    assert_cmd::cargo::cargo_bin("hca").display().to_string()
}

/// The one folder of what differed.
fn failure_in(out: &Path) -> PathBuf {
    let folders: Vec<PathBuf> = fs::read_dir(out.join("failures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders[0].clone()
}

#[test]
fn a_bug_is_found_shrunk_and_comes_again() {
    let folder = tempfile::tempdir().unwrap();
    let (dut, out) = (folder.path().join("dut"), folder.path().join("out"));
    let mut design = hca_rtl::export::hca(&SMALL).unwrap();
    for (name, right, planted) in [
        (
            "hca",
            "  input  wire clock,\n",
            "  input  wire clock,\n  input  wire [7:0] select,\n",
        ),
        (
            "departure",
            "header[888:865] = ack[210:187];",
            "header[888:865] = ack[210:187] + {23'h0, hca.select == 8'd5};",
        ),
    ] {
        let module = design.modules.iter_mut().find(|m| m.name == name).unwrap();
        assert_eq!(module.text.matches(right).count(), 1);
        module.text = module.text.replace(right, planted);
    }
    design.write(&dut).unwrap();
    let hunt = ["fuzz", "--cases", "3", "--dut", text(&dut), "--select", "5"];
    hca(&[&hunt[..], &["--out", text(&out)]].concat())
        .assert()
        .code(1)
        .stdout(
            contains("AETH.MSN at AckEmitted")
                .and(contains("FAILED: 3 cases"))
                .and(contains("one fault"))
                .and(contains(" --select 5 ").and(contains(format!("{} replay ", program())))),
        );
    let fast = folder.path().join("fast");
    hca(&[&hunt[..], &["--fail-fast", "--out", text(&fast)]].concat())
        .assert()
        .code(1)
        .stdout(contains("ended by what differs").and(contains("FAILED: 1 cases")));
    assert!(read(failure_in(&fast).join("report.txt")).contains("  not shrunk, "));
    let failure = failure_in(&out);
    let file = failure.join("case.toml");
    let case = read(file.clone());
    let steps = case
        .lines()
        .filter(|line| line.trim_start().starts_with("{ side"))
        .count();
    // A connection, and what makes the other side answer; or a CQ, a queue pair and its way to RTR, where it announces
    // its receive WQEs.
    assert!((1..=4).contains(&steps), "{case}");
    assert!(read(failure.join("report.txt")).contains("* AETH.MSN"));
    assert_eq!(
        fs::read(failure.join("packets.pcap")).unwrap()[20..24],
        [197, 0, 0, 0]
    );
    // The packet that differed is the last.
    let report = read(failure.join("report.txt"));
    let msn = report
        .lines()
        .find_map(|line| line.strip_prefix("  * AETH.MSN"))
        .unwrap();
    let sent = msn.split_whitespace().last().unwrap();
    let decoded = hca(&["decode", text(&failure.join("packets.pcap"))])
        .output()
        .unwrap();
    let decoded = String::from_utf8(decoded.stdout).unwrap();
    let packet = decoded.lines().rfind(|line| line.contains("lrh.vl=")).unwrap();
    assert!(
        packet.contains(&format!(" aeth.msn={sent} ")),
        "{decoded}{report}"
    );
    let again = || {
        hca(&["replay", text(&file), "--dut", text(&dut), "--select", "5"])
            .output()
            .unwrap()
    };
    let (first, second) = (again(), again());
    assert_eq!(first.status.code(), Some(1));
    assert_eq!(first, second);
    let printed = String::from_utf8(first.stdout).unwrap();
    assert!(
        printed.contains("as the case tells: AETH.MSN at AckEmitted"),
        "{printed}"
    );
    // Without the bug it holds.
    hca(&["replay", text(&file), "--dut", text(&dut)])
        .assert()
        .success()
        .stdout(contains(
            "what differed when the case was written does not now: AETH.MSN",
        ));
}
