//! The names of management datagrams (`protocol/mad.md` section 2).
use super::communication::CLASS as CLASS_CM;

/// Length of a MAD's header in bytes.
pub const HEADER_BYTES: usize = 24;

/// The fields that distinguish one kind of MAD from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mad {
    class: u8,
    method: u8,
    attribute: u16,
}

impl Mad {
    /// Makes the kind of these fields.
    pub fn new(class: u8, method: u8, attribute: u16) -> Mad {
        Mad {
            class,
            method,
            attribute,
        }
    }

    /// Reads the kind from a payload to QP0 or QP1; `None` if it is too short.
    pub fn of(payload: &[u8]) -> Option<Mad> {
        let header = payload.first_chunk::<HEADER_BYTES>()?;
        Some(Mad {
            class: header[1],
            method: header[3],
            attribute: u16::from_be_bytes([header[16], header[17]]),
        })
    }

    /// Returns its class, its method unless the attribute implies it, and its attribute.
    pub fn name(self) -> String {
        let Mad {
            class,
            method,
            attribute,
        } = self;
        let known = match class {
            CLASS_CM => communication(attribute),
            CLASS_SM | CLASS_SM_DIRECTED => subnet(attribute),
            CLASS_PERFORMANCE => performance(attribute),
            _ => None,
        };
        let attribute = known.map_or_else(|| format!("attribute {attribute:04X}h"), str::to_owned);
        let method = match (class, method) {
            // All messages of the communication manager have the method Send.
            (CLASS_CM, 0x03) => return format!("CM {attribute}"),
            (_, 0x01) => "Get".to_owned(),
            (_, 0x02) => "Set".to_owned(),
            (_, 0x03) => "Send".to_owned(),
            (_, 0x05) => "Trap".to_owned(),
            (_, 0x06) => "Report".to_owned(),
            (_, 0x07) => "TrapRepress".to_owned(),
            (_, 0x81) => "GetResp".to_owned(),
            (_, other) => format!("method {other:02X}h"),
        };
        let class = match class {
            CLASS_SM => "SM".to_owned(),
            CLASS_SM_DIRECTED => "SM directed".to_owned(),
            0x03 => "SA".to_owned(),
            CLASS_PERFORMANCE => "performance".to_owned(),
            CLASS_CM => "CM".to_owned(),
            other => format!("class {other:02X}h"),
        };
        format!("{class} {method} {attribute}")
    }
}

const CLASS_SM: u8 = 0x01;
const CLASS_SM_DIRECTED: u8 = 0x81;
const CLASS_PERFORMANCE: u8 = 0x04;

/// Returns the name of a message that makes or ends connections, as `tshark` shows it.
fn communication(attribute: u16) -> Option<&'static str> {
    Some(match attribute {
        0x0001 => "ClassPortInfo",
        0x0010 => "ConnectRequest",
        0x0011 => "MsgRcptAck",
        0x0012 => "ConnectReject",
        0x0013 => "ConnectReply",
        0x0014 => "ReadyToUse",
        0x0015 => "DisconnectRequest",
        0x0016 => "DisconnectReply",
        0x0017 => "ServiceIDResReq",
        0x0018 => "ServiceIDResReqResp",
        0x0019 => "LoadAlternatePath",
        0x001A => "AlternatePathResponse",
        _ => return None,
    })
}

fn subnet(attribute: u16) -> Option<&'static str> {
    Some(match attribute {
        0x0002 => "Notice",
        0x0010 => "NodeDescription",
        0x0011 => "NodeInfo",
        0x0012 => "SwitchInfo",
        0x0014 => "GUIDInfo",
        0x0015 => "PortInfo",
        0x0016 => "P_KeyTable",
        0x0017 => "SLtoVLMappingTable",
        0x0018 => "VLArbitrationTable",
        0x0020 => "SMInfo",
        _ => return None,
    })
}

fn performance(attribute: u16) -> Option<&'static str> {
    Some(match attribute {
        0x0001 => "ClassPortInfo",
        0x0010 => "PortSamplesControl",
        0x0011 => "PortSamplesResult",
        0x0012 => "PortCounters",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(class: u8, method: u8, attribute: u16) -> String {
        let mut payload = [0; 256];
        (payload[1], payload[3]) = (class, method);
        payload[16..18].copy_from_slice(&attribute.to_be_bytes());
        Mad::of(&payload).unwrap().name()
    }

    #[test]
    fn what_a_mad_is_called() {
        assert_eq!(name(0x07, 0x03, 0x0010), "CM ConnectRequest");
        assert_eq!(name(0x81, 0x01, 0x0011), "SM directed Get NodeInfo");
        assert_eq!(name(0x04, 0x81, 0x0012), "performance GetResp PortCounters");
        assert_eq!(name(0x09, 0x33, 0x1234), "class 09h method 33h attribute 1234h");
        assert_eq!(Mad::of(&[0; HEADER_BYTES - 1]), None);
    }
}
