//! The transmit path between the engines and the packet builder: orders packets, adds their routes, and reports what
//! departs.
mod departure;
mod intake;
mod left_packet;
mod link_drain;
mod packet;
mod packet_fields;
mod path;
mod prepared_packet;
mod requests_read;
mod routing;
mod spoil;
mod withhold;

pub use departure::Departure;
pub use intake::Intake;
pub use left_packet::LeftPacket;
pub use link_drain::LinkDrain;
pub use packet::{TransmitPacket, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};
pub use packet_fields::PacketFields;
pub use path::TransmitPath;
pub use prepared_packet::PreparedPacket;
pub use requests_read::RequestsRead;
pub use routing::Routing;
pub use spoil::Spoil;
pub use withhold::Withhold;
