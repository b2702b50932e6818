//! Records of the classic game: replayed, written as text, accounted for, corrected,
//! damaged, and scored at the terminal.

use assert_cmd::Command;
use castellan::record::{EventKind, Game, Header, Log, Sheet, Source, Transcript, check, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::classic::{Position, base_deck};
use castellan::rules::{self, Deck, Player, Role, Score, SegmentAt, book, cell_name};
use predicates::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::classic_reference::play_close;
use crate::headers::classic_header;

const NAMES: [&str; 5] = ["Ada of the Hill", "Ben", "Cleo", "Dora", "Eli"];
const EDITIONS: [Option<&str>; 4] = [
    None,
    Some("base +unplaceable_loses_turn +tiny_city_scores_two"),
    Some("base +open_cities_feed_fields"),
    Some("base +hand_of_three +six_players"),
];

fn header(seed: u64) -> Header {
    let players = 2 + seed as usize % 4;
    Header {
        edition: EDITIONS[(seed / 4 + seed) as usize % EDITIONS.len()].map(str::to_owned),
        neutral: None,
        starts: Player((seed % players as u64) as u8),
        ..classic_header(&NAMES[..players])
    }
}

/// A random game; in those of even seeds tiles are laid close together.
fn played(seed: u64, deck: &Deck) -> Game {
    if !seed.is_multiple_of(2) {
        return play_random_with(header(seed), None, deck, seed, Policy::Random).unwrap();
    }
    let mut game = Game::new(header(seed), None, deck).unwrap();
    let start: Position = game.position().as_any().downcast_ref::<Position>().unwrap().clone();
    for played in play_close(&start, &mut Pcg64Mcg::seed_from_u64(seed)) {
        let text = game.position().write_move(&played);
        game.enter_text(&text, 0.0).unwrap();
    }
    game
}

/// The base game with at most two of each tile.
fn small_deck() -> Deck {
    let mut deck = base_deck();
    deck.tiles.iter_mut().for_each(|tile| tile.count = tile.count.min(2));
    deck
}

fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|(_, kind)| kind).collect()
}

fn scores(sheet: &Sheet) -> impl Iterator<Item = &Score> {
    sheet.turns.iter().flat_map(|t| &t.scores).chain(&sheet.finals)
}

/// Live, replayed from the log and read back from the text, it is one game; what it says
/// of totals, markers and the end is the sum of its items.
#[test]
fn log_and_text_read_back() {
    let deck = base_deck();
    for seed in 0..16 {
        let live = played(seed, &deck);
        let log = Log::read(&live.to_log()).unwrap();
        assert_eq!((&log.torn, log.lost.len()), (&None, 0));
        let read = log.clone().replay(None, &deck).unwrap();
        assert_eq!((read.events(), read.sheet()), (live.events(), live.sheet()), "seed {seed}");
        assert_eq!(check(&log, None, &deck).unwrap(), [], "seed {seed}");

        let text = live.to_text();
        let typed =
            Transcript::read(&text).unwrap().play(None, &deck).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!((typed.header(), facts(&typed)), (live.header(), facts(&live)), "seed {seed}");
        assert_eq!((typed.sheet(), typed.to_text()), (live.sheet(), text.clone()), "seed {seed}");

        let sheet = live.sheet();
        for score in scores(&sheet) {
            assert!(text.contains(&score.sentence), "{} is missing in\n{text}", score.sentence);
            for item in &score.items {
                let rule = book::rule(&item.rule).unwrap_or_else(|| panic!("{item:?}"));
                assert_eq!(rule.game(), rules::Game::Classic);
            }
        }
        let mut markers = vec![0; sheet.players.len()];
        for event in live.events() {
            if let EventKind::MarkerMoved { player, from, to, total } = event.kind {
                assert_eq!(u32::from(from), markers[player.index()] % 50, "seed {seed}");
                assert_eq!(u32::from(to), total % 50, "seed {seed}");
                markers[player.index()] = total;
            }
        }
        for (p, tally) in sheet.tallies.iter().enumerate() {
            let made: u32 = scores(&sheet).map(|s| s.points_of(Player(p as u8))).sum();
            assert_eq!((tally.total, markers[p]), (made, made), "seed {seed}");
            assert_eq!(tally.total, live.position().final_totals()[p]);
            assert_eq!(tally.by_category.values().sum::<u32>(), made);
        }
        let ended = &live.events().last().unwrap().kind;
        assert!(matches!(ended, EventKind::GameEnded { winners, .. } if *winners == sheet.winners));
    }
}

/// Every turn adds up, and every score has its reasons, each by a rule of the book.
#[test]
fn every_turn_is_accounted_for() {
    let deck = base_deck();
    let mut all = 0;
    for seed in 0..6 {
        let game = played(seed, &deck);
        assert!(game.account(0).is_none());
        let mut accounted = 0;
        let mut before = None;
        for turn in 1..=game.position().turn() {
            let Some(account) = game.account(turn) else { continue };
            accounted += account.scores.len();
            for (p, side) in account.before.players.iter().enumerate() {
                let made: u32 = account.scores.iter().map(|s| s.points_of(Player(p as u8))).sum();
                assert_eq!(side.total + made, account.after.players[p].total, "seed {seed}, turn {turn}");
            }
            if let Some(before) = before {
                assert_eq!(account.before, before, "seed {seed}, turn {turn}");
            }
            before = Some(account.after.clone());
            for reason in account.reasons.iter().chain(&account.final_reasons) {
                let rule = book::rule(&reason.rule).unwrap_or_else(|| panic!("{reason:?}"));
                assert_eq!(rule.game(), rules::Game::Classic, "{reason:?}");
            }
            for score in &account.scores {
                let cells: Vec<String> = score.cells.iter().map(|c| cell_name(*c)).collect();
                let place = match score.category.as_str() {
                    "cloister" => "the cloister in ".to_owned(),
                    kind => format!("the {kind} in {} ", cells.join(", ")),
                };
                let told = |r: &rules::Reason| {
                    let sentence = r.sentence.to_string();
                    sentence.starts_with(&place) && sentence.contains("is complete: ")
                };
                assert!(account.reasons.iter().any(told), "{place} in {:?}", account.reasons);
                let majority = account.reasons.iter().filter(|r| {
                    let sentence = r.sentence.to_string();
                    let names = |p: &rules::Player| sentence.contains(game.names().of(*p));
                    r.rule == "BA-19" && score.players.iter().all(names)
                });
                assert!(majority.count() > 0, "{score:?}: {:?}", account.reasons);
            }
            for score in &account.finals {
                let kind = format!("the {} in ", score.category);
                assert!(
                    account.final_reasons.iter().any(|r| r.sentence.to_string().contains(&kind)),
                    "{score:?}"
                );
            }
            let lines = account.to_lines();
            assert!(lines.iter().all(|l| !l.contains('\n')) && lines.contains(&"because:".to_owned()));
        }
        assert_eq!(accounted, game.scores().len(), "seed {seed}");
        all += accounted;
        let last = game.account(game.position().turn()).or_else(|| game.account(game.position().turn() - 1));
        assert_eq!(last.unwrap().finals, game.final_scores(), "seed {seed}");
    }
    assert!(all > 30, "{all} scores in 6 games");
}

/// A game of the facts that hold in another, without those that no longer fit.
fn anew(game: &Game, deck: &Deck) -> Game {
    let mut fresh = Game::new(game.header().clone(), None, deck).unwrap();
    let left_out: Vec<u64> = game.conflicts().iter().map(|c| c.0).collect();
    for (seq, kind) in game.facts() {
        if !left_out.contains(&seq) {
            fresh.apply_anyway(kind, Source::Hand, 1.0, 0.0).unwrap();
        }
    }
    fresh
}

/// What is corrected or inserted makes the game that it would have been.
#[test]
fn corrections_and_insertions_score_as_a_fresh_game() {
    let deck = base_deck();
    let (mut changed, mut inserted) = (0, 0);
    for seed in 0..4 {
        let live = played(seed, &deck);
        let all = live.facts();
        for (seq, kind) in all.iter().skip(seed as usize).step_by(9) {
            let mut game = live.clone();
            let instead = match kind {
                EventKind::TilePlaced { player, cell, rotation, .. } => {
                    Some(Box::new(EventKind::TilePlaced {
                        player: *player,
                        tile: deck.tiles[*seq as usize % deck.tiles.len()].id.clone(),
                        cell: *cell,
                        rotation: *rotation,
                    }))
                }
                _ => None,
            };
            let correction = EventKind::Correction { replaces: *seq, instead };
            game.apply_anyway(correction, Source::Hand, 1.0, 0.0).unwrap();
            assert_eq!(game.sheet().tallies, anew(&game, &deck).sheet().tallies, "seed {seed}, {kind:?}");
            changed += usize::from(game.sheet().tallies != live.sheet().tallies);
            let log = Log::read(&game.to_log()).unwrap().replay(None, &deck).unwrap();
            assert_eq!((log.sheet(), log.events()), (game.sheet(), game.events()), "seed {seed}, {kind:?}");
        }
        // A follower that was missed: the turns whose tile nobody claimed.
        for pair in all.windows(2).step_by(5) {
            let [(_, EventKind::TilePlaced { player, cell, .. }), (end, EventKind::TurnEnded { .. })] = pair
            else {
                continue;
            };
            let mut game = live.clone();
            let role = live.position().role_at(SegmentAt { cell: *cell, segment: 0 }).unwrap_or(Role::FARMER);
            let missed = EventKind::follower(*player, SegmentAt { cell: *cell, segment: 0 }, role);
            let insertion = EventKind::Inserted { before: *end, fact: Box::new(missed) };
            game.apply_anyway(insertion, Source::Hand, 1.0, 0.0).unwrap();
            assert_eq!(game.sheet().tallies, anew(&game, &deck).sheet().tallies, "seed {seed}, {cell:?}");
            inserted += usize::from(game.sheet().tallies != live.sheet().tallies);
        }
    }
    assert!(changed > 10 && inserted > 5, "{changed} corrections and {inserted} insertions changed a score");
}

/// The text with lines, counted from 0, that cannot be read.
fn without_lines(text: &str, lines: std::ops::Range<usize>) -> String {
    let spoilt =
        |(i, l): (usize, &str)| if lines.contains(&i) { format!("~{l}\n") } else { format!("{l}\n") };
    text.lines().enumerate().map(spoilt).collect()
}

/// Without any one line, and without any three, a record is scored as far as it holds.
#[test]
fn a_record_without_some_lines_is_scored_as_far_as_it_holds() {
    let deck = small_deck();
    let mut scored = 0;
    for (seed, lost) in [(2, 1), (4, 1), (5, 1), (6, 3), (8, 3)] {
        let live = played(seed, &deck);
        let text = live.to_log();
        scored += live.scores().len();
        let (mut whole, mut cut, mut facts) = (0, 0, 0);
        for first in 1..=live.events().len() - (lost - 1) {
            let events = &live.events()[first - 1..][..lost];
            let log = Log::read(&without_lines(&text, first..first + lost)).unwrap();
            let game = log.replay(None, &deck).unwrap();
            assert_eq!(game.lost().len(), 1);
            let said = game.lost()[0].to_string();
            let same = game.sheet().tallies == live.sheet().tallies;
            let is_fact = events.iter().any(|e| e.kind.is_fact());
            assert!(same || is_fact, "what only follows is no loss: {said}");
            assert!(same || said.contains("left out") || said.contains("is lost"), "{said}");
            facts += usize::from(is_fact);
            whole += usize::from(is_fact && same);
            cut += usize::from(!same);
            // No score that the game did not have.
            for score in game.scores() {
                let was = |s: &castellan::record::ScoreAt| (s.turn, &s.score) == (score.turn, &score.score);
                assert!(live.scores().iter().any(was), "seed {seed}, line {first}: {said}");
            }
        }
        println!("seed {seed}, {lost} lost: {facts} with facts, {whole} whole, {cut} cut");
        match lost {
            1 => assert!(whole * 10 >= facts * 9, "seed {seed}: {whole} of {facts}, {cut} cut"),
            _ => assert!(cut > 0, "seed {seed}: three lines are never made up"),
        }
    }
    assert!(scored > 8, "{scored} scores of turns");
}

/// Where a tile that fits nowhere costs the turn, its line is found by whose turn follows.
#[test]
fn a_lost_discard_is_found() {
    let tile = |id: &str, count, face: &str| rules::Tile {
        id: id.to_owned(),
        face: face.parse().ok(),
        doubts: Vec::new(),
        count,
    };
    let mut deck = Deck::new("small", rules::Game::Classic, Vec::new());
    deck.tiles =
        vec![tile("c", 4, "city n-e-s-w"), tile("f", 2, "field n-e-s-w"), tile("s", 1, "city n-e-s-w")];
    deck.start = Some("s".to_owned());
    let header = Header {
        edition: Some("base +unplaceable_loses_turn".to_owned()),
        ..classic_header(&["Ada", "Ben", "Cleo"])
    };
    let mut live = Game::new(header, None, &deck).unwrap();
    for text in "lay c B1; knight; end; discard f; lay c C1; end; lay c D1; end; lay c E1; end".split(';') {
        live.enter_text(text, 0.0).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let is_discard = |e: &castellan::record::Event| matches!(e.kind, EventKind::TileDiscarded { .. });
    let at = live.events().iter().position(is_discard).unwrap();
    let log = Log::read(&without_lines(&live.to_log(), at + 1..at + 2)).unwrap();
    let game = log.replay(None, &deck).unwrap();
    assert_eq!((facts(&game), game.sheet()), (facts(&live), live.sheet()), "{:?}", game.lost());
    assert!(
        game.lost()[0].to_string().contains("by all that follows it said that Ben puts f out of the game"),
        "{:?}",
        game.lost()
    );
}

fn score(arguments: &[&str], input: String) -> assert_cmd::assert::Assert {
    Command::cargo_bin("castellan").unwrap().arg("score").arg("-").args(arguments).write_stdin(input).assert()
}

fn out(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The log, the text and the same typed with mistakes give one sheet.
#[test]
fn the_terminal_scores_logs_texts_and_what_is_typed() {
    let deck = base_deck();
    let game = played(6, &deck);
    let sheet = game.sheet();
    let json = out(&score(&["--json"], game.to_log()).code(0));
    assert_eq!(serde_json::from_str::<Sheet>(&json).unwrap(), sheet);
    assert_eq!(out(&score(&["--text"], game.to_log()).code(0)), game.to_text());
    let typed = out(&score(&[], game.to_text()).code(0));
    let totals = |text: &str| -> Vec<u32> {
        let line = text.lines().find(|l| l.starts_with("total")).unwrap();
        line.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect()
    };
    assert_eq!(totals(&typed), sheet.tallies.iter().map(|t| t.total).collect::<Vec<_>>(), "{typed}");
    for score in scores(&sheet) {
        assert!(typed.contains(&score.sentence), "{} is missing in\n{typed}", score.sentence);
    }
    let turn = game.scores()[0].turn.to_string();
    let account = out(&score(&["--turn", &turn], game.to_log()).code(0));
    assert!(account.contains(&game.scores()[0].score.sentence) && account.contains("(BA-19)"), "{account}");
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["check", "-"])
        .write_stdin(game.to_log())
        .assert()
        .code(0)
        .stderr(predicate::str::contains("in order"));

    let moves = "game classic\nplayer Ada\nplayer Ben\nplayer Cleo\nstarts Ben\n\
                 lay Rr C1\nlay Rr B1; highwayman; hello\nend\nlay Rx B2\nlay Rr B2 1\nhighwayman; end\nend; stop\n";
    let assert = score(&[], moves.to_owned()).code(3);
    let (out, err) = (out(&assert), String::from_utf8_lossy(&assert.get_output().stderr).into_owned());
    assert!(out.starts_with("Carcassonne, the base game\n"), "{out}");
    assert!(out.contains("at end   Ben +3") && out.contains("Ben wins"), "{out}");
    let answers: Vec<&str> = err.lines().collect();
    assert!(answers[0].starts_with("line 6: `lay Rr C1`: ") && answers[0].contains("(BA-08)"), "{err}");
    assert!(answers[1].starts_with("line 7: `hello`: `hello` is no move; write lay,"), "{err}");
    assert!(answers[2].starts_with("line 9: `lay Rx B2`: the deck has no tile `Rx`"), "{err}");
    assert!(answers[3].starts_with("line 11: `highwayman`: ") && answers[3].contains("(BA-13)"), "{err}");
}

/// Header lines that belong to another game, or that nobody can play by, are refused.
#[test]
fn headers_that_make_no_game_are_refused() {
    let deck = base_deck();
    for (text, words) in [
        ("game chess\n", "line 1: write the line as `game castle, or game classic`"),
        ("game classic\nedition old\nlay Rr B1\n", "no edition of the classic game is named `old`"),
        (
            "game classic\nedition base +old\nlay Rr B1\n",
            "`+old` is no switch; write + or - and one of six_players",
        ),
        (
            "game classic\nplayer A\nplayer B\nplayer C\nplayer D\nplayer E\nplayer F\n",
            "6 players cannot play",
        ),
        ("game classic\nstarts Nobody\n", "nobody named `Nobody` plays"),
        ("game classic\ntower 12 holds 3\n", "line 2: the classic game is played without towers; leave"),
        ("tower 12 holds 3\ngame classic\n", "line 2: the classic game is played without towers; leave"),
        ("game classic\nwall house\n", "line 2: the classic game is played without a wall; leave"),
        ("wall house\ngame classic\n", "line 2: the classic game is played without a wall; leave"),
    ] {
        let error =
            Transcript::read(text).and_then(|t| t.play(None, &deck).map(|_| ())).unwrap_err().to_string();
        assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
    }
    let six = "game classic\nedition base +six_players\n".to_owned()
        + &"ABCDEF".chars().map(|c| format!("player {c}\n")).collect::<String>();
    assert_eq!(Transcript::read(&six).unwrap().play(None, &deck).unwrap().sheet().players.len(), 6);
    let error = Transcript::read(&(six + "player G\n")).unwrap_err().to_string();
    assert_eq!(error, "line 9: write the line as `player NAME, six times and no more`");
}
