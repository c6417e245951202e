//! Everything on the wire that is not RoCEv2: ARP, NDP, ICMP, and TCP for the programs that exchange the numbers of
//! their queue pairs.
//!
//! The stack is that of smoltcp. It runs on the wall clock, as its peer does; nothing of it reaches the adapter or a
//! recording.
use super::address::Address;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time;
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Length of a frame with a full packet of 1500 bytes.
const FRAME: usize = 1514;
/// Number of bytes that each direction of a TCP connection can hold.
const BUFFER: usize = 1 << 16;
/// The first local port of outgoing connections.
const FIRST_PORT: u16 = 49152;
/// Longest pause between two looks at the stack's timers.
const TICK: Duration = Duration::from_millis(1);

/// A TCP connection, or a socket that waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp(SocketHandle);

/// The state of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpState {
    /// The connection is being made.
    Opening,
    Open,
    /// The peer has closed its direction, or refused the connection.
    Ended,
}

/// The software at the adapter's IP addresses.
pub struct Gateway {
    wire: Wire,
    interface: Interface,
    sockets: SocketSet<'static>,
    began: Instant,
    polled: Instant,
    next_port: u16,
    /// The sender of the last frame.
    neighbour: Option<[u8; 6]>,
}

impl Gateway {
    /// Makes a gateway with the addresses of this end.
    pub fn new(own: Address) -> Gateway {
        let mut wire = Wire::default();
        let config = Config::new(EthernetAddress(own.mac()).into());
        let mut interface = Interface::new(config, &mut wire, time::Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            // The interface has room for two.
            let _ = addresses.push(IpCidr::new(IpAddress::Ipv4(own.ipv4()), 24));
            let _ = addresses.push(IpCidr::new(IpAddress::Ipv6(own.ipv6()), 64));
        });
        Gateway {
            wire,
            interface,
            sockets: SocketSet::new(Vec::new()),
            began: Instant::now(),
            polled: Instant::now(),
            next_port: FIRST_PORT,
            neighbour: None,
        }
    }

    /// Returns the MAC address behind the wire, once a frame has come from it.
    pub fn neighbour(&self) -> Option<[u8; 6]> {
        self.neighbour
    }

    /// Passes a frame to the stack.
    pub fn receive(&mut self, frame: Vec<u8>) {
        if let Some(source) = frame.get(6..12) {
            self.neighbour = source.try_into().ok();
        }
        self.wire.came.push_back(frame);
    }

    /// Lets the stack work, and takes the frames that it sends.
    pub fn frames(&mut self) -> Vec<Vec<u8>> {
        if self.wire.came.is_empty() && self.polled.elapsed() < TICK {
            return Vec::new();
        }
        self.polled = Instant::now();
        let now = time::Instant::from_micros(self.began.elapsed().as_micros() as i64);
        self.interface.poll(now, &mut self.wire, &mut self.sockets);
        self.wire.leaving.drain(..).collect()
    }

    /// Waits for a connection to this port. A port of 0 is never reached.
    pub fn listen(&mut self, port: u16) -> Tcp {
        let mut socket = socket();
        // `listen` refuses port 0, and a socket that is open already.
        let _ = socket.listen(port);
        Tcp(self.sockets.add(socket))
    }

    /// Begins a connection to a port of the other end.
    pub fn connect(&mut self, to: Address, port: u16) -> Tcp {
        let local = self.next_port;
        self.next_port = local.checked_add(1).unwrap_or(FIRST_PORT);
        let handle = self.sockets.add(socket());
        let context = self.interface.context();
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(handle);
        // `connect` refuses port 0, and a socket that is open already. Such a connection has ended.
        let _ = socket.connect(context, (IpAddress::Ipv4(to.ipv4()), port), local);
        Tcp(handle)
    }

    /// Returns the state of a connection.
    pub fn state(&self, tcp: Tcp) -> TcpState {
        let socket = self.sockets.get::<tcp::Socket<'_>>(tcp.0);
        match socket.state() {
            tcp::State::Listen | tcp::State::SynSent | tcp::State::SynReceived => TcpState::Opening,
            _ if socket.may_recv() => TcpState::Open,
            _ => TcpState::Ended,
        }
    }

    /// Queues bytes for the other end. Returns the number of bytes for which there was room.
    pub fn send(&mut self, tcp: Tcp, bytes: &[u8]) -> usize {
        self.polled = self.began;
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(tcp.0);
        socket.send_slice(bytes).unwrap_or(0)
    }

    /// Takes at most this many of the bytes that came.
    pub fn take(&mut self, tcp: Tcp, most: usize) -> Vec<u8> {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(tcp.0);
        let mut bytes = vec![0; most.min(socket.recv_queue())];
        let taken = socket.recv_slice(&mut bytes).unwrap_or(0);
        bytes.truncate(taken);
        bytes
    }

    /// Closes this end's direction of a connection.
    pub fn close(&mut self, tcp: Tcp) {
        self.polled = self.began;
        self.sockets.get_mut::<tcp::Socket<'_>>(tcp.0).close();
    }

    /// Removes a connection, in whatever state.
    pub fn forget(&mut self, tcp: Tcp) {
        self.sockets.remove(tcp.0);
    }
}

fn socket() -> tcp::Socket<'static> {
    let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER]);
    let mut socket = tcp::Socket::new(buffer(), buffer());
    // The programs wait for each other's few bytes.
    socket.set_nagle_enabled(false);
    socket
}

/// The stack's side of the wire.
#[derive(Default)]
struct Wire {
    came: VecDeque<Vec<u8>>,
    leaving: VecDeque<Vec<u8>>,
}

/// A frame that came.
struct Came(Vec<u8>);
/// Room for a frame that leaves.
struct Leaving<'a>(&'a mut VecDeque<Vec<u8>>);

impl RxToken for Came {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut frame = vec![0; length];
        let result = write(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Wire {
    type RxToken<'a> = Came;
    type TxToken<'a> = Leaving<'a>;

    fn receive(&mut self, _: time::Instant) -> Option<(Came, Leaving<'_>)> {
        Some((Came(self.came.pop_front()?), Leaving(&mut self.leaving)))
    }

    fn transmit(&mut self, _: time::Instant) -> Option<Leaving<'_>> {
        Some(Leaving(&mut self.leaving))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME;
        capabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{ArpOperation, PacketBuilder, SlicedPacket, TransportSlice};

    /// Exchanges frames until neither side sends any more for a while.
    fn cross(x: &mut Gateway, y: &mut Gateway, until: impl Fn(&Gateway, &Gateway) -> bool) {
        let start = Instant::now();
        while !until(x, y) {
            assert!(start.elapsed() < Duration::from_secs(20), "nothing came of it");
            x.frames().into_iter().for_each(|frame| y.receive(frame));
            y.frames().into_iter().for_each(|frame| x.receive(frame));
        }
    }

    fn pair() -> (Gateway, Gateway) {
        (Gateway::new(Address::FIRST), Gateway::new(Address::SECOND))
    }

    #[test]
    fn bytes_cross_a_connection_both_ways_and_its_end_is_seen() {
        let (mut x, mut y) = pair();
        let server = x.listen(7000);
        let client = y.connect(Address::FIRST, 7000);
        cross(&mut x, &mut y, |x, y| {
            (x.state(server), y.state(client)) == (TcpState::Open, TcpState::Open)
        });
        assert_eq!((x.send(server, b"question"), y.send(client, b"answer")), (8, 6));
        let (mut at_x, mut at_y) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while (at_x.len(), at_y.len()) != (6, 8) && start.elapsed() < Duration::from_secs(20) {
            x.frames().into_iter().for_each(|frame| y.receive(frame));
            y.frames().into_iter().for_each(|frame| x.receive(frame));
            at_x.extend(x.take(server, 4));
            at_y.extend(y.take(client, 64));
        }
        assert_eq!((&at_x[..], &at_y[..]), (&b"answer"[..], &b"question"[..]));
        y.close(client);
        cross(&mut x, &mut y, |x, _| x.state(server) == TcpState::Ended);
        assert_eq!(x.neighbour(), Some([2, 0, 0, 0, 0, 2]));
    }

    #[test]
    fn a_port_without_a_listener_refuses() {
        let (mut x, mut y) = pair();
        let client = y.connect(Address::FIRST, 7000);
        assert_eq!(y.state(client), TcpState::Opening);
        cross(&mut x, &mut y, |_, y| y.state(client) == TcpState::Ended);
        y.forget(client);
    }

    fn answers(frame: Vec<u8>) -> Vec<Vec<u8>> {
        let mut gateway = Gateway::new(Address::FIRST);
        gateway.receive(frame);
        gateway.frames()
    }

    #[test]
    fn who_has_the_address_is_answered() {
        let asked = etherparse::ArpPacket::new(
            etherparse::ArpHardwareId::ETHERNET,
            etherparse::EtherType::IPV4,
            ArpOperation::REQUEST,
            &[2, 0, 0, 0, 0, 2],
            &[10, 0, 0, 2],
            &[0; 6],
            &[10, 0, 0, 1],
        )
        .unwrap();
        let mut frame = Vec::new();
        let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 2], [0xFF; 6]).arp(asked);
        builder.write(&mut frame).unwrap();
        let answers = answers(frame);
        assert_eq!(answers.len(), 1);
        // The ARP reply has the requested MAC address.
        assert_eq!(answers[0][12..14], [8, 6]);
        assert_eq!(answers[0][20..28], [0, 2, 2, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_ping_comes_back() {
        let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1]);
        let builder = builder
            .ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64)
            .icmpv4_echo_request(7, 9);
        let mut frame = Vec::new();
        builder.write(&mut frame, b"are you there?").unwrap();
        let mut gateway = Gateway::new(Address::FIRST);
        let mut other = Gateway::new(Address::SECOND);
        // The stack asks for the neighbour's address and drops the packet meanwhile, so that a ping is repeated.
        let start = Instant::now();
        let reply = loop {
            assert!(start.elapsed() < Duration::from_secs(20), "no answer");
            gateway.receive(frame.clone());
            let frames = gateway.frames();
            let icmp = |frame: &Vec<u8>| {
                let packet = SlicedPacket::from_ethernet(frame).ok()?;
                match packet.transport {
                    Some(TransportSlice::Icmpv4(icmp)) => Some(icmp.slice().to_vec()),
                    _ => None,
                }
            };
            if let Some(reply) = frames.iter().find_map(icmp) {
                break reply;
            }
            frames.into_iter().for_each(|frame| other.receive(frame));
            other
                .frames()
                .into_iter()
                .for_each(|frame| gateway.receive(frame));
        };
        assert_eq!((reply[0], &reply[8..]), (0, &b"are you there?"[..]));
    }

    #[test]
    fn what_is_cut_or_foreign_is_ignored() {
        for frame in [vec![], vec![0xFF; 13], vec![0; 60], vec![0xFF; 1514]] {
            assert_eq!(answers(frame), Vec::<Vec<u8>>::new());
        }
    }
}
