//! Classic games with modules in the window: what players hold, every choice of a turn and of its
//! steps by keys, the quarters of a city, and the final sheet score by score.

use std::path::Path;

use castellan::app::ui::{PadAdapter, PadStage, PlayersAdapter, ScoresAdapter, SheetAdapter};
use castellan::app::{Replay, TableWindow};
use castellan::library;
use castellan::record::{EventKind, Game, Header, LogWriter, Source, VERSION, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::{Game as Which, GamePosition, Move, Phase, Player};
use castellan::table::{GameView, Opening};
use castellan_window_tests::{
    facts, in_its_own_process, labelled, log_of, looks, open, picture, press, resize, rest, settle, the,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

const NAMES: [&str; 6] = ["Ada", "Ben", "Cleo", "Dora", "Eli", "Fay"];
const COLOURS: [&str; 6] = ["red", "blue", "green", "yellow", "black", "grey"];
const ALL: &str = "classic+river+inns+traders+king+cathars";

/// A game with modules that played itself.
fn game(deck: &str, players: usize, seed: u64) -> Game {
    let words = |all: &[&str; 6]| all[..players].iter().map(|w| (*w).to_owned()).collect();
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: Which::Classic,
        deck: deck.to_owned(),
        wall: None,
        edition: None,
        players: words(&NAMES),
        colours: words(&COLOURS),
        neutral: None,
        starts: Player(0),
        wall_tiles: [].into(),
    };
    let deck = library::deck(deck).expect("the classic decks are built in");
    play_random_with(header, None, &deck.deck, seed, Policy::Random).expect("the deck can be played")
}

/// The game as views.
fn views(game: &Game, deck: &str) -> Vec<GameView> {
    let deck = library::deck(deck).expect("the classic decks are built in");
    let replay = Replay::of(log_of(game), deck, None).expect("a record of a game can be replayed");
    replay.steps.into_iter().map(|step| step.view).collect()
}

/// A record of a game up to where something holds; whether it ever does.
fn record_until(game: &Game, path: &Path, wanted: impl Fn(&dyn GamePosition) -> bool) -> bool {
    let deck = library::deck(&game.header().deck).expect("the classic decks are built in").deck;
    let mut some = Game::new(game.header().clone(), None, &deck).expect("the deck makes a game");
    for (_, fact) in game.facts() {
        some.apply_anyway(fact, Source::Hand, 1.0, 0.0).expect("it was played so");
        if wanted(some.position()) {
            let mut record = LogWriter::create(path, some.header()).expect("a record can be begun");
            record.write(&some).expect("it is written");
            return true;
        }
    }
    false
}

/// Opens a record to be gone on with by hand.
fn open_record(table: &TableWindow, path: &Path) {
    let source = path.to_string_lossy().into_owned();
    table.open_by_hand(Opening { source, ..Opening::default() }).expect("the record can be gone on with");
    rest(table);
}

#[test]
fn everything_that_modules_bring_is_shown_and_can_be_chosen() {
    if in_its_own_process("modules::everything_that_modules_bring_is_shown_and_can_be_chosen") {
        return;
    }
    let table = open();
    let folder = tempfile::tempdir().expect("a folder can be made");
    what_players_hold_is_on_their_panels(&table);
    more_than_nine_places_are_paged(&table, &folder.path().join("paged.jsonl"));
    a_follower_leaves_the_city_by_keys(&table, &folder.path().join("count.jsonl"));
    the_sheet_is_gone_through_score_by_score(&table);
}

fn what_players_hold_is_on_their_panels(table: &TableWindow) {
    for players in [2, 3, 4, 6] {
        let deck = if players == 6 { "classic+inns+traders+king+count" } else { ALL };
        let game = game(deck, players, 11);
        table.open_table(library::deck(deck).expect("it is built in"), None, "camera:0");
        let views = views(&game, deck);
        let rich = |view: &GameView| -> usize {
            let held = view.players.iter().flat_map(|p| &p.holdings);
            held.map(|h| usize::from(h.count > 0) + h.on_board.len()).sum()
        };
        let view = views.iter().filter(|view| view.sheet.is_none()).max_by_key(|view| rich(view));
        let view = view.expect("the game has steps").clone();
        table.show(view.clone());
        if players == 3 || players == 6 {
            looks(table, &format!("modules-{players}"));
        }
        for player in &view.players {
            let panel = the(table, &format!("{}, {}: ", player.name, player.colour_word));
            let said = panel.accessible_label().expect("it has a label").to_string();
            for word in ["big follower", "builder", "pig"] {
                assert!(said.contains(word), "{said}");
            }
            for held in player.holdings.iter().filter(|h| h.count > 0) {
                assert!(said.contains(&held.word), "{said}");
            }
            for cell in player.holdings.iter().flat_map(|h| &h.on_board) {
                assert!(said.contains(&castellan::rules::cell_name(*cell)), "{said}");
            }
        }
        let items = table.window().global::<PlayersAdapter>().get_players();
        assert!(items.iter().all(|player| player.holdings.row_count() >= 3));
        if players == 6 {
            the(table, "the count stands in the ");
            the(table, "the castle: ");
            the(table, "the cathedral: ");
        }
    }
}

fn more_than_nine_places_are_paged(table: &TableWindow, path: &Path) {
    let claims = |position: &dyn GamePosition| {
        let moves = if position.phase() == Phase::Follower { position.legal_moves(&[]) } else { Vec::new() };
        moves.into_iter().filter(|m| matches!(m, Move::Claim { .. })).count()
    };
    let many = |position: &dyn GamePosition| claims(position) > 9;
    assert!((0..40).any(|seed| record_until(&game(ALL, 3, seed), path, many)), "no tile has many places");
    let before = facts(path).len();
    open_record(table, path);
    let pad = || table.window().global::<PadAdapter>();
    assert_eq!((pad().get_stage(), pad().get_page()), (PadStage::Figure, 0));
    let pages = pad().get_pages();
    assert!(pages > 1);
    looks(table, "pad-page");
    the(table, &format!("More: page 1 of {pages}"));
    let on_first = pad().get_figures().row_count();
    assert!(labelled(table, "1: ").len() >= 2, "a place is a row of the list and a digit on the board");
    press(table, ".");
    assert_eq!(pad().get_page(), 1);
    the(table, &format!("More: page 2 of {pages}"));
    picture(table, "pad-page-2");
    press(table, "t");
    picture(table, "pad-page-2-dark");
    press(table, "t");
    press(table, Key::PageUp);
    assert_eq!(pad().get_page(), 0);

    // Each is lit on the board in turn, over the end of the page.
    let unlit = picture(table, "pad-unlit");
    for _ in 0..=on_first {
        press(table, Key::DownArrow);
    }
    assert_eq!((pad().get_page(), pad().get_looked()), (1, 0));
    the(table, "Take what is lit");
    assert_ne!(picture(table, "pad-lit"), unlit);
    press(table, Key::Escape);
    assert_eq!(pad().get_looked(), -1);
    let wanted = pad().get_figures().row_data(0).expect("the page has a place").words;
    press(table, "1");
    rest(table);
    let written = facts(path);
    let [EventKind::FollowerPlaced { figure, .. }, EventKind::TurnEnded { .. }] = &written[before..] else {
        panic!("{:?}", &written[before..])
    };
    assert!(figure.is_follower() || wanted.starts_with(figure.word()), "{wanted} {figure:?}");
}

fn a_follower_leaves_the_city_by_keys(table: &TableWindow, path: &Path) {
    let redeploys = |position: &dyn GamePosition| {
        let moves = if position.phase() == Phase::Step { position.legal_moves(&[]) } else { Vec::new() };
        position.tiles_left() > 0 && moves.iter().any(|m| matches!(m, Move::Redeploy { .. }))
    };
    let found = (0..60).any(|seed| record_until(&game("classic+count", 3, seed), path, redeploys));
    assert!(found, "nobody may leave the city in these games");
    let before = facts(path).len();
    open_record(table, path);
    let pad = || table.window().global::<PadAdapter>();
    assert_eq!(pad().get_stage(), PadStage::Figure);
    assert!(pad().get_question().ends_with("move a follower from the city to what is completed?"));
    the(table, &pad().get_question());
    the(table, "Nothing more");
    press(table, Key::DownArrow);
    looks(table, "count-redeploy");
    press(table, "t");
    picture(table, "count-redeploy-dark");
    press(table, "t");
    resize(table, 800, 480);
    picture(table, "count-redeploy-small");
    resize(table, 1280, 800);
    let words = pad().get_figures().row_data(0).expect("there is a move").words;
    assert!(words.contains("follower from the ") && words.contains(" to the "), "{words}");
    press(table, Key::Return);
    rest(table);
    let written = facts(path);
    assert!(matches!(written[before], EventKind::FigureMoved { .. }), "{:?}", written[before]);
    // Whoever else may do something says that it is nothing.
    for _ in 0..6 {
        if pad().get_stage() != PadStage::Figure {
            break;
        }
        press(table, Key::Return);
        rest(table);
    }
    assert_eq!(pad().get_stage(), PadStage::Tile);
    let passed = facts(path).iter().skip(before + 1).all(|fact| matches!(fact, EventKind::Passed { .. }));
    assert!(passed, "{:?}", &facts(path)[before..]);

    // A follower is sent into the city, and the count is moved then.
    let sends = |position: &dyn GamePosition| {
        let moves = if position.phase() == Phase::Step { position.legal_moves(&[]) } else { Vec::new() };
        moves.iter().any(|m| matches!(m, Move::Claim { .. }))
    };
    let path = path.with_file_name("sent.jsonl");
    assert!((0..60).any(|seed| record_until(&game("classic+count", 3, seed), &path, sends)));
    let before = facts(&path).len();
    open_record(table, &path);
    assert!(pad().get_question().ends_with("send a follower into the city?"));
    picture(table, "count-send");
    the(table, "4: follower to the cathedral");
    press(table, "4");
    rest(table);
    assert!(pad().get_question().ends_with("move the count?"), "{}", pad().get_question());
    the(table, "1: the count to the market");
    picture(table, "count-move");
    press(table, "1");
    rest(table);
    let written = facts(&path);
    assert!(
        matches!(written[before..], [EventKind::FollowerPlaced { .. }, EventKind::NeutralMoved { .. }, ..]),
        "{:?}",
        &written[before..]
    );
    the(table, "the count stands in the market");
    the(table, "the market: the count");
}

fn the_sheet_is_gone_through_score_by_score(table: &TableWindow) {
    let views = (0..20).map(|seed| views(&game(ALL, 3, seed), ALL));
    let fields = |view: &GameView| view.scores.iter().filter(|s| s.category == "field").count();
    let view = views.map(|mut views| views.pop().expect("the game has an end")).find(|v| fields(v) > 1);
    let view = view.expect("a game has fields");
    table.open_table(library::deck(ALL).expect("it is built in"), None, "camera:0");
    table.show(view.clone());
    let sheet = || table.window().global::<SheetAdapter>();
    the(table, "Final sheet");
    for (width, height, size) in [(1280, 800, "usual"), (800, 480, "small")] {
        resize(table, width, height);
        picture(table, &format!("modules-sheet-{size}"));
    }
    resize(table, 1280, 800);
    the(table, "goods: most tokens of ");
    the(table, "field").invoke_accessible_default_action();
    settle();
    assert_eq!((sheet().get_category().as_str(), sheet().get_item()), ("field", 0));
    let count = fields(&view);
    assert!(labelled(table, "Final sheet").is_empty(), "the board is in sight");
    let mut seen = Vec::new();
    for at in 1..=count {
        the(table, &format!("field: {at} of {count}"));
        let card = table.window().global::<ScoresAdapter>().get_card();
        let score = view.scores.iter().find(|s| s.sentence == card.reason.as_str());
        let score = score.expect("the card says a score");
        assert_eq!(score.category, "field");
        assert!(score.sentence.starts_with("a field beside "), "{}", score.sentence);
        seen.push(picture(table, &format!("modules-field-{at}")));
        press(table, Key::DownArrow);
    }
    assert!(seen.windows(2).all(|two| two[0] != two[1]), "each is lit in turn");
    assert_eq!(sheet().get_category(), "goods");
    press(table, Key::UpArrow);
    assert_eq!((sheet().get_category().as_str(), sheet().get_item() as usize), ("field", count - 1));
    press(table, Key::Escape);
    the(table, "Final sheet");
    assert_eq!(sheet().get_row(), -1);
    // By keys alone, from the first row on.
    press(table, Key::DownArrow);
    assert_eq!(sheet().get_category(), "road");
    press(table, Key::UpArrow);
    the(table, "Final sheet");
}
