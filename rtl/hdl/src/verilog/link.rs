//! Connections of whole interfaces.
use rust_hdl_core::ast::{VerilogLink, VerilogLinkDetails};

/// Returns (target, source) of one signal of an interface that `link` or `join` connects.
pub(super) fn ends(link: &VerilogLink) -> (String, String) {
    let name = |end: &str, details: &VerilogLinkDetails| {
        let field = details.my_name.trim_start_matches('.').replace('.', "$");
        if field.is_empty() {
            end.to_string()
        } else {
            format!("{end}${field}")
        }
    };
    match link {
        VerilogLink::Forward(details) | VerilogLink::Bidirectional(details) => (
            name(&details.other_name, details),
            name(&details.owner_name, details),
        ),
        VerilogLink::Backward(details) => (
            name(&details.owner_name, details),
            name(&details.other_name, details),
        ),
    }
}
