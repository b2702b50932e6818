//! Plays games before a simulated camera with one hazard after another and prints how each
//! tracker kept their records, as a Markdown table.
//!
//! `cargo run --release --no-default-features --example measure_tracker -- [GAMES [FIRST
//! SEED [HAZARD]]]`: so many games of each of the two games, from this seed on, perhaps only
//! of the hazards with this word in their name. Figures are of seeds from 5001 on; 1, 2, 11 to
//! 14, 1001 and 6001 to 6009 were looked at when settings were made. `docs/tracker.md` has the figures.
//! With `SETS` set, games with modules have these sets, as in a deck's name: `+river+count`.
//! With `GAME` set, only of the game with this word in its name: castle, classic, modules.
//! With `ANSWERS` set, somebody answers each question after 10 s as it was played.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use castellan::library;
use castellan::record::{EventKind, Game, Header, Source, VERSION, likeness, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::{self, Cell, Deck, FigureKind, Player, Wall, cell_name};
use castellan::table::sim::{Noise, Rehearsal, Tempo};
use castellan::table::{Patience, Question, Session, Status, Tracker};

/// Something that happens at a table or in a camera.
struct Hazard {
    name: &'static str,
    tempo: Tempo,
    noise: Noise,
}

fn hazards() -> Vec<Hazard> {
    let tempo = Tempo { calm: 1.4, ..Tempo::live() };
    // Every camera errs a little.
    let noise = Noise {
        misread: 0.01,
        unknown: 0.01,
        covered: 0.001,
        missing: 0.05,
        shift: 0.03,
        size: 0.4,
        ..Noise::default()
    };
    let everything = (
        Tempo {
            sleeve: 0.1,
            at_once: 0.2,
            late: 0.1,
            late_for: 30.0,
            fidget: 0.05,
            forgotten: 0.03,
            late_home: 0.1,
            two_turns: 0.02,
            beside: 0.03,
            away: 2,
            ..tempo
        },
        Noise {
            mistaken: 0.005,
            biased: 0.03,
            bias: 0.5,
            miscoloured: 0.005,
            unseen: 0.03,
            unseen_for: 20.0,
            flicker: 0.001,
            phantom: 0.004,
            ..noise
        },
    );
    let of = |name, tempo, noise| Hazard { name, tempo, noise };
    vec![
        of("perfect camera", Tempo::live(), Noise { size: 0.01, ..Noise::default() }),
        of("one still a turn", Tempo::stills(), Noise { shift: 0.03, size: 0.3, ..Noise::default() }),
        of("a camera that errs a little (in all below)", tempo, noise),
        of("hands and sleeves over several cells", Tempo { sleeve: 0.5, ..tempo }, noise),
        of("tile and follower in one go", Tempo { at_once: 0.5, ..tempo }, noise),
        of("followers up to 40 s after the tile", Tempo { late: 0.3, late_for: 40.0, ..tempo }, noise),
        of("tiles nudged, turned, lifted", Tempo { fidget: 0.2, ..tempo }, noise),
        of("scored followers forgotten", Tempo { forgotten: 0.15, ..tempo }, noise),
        of("scored followers home turns late", Tempo { late_home: 0.3, ..tempo }, noise),
        of("followers not seen for up to 30 s", tempo, Noise { unseen: 0.1, unseen_for: 30.0, ..noise }),
        of("followers read half way to another segment", tempo, Noise { biased: 0.15, bias: 0.5, ..noise }),
        of("tiles always misread, the truth second", tempo, Noise { mistaken: 0.03, ..noise }),
        of("two turns in one look", Tempo { two_turns: 0.08, ..tempo }, noise),
        of("two turns in one look, markers moved", Tempo { two_turns: 0.08, markers: true, ..tempo }, noise),
        of(
            "followers not seen for up to 30 s, markers moved",
            Tempo { markers: true, ..tempo },
            Noise { unseen: 0.1, unseen_for: 30.0, ..noise },
        ),
        of("camera gone for 3 turns", Tempo { away: 3, ..tempo }, noise),
        of("camera gone for 5 turns", Tempo { away: 5, ..tempo }, noise),
        of("camera gone for 10 turns", Tempo { away: 10, ..tempo }, noise),
        of("followers read as the other player's", tempo, Noise { miscoloured: 0.03, ..noise }),
        of("tiles sorted beside the board", Tempo { beside: 0.15, ..tempo }, noise),
        of("sizes of figures not told", tempo, Noise { size: 0.0, ..noise }),
        of("packing up at the end", Tempo { packing: true, ..tempo }, noise),
        of("false figures that flicker", tempo, Noise { flicker: 0.003, ..noise }),
        of("false figures that stay", tempo, Noise { phantom: 0.03, ..noise }),
        of("a little of everything", everything.0, everything.1),
        of("a little of everything, markers moved", Tempo { markers: true, ..everything.0 }, everything.1),
    ]
}

/// A game to play before the camera.
struct Played {
    start: Game,
    game: Game,
    deck: Deck,
}

fn castle(wall: &Wall, deck: &Deck, seed: u64) -> Option<Played> {
    // Wall tiles that are used at the end by themselves, two of each; of 1 to 3, which are
    // played by hand, only what is left over.
    let towers = wall.towers.iter().map(|t| t.0).filter(|low| *low != 0);
    let number = |i: usize| if i < 12 { 4 + ((seed as usize + i) % 6) as u8 } else { 3 };
    let numbers = towers.enumerate().map(|(i, low)| (low, number(i)));
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Castle,
        deck: deck.name.clone(),
        wall: Some(wall.name.clone()),
        edition: None,
        players: vec!["Ada".to_owned(), "Ben".to_owned()],
        colours: vec!["blue".to_owned(), "yellow".to_owned()],
        neutral: None,
        starts: Player((seed % 2) as u8),
        wall_tiles: numbers.collect(),
    };
    let start = Game::new(header.clone(), wall, deck).ok()?;
    let policy = if seed.is_multiple_of(2) { Policy::Greedy } else { Policy::Random };
    let game = play_random_with(header, wall, deck, seed, policy).ok()?;
    whole(Played { start, game, deck: deck.clone() })
}

/// `sets` are those that go with the base game, as in a deck's name: `+river+inns`.
fn classic(sets: &str, seed: u64) -> Option<Played> {
    let players = 2 + (seed % 4) as usize;
    let take = |words: [&str; 5]| words[..players].iter().map(|w| (*w).to_owned()).collect();
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Classic,
        deck: format!("classic{sets}"),
        wall: None,
        edition: None,
        players: take(["Ada", "Ben", "Cleo", "Dora", "Eli"]),
        colours: take(["red", "blue", "green", "yellow", "black"]),
        neutral: None,
        starts: Player((seed % players as u64) as u8),
        wall_tiles: BTreeMap::new(),
    };
    let deck = library::deck(&header.deck).ok()?.deck;
    let start = Game::new(header.clone(), None, &deck).ok()?;
    let game = play_random_with(header, None, &deck, seed, Policy::Random).ok()?;
    whole(Played { start, game, deck })
}

/// A game in which every tile found a place: what is drawn and put away is told by hand.
fn whole(played: Played) -> Option<Played> {
    let discards =
        |k: &EventKind| matches!(k, EventKind::TileDiscarded { .. } | EventKind::WallTileUsed { .. });
    (!facts(&played.game).iter().any(discards)).then_some(played)
}

fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|f| f.1).collect()
}

/// What lies in a cell and who claimed which segment of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lies {
    tile: Option<(Player, String, u8)>,
    claim: Option<(Player, u8, FigureKind)>,
}

fn board(facts: &[EventKind]) -> BTreeMap<Cell, Lies> {
    let mut board: BTreeMap<Cell, Lies> = BTreeMap::new();
    for kind in facts {
        match kind {
            EventKind::TilePlaced { player, tile, cell, rotation } => {
                board.entry(*cell).or_default().tile = Some((*player, tile.clone(), rotation.quarters()));
            }
            EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                board.entry(*cell).or_default().claim = Some((*player, *segment, *figure));
            }
            _ => {}
        }
    }
    board
}

/// The sets of the classic game in which a camera sees all that is done.
const MODULES: &str = "+river+inns+traders+king+cathars";

/// How a tracker did.
#[derive(Default)]
struct Tally {
    games: usize,
    right: usize,
    silent: usize,
    /// Of these, those in which all that is wrong in silence is followers that were hardly
    /// ever read.
    hidden: usize,
    doubts: usize,
    open: usize,
    tiles: Counted,
    figures: Counted,
    times: Vec<Duration>,
    wrong_seeds: Vec<u64>,
    silent_seeds: Vec<u64>,
}

/// Events that were right when they were recorded first, of all that should have been and
/// those that should not.
#[derive(Default)]
struct Counted {
    right: usize,
    all: usize,
}

fn watch(played: &Played, hazard: &Hazard, tracker: Tracker, seed: u64, tally: &mut Tally) {
    let rehearsal =
        Rehearsal::of(&played.game, played.start.clone(), &played.deck, hazard.tempo, hazard.noise, seed);
    let patience = if hazard.tempo.hand > 0.0 { Patience::live() } else { Patience::stills(1.0) };
    let mut session = Session::resume(played.start.clone(), played.deck.clone())
        .with_patience(patience)
        .with_tracker(tracker);
    let mut first: BTreeMap<Cell, Lies> = BTreeMap::new();
    let verbose = std::env::var_os("VERBOSE").is_some();
    let answers = std::env::var_os("ANSWERS").is_some();
    let mut asked: BTreeMap<String, f64> = BTreeMap::new();
    let mut note = |events: &[castellan::record::Event]| {
        for event in events {
            if verbose && !matches!(event.kind, EventKind::Recomputed { .. }) {
                eprintln!("{:4} {:8.1} {:?}", event.seq, event.t, event.kind);
            }
            let kind = match &event.kind {
                EventKind::Correction { instead: Some(kind), .. }
                | EventKind::Inserted { fact: kind, .. } => kind,
                kind => kind,
            };
            match kind {
                EventKind::TilePlaced { player, tile, cell, rotation } => {
                    let lies = first.entry(*cell).or_default();
                    if lies.tile.is_none() {
                        lies.tile = Some((*player, tile.clone(), rotation.quarters()));
                    }
                }
                EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                    let lies = first.entry(*cell).or_default();
                    if lies.claim.is_none() {
                        lies.claim = Some((*player, *segment, *figure));
                    }
                }
                _ => {}
            }
        }
    };
    for (t, seen) in &rehearsal.observations {
        let began = Instant::now();
        let events = session.observe(seen, *t);
        tally.times.push(began.elapsed());
        note(&events);
        if answers {
            answer(&mut session, &played.game, &mut asked, *t);
        }
    }
    note(&session.finish());
    // What is open at the end is answered too, question by question.
    while answers && answer(&mut session, &played.game, &mut asked, f64::INFINITY) {}
    let truth = board(&facts(&played.game));
    let ours = board(&facts(session.game()));
    for (cell, lies) in &truth {
        let met = first.get(cell).cloned().unwrap_or_default();
        let now = ours.get(cell).cloned().unwrap_or_default();
        tally.tiles.all += 1;
        tally.tiles.right += usize::from(met.tile == lies.tile && now.tile == lies.tile);
        if lies.claim.is_some() {
            tally.figures.all += 1;
            tally.figures.right += usize::from(met.claim == lies.claim && now.claim == lies.claim);
        } else if met.claim.is_some() {
            tally.figures.all += 1;
        }
    }
    tally.tiles.all += first.iter().filter(|(c, l)| l.tile.is_some() && !truth.contains_key(c)).count();
    tally.games += 1;
    // What the game itself asks, such as an order of scoring, is no doubt of the tracker's.
    let is_asked = |sentence: &str| {
        let asks = |e: &castellan::record::Event| matches!(&e.kind, EventKind::Doubt { sentence: s, .. } if s == sentence);
        played.game.events().iter().any(asks)
    };
    let says = |e: &&castellan::record::Event| matches!(&e.kind, EventKind::Doubt { sentence, .. } if !is_asked(sentence));
    tally.doubts += session.game().events().iter().filter(says).count();
    let mut open = session.doubts();
    open.retain(|d| !is_asked(&d.sentence.to_string()));
    tally.open += open.len();
    let totals = |game: &Game| game.sheet().tallies.iter().map(|t| t.total).collect::<Vec<_>>();
    let over = session.status() == Status::Finished;
    if over && totals(session.game()) == totals(&played.game) {
        tally.right += 1;
        return;
    }
    tally.wrong_seeds.push(seed);
    let parted = matches!(session.status(), Status::OutOfStep(_) | Status::TilesGone(_));
    let told = |cell: &Cell| {
        open.iter().any(|d| {
            d.cell == Some(*cell)
                || d.sentence
                    .to_string()
                    .split(|c: char| !c.is_alphanumeric() && c != '-')
                    .any(|w| w == cell_name(*cell))
        })
    };
    let hardly = |cell: &Cell| rehearsal.shown.get(cell).is_some_and(|n| *n < patience.readings);
    let (mut wrong, mut silent, mut hidden) = (0, 0, 0);
    for (cell, lies) in &truth {
        let now = ours.get(cell).cloned().unwrap_or_default();
        if now == *lies {
            continue;
        }
        wrong += 1;
        // Who laid a tile on which nobody put anything counts for nothing by itself.
        let what = |l: &Lies| l.tile.as_ref().map(|t| (t.1.clone(), t.2));
        let matters = what(&now) != what(lies) || now.claim != lies.claim;
        if matters && !told(cell) && !(parted && now.tile.is_none()) {
            silent += 1;
            hidden += usize::from(hardly(cell));
            if verbose {
                let shown = rehearsal.shown.get(cell);
                eprintln!("silent in {}: {lies:?} is recorded as {now:?}, shown {shown:?}", cell_name(*cell));
            }
        }
    }
    let extra = ours.keys().filter(|c| !truth.contains_key(c)).filter(|c| !told(c)).count();
    // The same lies there and counts otherwise: the order of the turns, or one not ended.
    let order = (silent + extra == 0 && !parted && open.is_empty()) || (wrong == 0 && open.is_empty());
    if silent + extra > 0 || order {
        tally.silent += 1;
        tally.hidden += usize::from(silent == hidden && extra == 0 && !order);
        tally.silent_seeds.push(seed);
    }
    if verbose {
        eprintln!("status {:?}", session.status());
        for doubt in &open {
            eprintln!("open: {doubt:?}");
        }
        for kind in facts(&played.game) {
            eprintln!("truth {kind:?}");
        }
    }
}

/// Answers a question that has been open for 10 s by the choice with which the record is
/// likest to what was played; whether there was one. None is answered twice at the end.
fn answer(session: &mut Session, truth: &Game, asked: &mut BTreeMap<String, f64>, t: f64) -> bool {
    let about_table =
        |q: &Question| q.answers.len() > 1 && session.doubts().iter().any(|d| d.sentence == q.sentence);
    let open: Vec<Question> = session.questions().into_iter().filter(about_table).collect();
    if t.is_finite() {
        asked.retain(|sentence, _| open.iter().any(|q| q.sentence == *sentence));
    }
    for question in open {
        let since = asked.entry(question.sentence.clone().to_string()).or_insert(t.min(1e9));
        if *since == f64::INFINITY || t - *since < 10.0 {
            continue;
        }
        let as_answered = |kinds: &[EventKind]| {
            let mut game = session.game().clone();
            for kind in kinds {
                game.apply_anyway(kind.clone(), Source::Hand, 1.0, 0.0).ok()?;
            }
            Some(likeness(truth, &game, |a, b| a == b))
        };
        let worth: Vec<Option<i64>> = question.answers.iter().map(|a| as_answered(&a.kinds)).collect();
        // Of equal ones, the record as it is.
        let best = (0..worth.len()).rev().max_by_key(|i| worth[*i]).unwrap_or(0);
        asked.remove(&question.sentence.to_string());
        if t.is_infinite() {
            asked.insert(question.sentence.clone().to_string(), f64::INFINITY);
        }
        let answered = session.answer(&question, question.answers[best].key);
        if std::env::var_os("VERBOSE").is_some() {
            let words: Vec<String> = question.answers.iter().map(|a| a.words.to_string()).collect();
            eprintln!("asked at {t}: {}: {words:?} {worth:?} {best} {answered:?}", question.sentence);
        }
        if answered.is_ok() {
            return true;
        }
    }
    false
}

impl Counted {
    fn percent(&self) -> f64 {
        100.0 * self.right as f64 / self.all.max(1) as f64
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let games: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(30);
    let from: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let only = args.next().unwrap_or_default();
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in").deck;
    let sets = std::env::var("SETS").unwrap_or_else(|_| MODULES.to_owned());
    type Make<'a> = Box<dyn Fn(u64) -> Option<Played> + 'a>;
    let kinds: [(&str, Make<'_>); 3] = [
        ("castle", Box::new(|seed| castle(&wall, &deck, seed))),
        ("classic", Box::new(|seed| classic("", seed))),
        ("modules", Box::new(|seed| classic(&sets, seed))),
    ];
    println!(
        "| game | hazard | tracker | totals right | silently wrong | of these never shown | doubts said a game | open \
         at the end | tile events | figure events | median | 99 in 100 | worst |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let trackers = match std::env::var("TRACKER").as_deref() {
        Ok("histories") => vec![Tracker::Histories],
        Ok("incremental") => vec![Tracker::Incremental],
        _ => vec![Tracker::Incremental, Tracker::Histories],
    };
    let game = std::env::var("GAME").unwrap_or_default();
    for (name, make) in kinds.iter().filter(|k| k.0.contains(&game)) {
        let played: Vec<(u64, Played)> =
            (from..).filter_map(|seed| Some((seed, make(seed)?))).take(games).collect();
        for hazard in hazards().iter().filter(|h| h.name.contains(&only)) {
            for tracker in &trackers {
                let mut tally = Tally::default();
                for (seed, played) in &played {
                    watch(played, hazard, *tracker, *seed, &mut tally);
                }
                tally.times.sort();
                let ms = |d: Option<&Duration>| d.map_or(0.0, |d| d.as_secs_f64() * 1000.0);
                println!(
                    "| {name} | {} | {} | {} of {} | {} | {} | {:.1} | {:.1} | {:.2} % | {:.2} % | {:.2} ms | {:.1} ms | \
                     {:.1} ms |",
                    hazard.name,
                    format!("{tracker:?}").to_lowercase(),
                    tally.right,
                    tally.games,
                    tally.silent,
                    tally.hidden,
                    tally.doubts as f64 / tally.games as f64,
                    tally.open as f64 / tally.games as f64,
                    tally.tiles.percent(),
                    tally.figures.percent(),
                    ms(tally.times.get(tally.times.len() / 2)),
                    ms(tally.times.get(tally.times.len() * 99 / 100)),
                    ms(tally.times.last()),
                );
                if std::env::var_os("SEEDS").is_some() {
                    eprintln!("wrong {:?}, in silence {:?}", tally.wrong_seeds, tally.silent_seeds);
                }
            }
        }
    }
}
