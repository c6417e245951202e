//! Verilog identifiers.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Reserved words of SystemVerilog (1800-2017), so that the output suits tools of either language.
const RESERVED: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume \
automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle \
checker class clocking cmos config const constraint context continue cover covergroup coverpoint cross \
deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking \
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram \
endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern \
final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if \
iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside \
instance int integer interconnect interface intersect join join_any join_none large let liblist library \
local localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime \
nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive \
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure \
rand randc randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos \
rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence \
shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 \
strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time \
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique \
unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak \
weak0 weak1 while wildcard wire with within wor xnor xor";

/// Returns the identifier for a source name: `$`, `::` and all that Verilog does not permit become `_`; reserved words
/// get a `_` after them. A bundle's field `item` has the name of its bundle. An array `x_or_none` has at most one
/// element, whose name is `x`. The bundles `x_reads` and `x_writes` are the halves of a bus, whose name is `x`.
pub(super) fn identifier(name: &str) -> String {
    let clean = name
        .strip_suffix("$item")
        .unwrap_or(name)
        .replace("_or_none$0", "")
        .replace("_reads$", "$")
        .replace("_writes$", "$")
        .replace("::", "_")
        .replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    if is_reserved(&clean) {
        clean + "_"
    } else {
        clean
    }
}

fn is_reserved(word: &str) -> bool {
    static WORDS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    WORDS
        .get_or_init(|| RESERVED.split_whitespace().collect())
        .contains(word)
}

/// Names in use within one module, or the module names of one design.
#[derive(Default)]
pub(super) struct Names {
    owner: BTreeMap<String, String>,
}

impl Names {
    /// Takes the identifier of `source` itself.
    ///
    /// # Errors
    /// Returns the source name that already has the identifier.
    pub fn claim(&mut self, source: &str) -> Result<String, (String, String)> {
        let name = identifier(source);
        match self.owner.get(&name) {
            Some(other) => Err((other.clone(), name)),
            None => {
                self.owner.insert(name.clone(), source.into());
                Ok(name)
            }
        }
    }

    /// Takes the identifier of `source`, or a numbered one if another source has it.
    pub fn unique(&mut self, source: &str) -> String {
        let name = identifier(source);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !self.owner.contains_key(name));
        let free = free.unwrap_or(name);
        self.owner.insert(free.clone(), source.into());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_and_separators() {
        assert_eq!(identifier("s_axis$tdata"), "s_axis_tdata");
        assert_eq!(identifier("answer$item"), "answer");
        assert_eq!(identifier("item"), "item");
        assert_eq!(identifier("m_axi_reads$araddr"), "m_axi_araddr");
        assert_eq!(identifier("m_axi_writes$awaddr"), "m_axi_awaddr");
        assert_eq!(identifier("end"), "end_");
        assert_eq!(identifier("State::Idle"), "State_Idle");
        assert_eq!(identifier("größe"), "gr__e");
    }

    #[test]
    fn collisions() {
        let mut names = Names::default();
        assert_eq!(names.claim("a$b"), Ok("a_b".into()));
        assert_eq!(names.claim("a_b"), Err(("a$b".into(), "a_b".into())));
        assert_eq!(names.unique("a_b"), "a_b_2");
    }
}
