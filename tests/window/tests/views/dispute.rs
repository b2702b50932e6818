//! A turn that players disagree about: what there is to look at, and what the table decides.

use std::sync::PoisonError;

use castellan::app::ui::{CorrectAdapter, DisputeAdapter};
use castellan::record::{EventKind, Log, Source};
use castellan::table::sim::Noise;
use castellan_window_tests::{
    in_its_own_process, labelled, looks, open, picture, press, resize, rest, the, watched,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

#[test]
fn the_table_decides_by_keys_and_the_record_says_so() {
    if in_its_own_process("dispute::the_table_decides_by_keys_and_the_record_says_so") {
        return;
    }
    let table = open();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    let desk = watched(&table, 16, Noise::default(), Some(&path));
    let dispute = || table.window().global::<DisputeAdapter>();
    let before = desk.game().facts();
    // A turn that scored, with a picture of its place before and after.
    let scored = desk.game().scores().last().map(|s| s.turn).expect("something was scored");
    let turn = desk.game().turns().into_iter().find(|t| t.turn == scored).expect("it is recorded");
    let laid = turn.facts.iter().find(|f| matches!(f.1, EventKind::TilePlaced { .. }));
    let seq = laid.expect("it laid a tile").0;
    let evidence = folder.path().join("game.jsonl.evidence");
    std::fs::create_dir(&evidence).expect("a folder can be made");
    let names = ["before", "after"].map(|when| format!("{seq:04}-{when}.jpg"));
    for (name, shade) in names.iter().zip([60, 180]) {
        let shot = image::RgbImage::from_pixel(90, 90, image::Rgb([shade, 120, 60]));
        shot.save(evidence.join(name)).expect("it is written");
    }
    let session = desk.session();
    let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
    session.attach_evidence(vec![(seq, names.to_vec())]);
    drop(session);
    press(&table, Key::DownArrow);
    press(&table, "d");
    the(&table, &format!("Dispute about turn {scored}"));
    assert!(dispute().get_has_recorded() && dispute().get_has_seen());
    assert!(dispute().get_has_before() && dispute().get_has_after() && dispute().get_has_now());
    let (counts, rules) = (dispute().get_counts(), dispute().get_rules());
    assert!(counts.row_count() >= 2, "who stands there, and what is counted");
    assert!(rules.row_count() >= 1);
    for rule in rules.iter() {
        assert!(!rule.text.is_empty());
    }
    looks(&table, "dispute");
    let first = picture(&table, "dispute");
    press(&table, Key::DownArrow);
    assert_eq!(dispute().get_lit(), 1);
    assert_ne!(picture(&table, "dispute-next"), first, "another count is lit");
    for (width, height, size) in [(800, 480, "small"), (1920, 1080, "tv")] {
        resize(&table, width, height);
        picture(&table, &format!("dispute-{size}"));
    }
    resize(&table, 1280, 800);
    press(&table, "t");

    // Other turns, and back to the table with nothing changed.
    press(&table, Key::LeftArrow);
    the(&table, &format!("Dispute about turn {}", scored - 1));
    press(&table, Key::RightArrow);
    press(&table, Key::Escape);
    assert!(labelled(&table, "Dispute about").is_empty());
    assert_eq!(desk.game().facts(), before);

    // It stands: the game is as it was, and the record has the table's words.
    press(&table, "d");
    dispute().set_words("the herald was there before".into());
    press(&table, "1");
    rest(&table);
    assert!(labelled(&table, "Dispute about").is_empty());
    let kinds = |facts: Vec<(u64, EventKind)>| facts.into_iter().map(|f| f.1).collect::<Vec<_>>();
    assert_eq!(kinds(desk.game().facts()), kinds(before.clone()));
    let ruled = || {
        let log = Log::open(&path).expect("the record is whole");
        log.events.into_iter().filter(|e| e.ruling.is_some()).collect::<Vec<_>>()
    };
    let [stands] = &ruled()[..] else { panic!("{:?}", ruled()) };
    assert_eq!(stands.ruling.as_deref(), Some("the herald was there before"));
    assert_eq!(stands.source, Source::Hand);

    // It was otherwise: the correction of that turn is the table's.
    press(&table, "d");
    press(&table, "k");
    the(&table, "Correct a turn");
    let form = || table.window().global::<CorrectAdapter>();
    for _ in 0..12 {
        if form().get_changed() && form().get_figure() == "no follower" {
            break;
        }
        press(&table, "f");
    }
    assert!(form().get_changed(), "{}", form().get_problem());
    press(&table, Key::Return);
    rest(&table);
    assert!(labelled(&table, "Correct a turn").is_empty() && labelled(&table, "Dispute about").is_empty());
    assert_ne!(kinds(desk.game().facts()), kinds(before));
    assert!(ruled().len() >= 2);
    assert_eq!(ruled().last().and_then(|e| e.ruling.clone()).as_deref(), Some("the table has decided so"));
}
