//! Verbs of address handles (`ud.md` section 1). A refused verb changes nothing.
use super::paces::Holder;
use super::send_wqe::SendWqe;
use super::Hca;
use crate::decision::address;
use crate::refusal::VerbError;
use crate::verbs::AddressHandle;

impl Hca {
    /// Creates an address handle.
    pub fn create_ah(&mut self, handle: u32, attributes: AddressHandle) -> Result<(), VerbError> {
        self.check_handle(handle)?;
        if self.handles.contains_key(&handle) {
            return Err(VerbError::HandleExists(handle));
        }
        self.check_address(&attributes)?;
        self.paces.renew(Holder::Handle(handle));
        self.handles.insert(handle, attributes);
        Ok(())
    }

    /// Gives an address handle other attributes. The handle keeps its protection domain.
    pub fn modify_ah(&mut self, handle: u32, attributes: AddressHandle) -> Result<(), VerbError> {
        let pd = self.query_ah(handle)?.pd;
        self.check_address(&attributes)?;
        self.paces.renew(Holder::Handle(handle));
        self.handles.insert(handle, AddressHandle { pd, ..attributes });
        Ok(())
    }

    /// Returns the attributes of an address handle as they were set.
    pub fn query_ah(&self, handle: u32) -> Result<AddressHandle, VerbError> {
        self.check_handle(handle)?;
        let found = self.handles.get(&handle).copied();
        found.ok_or(VerbError::UnknownHandle(handle))
    }

    /// Destroys an address handle.
    pub fn destroy_ah(&mut self, handle: u32) -> Result<(), VerbError> {
        self.query_ah(handle)?;
        self.handles.remove(&handle);
        Ok(())
    }

    /// Returns true if a send WQE that is not complete names this handle. Software may neither modify nor destroy the
    /// handle then.
    pub fn names_handle(&self, handle: u32) -> bool {
        let names = |wqe: &SendWqe| wqe.request.datagram.is_some_and(|d| d.handle == handle);
        self.qps.values().any(|qp| qp.send.iter().any(names))
    }

    /// Returns true if a send WQE of this QP that is not complete sends the QP's own Q_Key. Software may not change the
    /// Q_Key then.
    pub fn sends_own_q_key(&self, qpn: u32) -> bool {
        let own = |wqe: &SendWqe| wqe.request.datagram.is_some_and(|d| d.q_key >> 31 == 1);
        self.qps.get(&qpn).is_some_and(|qp| qp.send.iter().any(own))
    }

    fn check_address(&self, attributes: &AddressHandle) -> Result<(), VerbError> {
        let number = attributes.port;
        let port = self.has_port(number).then(|| &self.port(number).config);
        address::refuse(port, attributes)
    }

    fn check_handle(&self, handle: u32) -> Result<(), VerbError> {
        let limit = self.capabilities.max_handles;
        match handle < limit {
            true => Ok(()),
            false => Err(VerbError::Handle { handle, limit }),
        }
    }
}
