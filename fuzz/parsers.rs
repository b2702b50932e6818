//! One function for every parser of text that comes from outside: whatever the
//! bytes, it must not panic, and what it accepts must survive being written and
//! read again. The fuzz targets and a property test call them.

#![allow(dead_code, reason = "every fuzz target calls one of them")]

use std::sync::OnceLock;

use castellan::observation::Observation;
use castellan::pieces::OwnPieces;
use castellan::record::{EventKind, Game, Log, Recorder, SavedGame, Source, Transcript, check, to_jcz};
use castellan::rules::castle::validate::{check_deck, check_wall};
use castellan::rules::castle::{Edition, FinishedTable, Names, Position, cell_from_name, cell_name};
use castellan::rules::{self, Deck, Face, GamePosition, Wall};
use castellan::table::GameFile;
use castellan::{library, share};

fn house() -> &'static (Wall, Deck) {
    static HOUSE: OnceLock<(Wall, Deck)> = OnceLock::new();
    HOUSE.get_or_init(|| {
        let wall = library::wall("house").expect("the house wall is built in");
        (wall, library::deck("house").expect("the house deck is built in").deck)
    })
}

/// The text form of a face.
pub fn face(data: &[u8]) {
    if let Ok(face) = String::from_utf8_lossy(data).parse::<Face>() {
        assert_eq!(face.to_string().parse::<Face>(), Ok(face));
    }
}

/// A deck file.
pub fn deck(data: &[u8]) {
    let Ok(deck) = Deck::from_toml(&String::from_utf8_lossy(data)) else { return };
    check_deck(&deck);
    if let Ok(position) = Position::new(&house().0, &deck) {
        (0..position.tiles()).for_each(|tile| drop(position.placements(tile)));
    }
    assert_eq!(Deck::from_toml(&deck.to_toml()), Ok(deck));
}

/// A wall file.
pub fn wall(data: &[u8]) {
    let Ok(wall) = Wall::from_toml(&String::from_utf8_lossy(data)) else { return };
    check_wall(&wall);
    if let Ok(position) = Position::new(&wall, &house().1) {
        position.placements(0);
        position.final_totals();
    }
    assert!(Wall::from_toml(&wall.to_toml()).is_ok());
}

/// An edition file, and an edition chosen by name.
pub fn edition(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for edition in [Edition::from_toml(&text), Edition::named(&text)].into_iter().flatten() {
        edition.notes();
    }
}

/// A log: read, played, held against the rules.
pub fn log(data: &[u8]) {
    let Ok(log) = Log::from_bytes(data) else { return };
    assert!(log.whole <= data.len());
    let (wall, deck) = house();
    let _ = check(&log, wall, deck);
    if let Ok(game) = log.replay(wall, deck) {
        game.sheet();
        game.to_text();
        game.events().iter().for_each(|event| drop(game.describe(&event.kind)));
        let _ = game.account(game.position().turn());
    }
}

/// A log that is gone on with: what was whole stays, and what is written can be
/// read.
pub fn resume(data: &[u8]) {
    let (wall, deck) = house();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    std::fs::write(&path, data).expect("a file can be written");
    let whole = Log::from_bytes(data).map(|log| log.whole);
    if let Ok(mut recorder) = Recorder::resume(&path, wall, deck) {
        let stands = recorder.game().events().len();
        let _ = recorder.apply(EventKind::PlayStopped, Source::Hand, 1.0, 0.0, true);
        drop(recorder);
        let written = std::fs::read(&path).expect("the record is there");
        let whole = whole.expect("only a log is gone on with");
        assert_eq!(written[..whole.min(written.len())], data[..whole.min(written.len())]);
        let log = Log::from_bytes(&written).expect("what was written can be read");
        assert!(log.lost.is_empty() && log.torn.is_none() && log.events.len() >= stands);
    } else {
        assert_eq!(std::fs::read(&path).expect("the file is there"), data, "nothing is touched");
    }
}

/// A deck or a wall in one file.
pub fn share(data: &[u8]) {
    if let Ok(shared) = share::unpack(data) {
        let packed = share::pack(&shared).expect("what was unpacked can be packed");
        assert_eq!(share::unpack(&packed).expect("what was packed can be unpacked"), shared);
    }
}

/// What a file says of a game before it begins.
pub fn game_file(data: &[u8]) {
    let Ok(file) = toml::from_str::<GameFile>(&String::from_utf8_lossy(data)) else { return };
    let Ok(header) = file.header() else { return };
    let _ = file.figure_colours(&header);
    assert!(file.contradicts(&header).is_none());
    assert!(GameFile::of(&header).contradicts(&header).is_none());
    let (wall, deck) = house();
    if let Ok(game) = Game::new(header, wall, deck) {
        assert!(Log::read(&game.to_log()).is_ok());
    }
}

/// The players' own pieces.
pub fn pieces(data: &[u8]) {
    let Ok(pieces) = OwnPieces::from_toml(&String::from_utf8_lossy(data)) else { return };
    assert_eq!(pieces.of(&pieces.words()), Ok(pieces.players.clone()));
    assert_eq!(OwnPieces::from_toml(&pieces.to_toml()), Ok(pieces));
}

/// A record as text: read, played, written, read again.
pub fn transcript(data: &[u8]) {
    let Ok(read) = Transcript::read(&String::from_utf8_lossy(data)) else { return };
    let (wall, deck) = house();
    if let Ok(game) = read.play(wall, deck) {
        let again = Transcript::read(&game.to_text()).and_then(|t| t.play(wall, deck));
        assert_eq!(again.map(|g| g.sheet().tallies), Ok(game.sheet().tallies));
    }
}

/// A saved game of JCloisterZone: read, played, written, read again.
pub fn jcz(data: &[u8]) {
    let Ok(read) = SavedGame::read(&String::from_utf8_lossy(data)) else { return };
    let deck = rules::classic::base_deck();
    let Ok(game) = read.play(&deck) else { return };
    if let Ok((text, _)) = to_jcz(&game, &deck) {
        let again = SavedGame::read(&text).and_then(|saved| saved.play(&deck));
        assert_eq!(again.map(|g| g.sheet().tallies), Ok(game.sheet().tallies));
    }
}

/// Moves of the classic game, one a line, legal or not, and every one taken back.
pub fn classic_moves(data: &[u8]) {
    let deck = rules::classic::base_deck();
    let Ok(mut position) = rules::classic::Position::new(&deck, 3, rules::classic::Switches::default())
    else {
        return;
    };
    let names = Names::new(&vec![String::new(); 3]);
    let position: &mut dyn GamePosition = &mut position;
    let mut played = 0;
    for line in String::from_utf8_lossy(data).lines() {
        let Ok(read) = position.read_move(line) else { continue };
        assert_eq!(position.read_move(&position.write_move(&read)), Ok(read.clone()));
        if position.happen(&read, &names).is_ok() {
            played += 1;
            position.board_text();
            position.final_scores(&names);
            position.final_reasons(&[], &names);
            position.cells().into_iter().for_each(|cell| drop(position.features_around(cell)));
        }
    }
    while position.undo() {
        played -= 1;
    }
    assert_eq!(played, 0);
}

/// Moves, one a line, legal or not, and every one taken back.
pub fn moves(data: &[u8]) {
    let (wall, deck) = house();
    let Ok(start) = Position::new(wall, deck) else { return };
    let mut position = start;
    let mut played = 0;
    for line in String::from_utf8_lossy(data).lines() {
        if let Some(cell) = cell_from_name(line) {
            assert_eq!(cell_from_name(&cell_name(cell)), Some(cell));
        }
        let Ok(read) = position.read_move(line) else { continue };
        let written = position.write_move(&read);
        position.illegalities(&read);
        if let Ok((outcomes, _)) = position.play_anyway(&read) {
            played += 1;
            for outcome in &outcomes {
                (0..outcome.scored.len()).for_each(|i| drop(position.explain(outcome, i, &Names::default())));
            }
            position.order_options();
            position.claims();
            position.final_scores(&Names::default());
        }
        assert!(!written.contains('\n'));
    }
    while position.undo() {
        played -= 1;
    }
    assert_eq!(played, 0);
}

/// The description of a finished table.
pub fn table(data: &[u8]) {
    let (wall, deck) = house();
    let Ok(edition) = Edition::named(Edition::default_name()) else { return };
    let Ok(mut table) = FinishedTable::new(wall, deck, &edition) else { return };
    for line in String::from_utf8_lossy(data).lines() {
        let _ = table.take(line);
    }
    if let Ok(reading) = table.finish(&Names::default()) {
        reading.position.final_scores(&Names::default());
    }
}

/// What a camera proposes, as JSON.
pub fn observation(data: &[u8]) {
    let Ok(read) = serde_json::from_slice::<Observation>(data) else { return };
    assert!(serde_json::to_string(&read).is_ok());
}
