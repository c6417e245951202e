//! The M_Key and its lease (`mad.md` section 4).
use super::*;
use crate::bench::on_both;

on_both!(behind super::managed();
    cf472_a_set_with_a_wrong_key_changes_nothing_and_traps,
    cf473_what_a_get_with_a_wrong_key_shows,
    cf474_the_lease_ends_the_protection_and_leaves_the_key,
    cf474_a_valid_mad_stops_the_timer_of_the_lease,
    cf474_a_period_of_0_never_ends,
    cf542_the_reply_of_a_set_shows_the_new_key,
);

const KEY: u64 = 0x0102_0304_0506_0708;
const WRONG: u64 = 0x0102_0304_0506_0709;
const KEY_BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// PortInfo with this key, protection and lease period in seconds.
fn keyed(protect: u8, period: u8) -> [u8; 64] {
    let mut data = written();
    data[..8].copy_from_slice(&KEY_BYTES);
    data[27] = period;
    data[34] |= protect << 6;
    data
}

impl Node<'_> {
    fn protect(&mut self, level: u8, period: u8) {
        let set = smp(SET, PORT_INFO, 0, &keyed(level, period));
        self.data(&with_key(set, KEY));
    }

    fn protection(&mut self) -> u8 {
        let mut registers = Registers {
            y: self.y,
            kept: &mut self.kept,
        };
        let Ok(info) = self.agent.port_info(&mut registers, PORT);
        info.m_key_protect_bits
    }
}

/// The port keeps its LIDs: the next SMP still comes by LID 14h. Each new key is set with a count of 0.
fn cf472_a_set_with_a_wrong_key_changes_nothing_and_traps(y: &mut Bench) {
    let mut node = Node::new(y);
    for level in 0..4 {
        node.protect(level, 0);
        let mut data = keyed(level, 0);
        data[17] = 0x18;
        let refused = with_key(smp(SET, PORT_INFO, 1, &data), WRONG);
        assert_eq!(node.ask(&refused), None);
        let shown = node.data(&with_key(smp(GET, PORT_INFO, 0, &[]), KEY));
        assert_eq!(shown[16..18], [0x00, 0x14]);
        assert_eq!(shown[44..46], [0, 1], "violations");
        node.now += Duration::from_secs(2);
        let (slid, dlid, trap) = node.trap().expect("a trap");
        assert_eq!((slid, dlid), (0x14, 1));
        let notice = &trap[DATA..];
        let head = [0x82, 0, 0, 1, 0x01, 0x00, 0x00, 0x14];
        assert_eq!(notice[..8], head, "256 of LID 14h");
        assert_eq!(notice[8..16], [0, 0, 0, 0, 0x00, 0x33, 0, 0], "SLID 33h");
        let what = [SET, 0, 0x00, 0x15, 0, 0, 0, 1];
        assert_eq!(notice[16..24], what, "method, attribute, modifier");
        assert_eq!(notice[24..32], [1, 2, 3, 4, 5, 6, 7, 9], "the wrong key");
        let transaction = u64::from_be_bytes(trap[8..16].try_into().unwrap());
        let repress = super::traps::repress(transaction, 256);
        assert_eq!(node.ask(&with_key(repress, KEY)), None);
    }
}

fn cf473_what_a_get_with_a_wrong_key_shows(y: &mut Bench) {
    let mut node = Node::new(y);
    let get = with_key(smp(GET, PORT_INFO, 0, &[]), WRONG);
    for (level, shown) in [(0, Some(KEY_BYTES)), (1, Some([0; 8])), (2, None), (3, None)] {
        node.protect(level, 0);
        let reply = node.ask(&get);
        let key = reply.map(|reply| reply[DATA..DATA + 8].to_vec());
        assert_eq!(key, shown.map(|key| key.to_vec()), "protection {level}");
    }
    assert_eq!(node.data(&with_key(get, KEY))[..8], KEY_BYTES);
}

fn cf474_the_lease_ends_the_protection_and_leaves_the_key(y: &mut Bench) {
    let mut node = Node::new(y);
    node.protect(2, 5);
    let get = smp(GET, PORT_INFO, 0, &[]);
    assert_eq!(node.ask(&get), None);
    node.now += Duration::from_millis(4999);
    assert_eq!(node.ask(&get), None);
    node.now += Duration::from_millis(1);
    let data = node.data(&get);
    assert_eq!(data[34] >> 6, 0, "protection");
    assert_eq!(data[..8], KEY_BYTES);
    assert_eq!(node.ask(&smp(SET, PORT_INFO, 0, &written())), None);
}

fn cf474_a_valid_mad_stops_the_timer_of_the_lease(y: &mut Bench) {
    let mut node = Node::new(y);
    node.protect(2, 5);
    assert_eq!(node.ask(&smp(GET, PORT_INFO, 0, &[])), None);
    node.now += Duration::from_secs(4);
    node.data(&with_key(smp(GET, NODE_INFO, 0, &[]), KEY));
    node.now += Duration::from_secs(100);
    assert_eq!(node.ask(&smp(GET, PORT_INFO, 0, &[])), None);
    assert_eq!(node.protection(), 2);
}

fn cf474_a_period_of_0_never_ends(y: &mut Bench) {
    let mut node = Node::new(y);
    node.protect(2, 0);
    assert_eq!(node.ask(&smp(GET, PORT_INFO, 0, &[])), None);
    node.now += Duration::from_secs(1 << 20);
    assert_eq!(node.ask(&smp(GET, PORT_INFO, 0, &[])), None);
    assert_eq!(node.protection(), 2);
}

/// The header carries the old key, 0.
fn cf542_the_reply_of_a_set_shows_the_new_key(y: &mut Bench) {
    let mut node = Node::new(y);
    let data = node.data(&smp(SET, PORT_INFO, 0, &keyed(1, 0)));
    assert_eq!(data[..8], KEY_BYTES);
    let mut data = keyed(1, 0);
    data[7] = 0x77;
    let reply = node.data(&with_key(smp(SET, PORT_INFO, 0, &data), KEY));
    assert_eq!(reply[..8], [1, 2, 3, 4, 5, 6, 7, 0x77]);
}
