//! The two nodes.
use hca_sim::subnet::Capabilities;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    Alpha = 0,
    Beta = 1,
}

impl Node {
    /// Both nodes.
    pub const BOTH: [Node; 2] = [Node::Alpha, Node::Beta];

    /// Returns the name with which a client selects this node.
    pub fn name(self) -> &'static str {
        match self {
            Node::Alpha => "alpha",
            Node::Beta => "beta",
        }
    }

    /// Returns the node with this name; the first one for an empty name.
    pub fn named(name: &str) -> Option<Node> {
        match name {
            "" => Some(Node::Alpha),
            name => Node::BOTH.into_iter().find(|node| node.name() == name),
        }
    }

    /// Returns the node at the other end of the cable.
    pub fn other(self) -> Node {
        match self {
            Node::Alpha => Node::Beta,
            Node::Beta => Node::Alpha,
        }
    }

    /// Returns the capabilities of a node whose adapter is memory.
    pub fn capabilities(self) -> Capabilities {
        let guid = match self {
            Node::Alpha => 0x0200_0000_0000_0010,
            Node::Beta => 0x0200_0000_0000_0020,
        };
        Capabilities {
            system_image_guid: guid,
            node_guid: guid,
            vendor_id: 0,
            device_id: 1,
            revision: 1,
            ports: 1,
            // 8 VLs and 4096 bytes.
            vl_cap: 4,
            mtu_cap: 5,
            vl_arb_high_cap: 8,
            vl_arb_low_cap: 8,
            p_key_cap: 64,
            guid_cap: 8,
            // 1X and 4X at 2.5 Gb/s a lane.
            link_width_supported: 3,
            link_speed_supported: 1,
        }
    }
}
