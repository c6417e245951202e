//! Messages of the communication manager as fields, behind the header of their MAD (`protocol/mad.md` section 9).
use super::field::{decimal, field, hex, FieldLayout, HeaderLayout, Radix};

/// Management class of the communication manager.
pub const CLASS: u8 = 0x07;

/// Length of a message behind the MAD's header, in bytes.
const BYTES: usize = 232;

const fn message(fields: &'static [FieldLayout]) -> HeaderLayout {
    HeaderLayout { bytes: BYTES, fields }
}

const CONNECT_REQUEST: HeaderLayout = message(&[
    hex("REQ.LocalCommID", "infiniband.cm.req", 0, 32),
    hex("REQ.ServiceID", "infiniband.cm.req.serviceid", 64, 64),
    hex("REQ.LocalCAGUID", "infiniband.cm.req.localcaguid", 128, 64),
    hex("REQ.LocalQ_Key", "infiniband.cm.req.localqkey", 224, 32),
    hex("REQ.LocalQPN", "infiniband.cm.req.localqpn", 256, 24),
    decimal("REQ.ResponderResources", "infiniband.cm.req.responderres", 280, 8),
    hex("REQ.LocalEECN", "infiniband.cm.req.localeecn", 288, 24),
    decimal("REQ.InitiatorDepth", "infiniband.cm.req.initdepth", 312, 8),
    hex("REQ.RemoteEECN", "infiniband.cm.req.remoteeecn", 320, 24),
    decimal(
        "REQ.RemoteResponseTimeout",
        "infiniband.cm.req.remoteresptout",
        344,
        5,
    ),
    decimal("REQ.TransportService", "infiniband.cm.req.transpsvctype", 349, 2),
    decimal("REQ.EndToEndCredits", "infiniband.cm.req.e2eflowctrl", 351, 1),
    decimal("REQ.StartingPSN", "infiniband.cm.req.startpsn", 352, 24),
    decimal(
        "REQ.LocalResponseTimeout",
        "infiniband.cm.req.localresptout",
        376,
        5,
    ),
    decimal("REQ.RetryCount", "infiniband.cm.req.retrcount", 381, 3),
    hex("REQ.P_Key", "infiniband.cm.req.pkey", 384, 16),
    decimal("REQ.PathMTU", "infiniband.cm.req.pppmtu", 400, 4),
    decimal("REQ.RDCExists", "infiniband.cm.req.rdcexist", 404, 1),
    decimal("REQ.RNRRetryCount", "infiniband.cm.req.rnrretrcount", 405, 3),
    decimal("REQ.MaxCMRetries", "infiniband.cm.req.maxcmretr", 408, 4),
    decimal("REQ.SRQ", "infiniband.cm.req.srq", 412, 1),
    decimal("REQ.ExtendedTransport", "infiniband.cm.req.ext_transport", 413, 3),
    hex("REQ.PrimaryLocalLID", "infiniband.cm.req.prim_locallid", 416, 16),
    hex(
        "REQ.PrimaryRemoteLID",
        "infiniband.cm.req.prim_remotelid",
        432,
        16,
    ),
    field(
        "REQ.PrimaryLocalGID",
        "infiniband.cm.req.prim_localgid",
        448,
        128,
        Radix::Ipv6,
    ),
    field(
        "REQ.PrimaryRemoteGID",
        "infiniband.cm.req.prim_remotegid",
        576,
        128,
        Radix::Ipv6,
    ),
    hex(
        "REQ.PrimaryFlowLabel",
        "infiniband.cm.req.prim_flowlabel",
        704,
        20,
    ),
    decimal("REQ.PrimaryPacketRate", "infiniband.cm.req.prim_pktrate", 730, 6),
    hex(
        "REQ.PrimaryTrafficClass",
        "infiniband.cm.req.prim_tfcclass",
        736,
        8,
    ),
    decimal("REQ.PrimaryHopLimit", "infiniband.cm.req.prim_hoplim", 744, 8),
    decimal("REQ.PrimarySL", "infiniband.cm.req.prim_sl", 752, 4),
    decimal(
        "REQ.PrimarySubnetLocal",
        "infiniband.cm.req.prim_subnetlocal",
        756,
        1,
    ),
    decimal(
        "REQ.PrimaryAckTimeout",
        "infiniband.cm.req.prim_localacktout",
        760,
        5,
    ),
    hex("REQ.AlternateLocalLID", "infiniband.cm.req.alt_locallid", 768, 16),
    hex(
        "REQ.AlternateRemoteLID",
        "infiniband.cm.req.alt_remotelid",
        784,
        16,
    ),
    field(
        "REQ.AlternateLocalGID",
        "infiniband.cm.req.alt_localgid",
        800,
        128,
        Radix::Ipv6,
    ),
    field(
        "REQ.AlternateRemoteGID",
        "infiniband.cm.req.alt_remotegid",
        928,
        128,
        Radix::Ipv6,
    ),
    hex(
        "REQ.AlternateFlowLabel",
        "infiniband.cm.req.alt_flowlabel",
        1056,
        20,
    ),
    decimal(
        "REQ.AlternatePacketRate",
        "infiniband.cm.req.alt_pktrate",
        1082,
        6,
    ),
    hex(
        "REQ.AlternateTrafficClass",
        "infiniband.cm.req.alt_tfcclass",
        1088,
        8,
    ),
    decimal("REQ.AlternateHopLimit", "infiniband.cm.req.alt_hoplim", 1096, 8),
    decimal("REQ.AlternateSL", "infiniband.cm.req.alt_sl", 1104, 4),
    decimal(
        "REQ.AlternateSubnetLocal",
        "infiniband.cm.req.alt_subnetlocal",
        1108,
        1,
    ),
    decimal(
        "REQ.AlternateAckTimeout",
        "infiniband.cm.req.alt_localacktout",
        1112,
        5,
    ),
]);

const RECEIPT_ACK: HeaderLayout = message(&[
    hex("MRA.LocalCommID", "infiniband.cm.mra.localcommid", 0, 32),
    hex("MRA.RemoteCommID", "infiniband.cm.mra.remotecommid", 32, 32),
    decimal("MRA.Message", "infiniband.cm.mra.msgmraed", 64, 2),
    decimal("MRA.ServiceTimeout", "infiniband.cm.mra.servicetout", 72, 5),
]);

const CONNECT_REJECT: HeaderLayout = message(&[
    hex("REJ.LocalCommID", "infiniband.cm.rej.localcommid", 0, 32),
    hex("REJ.RemoteCommID", "infiniband.cm.rej.remotecommid", 32, 32),
    decimal("REJ.Message", "infiniband.cm.rej.msgrej", 64, 2),
    decimal("REJ.InfoLength", "infiniband.cm.rej.rejinfolen", 72, 7),
    decimal("REJ.Reason", "infiniband.cm.rej.reason", 80, 16),
]);

const CONNECT_REPLY: HeaderLayout = message(&[
    hex("REP.LocalCommID", "infiniband.cm.rep", 0, 32),
    hex("REP.RemoteCommID", "infiniband.cm.rep.remotecommid", 32, 32),
    hex("REP.LocalQ_Key", "infiniband.cm.rep.localqkey", 64, 32),
    hex("REP.LocalQPN", "infiniband.cm.rep.localqpn", 96, 24),
    hex("REP.LocalEECN", "infiniband.cm.rep.localeecn", 128, 24),
    decimal("REP.StartingPSN", "infiniband.cm.rep.startpsn", 160, 24),
    decimal("REP.ResponderResources", "infiniband.cm.rep.respres", 192, 8),
    decimal("REP.InitiatorDepth", "infiniband.cm.rep.initdepth", 200, 8),
    decimal("REP.TargetAckDelay", "infiniband.cm.rep.tgtackdelay", 208, 5),
    decimal("REP.FailoverAccepted", "infiniband.cm.rep.failoveracc", 213, 2),
    decimal("REP.EndToEndCredits", "infiniband.cm.rep.e2eflowctrl", 215, 1),
    decimal("REP.RNRRetryCount", "infiniband.cm.rep.rnrretrcount", 216, 3),
    decimal("REP.SRQ", "infiniband.cm.rep.srq", 219, 1),
    hex("REP.LocalCAGUID", "infiniband.cm.rep.localcaguid", 224, 64),
]);

const READY_TO_USE: HeaderLayout = message(&[
    hex("RTU.LocalCommID", "infiniband.cm.rtu.localcommid", 0, 32),
    hex("RTU.RemoteCommID", "infiniband.cm.rtu.remotecommid", 32, 32),
]);

const DISCONNECT_REQUEST: HeaderLayout = message(&[
    hex("DREQ.LocalCommID", "infiniband.cm.dreq.localcommid", 0, 32),
    hex("DREQ.RemoteCommID", "infiniband.cm.dreq.remotecommid", 32, 32),
    // Wireshark shows this field under the name of the one in a ConnectRequest.
    hex("DREQ.RemoteQPN", "infiniband.cm.req.remoteqpneecn", 64, 24),
]);

const DISCONNECT_REPLY: HeaderLayout = message(&[
    hex("DREP.LocalCommID", "infiniband.cm.drsp.localcommid", 0, 32),
    hex("DREP.RemoteCommID", "infiniband.cm.drsp.remotecommid", 32, 32),
]);

const SERVICE_REQUEST: HeaderLayout = message(&[
    hex("SIDR_REQ.RequestID", "infiniband.cm.sidrreq.requestid", 0, 32),
    hex("SIDR_REQ.P_Key", "infiniband.cm.sidrreq.pkey", 32, 16),
    hex("SIDR_REQ.ServiceID", "infiniband.cm.sidrreq.serviceid", 64, 64),
]);

const SERVICE_REPLY: HeaderLayout = message(&[
    hex("SIDR_REP.RequestID", "infiniband.cm.sidrrep.requestid", 0, 32),
    decimal("SIDR_REP.Status", "infiniband.cm.sidrrep.status", 32, 8),
    decimal("SIDR_REP.InfoLength", "infiniband.cm.sidrrep.infolen", 40, 8),
    hex("SIDR_REP.QPN", "infiniband.cm.sidrrep.qpn", 64, 24),
    hex("SIDR_REP.ServiceID", "infiniband.cm.sidrrep.serviceid", 96, 64),
    hex("SIDR_REP.Q_Key", "infiniband.cm.sidrrep.qkey", 160, 32),
]);

/// Returns the fields of the message with this attribute; `None` if `mad.md` has no layout for it.
pub fn layout(attribute: u16) -> Option<&'static HeaderLayout> {
    Some(match attribute {
        0x0010 => &CONNECT_REQUEST,
        0x0011 => &RECEIPT_ACK,
        0x0012 => &CONNECT_REJECT,
        0x0013 => &CONNECT_REPLY,
        0x0014 => &READY_TO_USE,
        0x0015 => &DISCONNECT_REQUEST,
        0x0016 => &DISCONNECT_REPLY,
        0x0017 => &SERVICE_REQUEST,
        0x0018 => &SERVICE_REPLY,
        _ => return None,
    })
}
