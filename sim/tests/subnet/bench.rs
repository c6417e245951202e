//! An agent before two ports in memory.
use hca_sim::subnet::mad::{MadBytes, Smp};
use hca_sim::subnet::{Arrival, Capabilities, Handled, MemoryPorts, Outgoing, Record, SubnetAgent};
use std::time::Duration;

/// Methods.
pub const GET: u8 = 0x01;
pub const SET: u8 = 0x02;
pub const TRAP: u8 = 0x05;
pub const TRAP_REPRESS: u8 = 0x07;
pub const GET_RESP: u8 = 0x81;
/// Attributes.
pub const NODE_DESCRIPTION: u16 = 0x0010;
pub const NODE_INFO: u16 = 0x0011;
pub const GUID_INFO: u16 = 0x0014;
pub const PORT_INFO: u16 = 0x0015;
pub const P_KEY_TABLE: u16 = 0x0016;
pub const SL_TO_VL: u16 = 0x0017;
pub const VL_ARBITRATION: u16 = 0x0018;
pub const SM_INFO: u16 = 0x0020;
/// Where the data of an SMP stands.
pub const DATA: usize = 64;

/// SLID of all SMPs that come by LID.
pub const SLID: u16 = 0x0033;

pub fn capabilities() -> Capabilities {
    Capabilities {
        system_image_guid: 0x1111_2222_3333_4444,
        node_guid: 0x5555_6666_7777_8880,
        vendor_id: 0x00AB_CDEF,
        device_id: 0x1234,
        revision: 0x0000_0105,
        ports: 2,
        // 4 VLs, 2048 bytes.
        vl_cap: 3,
        mtu_cap: 4,
        vl_arb_high_cap: 8,
        vl_arb_low_cap: 40,
        p_key_cap: 40,
        guid_cap: 10,
        link_width_supported: 3,
        link_speed_supported: 1,
    }
}

pub struct Bench {
    pub agent: SubnetAgent,
    pub ports: MemoryPorts,
    pub now: Duration,
}

impl Bench {
    /// Both links are up: the ports are in Init.
    pub fn new() -> Bench {
        Bench::with(capabilities())
    }

    pub fn with(capabilities: Capabilities) -> Bench {
        let mut ports = MemoryPorts::new(&capabilities);
        (1..=capabilities.ports).for_each(|port| ports.link_up(port));
        Bench {
            agent: SubnetAgent::new(capabilities, "a node"),
            ports,
            now: Duration::from_secs(1000),
        }
    }

    pub fn handle(&mut self, port: u8, mad: &MadBytes) -> Handled {
        let arrival = Arrival {
            port,
            slid: SLID,
            smp: &Smp::decode(mad),
            now: self.now,
        };
        let Ok(handled) = self.agent.receive(&mut self.ports, &arrival);
        handled
    }

    /// The reply to an SMP that came to port 1; what it asks of the link is done then.
    pub fn ask(&mut self, mad: &MadBytes) -> Option<MadBytes> {
        self.ask_at(1, mad)
    }

    pub fn ask_at(&mut self, port: u8, mad: &MadBytes) -> Option<MadBytes> {
        match self.handle(port, mad) {
            Handled::Reply(reply) => {
                let Ok(()) = self.agent.reply_left(&mut self.ports, port);
                Some(reply.encode())
            }
            Handled::ForManager(_) => panic!("it is for a manager"),
            Handled::Consumed => None,
        }
    }

    /// The data of a reply, which must have status 0.
    pub fn data(&mut self, mad: &MadBytes) -> [u8; 64] {
        let reply = self.ask(mad).expect("a reply");
        assert_eq!(reply[3..6], [GET_RESP, 0, 0], "method and status");
        reply[DATA..DATA + 64].try_into().unwrap()
    }

    /// The status of the reply.
    pub fn status(&mut self, mad: &MadBytes) -> u16 {
        let reply = self.ask(mad).expect("a reply");
        u16::from_be_bytes([reply[4], reply[5]])
    }

    pub fn trap(&mut self) -> Option<Outgoing> {
        let Ok(trap) = self.agent.outgoing(&mut self.ports, self.now);
        trap
    }

    /// Port 1 as OpenSM leaves it: Active, LID 14h, manager at LID 1, traps at most each 4.096 us * 2^18.
    pub fn managed() -> Bench {
        let mut bench = Bench::new();
        for state in [3, 4] {
            let mut data = port_info();
            data[32] = 0x10 | state;
            bench.data(&smp(SET, PORT_INFO, 1, &data));
        }
        while bench.agent.event().is_some() {}
        bench
    }
}

/// An SMP by LID.
pub fn smp(method: u8, attribute: u16, modifier: u32, data: &[u8]) -> MadBytes {
    let mut mad = [0; 256];
    mad[..4].copy_from_slice(&[1, 1, 1, method]);
    mad[8..16].copy_from_slice(&[0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7]);
    mad[16..18].copy_from_slice(&attribute.to_be_bytes());
    mad[20..24].copy_from_slice(&modifier.to_be_bytes());
    mad[DATA..DATA + data.len()].copy_from_slice(data);
    mad
}

/// The same with an M_Key.
pub fn with_key(mut mad: MadBytes, m_key: u64) -> MadBytes {
    mad[24..32].copy_from_slice(&m_key.to_be_bytes());
    mad
}

/// What a manager writes: LID 14h, LMC 2, its LID 1, MTU 2048, 4 VLs, SubnetTimeOut 18, thresholds 8; no change of
/// state. Each byte at its offset in `portinfo.csv`.
pub fn port_info() -> [u8; 64] {
    let mut data = [0; 64];
    data[8..10].copy_from_slice(&[0xFE, 0x80]);
    data[16..20].copy_from_slice(&[0x00, 0x14, 0x00, 0x01]);
    data[29] = 0x03;
    data[32..38].copy_from_slice(&[0x10, 0x02, 0x02, 0x01, 0x40, 0x00]);
    data[43] = 0x30;
    data[51] = 0x12;
    data[53] = 0x88;
    data
}
