//! What connects the two nodes: simulated adapters, or memory.
use super::super::error::CallError;
use super::super::hardware::Hardware;
use crate::subnet::cable::{AdapterCable, Cable, MemoryCable};
use crate::subnet::session::SessionError;
use crate::subnet::socket::ServerError;
use crate::subnet::Node;
use crate::subnet::{Nodes, Patience};
use hca_host::profile::Profile;
use hca_sim::subnet::Capabilities;
use hca_sim::subnet::SubnetAgent;
use hca_sim::SimConfig;

/// Provides two nodes at reset for each step.
pub trait Between {
    type Cable: Cable;

    /// Returns the capabilities of each node.
    fn capabilities(&self) -> [Capabilities; 2];

    /// Returns the cable between the nodes, with their registers.
    fn cable(&self) -> Result<Self::Cable, CallError>;
}

/// Registers and link in memory.
pub struct Memory;

impl Between for Memory {
    type Cable = MemoryCable;

    fn capabilities(&self) -> [Capabilities; 2] {
        Node::BOTH.map(Node::capabilities)
    }

    fn cable(&self) -> Result<MemoryCable, CallError> {
        let [alpha, beta] = &self.capabilities();
        Ok(MemoryCable::new([alpha, beta]))
    }
}

/// Two simulated adapters.
pub struct Adapters {
    pub hardware: Hardware,
    pub profile: Profile,
    pub seed: u64,
}

impl Between for Adapters {
    type Cable = AdapterCable;

    fn capabilities(&self) -> [Capabilities; 2] {
        Node::BOTH.map(|node| AdapterCable::capabilities(node, &self.profile))
    }

    fn cable(&self) -> Result<AdapterCable, CallError> {
        let config = SimConfig {
            seed: self.seed,
            profile: self.profile,
            ..SimConfig::default()
        };
        AdapterCable::new(self.hardware.library(), &config)
            .map_err(|error| CallError::Subnet(SessionError::Server(ServerError::Cable(Box::new(error)))))
    }
}

/// Returns two nodes at reset, with their agents.
pub fn nodes<B: Between>(between: &B, patience: Patience) -> Result<Nodes<B::Cable>, CallError> {
    let [alpha, beta] = between.capabilities();
    let agents = [(alpha, Node::Alpha), (beta, Node::Beta)]
        .map(|(capabilities, node)| SubnetAgent::new(capabilities, node.name()));
    Ok(Nodes::new(between.cable()?, agents, patience))
}
