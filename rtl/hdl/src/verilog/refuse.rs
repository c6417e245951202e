//! The errors of a kernel, with the places where they occur.
use super::elaborate::Elaborator;
use super::scope::source_name;
use super::ExportError;
use rust_hdl_core::ast::VerilogExpression;

impl Elaborator<'_> {
    pub fn unsupported(&self, construct: String) -> ExportError {
        ExportError::Unsupported {
            block: self.scope.path.clone(),
            signal: self.target.clone(),
            construct,
        }
    }

    pub fn mismatch(&self, expected: usize, found: usize, expression: String) -> ExportError {
        ExportError::WidthMismatch {
            block: self.scope.path.clone(),
            signal: self.target.clone(),
            expected,
            found,
            expression,
        }
    }

    pub fn unknown(&self, name: &str) -> ExportError {
        ExportError::UnknownName {
            block: self.scope.path.clone(),
            signal: self.target.clone(),
            name: source_name(name),
        }
    }

    pub fn out_of_range(&self, index: usize, width: usize, of: &VerilogExpression) -> ExportError {
        let expression = match of {
            VerilogExpression::Signal(name) => source_name(name.trim_end_matches("$next")),
            _ => "an expression".into(),
        };
        ExportError::OutOfRange {
            block: self.scope.path.clone(),
            signal: self.target.clone(),
            index: index.to_string(),
            width,
            expression,
        }
    }
}
