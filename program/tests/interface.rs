//! The host interface as people and programs read it: what is in `docs/` is what the source says, and compiles.
use hca_host::interface;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn docs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

#[test]
fn docs_are_what_the_source_says() {
    for file in interface::files() {
        let kept = fs::read_to_string(docs().join(file.name)).unwrap_or_default();
        let differs = kept
            .lines()
            .zip(file.text.lines())
            .position(|(kept, made)| kept != made);
        assert!(
            kept == file.text,
            "docs/{} is not what the source says, from line {}; mend with `target/release/hca interface --out docs`",
            file.name,
            differs.unwrap_or(kept.lines().count()) + 1
        );
    }
}

#[test]
fn the_program_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("new");
    let call = |at: &Path| {
        assert_cmd::Command::cargo_bin("hca")
            .unwrap()
            .args(["interface", "--out"])
            .arg(at)
            .output()
            .unwrap()
    };
    assert_eq!(call(&at).status.code(), Some(0));
    for file in interface::files() {
        assert_eq!(fs::read_to_string(at.join(file.name)).unwrap(), file.text);
    }
    let taken = at.join("hca.h");
    let refused = call(&taken);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("cannot write"), "{told}");
}

#[test]
fn the_header_compiles_and_says_what_the_hardware_does() {
    let program = r#"
        #include "hca.h"
        #include "hca.h"
        _Static_assert(HCA_REG_ID == 0, "");
        _Static_assert(HCA_REG_PORT_GID(3) == 0x3C, "");
        _Static_assert(HCA_REG_SQ_DOORBELL(2) == 0x10010 && HCA_REG_RQ_DOORBELL(2) == 0x10014, "");
        _Static_assert(HCA_REG_PORT_LMC_MASK == 7u << HCA_REG_PORT_LMC_SHIFT, "");
        _Static_assert(HCA_CMD_MODIFY_QP == 2 && HCA_ARG_MODIFY_QP_TIMERS == 13, "");
        _Static_assert(HCA_ARG_MODIFY_QP_TIMERS_RETRY_CNT_MASK == 0x70000, "");
        _Static_assert(HCA_SEND_WQE_SGE_1_AT + HCA_SEND_WQE_SGE_1_BYTES == HCA_SEND_WQE_BYTES, "");
        _Static_assert(HCA_CQE_PHASE_AT + HCA_CQE_PHASE_BYTES == HCA_CQE_BYTES, "");
        _Static_assert(HCA_WQE_FLAG_INDIRECT == 16 && HCA_OP_FETCH_ADD == 7 && HCA_STATUS_WR_FLUSH_ERR == 5, "");
    "#;
    let mut compiler = Command::new("c++")
        .args([
            "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
        ])
        .arg(docs())
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    compiler
        .stdin
        .take()
        .unwrap()
        .write_all(program.as_bytes())
        .unwrap();
    let output = compiler.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
