//! Methods of MADs.

/// A method of a MAD (`protocol/mad.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get = 0x01,
    Set = 0x02,
    Send = 0x03,
    Trap = 0x05,
    Report = 0x06,
    TrapRepress = 0x07,
    GetResp = 0x81,
}

impl Method {
    const ALL: [Method; 7] = [
        Method::Get,
        Method::Set,
        Method::Send,
        Method::Trap,
        Method::Report,
        Method::TrapRepress,
        Method::GetResp,
    ];

    /// Returns the method with this code.
    pub fn of(code: u8) -> Option<Method> {
        Method::ALL.into_iter().find(|method| *method as u8 == code)
    }
}
