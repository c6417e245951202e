//! Applies verbs to the golden model.
use super::{Outcome, Verb};
use hca_golden::event::CommandVerb;
use hca_golden::hca::Hca;
use hca_golden::refusal::VerbError;
use hca_golden::verbs::QpAttributes;
use std::collections::HashMap;

/// Mask of the bits of an argument that a command's report carries.
const NUMBER: u32 = 0xFF_FFFF;

/// Applies a verb to the model. A modification of a QP, and its destruction, wait for the device's report of each side.
/// `attributes` stores the attributes of `CreateQp`.
pub fn start(
    hca: &mut Hca,
    attributes: &mut HashMap<u32, QpAttributes>,
    verb: &Verb,
) -> Result<Outcome, VerbError> {
    let (number, verb) = verb.with_port();
    if !hca.has_port(number) {
        return Err(VerbError::NoPort(number));
    }
    let port = hca.port_mut(number);
    match verb {
        Verb::OnPort { .. } => Ok(()),
        Verb::QueryHca => return Ok(Outcome::Hca(Box::new(hca.query_hca()))),
        Verb::QueryPortCounter { counter } => {
            return Ok(Outcome::PortCounter(port.query_port_counter(*counter)))
        }
        Verb::SetPortCounter { counter, count } => {
            port.set_port_counter(*counter, *count);
            Ok(())
        }
        Verb::QueryExtendedCounters => {
            return Ok(Outcome::ExtendedCounters(Box::new(
                port.query_extended_counters(),
            )));
        }
        Verb::QueryViolation => {
            return Ok(Outcome::Violation(port.query_violation().map(Box::new)));
        }
        Verb::ReleaseViolation => {
            port.release_violation();
            Ok(())
        }
        Verb::SetLid { lid, lmc } => {
            port.set_lid(*lid, *lmc);
            Ok(())
        }
        Verb::SetGids { gid, guids } => {
            port.set_gids(*gid, *guids);
            Ok(())
        }
        Verb::SetPKey { index, p_key } => {
            port.set_p_key(*index, *p_key);
            Ok(())
        }
        Verb::SetSlToVl { table } => {
            port.set_sl_to_vl(table);
            Ok(())
        }
        Verb::SetDataVls { data_vls } => {
            port.set_data_vls(*data_vls);
            Ok(())
        }
        Verb::SetMtu { mtu } => {
            port.set_mtu(*mtu);
            Ok(())
        }
        Verb::SetArbitration { arbitration } => {
            port.set_arbitration(arbitration);
            Ok(())
        }
        Verb::SetFlowControl { is_on } => {
            port.set_flow_control(*is_on);
            Ok(())
        }
        Verb::QueryPortState => return Ok(Outcome::PortState(port.query_port_state())),
        Verb::SetPortState { state } => {
            port.set_port_state(*state);
            Ok(())
        }
        Verb::DisablePort => {
            port.disable_port();
            Ok(())
        }
        Verb::SetCable { is_in } => {
            port.set_link(*is_in);
            Ok(())
        }
        Verb::CreateCq { cqn, entries } => return hca.create_cq(*cqn, *entries).map(Outcome::Entries),
        Verb::QueryCq { cqn } => {
            return hca.query_cq(*cqn).map(|status| Outcome::Cq {
                entries: status.entries,
                failed: status.failed,
            })
        }
        Verb::ResizeCq { cqn, entries } => return hca.resize_cq(*cqn, *entries).map(Outcome::Entries),
        Verb::DestroyCq { cqn } => hca.destroy_cq(*cqn),
        Verb::RequestNotify { cqn, solicited } => hca.request_notify(*cqn, *solicited),
        Verb::CreateQp {
            attributes: a,
            send_entries,
            receive_entries,
        } => {
            let created = hca.create_qp_with(a, *send_entries as usize, *receive_entries as usize);
            if created.is_ok() {
                attributes.insert(a.qpn, a.clone());
            }
            created
        }
        Verb::ModifyQp { qpn, state } => match attributes.get(qpn) {
            Some(a) => hca.start_move_qp(a, *state),
            None => hca.start_modify_qp(*qpn, *state, &Default::default()),
        },
        Verb::SetQp { qpn, state, changes } => hca.start_modify_qp(*qpn, *state, changes),
        Verb::QueryQp { qpn } => {
            return hca
                .query_qp(*qpn)
                .map(|(state, attributes)| Outcome::Qp { state, attributes })
        }
        Verb::DestroyQp { qpn } => {
            let ended = hca.start_destroy_qp(*qpn);
            if ended.is_ok() {
                attributes.remove(qpn);
            }
            ended
        }
        Verb::RegMr { region } => hca.reg_mr(*region),
        Verb::DeregMr { l_key } => hca.dereg_mr(*l_key),
        Verb::Invalidate { r_key } => {
            hca.invalidate(*r_key);
            Ok(())
        }
        Verb::CreateAh { handle, attributes } => hca.create_ah(*handle, *attributes),
        Verb::ModifyAh { handle, attributes } => hca.modify_ah(*handle, *attributes),
        Verb::QueryAh { handle } => return hca.query_ah(*handle).map(Outcome::Ah),
        Verb::DestroyAh { handle } => hca.destroy_ah(*handle),
        Verb::Attach { qpn, mgid, mlid } => hca.attach(*qpn, *mgid, *mlid),
        Verb::Detach { qpn, mgid, mlid } => hca.detach(*qpn, *mgid, *mlid),
        Verb::PostSend { qpn, request } => hca.post_send(*qpn, request.clone()).map(drop),
        Verb::PostReceive { qpn, request } => hca.post_receive(*qpn, request.clone()).map(drop),
        Verb::PostDefective { qpn, request, defect } => {
            hca.post_defective(*qpn, request.clone(), *defect).map(drop)
        }
        Verb::Ring { qpn, side, producer } => {
            hca.ring_directly(*qpn, *side, *producer);
            Ok(())
        }
        Verb::RingInReset { .. } => Ok(()),
    }
    .map(|()| Outcome::Done)
}

/// Returns the QP that a verb modifies or destroys.
pub fn modified(verb: &Verb) -> Option<u32> {
    match *verb.with_port().1 {
        Verb::ModifyQp { qpn, .. } | Verb::SetQp { qpn, .. } | Verb::DestroyQp { qpn } => Some(qpn),
        _ => None,
    }
}

/// Returns the command that carries a verb out, as a device reports it.
pub fn command(verb: &Verb) -> Option<CommandVerb> {
    Some(match verb.with_port().1 {
        Verb::CreateCq { .. } => CommandVerb::CreateCq,
        Verb::QueryCq { .. } => CommandVerb::QueryCq,
        Verb::ResizeCq { .. } => CommandVerb::ResizeCq,
        Verb::DestroyCq { .. } => CommandVerb::DestroyCq,
        Verb::CreateQp { .. } => CommandVerb::CreateQp,
        Verb::ModifyQp { .. } | Verb::SetQp { .. } => CommandVerb::ModifyQp,
        Verb::QueryQp { .. } => CommandVerb::QueryQp,
        Verb::DestroyQp { .. } => CommandVerb::DestroyQp,
        Verb::RegMr { .. } => CommandVerb::RegMr,
        Verb::DeregMr { .. } => CommandVerb::DeregMr,
        Verb::Invalidate { .. } => CommandVerb::Invalidate,
        Verb::CreateAh { .. } => CommandVerb::CreateAh,
        Verb::ModifyAh { .. } => CommandVerb::ModifyAh,
        Verb::QueryAh { .. } => CommandVerb::QueryAh,
        Verb::DestroyAh { .. } => CommandVerb::DestroyAh,
        Verb::Attach { .. } => CommandVerb::AttachMulticast,
        Verb::Detach { .. } => CommandVerb::DetachMulticast,
        _ => return None,
    })
}

/// Returns the object of that command, a CQN, QPN, key or address handle, as far as the report carries it.
pub fn number(verb: &Verb) -> u32 {
    let number = match verb.with_port().1 {
        Verb::QueryHca
        | Verb::OnPort { .. }
        | Verb::QueryPortCounter { .. }
        | Verb::SetPortCounter { .. }
        | Verb::QueryExtendedCounters
        | Verb::QueryViolation
        | Verb::ReleaseViolation
        | Verb::SetLid { .. }
        | Verb::SetGids { .. }
        | Verb::SetPKey { .. }
        | Verb::SetSlToVl { .. }
        | Verb::SetDataVls { .. }
        | Verb::SetMtu { .. }
        | Verb::SetArbitration { .. }
        | Verb::SetFlowControl { .. }
        | Verb::QueryPortState
        | Verb::SetPortState { .. }
        | Verb::DisablePort
        | Verb::SetCable { .. } => 0,
        Verb::CreateCq { cqn, .. }
        | Verb::QueryCq { cqn }
        | Verb::ResizeCq { cqn, .. }
        | Verb::DestroyCq { cqn }
        | Verb::RequestNotify { cqn, .. } => *cqn,
        Verb::CreateQp { attributes, .. } => attributes.qpn,
        Verb::ModifyQp { qpn, .. }
        | Verb::SetQp { qpn, .. }
        | Verb::QueryQp { qpn }
        | Verb::DestroyQp { qpn }
        | Verb::Attach { qpn, .. }
        | Verb::Detach { qpn, .. }
        | Verb::PostSend { qpn, .. }
        | Verb::PostReceive { qpn, .. }
        | Verb::PostDefective { qpn, .. }
        | Verb::Ring { qpn, .. }
        | Verb::RingInReset { qpn, .. } => *qpn,
        Verb::RegMr { region } => region.l_key,
        Verb::DeregMr { l_key } => *l_key,
        Verb::Invalidate { r_key } => *r_key,
        Verb::CreateAh { handle, .. }
        | Verb::ModifyAh { handle, .. }
        | Verb::QueryAh { handle }
        | Verb::DestroyAh { handle } => *handle,
    };
    number & NUMBER
}
