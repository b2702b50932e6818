//! The JSON Schema of the record's format: what is written fits it, what is spoilt
//! does not, and it says what the types say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use castellan::library;
use castellan::record::{
    Event, EventKind, Game, Header, Log, Source, Tally, VERSION, play_random, play_random_with,
};
use castellan::rules::castle::Policy;
use castellan::rules::{
    self, Cell, FigureKind, Item, Kind, Player, Role, Rotation, Score, SegmentAt, StandingFollower, Token,
};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::decks::house_wall;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../docs/record.schema.json")).unwrap());
static LINES: LazyLock<Validator> = LazyLock::new(|| jsonschema::draft202012::new(&SCHEMA).unwrap());

fn fits(line: &Value) -> bool {
    LINES.is_valid(line)
}

/// Every line of a record fits.
#[track_caller]
fn assert_fits(text: &str) {
    for (line, number) in text.lines().zip(1..) {
        let value: Value = serde_json::from_str(line).unwrap();
        if let Err(error) = LINES.validate(&value) {
            panic!("line {number}: {error}: {line}");
        }
    }
}

/// The house game with corrections, an insertion, a doubt and broken rules.
fn corrected() -> Game {
    let deck = library::deck("house").unwrap().deck;
    let wall = house_wall();
    let mut game = play_random(&wall, &deck, 4, Policy::Greedy).unwrap();
    let (claim, kind) =
        game.facts().into_iter().find(|(_, k)| matches!(k, EventKind::FollowerPlaced { .. })).unwrap();
    let end = game.facts().into_iter().find(|(seq, _)| *seq > claim).unwrap().0;
    let taken = EventKind::Correction { replaces: claim, instead: None };
    game.apply(taken, Source::Hand, 1.0, 2000.0).unwrap();
    let inserted = EventKind::Inserted { before: end, fact: Box::new(kind) };
    game.apply(inserted, Source::Hand, 1.0, 2001.0).unwrap();
    // The last tile lay turned another way, against the rules.
    let (lay, kind) =
        game.facts().into_iter().rfind(|(_, k)| matches!(k, EventKind::TilePlaced { .. })).unwrap();
    let EventKind::TilePlaced { player, tile, cell, rotation } = kind else { panic!() };
    let against = (1..4).any(|turn| {
        let rotation = rotation.then(Rotation::new(turn));
        let instead = Box::new(EventKind::TilePlaced { player, tile: tile.clone(), cell, rotation });
        let turned = EventKind::Correction { replaces: lay, instead: Some(instead) };
        game.clone().apply(turned.clone(), Source::Hand, 1.0, 2002.0).is_err()
            && game.apply_anyway(turned, Source::Hand, 1.0, 2002.0).is_ok()
    });
    assert!(against);
    game.doubt("the camera saw a hand".to_owned(), Some(Cell::new(3, 4)), 2003.0);
    game
}

#[test]
fn records_of_the_castle_fit() {
    let committed = include_str!("../../datasets/house-game/expected.jsonl");
    assert!(
        committed.contains("\"version\":1")
            && committed.contains("\"score\":{\"category\":\"tower\",\"player\":")
    );
    assert_fits(committed);
    let deck = library::deck("house").unwrap().deck;
    for seed in 0..6 {
        let policy = if seed % 2 == 0 { Policy::Random } else { Policy::Greedy };
        assert_fits(&play_random(&house_wall(), &deck, seed, policy).unwrap().to_log());
    }
    let game = corrected();
    let has = |wanted: fn(&Event) -> bool| game.events().iter().any(wanted);
    assert!(has(|e| matches!(e.kind, EventKind::Correction { instead: None, .. })));
    assert!(
        has(|e| matches!(e.kind, EventKind::Correction { instead: Some(_), .. }) && !e.waived.is_empty())
    );
    assert!(has(|e| matches!(e.kind, EventKind::Inserted { .. })));
    assert!(has(|e| matches!(e.kind, EventKind::Doubt { cell: Some(_), .. })));
    assert_fits(&game.to_log());
}

/// The header of a classic game of so many.
fn classic(players: usize) -> Header {
    let all = [("Ada", "red"), ("Ben", "blue"), ("Cem", "green"), ("Dot", "yellow"), ("Eve", "black")];
    Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Classic,
        deck: "classic".to_owned(),
        wall: None,
        edition: None,
        players: all[..players].iter().map(|p| p.0.to_owned()).collect(),
        colours: all[..players].iter().map(|p| p.1.to_owned()).collect(),
        neutral: None,
        starts: Player(players as u8 - 1),
        wall_tiles: BTreeMap::new(),
    }
}

#[test]
fn records_of_the_classic_game_fit() {
    let deck = library::deck("classic").unwrap().deck;
    for players in 2..=5 {
        let game = play_random_with(classic(players), None, &deck, players as u64, Policy::Random).unwrap();
        assert!(game.events().iter().any(|e| matches!(e.kind, EventKind::GameEnded { .. })));
        assert_fits(&game.to_log());
    }
}

fn spoilt(line: &Value, pointer: &str, with: Value) -> Value {
    let mut line = line.clone();
    *line.pointer_mut(pointer).unwrap() = with;
    line
}

fn without(line: &Value, field: &str) -> Value {
    let mut line = line.clone();
    line.as_object_mut().unwrap().remove(field).unwrap();
    line
}

fn with(line: &Value, field: &str, value: Value) -> Value {
    let mut line = line.clone();
    line[field] = value;
    line
}

#[test]
fn what_is_spoilt_does_not_fit() {
    let text = include_str!("../../datasets/house-game/expected.jsonl");
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |kind: &str| lines.iter().find(|l| l["type"] == kind).unwrap();
    let (header, tile, score) = (&lines[0], of("tile_placed"), of("feature_scored"));
    for line in [header, tile, score] {
        assert!(fits(line));
        for field in
            line.as_object().unwrap().keys().filter(|f| !["wall", "wall_tiles"].contains(&f.as_str()))
        {
            assert!(!fits(&without(line, field)), "without {field}: {line}");
            assert!(!fits(&spoilt(line, &format!("/{field}"), json!([{}]))), "{field}: {line}");
        }
        assert!(!fits(&with(line, "sequel", json!(1))), "{line}");
    }
    let correction = json!({"seq": 9, "t": 1.5, "source": "hand", "confidence": 1.0, "type": "correction",
        "replaces": 1, "instead": {"type": "turn_ended", "player": 0, "turn": 1}});
    assert!(fits(&correction) && fits(&spoilt(&correction, "/instead", json!(null))));
    for line in [
        spoilt(header, "/version", json!(3)),
        spoilt(header, "/players", json!(["Ada"])),
        spoilt(header, "/wall_tiles", json!({"tower": 1})),
        spoilt(tile, "/type", json!("tile_eaten")),
        spoilt(tile, "/cell", json!([1])),
        spoilt(tile, "/cell", json!([1, 200])),
        spoilt(tile, "/rotation", json!(4)),
        spoilt(tile, "/player", json!(-1)),
        spoilt(tile, "/seq", json!(0)),
        spoilt(tile, "/confidence", json!(1.5)),
        spoilt(tile, "/source", json!("phone")),
        with(tile, "segment", json!(1)),
        with(tile, "ruling", json!(["it stands"])),
        with(tile, "evidence", json!("0001.jpg")),
        with(tile, "evidence", json!(["../0001.jpg"])),
        spoilt(score, "/score/player", json!("Ada")),
        spoilt(score, "/score/items/0/count", json!("many")),
        spoilt(score, "/score", without(&score["score"], "player")),
        spoilt(score, "/score", with(&score["score"], "players", json!([0]))),
        spoilt(&correction, "/instead", correction.clone()),
        spoilt(&correction, "/instead", json!({"type": "doubt", "sentence": "a derived event"})),
        spoilt(&correction, "/instead/turn", json!(0)),
        spoilt(&correction, "/instead", with(&correction["instead"], "seq", json!(4))),
        json!([]),
        json!({}),
    ] {
        assert!(!fits(&line), "{line}");
    }
}

/// Every kind of event with all its fields, and with as few as it can have.
fn kinds() -> Vec<(EventKind, EventKind)> {
    let (player, cell) = (Player(1), Cell::new(-2, 3));
    let at = SegmentAt { cell, segment: 2 };
    let item = Item { what: "tiles".into(), count: 2, each: 1, rule: "CA-42".into(), cells: vec![cell] };
    let full = Score {
        category: "path".into(),
        players: vec![player],
        items: vec![item.clone()],
        followers: vec![
            StandingFollower { player, cell, segment: 0, figure: FigureKind::BIG_FOLLOWER },
            StandingFollower { player, cell, segment: 0, figure: FigureKind::FOLLOWER },
        ],
        cells: vec![cell],
        sentence: "2 tiles".into(),
    };
    let bare = Score { items: vec![], followers: vec![], cells: vec![], ..full.clone() };
    let placed = |figure| EventKind::FollowerPlaced { player, cell, segment: 1, role: Role::MONK, figure };
    let ended = EventKind::TurnEnded { player, turn: 3 };
    let tally = Tally { by_category: [("path".to_owned(), 4)].into(), total: 4 };
    let used = |on| EventKind::WallTileUsed { player, number: 2, on };
    let taken = |number| EventKind::WallTileTaken { player, tower: 12, number };
    let doubt = |cell| EventKind::Doubt { sentence: "a hand".into(), cell };
    let moved = |figure| EventKind::FigureMoved { player, from: at, to: at, role: Role::MONK, figure };
    let tokens = |from| EventKind::TokensTaken {
        player,
        token: Token::ALL[0],
        count: 2,
        from,
        sentence: "2 tokens".into(),
    };
    let same = |kind: EventKind| (kind.clone(), kind);
    let tile = "h01".to_owned();
    let all = vec![
        same(EventKind::TilePlaced { player, tile: tile.clone(), cell, rotation: Rotation::new(3) }),
        (placed(FigureKind::PIG), placed(FigureKind::FOLLOWER)),
        same(EventKind::TileDiscarded { player, tile }),
        (used(Some(at)), used(None)),
        same(EventKind::OrderChosen { player, features: vec![at] }),
        same(EventKind::WallTileShown { tower: 12, number: 5 }),
        (
            EventKind::FigureReturned { player, at, figure: FigureKind::BIG_FOLLOWER },
            EventKind::FigureReturned { player, at, figure: FigureKind::FOLLOWER },
        ),
        (moved(FigureKind::BIG_FOLLOWER), moved(FigureKind::FOLLOWER)),
        same(EventKind::NeutralMoved { player, to: at }),
        same(EventKind::Passed { player }),
        same(ended.clone()),
        same(EventKind::Correction { replaces: 1, instead: Some(Box::new(ended.clone())) }),
        same(EventKind::Inserted { before: 1, fact: Box::new(ended) }),
        same(EventKind::PlayStopped),
        same(EventKind::Recomputed { changes: vec!["more".into()], totals: vec![1, 2] }),
        (
            EventKind::FeatureScored { score: full, points: 2 },
            EventKind::FeatureScored { score: bare, points: 0 },
        ),
        same(EventKind::MarkerMoved { player, from: 98, to: 1, total: 101 }),
        (taken(Some(4)), taken(None)),
        same(EventKind::KeepPlaced { player, size: 3, cell }),
        same(EventKind::FollowersReturned { counts: vec![1, 0] }),
        (tokens(Some(player)), tokens(None)),
        same(EventKind::Noted { sentence: "a second tile".into() }),
        (doubt(Some(cell)), doubt(None)),
        same(EventKind::GameEnded { tallies: vec![tally], winners: vec![player] }),
    ];
    for (kind, _) in &all {
        // A new kind must stand above too.
        match kind {
            EventKind::TilePlaced { .. }
            | EventKind::FollowerPlaced { .. }
            | EventKind::TileDiscarded { .. }
            | EventKind::WallTileUsed { .. }
            | EventKind::OrderChosen { .. }
            | EventKind::WallTileShown { .. }
            | EventKind::TurnEnded { .. }
            | EventKind::Correction { .. }
            | EventKind::Inserted { .. }
            | EventKind::PlayStopped
            | EventKind::Recomputed { .. }
            | EventKind::FeatureScored { .. }
            | EventKind::MarkerMoved { .. }
            | EventKind::WallTileTaken { .. }
            | EventKind::KeepPlaced { .. }
            | EventKind::FollowersReturned { .. }
            | EventKind::FigureReturned { .. }
            | EventKind::FigureMoved { .. }
            | EventKind::NeutralMoved { .. }
            | EventKind::Passed { .. }
            | EventKind::TokensTaken { .. }
            | EventKind::Noted { .. }
            | EventKind::Doubt { .. }
            | EventKind::GameEnded { .. } => {}
        }
    }
    all
}

fn fields(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn words(list: &Value) -> BTreeSet<&str> {
    list.as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect()
}

/// A definition has the fields of the fullest value, and needs those of the barest;
/// `old` are fields that are read and no longer written.
#[track_caller]
fn describes(definition: &str, full: &Value, bare: &Value, old: &[&str]) {
    let definition = &SCHEMA["$defs"][definition];
    let mut described = fields(&definition["properties"]);
    described.retain(|f| !old.contains(f));
    assert_eq!(described, fields(full), "{definition}");
    assert!(words(&definition["required"]).is_subset(&fields(bare)), "{definition}");
}

/// What `oneOf` of a definition names, through further definitions.
fn members(definition: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for part in SCHEMA["$defs"][definition]["oneOf"].as_array().unwrap() {
        let name = part["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        if name == "plain_fact" {
            all.extend(members(name));
        } else {
            all.insert(name);
        }
    }
    all
}

#[test]
fn the_schema_says_what_the_types_say() {
    let mut told: BTreeSet<String> = BTreeSet::new();
    for (full, bare) in kinds() {
        let mut event = Event::new(full.clone(), Source::Hand, 1.0, 2.0);
        (event.seq, event.waived, event.ruling) = (1, vec!["CA-21".into()], Some("it stands".into()));
        event.evidence = vec!["0001.jpg".into()];
        let rest = Event { seq: 1, ..Event::new(bare.clone(), Source::Camera, 0.5, 0.0) };
        let lines = [serde_json::to_value(&event).unwrap(), serde_json::to_value(&rest).unwrap()];
        assert_fits(&lines.each_ref().map(Value::to_string).join("\n"));
        let [full_fields, bare_fields] = [&full, &bare].map(|k| serde_json::to_value(k).unwrap());
        let name = full_fields["type"].as_str().unwrap();
        describes(name, &full_fields, &bare_fields, &[]);
        let list = if full.is_fact() { "fact" } else { "derived" };
        assert!(members(list).contains(name), "{name} is {list}");
        // What every event has is what no kind has.
        let own = fields(&full_fields);
        let common: serde_json::Map<String, Value> = lines[0]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(f, _)| !own.contains(f.as_str()))
            .map(|(f, v)| (f.clone(), v.clone()))
            .collect();
        describes("event", &Value::Object(common), &lines[1], &[]);
        told.insert(name.to_owned());
        if let EventKind::FeatureScored { score, .. } = &full {
            let value = serde_json::to_value(score).unwrap();
            describes("score", &value, &bare_fields["score"], &["player"]);
            describes("item", &value["items"][0], &value["items"][0], &[]);
            describes("standing_follower", &value["followers"][0], &value["followers"][1], &[]);
        }
        if let EventKind::GameEnded { tallies, .. } = &full {
            let value = serde_json::to_value(&tallies[0]).unwrap();
            describes("tally", &value, &value, &[]);
        }
    }
    let described: BTreeSet<String> =
        members("fact").union(&members("derived")).map(|n| (*n).to_owned()).collect();
    assert_eq!(described, told);

    let bare = classic(3);
    let full = Header {
        wall: Some("house".to_owned()),
        edition: Some("hig-2003".to_owned()),
        neutral: Some("purple".to_owned()),
        wall_tiles: [(12, 4)].into(),
        ..bare.clone()
    };
    let [full, bare] = [&full, &bare].map(|h| serde_json::to_value(h).unwrap());
    assert!(fits(&full) && fits(&bare));
    describes("header", &full, &bare, &[]);
    assert_eq!(
        SCHEMA["$defs"]["header"]["properties"]["version"]["enum"],
        json!((1..=VERSION).collect::<Vec<_>>())
    );
}

#[test]
fn the_words_are_those_of_the_types() {
    let follower = &SCHEMA["$defs"]["follower_placed"]["properties"];
    let roles: BTreeSet<&str> = Kind::ALL.into_iter().filter_map(Role::on).map(Role::name).collect();
    assert_eq!(words(&follower["role"]["enum"]), roles);
    let read = |words: &Value, reads: fn(&Value) -> bool| words.as_array().unwrap().iter().all(reads);
    let figures: BTreeSet<&str> = FigureKind::ALL.into_iter().map(FigureKind::name).collect();
    assert_eq!(words(&SCHEMA["$defs"]["figure"]["enum"]), figures);
    let sources = &SCHEMA["$defs"]["event"]["properties"]["source"]["enum"];
    assert!(read(sources, |w| serde_json::from_value::<Source>(w.clone()).is_ok()));
    let games = &SCHEMA["$defs"]["header"]["properties"]["game"]["enum"];
    assert!(read(games, |w| serde_json::from_value::<rules::Game>(w.clone()).is_ok()));
    // A new word must stand in the schema too.
    let source = |s: Source| match s {
        Source::Camera | Source::Hand | Source::Table => 3,
    };
    let game = |g: rules::Game| match g {
        rules::Game::Castle | rules::Game::Classic => 2,
    };
    assert_eq!(words(sources).len(), source(Source::Hand));
    assert_eq!(words(games).len(), game(rules::Game::Castle));
}

/// Whether every property of a schema and of all within it is described.
fn undescribed<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    match schema {
        Value::Object(map) => {
            for (name, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if property["description"].as_str().is_none_or(|d| d.len() < 4) {
                    found.push(name);
                }
            }
            map.values().for_each(|v| undescribed(v, found));
        }
        Value::Array(list) => list.iter().for_each(|v| undescribed(v, found)),
        _ => {}
    }
}

#[test]
fn the_schema_is_a_schema_and_describes_every_field() {
    assert!(jsonschema::meta::is_valid(&SCHEMA));
    let mut found = Vec::new();
    undescribed(&SCHEMA, &mut found);
    assert!(found.is_empty(), "{found:?}");
    for (name, definition) in SCHEMA["$defs"].as_object().unwrap() {
        assert!(definition["description"].is_string(), "{name}");
    }
}

/// What the schema lets through is read.
#[test]
fn what_fits_is_read() {
    let game = corrected();
    let log = Log::read(&game.to_log()).unwrap();
    assert_eq!((log.lost.len(), log.torn), (0, None));
    assert_eq!(log.events, game.events());
}

/// The lines that docs/record.md shows fit, are read, and are of all types.
#[test]
fn the_examples_for_people_fit() {
    let text = include_str!("../../docs/record.md");
    let lines: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("    ")).collect();
    let (header, events) = lines.split_first().unwrap();
    let mut record = format!("{header}\n");
    let mut shown = BTreeSet::new();
    for (event, seq) in events.iter().zip(1..) {
        let mut event: Value = serde_json::from_str(event).unwrap();
        for (field, value) in [("seq", json!(seq)), ("t", json!(1.5)), ("confidence", json!(1))] {
            event[field] = value;
        }
        event["source"] = json!("hand");
        shown.insert(event["type"].as_str().unwrap().to_owned());
        record.push_str(&format!("{event}\n"));
    }
    assert_fits(&record);
    let log = Log::read(&record).unwrap();
    assert_eq!((log.header.version, log.lost.len(), log.events.len()), (VERSION, 0, events.len()));
    let all: BTreeSet<String> = members("fact").union(&members("derived")).map(|n| (*n).to_owned()).collect();
    assert_eq!(shown, all);
}
