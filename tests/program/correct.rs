//! `castellan correct` from the outside, and the corrections behind it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use castellan::library;
use castellan::record::{Change, Edit, EventKind, Game, Log, play_random, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::{self, FigureKind, Player, Rotation, cell_name};
use predicates::prelude::*;
use proptest::prelude::*;

fn castle(seed: u64) -> Game {
    let deck = library::deck("house").unwrap().deck;
    play_random(&library::wall("house").unwrap(), &deck, seed, Policy::Greedy).unwrap()
}

fn classic(seed: u64) -> Game {
    let header = serde_json::from_str(
        r#"{"format":"castellan","version":2,"game":"classic","deck":"classic",
        "players":["Ada","Ben","Cleo"],"colours":["red","blue","green"],"starts":0}"#,
    )
    .unwrap();
    play_random_with(header, None, &library::deck("classic").unwrap().deck, seed, Policy::Greedy).unwrap()
}

fn again(game: &Game) -> Game {
    let log = Log::read(&game.to_log()).unwrap();
    let deck = library::deck(&log.header.deck).unwrap().deck;
    let wall = log.header.wall.as_deref().map(|name| library::wall(name).unwrap());
    log.replay(wall.as_ref(), &deck).unwrap()
}

fn totals(game: &Game) -> Vec<u32> {
    game.sheet().tallies.iter().map(|t| t.total).collect()
}

/// A record on the disk, and the command on it.
struct Desk {
    _home: tempfile::TempDir,
    record: PathBuf,
}

impl Desk {
    fn with(game: &Game) -> Desk {
        let home = tempfile::tempdir().unwrap();
        let record = home.path().join("game.jsonl");
        std::fs::write(&record, game.to_log()).unwrap();
        Desk { _home: home, record }
    }

    fn correct(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("castellan").unwrap();
        command.arg("correct").arg(&self.record).args(arguments).env_remove("RUST_LOG");
        command
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.record).unwrap()
    }

    fn game(&self) -> Game {
        again(&Log::open(Path::new(&self.record)).unwrap().replay_house())
    }
}

trait ReplayHouse {
    fn replay_house(self) -> Game;
}

impl ReplayHouse for Log {
    fn replay_house(self) -> Game {
        let deck = library::deck(&self.header.deck).unwrap().deck;
        let wall = self.header.wall.as_deref().map(|name| library::wall(name).unwrap());
        self.replay(wall.as_ref(), &deck).unwrap()
    }
}

/// The first turn with a follower that was scored in play, and what it stood on.
fn scored_turn(game: &Game) -> (u32, u8) {
    let claim = |kind: &EventKind| match kind {
        EventKind::FollowerPlaced { cell, segment, .. } => Some((*cell, *segment)),
        _ => None,
    };
    game.turns()
        .iter()
        .find_map(|turn| {
            let (cell, segment) = turn.facts.iter().find_map(|(_, kind)| claim(kind))?;
            let scored = game.scores().iter().any(|s| {
                s.score.followers.iter().any(|f| f.cell == cell && f.segment == segment)
                    && s.score.points() > 0
            });
            scored.then_some((turn.turn, segment))
        })
        .unwrap()
}

#[test]
fn a_follower_is_taken_back_by_command_and_put_again() {
    let game = castle(11);
    let (turn, segment) = scored_turn(&game);
    let desk = Desk::with(&game);
    let before = desk.text();
    let number = turn.to_string();

    desk.correct(&[]).assert().success().stdout(predicate::str::contains("; end\n"));
    desk.correct(&[&number, "--follower", "none", "--dry-run"]).assert().stdout(
        predicate::str::is_match("(?m)^- .* puts a .*\n").unwrap().and(predicate::str::contains(" → ")),
    );
    desk.correct(&[&number, "--follower", "none"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("nothing was changed; add --yes"));
    assert_eq!(desk.text(), before, "only looked at");

    desk.correct(&[&number, "--follower", "none", "--yes"]).assert().stdout(predicate::str::contains(" → "));
    let text = desk.text();
    assert!(text.starts_with(&before), "nothing that was written is changed");
    let corrected = desk.game();
    assert_ne!(totals(&corrected), totals(&game));
    desk.correct(&[&number, "--follower", "none", "-y"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("that is what the record says already"));
    desk.correct(&[&number, "--follower", &segment.to_string(), "-y", "--json"]).assert().success();
    assert_eq!(totals(&desk.game()), totals(&game));
    assert_eq!(facts(&desk.game()), facts(&game));
}

#[test]
fn what_cannot_be_corrected_is_said_in_one_sentence() {
    let desk = Desk::with(&castle(12));
    for (arguments, sentence) in [
        (vec!["9999", "--delete"], "there is no turn 9999"),
        (vec!["3"], "say what was otherwise in turn 3"),
        (vec!["3", "--tile", "h99", "-y"], "the deck has no tile `h99`"),
        (vec!["3", "--player", "Zoe", "-y"], "nobody is called `Zoe`"),
        (vec!["3", "--follower", "11", "-y"], "no figure can stand on segment 11"),
        (vec!["3", "--moves", "leap h01 D5", "-y"], "`leap` is no move"),
    ] {
        let assert = desk.correct(&arguments).assert().code(1);
        assert.stderr(
            predicate::str::contains(sentence).and(predicate::function(|s: &str| s.lines().count() == 1)),
        );
    }
    for arguments in [["3", "--cell", "55"], ["3", "--rotation", "4"], ["x", "--delete", "-y"]] {
        desk.correct(&arguments).assert().code(2);
    }
    let nothing = Desk { record: desk.record.with_file_name("nothing.jsonl"), ..desk };
    nothing.correct(&[]).assert().code(1).stderr(predicate::str::contains("no record is there"));
}

#[test]
fn a_damaged_record_is_looked_at_and_not_written_on() {
    let desk = Desk::with(&castle(13));
    let torn: Vec<String> = desk
        .text()
        .lines()
        .enumerate()
        .map(|(i, l)| if i == 7 { l[1..].to_owned() } else { l.to_owned() })
        .collect();
    let torn = torn.join("\n") + "\n";
    std::fs::write(&desk.record, &torn).unwrap();
    desk.correct(&["2", "--follower", "none", "--yes"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("a damaged record is not written on"));
    assert_eq!(desk.text(), torn);
}

/// What happened in a game, without the numbers of the events.
fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|(_, kind)| kind).collect()
}

/// Takes a change; `None` where the record does not take it, and then nothing has changed.
fn taken(game: &Game, change: &Change) -> Option<Game> {
    let mut corrected = game.clone();
    let preview = game.preview(change);
    match corrected.correct(change, 5000.0) {
        Ok(_) => {
            let preview = preview.unwrap();
            assert_eq!(preview.totals.1, totals(&corrected));
            Some(corrected)
        }
        Err(_) => {
            assert!(preview.is_err());
            assert_eq!(corrected.events(), game.events());
            None
        }
    }
}

#[test]
fn a_turn_that_is_deleted_and_inserted_again_leaves_the_scores_as_they_were() {
    for game in [castle(21), classic(22)] {
        let last = game.turns().iter().filter(|t| t.facts.len() > 1).map(|t| t.turn).max().unwrap();
        let shown = game.preview(&Change::Delete(last)).unwrap();
        let open = game.scores().iter().filter(|s| s.turn == last).count();
        let of_play = shown.scores.iter().filter(|s| s.to_string().contains(" in turn ")).count();
        assert!(of_play <= open * game.names().all().len(), "{:?}", shown.scores);
        for number in [1, 2, 9, 30, 41] {
            let turn = game.turns().into_iter().find(|t| t.turn == number).unwrap();
            let without = taken(&game, &Change::Delete(number)).unwrap();
            assert!(!without.conflicts().is_empty() || !without.broken().is_empty() || number == 1);
            let back = taken(&without, &Change::Insert(number, turn.moves.clone())).unwrap();
            assert_eq!(facts(&back), facts(&game), "turn {number}");
            assert_eq!(totals(&back), totals(&game));
        }
    }
}

#[test]
fn a_turn_is_moved_there_and_back() {
    let game = castle(23);
    let moved = taken(&game, &Change::Move(10, 4)).unwrap();
    assert_ne!(facts(&moved), facts(&game));
    assert!(!moved.broken().is_empty() || !moved.conflicts().is_empty(), "two turns of one player");
    let back = taken(&moved, &Change::Move(4, 11)).unwrap();
    assert_eq!(facts(&back), facts(&game));
    assert!(taken(&game, &Change::Move(10, 10)).is_none() && taken(&game, &Change::Move(10, 11)).is_none());
}

#[test]
fn each_thing_of_a_turn_is_corrected_by_itself() {
    let game = castle(24);
    let turn = game
        .turns()
        .into_iter()
        .find(|t| t.facts.iter().any(|(_, k)| matches!(k, EventKind::FollowerPlaced { .. })))
        .unwrap();
    let laid = |game: &Game| {
        let facts = game.turns().into_iter().find(|t| t.turn == turn.turn).unwrap().facts;
        facts
            .into_iter()
            .find_map(|(_, k)| match k {
                EventKind::TilePlaced { player, tile, cell, rotation } => {
                    Some((player, tile, cell, rotation))
                }
                _ => None,
            })
            .unwrap()
    };
    let change = |edit: Edit| taken(&game, &Change::Turn(turn.turn, vec![edit])).unwrap();
    let (player, _, cell, rotation) = laid(&game);
    let elsewhere = game.position().cells().into_iter().find(|c| game.position().tile_at(*c).is_none());
    let elsewhere = elsewhere.unwrap();
    let moved = change(Edit::Cell(elsewhere));
    assert_eq!(laid(&moved).2, elsewhere, "{}", cell_name(cell));
    let followers = |game: &Game| {
        facts(game)
            .iter()
            .filter_map(|k| match k {
                EventKind::FollowerPlaced { cell, .. } => Some(*cell),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert!(followers(&moved).contains(&elsewhere) && !followers(&moved).contains(&cell));
    assert_eq!(
        laid(&change(Edit::Rotation(rotation.then(Rotation::new(1))))).3,
        rotation.then(Rotation::new(1))
    );
    assert_eq!(laid(&change(Edit::Player(Player(1 - player.0)))).0, Player(1 - player.0));
    assert_eq!(laid(&change(Edit::Tile("h60".to_owned()))).1, "h60");
    let none = change(Edit::Figure(None));
    assert_eq!(followers(&none).len() + 1, followers(&game).len());
    // Nobody holds a wall tile yet: one that serves in play stands as the table's word, one that
    // serves at the end does not.
    let not_held = |number| Change::Turn(turn.turn, vec![Edit::WallTile(Some((number, None)))]);
    let stands = taken(&game, &not_held(2)).unwrap();
    assert!(stands.broken().iter().any(|(_, why)| why.rule == "CA-79"));
    assert!(taken(&game, &not_held(9)).is_none());
    let (tower, _) = game.header().wall_tiles.iter().next().map_or((12, 5), |(t, n)| (*t, *n));
    let shown = taken(&game, &Change::Shown(tower, 3));
    assert!(
        shown.is_none_or(|g| facts(&g)
            .iter()
            .any(|k| matches!(k, EventKind::WallTileShown { number: 3, .. })))
    );
    // Several things at once are taken at once.
    let both = vec![Edit::Rotation(rotation), Edit::Figure(None), Edit::Player(Player(1 - player.0))];
    let both = taken(&game, &Change::Turn(turn.turn, both)).unwrap();
    assert_eq!((laid(&both).0, followers(&both).len()), (Player(1 - player.0), followers(&none).len()));
}

#[test]
fn a_wall_tile_that_was_used_is_taken_back_and_used_again() {
    let used = |kind: &EventKind| match kind {
        EventKind::WallTileUsed { number, on, .. } => Some((*number, *on)),
        _ => None,
    };
    let (game, turn, tile) = (0..40)
        .map(castle)
        .find_map(|game| {
            let turn = game.turns().into_iter().find(|t| t.facts.iter().any(|(_, k)| used(k).is_some()))?;
            let tile = turn.facts.iter().find_map(|(_, k)| used(k));
            Some((game, turn.turn, tile))
        })
        .unwrap();
    let without = taken(&game, &Change::Turn(turn, vec![Edit::WallTile(None)])).unwrap();
    let uses = |game: &Game| facts(game).iter().filter(|k| used(k).is_some()).count();
    assert_eq!(uses(&without) + 1, uses(&game));
    let back = taken(&without, &Change::Turn(turn, vec![Edit::WallTile(tile)])).unwrap();
    assert_eq!((uses(&back), totals(&back)), (uses(&game), totals(&game)));
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0..72_u8).prop_map(|n| Edit::Tile(format!("h{n:02}"))),
        (0..10_i8, 0..10_i8).prop_map(|(c, r)| Edit::Cell(rules::Cell::new(c, r))),
        (0..4_u8).prop_map(|n| Edit::Rotation(Rotation::new(n))),
        (0..2_u8).prop_map(|n| Edit::Player(Player(n))),
        (0..5_u8).prop_map(|n| Edit::Figure(Some((FigureKind::FOLLOWER, n)))),
        Just(Edit::Figure(None)),
        (1..10_u8).prop_map(|n| Edit::WallTile(Some((n, None)))),
        ".{0,40}".prop_map(Edit::Moves),
        Just(Edit::Moves("lay h07 D5 1; knight; end".to_owned())),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let turn = 0..64_u32;
    prop_oneof![
        4 => (turn.clone(), proptest::collection::vec(edit(), 1..3)).prop_map(|(t, e)| Change::Turn(t, e)),
        1 => turn.clone().prop_map(Change::Delete),
        1 => (turn.clone(), "(lay h0[1-9] [A-H][1-8] [0-3]|discard h1[0-9]|end|knight|.{0,12})(; end)?")
            .prop_map(|(t, m)| Change::Insert(t, m)),
        1 => (turn.clone(), turn).prop_map(|(a, b)| Change::Move(a, b)),
        1 => (0..100_u8, 0..11_u8).prop_map(|(t, n)| Change::Shown(t, n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever is corrected: it is taken whole or not at all, what was written stays, and
    /// the record read back is the game.
    #[test]
    fn any_corrections_leave_a_record_that_is_read_back(
        seed in 0..6_u64,
        of_castle in any::<bool>(),
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        let mut game = if of_castle { castle(seed) } else { classic(seed) };
        for change in changes {
            let Some(next) = taken(&game, &change) else { continue };
            prop_assert_eq!(&next.events()[..game.events().len()], game.events());
            let read = again(&next);
            prop_assert_eq!(read.facts(), next.facts());
            prop_assert_eq!(totals(&read), totals(&next));
            prop_assert_eq!(read.conflicts(), next.conflicts());
            game = next;
        }
    }
}
