//! Connections over all ports of the adapters.
use crate::device::{port_on, Verb};
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::QpAttributes;

/// LID of port 2 of a device, less the LID of its port 1.
const SECOND: u16 = 0x100;

/// Gives the other ports their addresses, if both adapters have other ports.
pub fn begin(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let (link, ports) = (fabric.link(), fabric.ports());
    for side in Side::BOTH {
        let verbs = (FIRST + 1..=ports).map(|port| {
            let (lid, lmc) = (lid(link, side, port), 0);
            Verb::SetLid { lid, lmc }.on_port(port)
        });
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}

fn lid(link: Link, side: Side, port: u8) -> u16 {
    port_on(link, side).lid + SECOND * u16::from(port - FIRST)
}

/// Returns the attributes of connection `n` at this side by one of so many ports, in turn.
pub fn spread(ports: u8, link: Link, side: Side, n: u32, attributes: QpAttributes) -> QpAttributes {
    match FIRST + (n % u32::from(ports)) as u8 {
        FIRST => attributes,
        port => QpAttributes {
            port,
            dlid: lid(link, side.other(), port),
            ..attributes
        },
    }
}
