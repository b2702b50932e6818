//! Arbitrary bytes, good texts spoilt at random, and what fuzzing has found before,
//! into every parser.

#[path = "../../fuzz/parsers.rs"]
mod targets;

use std::path::Path;
use std::sync::OnceLock;

use castellan::library;
use castellan::observation::Observation;
use castellan::record::{Game, play_random, to_jcz};
use castellan::rules;
use castellan::rules::castle::{Edition, Policy, cell_name};
use castellan::share::{self, Shared};
use proptest::prelude::*;

use crate::decks::house_wall;
use crate::headers::classic_header;

type Target = fn(&[u8]);

/// A parser, its name as a fuzz target, and something good for it.
type Good = (Target, &'static str, Vec<u8>);

/// Every parser.
/// The beginning of a classic game.
const CLASSIC: &str = "lay Rr B1; highwayman; end; lay Rr B2 1; end; lay LR A2 3; monk; end; lay C A-1 2; knight; end; \
    lay RFr -A1; farmer -A1 1; end; stop";

fn good() -> &'static [Good] {
    static GOOD: OnceLock<Vec<Good>> = OnceLock::new();
    GOOD.get_or_init(good_texts)
}

fn good_texts() -> Vec<Good> {
    let (wall, mut deck) = (house_wall(), library::deck("house").unwrap().deck);
    let deck_text = deck.to_toml();
    let face = deck.tiles.iter().map(|t| t.face.as_ref().unwrap().to_string()).max().unwrap();
    deck.tiles.truncate(20);
    let game = play_random(&wall, &deck, 3, Policy::Greedy).unwrap();
    let position = game.position();
    let moves: String =
        game.to_text().lines().filter(|l| l.contains("lay ")).flat_map(|l| [l.trim(), "\n"]).collect();
    let mut table = String::new();
    for cell in position.cells() {
        if let Some((tile, rotation)) = position.tile_at(cell) {
            let id = position.tile_id(tile).unwrap();
            table += &format!("lay {id} {} {}\n", cell_name(cell), rotation.quarters());
        }
    }
    table += "1: keep D5\n1: holds 4 7 ?\n2: points 87\n1: merchant F1 4\n";
    let edition = include_str!("../../calibration/editions/zamek-2020.toml");
    let shared = share::pack(&Shared::Wall { wall: wall.clone(), picture: None }).unwrap();
    let file = "players = ['Ada', 'Ben']\ncolours = ['blue', 'tan']\nrgb = [[1, 2, 3], [4, 5, 6]]\nstarts = 'Ben'\nedition = 'zamek-2020'\n[wall_tiles]\n12 = 4\n";
    let seen = r#"{"cells":[{"col":1,"row":2,"state":"tile","tile":"h01","confidence":0.5,
        "figures":[{"figure":"keep","player":1,"x":0.5,"y":0.5,"confidence":0.9}]}]}"#;
    assert!(serde_json::from_str::<Observation>(seen).is_ok() && Edition::from_toml(edition).is_ok());
    let log = game.to_log();
    let text = |target: Target, name, text: String| (target, name, text.into_bytes());
    let mut classic =
        Game::new(classic_header(&["Ada", "Ben", "Cleo"]), None, &rules::classic::base_deck()).unwrap();
    for played in CLASSIC.split("; ") {
        classic.enter_text(played, 0.0).unwrap();
    }
    let (saved, _) = to_jcz(&classic, &rules::classic::base_deck()).unwrap();
    vec![
        text(targets::face, "face", face),
        text(targets::deck, "deck", deck_text),
        text(targets::wall, "wall", wall.to_toml()),
        text(targets::edition, "edition", edition.to_owned()),
        text(targets::edition, "edition", "zamek-2020 +wall4_fountain -both_eights_add 5=4".to_owned()),
        text(targets::log, "log", log.clone()),
        text(targets::resume, "resume", log.lines().take(12).collect::<Vec<_>>().join("\n")),
        text(targets::transcript, "transcript", game.to_text()),
        text(targets::moves, "moves", moves.replace("; ", "\n")),
        text(targets::classic_moves, "classic_moves", CLASSIC.replace("; ", "\n")),
        text(targets::jcz, "jcz", saved),
        text(targets::table, "table", table),
        text(targets::observation, "observation", seen.to_owned()),
        text(targets::game_file, "game_file", file.to_owned()),
        text(targets::pieces, "pieces", include_str!("../../fuzz/corpus/pieces/blue").to_owned()),
        (targets::share, "share", shared),
    ]
}

#[derive(Clone, Debug)]
enum Spoil {
    Byte(prop::sample::Index, u8),
    Remove(prop::sample::Index, u8),
    /// One piece of the text again, elsewhere.
    Repeat(prop::sample::Index, prop::sample::Index, u8),
    /// A number in place of a digit.
    Number(prop::sample::Index, i64),
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Spoil::Byte(at, byte)),
        (at(), 1..40u8).prop_map(|(at, n)| Spoil::Remove(at, n)),
        (at(), at(), any::<u8>()).prop_map(|(from, to, n)| Spoil::Repeat(from, to, n)),
        (at(), prop_oneof![Just(i64::MAX), Just(-1), Just(255), Just(65536), any::<i64>()])
            .prop_map(|(at, n)| Spoil::Number(at, n)),
    ]
}

fn spoilt(text: &[u8], spoils: &[Spoil]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for spoil in spoils {
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        match spoil {
            Spoil::Byte(at, byte) => bytes[at.index(len)] = *byte,
            Spoil::Remove(at, n) => {
                let at = at.index(len);
                bytes.drain(at..(at + usize::from(*n)).min(len));
            }
            Spoil::Repeat(from, to, n) => {
                let from = from.index(len);
                let piece = bytes[from..(from + usize::from(*n)).min(len)].to_vec();
                let to = to.index(len);
                bytes.splice(to..to, piece);
            }
            Spoil::Number(at, n) => {
                let digits: Vec<usize> = (0..len).filter(|i| bytes[*i].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    let at = digits[at.index(digits.len())];
                    bytes.splice(at..=at, n.to_string().into_bytes());
                }
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_parser_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for (target, ..) in good() {
            target(&bytes);
        }
    }

    #[test]
    fn no_parser_panics_on_a_spoilt_text(spoils in prop::collection::vec(spoil(), 1..6)) {
        for (target, _, text) in good() {
            target(&spoilt(text, &spoils));
        }
    }
}

#[test]
fn good_texts_are_read() {
    for (target, _, text) in good() {
        target(text);
    }
}

/// The small cases that fuzzing found worth keeping. With `CASTELLAN_CORPUS=1` what
/// is good is put beside them, to begin from.
#[test]
fn the_corpus_is_read() {
    for (i, (target, name, text)) in good().iter().enumerate() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        if std::env::var_os("CASTELLAN_CORPUS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("good-{i}")), text).unwrap();
        }
        let cases: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().collect();
        assert!(!cases.is_empty(), "{name} has no cases");
        cases.iter().for_each(|case| target(&std::fs::read(case.path()).unwrap()));
    }
}
