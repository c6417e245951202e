//! The errors of an export.
use std::path::PathBuf;

/// Why a block has no Verilog. `block` is the path from the top, `signal` the signal that is being assigned.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(
        "{block}: `{name}`, used for `{signal}`, is not a signal, a `Constant`, an enum variant or a loop \
         index; put constants and const generics into a `Constant` field"
    )]
    UnknownName {
        block: String,
        signal: String,
        name: String,
    },
    #[error("{block}: `{signal}` needs {expected} bits, but `{expression}` has {found}")]
    WidthMismatch {
        block: String,
        signal: String,
        expected: usize,
        found: usize,
        expression: String,
    },
    #[error("{block}: the literal {value}, used for `{signal}`, does not fit {width} bits")]
    OversizeLiteral {
        block: String,
        signal: String,
        value: String,
        width: usize,
    },
    #[error(
        "{block}: `{signal}` (bits {bits}) is not assigned on every path, which infers a latch; assign a \
         default first"
    )]
    Latch {
        block: String,
        signal: String,
        bits: String,
    },
    #[error("{block}: `{signal}` is read for `{reader}` before the kernel assigns it")]
    ReadBeforeAssigned {
        block: String,
        signal: String,
        reader: String,
    },
    #[error("{block}: `{signal}` has more than one driver: {drivers}")]
    MultipleDrivers {
        block: String,
        signal: String,
        drivers: String,
    },
    #[error("{block}: nothing drives `{signal}`")]
    Undriven { block: String, signal: String },
    #[error("{block}: bit {index} is beyond the {width} bits of `{expression}`, used for `{signal}`")]
    OutOfRange {
        block: String,
        signal: String,
        index: String,
        width: usize,
        expression: String,
    },
    #[error("{block}: `{first}` and `{second}` both become `{name}` in Verilog; rename one")]
    NameCollision {
        block: String,
        first: String,
        second: String,
        name: String,
    },
    #[error("{block}: enum variant `{variant}` has two meanings here; rename one of the enums")]
    AmbiguousVariant { block: String, variant: String },
    #[error("{block}: `{signal}`: {construct} has no Verilog")]
    Unsupported {
        block: String,
        signal: String,
        construct: String,
    },
    #[error("{block}: the kernel cannot be read: {message}")]
    Elaboration { block: String, message: String },
    #[error("there is no such design: {asked}")]
    NoDesign { asked: String },
    #[error("cannot write {}: {source}; check the folder's rights and space", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}
