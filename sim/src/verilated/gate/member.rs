//! The members of the design's class, read from the header that Verilator writes.
use super::token::{tokens, Kind};
use super::unread::Unread;
use std::collections::HashMap;

/// How a member is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// An integer of up to 64 bits.
    Scalar,
    /// Words of 32 bits.
    Wide,
    /// An array of integers or of wide values.
    Memory,
}

/// A member of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub storage: Storage,
    /// True for an input port of the design.
    pub input: bool,
}

/// Returns all members that hold values, by name.
pub fn members(header: &str) -> Result<HashMap<String, Member>, Unread> {
    let tokens = tokens(header)?;
    let words: Vec<&str> = tokens.iter().map(|t| &header[t.at.clone()]).collect();
    let mut members = HashMap::new();
    let mut statement = 0;
    for (index, word) in words.iter().enumerate() {
        match *word {
            "{" | "}" | ":" => statement = index + 1,
            ";" => {
                let names = tokens[statement..index].iter().any(|t| t.kind == Kind::Word);
                if let Some((name, member)) = member(&words[statement..index]).filter(|_| names) {
                    if members.insert(name.to_owned(), member).is_some() {
                        return Err(Unread::new(format!("two members {name}")));
                    }
                }
                statement = index + 1;
            }
            _ => {}
        }
    }
    Ok(members)
}

/// Decodes a declaration such as `VL_IN8(clock,0,0)`, `IData a`, `VlWide<3> b` or `VlUnpacked<VlWide<3>, 16> c`.
fn member<'a>(words: &[&'a str]) -> Option<(&'a str, Member)> {
    let of = |storage, input| Member { storage, input };
    match words {
        [port, "(", rest @ .., ")"] if port.starts_with("VL_IN") || port.starts_with("VL_OUT") => {
            let name = rest.iter().find(|word| **word != "&")?;
            let storage = match port.ends_with('W') {
                true => Storage::Wide,
                false => Storage::Scalar,
            };
            // An inout port counts neither as input nor as output.
            let input = port.starts_with("VL_IN") && !port.starts_with("VL_INOUT");
            Some((name, of(storage, input)))
        }
        ["CData" | "SData" | "IData" | "QData", name] => Some((name, of(Storage::Scalar, false))),
        ["VlWide", "<", _, ">", name] => Some((name, of(Storage::Wide, false))),
        ["VlUnpacked", "<", .., name] => Some((name, of(Storage::Memory, false))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_member_is_read() {
        let header = "
class alignas(64) Vdut___024root final {
  public:
    struct {
        VL_IN8(clock,0,0);
        VL_OUTW(&wide,575,0,18);
        SData/*12:0*/ hca__DOT__a;
    };
    VlWide<3>/*95:0*/ b;
    VlUnpacked<VlWide<4>/*127:0*/, 16> c;
    Vdut__Syms* vlSymsp;
    void __Vconfigure(bool first);
};";
        let members = members(header).unwrap();
        let of = |storage, input| Some(Member { storage, input });
        assert_eq!(members.get("clock").copied(), of(Storage::Scalar, true));
        assert_eq!(members.get("wide").copied(), of(Storage::Wide, false));
        assert_eq!(members.get("hca__DOT__a").copied(), of(Storage::Scalar, false));
        assert_eq!(members.get("b").copied(), of(Storage::Wide, false));
        assert_eq!(members.get("c").copied(), of(Storage::Memory, false));
        assert_eq!(members.len(), 5);
    }
}
