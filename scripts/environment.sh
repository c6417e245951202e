# shellcheck shell=bash
# What the other scripts share: where things are (root, target, tools) and how they refuse.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=scripts/${0##*/}

# fail WHAT [HOW TO MEND]...: the call or the machine is wrong.
fail() {
    printf '%s: %s\n' "$program" "$1" >&2
    shift
    if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
    exit 2
}

# explain_if_asked USAGE ARGUMENT...: --help before any -- gives the usage, and the head of the script.
explain_if_asked() {
    local usage=$1 argument
    shift
    for argument; do
        case $argument in
        --) return ;;
        -h | --help)
            printf '%s\n\n' "$usage"
            sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        esac
    done
}

command -v cargo >/dev/null ||
    fail 'cargo is not in PATH' 'Install Rust from https://rustup.rs, open a new shell, and try again.'

# cargo knows: the folder can be set by the environment and by several configuration files.
target=$(cargo metadata --manifest-path "$root/Cargo.toml" --format-version 1 --no-deps --offline |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
[ -n "$target" ] || fail 'cargo metadata named no target directory'
# shellcheck disable=SC2034
tools=$target/tools

build_hca() {
    local quiet=--quiet
    if [ -t 2 ]; then quiet=; fi
    cargo build --manifest-path "$root/Cargo.toml" --release --locked --bin hca ${quiet:+"$quiet"} >&2 ||
        fail 'the build failed' 'See the messages above.'
}

# abc, which proves, as Debian and its kind call it, or as it comes with yosys.
find_abc() {
    local name
    for name in berkeley-abc yosys-abc "$tools/usr/bin/berkeley-abc"; do
        if command -v "$name"; then return; fi
    done
    return 1
}
