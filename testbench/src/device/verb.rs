//! Verbs of software.
use hca_golden::arbitration::{Arbitration, Table};
pub use hca_golden::hca::changes_to as required_changes;
use hca_golden::modification::QpChanges;
use hca_golden::port::{PortState, FIRST, GIDS, SLS};
use hca_golden::verbs::{
    AddressHandle, Defect, MemoryRegion, PortCounter, QpAttributes, QpState, QueueSide, ReceiveRequest,
    SendRequest,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::Ipv6Addr;

/// A request of software to the device. Ring sizes are powers of two, up to 32768. A verb of a port means the first
/// one, unless [`Verb::OnPort`] names another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Queries the capabilities of the device.
    QueryHca,
    /// A verb of the port of this number.
    OnPort {
        port: u8,
        verb: Box<Verb>,
    },
    /// Queries this counter of the port.
    QueryPortCounter {
        counter: PortCounter,
    },
    /// Sets this counter of the port.
    SetPortCounter {
        counter: PortCounter,
        count: u32,
    },
    /// Queries the 64-bit counters of a native port.
    QueryExtendedCounters,
    /// Queries what the violation latch of a native port holds (`protocol/mad.md` section 6.1).
    QueryViolation,
    /// Releases the violation latch of a native port.
    ReleaseViolation,
    /// Sets the base LID of a native port, whose low `lmc` bits are 0, and its LMC.
    SetLid {
        lid: u16,
        lmc: u8,
    },
    /// Sets the GID table of a native port: entry 0, and the GUIDs of the others, 0 for an empty one.
    SetGids {
        gid: [u8; 16],
        guids: [u64; GIDS - 1],
    },
    /// Sets an entry of the port's P_Key table; 0 empties it.
    SetPKey {
        index: u16,
        p_key: u16,
    },
    /// Maps each SL of a native port to a VL, of 4 bits.
    SetSlToVl {
        table: [u8; SLS],
    },
    /// Makes the first data VLs of a native port operational: 1, 2, 4 or 8 of them. A number above the port's changes
    /// nothing.
    SetDataVls {
        data_vls: u8,
    },
    /// Sets the active MTU of the port, a code of `pmtu.csv`. Any other code changes nothing (`protocol/link.md`
    /// section 13). No packet may arrive or leave at the port meanwhile.
    SetMtu {
        mtu: u8,
    },
    /// Sets the arbitration of a native port's data VLs (`protocol/link.md` section 6). The turns of both tables begin
    /// anew.
    SetArbitration {
        arbitration: Arbitration,
    },
    /// Turns flow control of a native port on or off (`protocol/link.md` section 5).
    SetFlowControl {
        is_on: bool,
    },
    /// Queries the state of the port.
    QueryPortState,
    /// Requests a state of a native port (`protocol/link.md` section 1). An illegal step changes nothing.
    SetPortState {
        state: PortState,
    },
    /// Disables a native port: it goes Down, and leaves Down only after a `SetPortState` of Down.
    DisablePort,
    /// Pulls the cable out of a native port, or plugs it in. Software does not do this, but it takes its turn among the
    /// verbs.
    SetCable {
        is_in: bool,
    },
    CreateCq {
        cqn: u32,
        /// Number of completion queue entries.
        entries: u32,
    },
    QueryCq {
        cqn: u32,
    },
    ResizeCq {
        cqn: u32,
        entries: u32,
    },
    /// Removes a CQ that no QP uses.
    DestroyCq {
        cqn: u32,
    },
    /// Arms a CQ for one event, at the next completion or at the next solicited one.
    RequestNotify {
        cqn: u32,
        solicited: bool,
    },
    /// Creates a QP in state Reset.
    CreateQp {
        attributes: QpAttributes,
        /// Number of send queue entries.
        send_entries: u32,
        /// Number of receive queue entries.
        receive_entries: u32,
    },
    /// Moves a QP. Of the attributes given to `CreateQp` it sets only those that the transition requires, and credits
    /// if they are permitted.
    ModifyQp {
        qpn: u32,
        state: QpState,
    },
    /// Moves a QP, or keeps it in its state, and sets these attributes.
    SetQp {
        qpn: u32,
        state: QpState,
        changes: QpChanges,
    },
    QueryQp {
        qpn: u32,
    },
    /// Destroys a QP with all its work, in any state.
    DestroyQp {
        qpn: u32,
    },
    RegMr {
        region: MemoryRegion,
    },
    DeregMr {
        l_key: u32,
    },
    /// Invalidates both keys of the region with this R_Key.
    Invalidate {
        r_key: u32,
    },
    CreateAh {
        handle: u32,
        attributes: AddressHandle,
    },
    /// Gives an address handle other attributes, except for its protection domain.
    ModifyAh {
        handle: u32,
        attributes: AddressHandle,
    },
    QueryAh {
        handle: u32,
    },
    DestroyAh {
        handle: u32,
    },
    /// Attaches a QP to a multicast group. The LID is used on a native link only.
    Attach {
        qpn: u32,
        mgid: [u8; 16],
        mlid: u16,
    },
    Detach {
        qpn: u32,
        mgid: [u8; 16],
        mlid: u16,
    },
    PostSend {
        qpn: u32,
        request: SendRequest,
    },
    PostReceive {
        qpn: u32,
        request: ReceiveRequest,
    },
    /// Posts a send request with a defective entry.
    PostDefective {
        qpn: u32,
        request: SendRequest,
        defect: Defect,
    },
    /// Rings a doorbell without the driver, even an impossible one.
    Ring {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// Rings a doorbell for a QP that is in Reset or does not exist. It must have no effect.
    RingInReset {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
}

impl Verb {
    /// Returns the same verb of the port of this number.
    pub fn on_port(self, port: u8) -> Verb {
        match port {
            FIRST => self,
            _ => Verb::OnPort {
                port,
                verb: Box::new(self),
            },
        }
    }

    /// Returns the port that the verb means if it is one of a port, and the verb without the port.
    pub fn with_port(&self) -> (u8, &Verb) {
        match self {
            Verb::OnPort { port, verb } => (*port, verb.with_port().1),
            verb => (FIRST, verb),
        }
    }

    /// Returns true if the adapter judges the verb, so that software waits for the result.
    pub fn is_command(&self) -> bool {
        !matches!(
            self.with_port().1,
            Verb::QueryHca
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
                | Verb::SetCable { .. }
                | Verb::RequestNotify { .. }
                | Verb::PostSend { .. }
                | Verb::PostReceive { .. }
                | Verb::PostDefective { .. }
                | Verb::Ring { .. }
                | Verb::RingInReset { .. }
        )
    }

    /// Returns true if software starts no other verb before this one has its outcome. A command holds the others until
    /// the adapter has judged it, a step of the port until both sides of the port have taken it.
    pub fn holds_others(&self) -> bool {
        self.is_command() || self.moves_port()
    }

    /// Returns true if the verb may take the port from one state to another.
    pub fn moves_port(&self) -> bool {
        matches!(
            self.with_port().1,
            Verb::SetPortState { .. } | Verb::DisablePort | Verb::SetCable { .. }
        )
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::CreateCq { cqn, entries } => write!(f, "create_cq {cqn} of {entries} entries"),
            Verb::QueryCq { cqn } => write!(f, "query_cq {cqn}"),
            Verb::QueryHca => write!(f, "query_hca"),
            Verb::OnPort { port, verb } => write!(f, "{verb}, of port {port}"),
            Verb::QueryPortCounter { counter } => write!(f, "query_port_counter {counter:?}"),
            Verb::SetPortCounter { counter, count } => write!(f, "set_port_counter {counter:?} to {count}"),
            Verb::QueryExtendedCounters => write!(f, "query_extended_counters"),
            Verb::QueryViolation => write!(f, "query_violation"),
            Verb::ReleaseViolation => write!(f, "release_violation"),
            Verb::SetGids { gid, guids } => write!(
                f,
                "set_gids to {:032X}h and GUIDs {guids:X?}",
                u128::from_be_bytes(*gid)
            ),
            Verb::SetLid { lid, lmc } => write!(f, "set_lid to {lid:04X}h with LMC {lmc}"),
            Verb::SetPKey { index, p_key } => write!(f, "set_p_key {index} to {p_key:04X}h"),
            Verb::SetSlToVl { table } => write!(f, "set_sl_to_vl to {table:?}"),
            Verb::SetDataVls { data_vls } => write!(f, "set_data_vls to {data_vls}"),
            Verb::SetMtu { mtu } => write!(f, "set_mtu to code {mtu}"),
            Verb::SetArbitration { arbitration } => {
                let pairs = |table: Table| table.map(|entry| (entry.vl, entry.weight));
                let (high, low) = (pairs(arbitration.high), pairs(arbitration.low));
                let limit = arbitration.high_limit;
                write!(f, "set_arbitration to high {high:?}, low {low:?}, limit {limit}")
            }
            Verb::SetFlowControl { is_on: true } => write!(f, "flow control is turned on"),
            Verb::SetFlowControl { is_on: false } => write!(f, "flow control is turned off"),
            Verb::QueryPortState => write!(f, "query_port_state"),
            Verb::SetPortState { state } => write!(f, "set_port_state to {state:?}"),
            Verb::DisablePort => write!(f, "disable_port"),
            Verb::SetCable { is_in: true } => write!(f, "the cable is plugged in"),
            Verb::SetCable { is_in: false } => write!(f, "the cable is pulled"),
            Verb::ResizeCq { cqn, entries } => write!(f, "resize_cq {cqn} to {entries} entries"),
            Verb::DestroyCq { cqn } => write!(f, "destroy_cq {cqn}"),
            Verb::RequestNotify { cqn, solicited } => {
                let what = if *solicited { "solicited" } else { "next" };
                write!(f, "request_notify of CQ {cqn}, {what} completion")
            }
            Verb::CreateQp { attributes, .. } => write!(f, "create_qp {:06X}h", attributes.qpn),
            Verb::ModifyQp { qpn, state } => write!(f, "modify_qp {qpn:06X}h to {state:?}"),
            Verb::SetQp { qpn, state, changes } => {
                write!(f, "modify_qp {qpn:06X}h to {state:?} with {changes:?}")
            }
            Verb::QueryQp { qpn } => write!(f, "query_qp {qpn:06X}h"),
            Verb::DestroyQp { qpn } => write!(f, "destroy_qp {qpn:06X}h"),
            Verb::RegMr { region } => write!(f, "reg_mr of L_Key {:08X}h", region.l_key),
            Verb::DeregMr { l_key } => write!(f, "dereg_mr of L_Key {l_key:08X}h"),
            Verb::Invalidate { r_key } => write!(f, "invalidate R_Key {r_key:08X}h"),
            Verb::CreateAh { handle, .. } => write!(f, "create_ah {handle:06X}h"),
            Verb::ModifyAh { handle, .. } => write!(f, "modify_ah {handle:06X}h"),
            Verb::QueryAh { handle } => write!(f, "query_ah {handle:06X}h"),
            Verb::DestroyAh { handle } => write!(f, "destroy_ah {handle:06X}h"),
            Verb::Attach { qpn, mgid, mlid } => {
                let mgid = Ipv6Addr::from(*mgid);
                write!(f, "attach QP {qpn:06X}h to group {mgid} of LID {mlid:04X}h")
            }
            Verb::Detach { qpn, mgid, mlid } => {
                let mgid = Ipv6Addr::from(*mgid);
                write!(f, "detach QP {qpn:06X}h from group {mgid} of LID {mlid:04X}h")
            }
            Verb::PostSend { qpn, request } => {
                write!(f, "post_send to QP {qpn:06X}h, wr_id {}", request.wr_id)
            }
            Verb::PostReceive { qpn, request } => {
                write!(f, "post_receive to QP {qpn:06X}h, wr_id {}", request.wr_id)
            }
            Verb::PostDefective { qpn, request, defect } => {
                let wr_id = request.wr_id;
                write!(f, "post_send to QP {qpn:06X}h, wr_id {wr_id}, with {defect:?}")
            }
            Verb::Ring { qpn, producer, side } => {
                write!(
                    f,
                    "doorbell {producer} of QP {qpn:06X}h, {side:?} queue, past the driver"
                )
            }
            Verb::RingInReset { qpn, producer, .. } => {
                write!(f, "doorbell {producer} of QP {qpn:06X}h in Reset")
            }
        }
    }
}
