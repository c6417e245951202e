//! Commands about address handles (`protocol/ud.md` section 1).
use crate::bench::bits;
use crate::rig::{Rig, Seen};
use hca_host::command::*;
use hca_host::retire::kind;

const HANDLE: u32 = 0x3D;

/// Words of a legal address, all different.
fn address() -> Vec<(usize, u32)> {
    vec![
        (0, HANDLE),
        // DLID 1234h, SL 5, path bits 41h.
        (9, 0x4105_1234),
        // Port 1.
        (10, 0x0001_0000),
        // GRH, flow label ABCDEh.
        (14, 0x800A_BCDE),
        // 2.5 Gb/s, TClass 5Ah, hop limit 3Fh.
        (15, 0x0002_5A3F),
        (16, 0x1011_1213),
        (17, 0x2021_2223),
        (18, 0x3031_3233),
        (19, 0x4041_4243),
        (20, 0x0000_0102),
        (21, 0x0304_0506),
        (23, 0x00C0_FFEE),
    ]
}

/// The same with another word.
fn with(word: usize, value: u32) -> Vec<(usize, u32)> {
    let changed = |(n, was)| (n, if n == word { value } else { was });
    address().into_iter().map(changed).collect()
}

fn told(result: u32, code: u32) -> Seen {
    Seen::Retired(kind::COMMAND, result as u8, HANDLE, code)
}

#[test]
fn after_reset_there_is_no_handle() {
    let mut rig = Rig::new();
    for handle in 0..64 {
        assert!(rig.since_reset.contains(&Seen::Handle(handle, false)), "{handle}");
        assert_eq!(rig.run(QUERY_AH, &[(0, handle.into())]), NOT_FOUND);
    }
    assert_eq!(rig.run(QUERY_AH, &[(0, 64)]), BAD_INDEX);
    assert_eq!(rig.run(QUERY_AH, &[(0, 1 << 31)]), BAD_INDEX);
}

#[test]
fn a_handle_goes_to_its_users_and_out_of_them() {
    let mut rig = Rig::new();
    assert_eq!(rig.run(CREATE_AH, &address()), OK);
    assert_eq!(rig.seen, [told(OK, CREATE_AH), Seen::Handle(HANDLE as u8, true)]);
    let (row, route) = rig.handle.clone();
    assert_eq!((bits(&row, 1, 24), bits(&row, 25, 16)), (0xC0_FFEE, 0x1234));
    assert_eq!((bits(&row, 41, 4), bits(&row, 45, 7)), (5, 0x41));
    // Flow label and GRH; hop limit and TClass; DGID; MAC; the source port that the flow label gives.
    assert_eq!((bits(&route, 224, 20), bits(&route, 255, 1)), (0xA_BCDE, 1));
    assert_eq!(bits(&route, 192, 16), 0x5A3F);
    // A quarter of the rate of a port at 4X SDR: IPD 3.
    assert_eq!((bits(&row, 53, 1), bits(&route, 208, 6)), (1, 3));
    assert_eq!(bits(&route, 128, 64), 0x1011_1213_2021_2223);
    assert_eq!(bits(&route, 64, 64), 0x3031_3233_4041_4243);
    assert_eq!(
        (bits(&route, 0, 48), bits(&route, 48, 16)),
        (0x0102_0304_0506, 0xFCF4)
    );

    assert_eq!(rig.run(CREATE_AH, &address()), IN_USE);
    assert_eq!(rig.seen, [told(IN_USE, CREATE_AH)]);
    for (n, _) in address() {
        rig.arguments[n] = 0;
    }
    assert_eq!(rig.run(QUERY_AH, &[(0, HANDLE)]), OK);
    let answer: Vec<_> = address().iter().map(|(n, _)| (*n, rig.arguments[*n])).collect();
    assert_eq!(answer, address());

    // Another address; the protection domain stays.
    let mut other = with(9, 0x0000_0007);
    other.retain(|(n, _)| *n != 23);
    other.push((23, 1));
    assert_eq!(rig.run(MODIFY_AH, &other), OK);
    assert_eq!(rig.seen, [told(OK, MODIFY_AH), Seen::Handle(HANDLE as u8, true)]);
    let (row, _) = rig.handle.clone();
    assert_eq!((bits(&row, 1, 24), bits(&row, 25, 16)), (0xC0_FFEE, 7));
    assert_eq!(rig.run(QUERY_AH, &[(0, HANDLE)]), OK);
    assert_eq!((rig.arguments[9], rig.arguments[23]), (7, 0x00C0_FFEE));

    assert_eq!(rig.run(DESTROY_AH, &[(0, HANDLE)]), OK);
    assert_eq!(
        rig.seen,
        [told(OK, DESTROY_AH), Seen::Handle(HANDLE as u8, false)]
    );
    for code in [QUERY_AH, DESTROY_AH] {
        assert_eq!(rig.run(code, &[(0, HANDLE)]), NOT_FOUND);
    }
    assert_eq!(rig.run(MODIFY_AH, &address()), NOT_FOUND);
}

/// Each limit of section 1, on the first value beyond it and the last within it.
#[test]
fn an_address_is_legal_or_refused() {
    let mut rig = Rig::new();
    let mut create = |roce: u64, words: Vec<(usize, u32)>| {
        rig.bench.set("roce", roce);
        let result = rig.run(CREATE_AH, &words);
        if result == OK {
            assert_eq!(rig.run(DESTROY_AH, &[(0, HANDLE)]), OK);
        }
        result
    };
    for (word, value, result) in [
        (10, 0, BAD_ATTRIBUTE),
        (10, 0x0002_0000, BAD_ATTRIBUTE),
        (9, 0x0000_0000, BAD_ATTRIBUTE),
        (9, 0x0000_FFFF, OK),
        (9, 0x000F_C000, OK),
        (14, 0x8040_0000, BAD_ATTRIBUTE),
        (14, 0x8800_0000, BAD_ATTRIBUTE),
        (14, 0x8030_0000, OK),
        (14, 0x0FF0_0000, OK),
        (15, 0x0001_0000, BAD_ATTRIBUTE),
        (15, 0x0000_0000, OK),
        (15, 0x000A_0000, OK),
        (15, 0x000B_0000, BAD_ATTRIBUTE),
        (15, 0x003F_0000, BAD_ATTRIBUTE),
    ] {
        assert_eq!(create(0, with(word, value)), result, "word {word}: {value:08X}h");
    }
    // Without a GRH, only a unicast LID or FFFFh.
    for (dlid, result) in [
        (0xBFFF, OK),
        (0xC000, BAD_ATTRIBUTE),
        (0xFFFE, BAD_ATTRIBUTE),
        (0xFFFF, OK),
    ] {
        let mut words = with(9, dlid);
        words.push((14, 0));
        assert_eq!(create(0, words), result, "DLID {dlid:04X}h");
    }
    // RoCEv2 has no LID, and eight priorities.
    for (word, value, result) in [
        (9, 0, OK),
        (9, 0x0007_0000, OK),
        (9, 0x0008_0000, BAD_ATTRIBUTE),
        (14, 0, BAD_ATTRIBUTE),
        (14, 0x8010_0000, BAD_ATTRIBUTE),
        (14, 0x8020_0000, BAD_ATTRIBUTE),
    ] {
        assert_eq!(create(1, with(word, value)), result, "word {word}: {value:08X}h");
    }
    // The first refusal that applies.
    assert_eq!(rig.run(CREATE_AH, &with(0, 64)), BAD_INDEX);
    let mut beyond = with(0, 64);
    beyond.push((10, 0));
    assert_eq!(rig.run(CREATE_AH, &beyond), BAD_INDEX);
    assert_eq!(rig.run(CREATE_AH, &address()), OK);
    assert_eq!(rig.run(CREATE_AH, &with(10, 0)), IN_USE);
    assert_eq!(rig.run(MODIFY_AH, &with(10, 0)), BAD_ATTRIBUTE);
}

/// The complement of each field of `address`, but for port and GRH, at another rate.
#[test]
fn every_bit_of_an_address_goes_to_its_users() {
    let mut rig = Rig::new();
    let complement = vec![
        (0, 0x02),
        (9, 0x3E0A_EDCB),
        (10, 0x0001_0000),
        (14, 0x8005_4321),
        (15, 0x0005_A5C0),
        (16, 0xEFEE_EDEC),
        (17, 0xDFDE_DDDC),
        (18, 0xCFCE_CDCC),
        (19, 0xBFBE_BDBC),
        (20, 0x0000_FEFD),
        (21, 0xFCFB_FAF9),
        (23, 0x003F_0011),
    ];
    assert_eq!(rig.run(CREATE_AH, &complement), OK);
    assert!(rig.seen.contains(&Seen::Handle(2, true)));
    let (row, route) = rig.handle.clone();
    assert_eq!((bits(&row, 1, 24), bits(&row, 25, 16)), (0x3F_0011, 0xEDCB));
    assert_eq!((bits(&row, 41, 4), bits(&row, 45, 7)), (0xA, 0x3E));
    assert_eq!((bits(&route, 224, 20), bits(&route, 255, 1)), (0x5_4321, 1));
    assert_eq!(bits(&route, 192, 16), 0xA5C0);
    // Half the rate of a port at 4X SDR: IPD 1.
    assert_eq!((bits(&row, 53, 1), bits(&route, 208, 6)), (1, 1));
    assert_eq!(bits(&route, 128, 64), 0xEFEE_EDEC_DFDE_DDDC);
    assert_eq!(bits(&route, 64, 64), 0xCFCE_CDCC_BFBE_BDBC);
    assert_eq!(
        (bits(&route, 0, 48), bits(&route, 48, 16)),
        (0xFEFD_FCFB_FAF9, 0xC334)
    );
    for (n, _) in &complement {
        rig.arguments[*n] = 0;
    }
    assert_eq!(rig.run(QUERY_AH, &[(0, 2)]), OK);
    let answer: Vec<_> = complement.iter().map(|(n, _)| (*n, rig.arguments[*n])).collect();
    assert_eq!(answer, complement);
    // The whole rate of the port: no pause.
    let mut whole = complement;
    whole[4].1 = 0x0003_A5C0;
    assert_eq!(rig.run(MODIFY_AH, &whole), OK);
    let (row, route) = rig.handle.clone();
    assert_eq!((bits(&row, 53, 1), bits(&route, 208, 6)), (0, 0));
}

/// As many handles as there may be have an address each, and one that is destroyed leaves the others.
#[test]
fn each_handle_has_an_address_of_its_own() {
    let mut rig = Rig::new();
    let own = |handle: u32| {
        let mut words = with(0, handle);
        words[1].1 = 0x0005_0000 | (0x100 + handle);
        for (n, word) in (5..).zip(&mut words[5..9]) {
            word.1 = handle << n;
        }
        words[11].1 = 0x1000 + handle;
        words
    };
    for handle in 0..64 {
        assert_eq!(rig.run(CREATE_AH, &own(handle)), OK, "handle {handle}");
    }
    let query = |rig: &mut Rig, handle: u32| {
        let result = rig.run(QUERY_AH, &[(0, handle)]);
        let answer: Vec<_> = own(handle).iter().map(|(n, _)| (*n, rig.arguments[*n])).collect();
        (result, answer == own(handle))
    };
    for handle in 0..64 {
        assert_eq!(query(&mut rig, handle), (OK, true), "handle {handle}");
    }
    for handle in 0..64 {
        assert_eq!(rig.run(DESTROY_AH, &[(0, handle)]), OK, "handle {handle}");
        assert_eq!(query(&mut rig, handle).0, NOT_FOUND, "handle {handle}");
        for bit in 0..6 {
            let other = handle ^ 1 << bit;
            let expected = if other > handle {
                (OK, true)
            } else {
                (NOT_FOUND, false)
            };
            let (result, is_own) = query(&mut rig, other);
            assert_eq!(
                (result, is_own && result == OK),
                expected,
                "handle {other} after {handle}"
            );
        }
    }
}

/// Creates and destroys the handle. Returns the result of the first command.
fn created(rig: &mut Rig, words: &[(usize, u32)]) -> u32 {
    let result = rig.run(CREATE_AH, words);
    if result == OK {
        assert_eq!(rig.run(DESTROY_AH, &[words[0]]), OK);
    }
    result
}

/// Each bit by itself takes a value over its limit, or keeps it from being none.
#[test]
fn every_bit_of_a_limit_counts() {
    let mut rig = Rig::new();
    for index in 0..64 {
        assert_eq!(created(&mut rig, &with(0, index)), OK, "handle {index}");
    }
    for bit in 6..32 {
        assert_eq!(
            created(&mut rig, &with(0, 1 << bit)),
            BAD_INDEX,
            "handle {:X}h",
            1_u32 << bit
        );
    }
    for bit in 17..24 {
        let port = 1 << bit;
        assert_eq!(
            created(&mut rig, &with(10, port)),
            BAD_ATTRIBUTE,
            "word 10: {port:08X}h"
        );
        // A port beyond the last one, with the first one's bit.
        let port = port | 0x0001_0000;
        assert_eq!(
            created(&mut rig, &with(10, port)),
            BAD_ATTRIBUTE,
            "word 10: {port:08X}h"
        );
    }
    // The index of the source GID, which counts with a GRH alone.
    for bit in 22..28 {
        let index = 1 << bit;
        assert_eq!(
            created(&mut rig, &with(14, 1 << 31 | index)),
            BAD_ATTRIBUTE,
            "bit {bit}"
        );
        assert_eq!(created(&mut rig, &with(14, index)), OK, "bit {bit}");
    }
    let without_grh = |dlid: u16| {
        let mut words = with(14, 0);
        words.push((9, dlid.into()));
        words
    };
    for bit in 0..16 {
        let (one, others) = (1 << bit, 0xFFFF ^ 1 << bit);
        assert_eq!(created(&mut rig, &without_grh(one)), OK, "DLID {one:04X}h");
        // From C000h on, and not FFFFh, a LID is that of a group, whose packets have a GRH.
        let result = if bit < 14 { BAD_ATTRIBUTE } else { OK };
        assert_eq!(
            created(&mut rig, &without_grh(others)),
            result,
            "DLID {others:04X}h"
        );
    }
}

/// The source port over Ethernet is C000h or ((low 14 bits of the flow label) xor (flow label >> 14)).
#[test]
fn every_bit_of_a_flow_label_is_in_the_source_port() {
    let mut rig = Rig::new();
    for bit in 0..20 {
        assert_eq!(rig.run(CREATE_AH, &with(14, 1 << 31 | 1 << bit)), OK);
        let (_, route) = rig.handle.clone();
        assert_eq!(bits(&route, 48, 16), 0xC000 | 1 << (bit % 14), "bit {bit}");
        assert_eq!(rig.run(DESTROY_AH, &[(0, HANDLE)]), OK);
    }
}
