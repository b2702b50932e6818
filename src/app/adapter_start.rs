//! The form that is seen while no game is open.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;

use slint::{ComponentHandle, Model, ModelRc, SharedString, VecModel};

use super::adapter_house_rules;
use super::models::refreshed;
use super::shelf::{Shelf, shelf as lock};
use super::shown::{Shown, lock as lock_shown};
use super::terms::Terms;
use super::ui;
use crate::record::{self, Log};
use crate::rules::plain::{LONGEST_NAME, LONGEST_SENTENCE, shown};
use crate::rules::{Game, Sentence, classic};
use crate::table::{GameFile, Opening, titled};
use crate::{archive, colours, library};

/// The colours that wooden figures come in.
const COLOURS: [&str; 10] =
    ["black", "blue", "brown", "green", "orange", "purple", "red", "tan", "white", "yellow"];

/// The name of the set that is built in for The Castle, and of its wall.
const HOUSE: &str = "house";

/// What is chosen where pieces were not measured, but have the colours that their words mean.
const NO_PIECES: &str = "–";

/// The name of the deck that is built in for the classic game.
const CLASSIC: &str = "classic";

/// Sets of the classic game beside one another in the form.
const SETS_A_ROW: usize = 3;

/// The colours that are proposed where nobody has said any.
const PROPOSED: [&str; 2] = ["blue", "red"];

/// Fills the form in with what is known, also from the record that is gone on with or a game file
/// in the folder that the source names, else as in the game that was played last; and lists the
/// cameras and what was watched before.
pub fn show(window: &ui::AppWindow, opening: &Opening, shelf: &Mutex<Shelf>) {
    let adapter = window.global::<ui::StartAdapter>();
    let sources = lock(shelf).remembered.sources.clone();
    let folder = lock(shelf).folder();
    let source = if opening.source.is_empty() { sources.first() } else { Some(&opening.source) };
    adapter.set_source(source.map_or("", String::as_str).into());
    let begun = opening.record.as_deref().and_then(|path| Log::open(path).ok());
    let known = match begun {
        Some(log) => of_record(&log),
        None => match GameFile::beside(&opening.source).ok().flatten() {
            Some(file) => file,
            None if opening.said == GameFile::default() => folder.map(|f| of_last(&f)).unwrap_or_default(),
            None => GameFile::default(),
        },
    };
    adapter.set_going_on("".into());
    fill(window, &opening.said.clone().or(known));
    list_cameras(window, sources);
}

/// Who played what last, without what was of that game alone; where nobody has played yet, the
/// owner's own copy of The Castle, if there is one.
fn of_last(folder: &Path) -> GameFile {
    let Some(log) = archive::newest(folder) else {
        let is_castle =
            |name: &String| library::deck(name).is_ok_and(|place| place.deck.game == Game::Castle);
        let deck = library::own_decks().into_iter().find(is_castle);
        return GameFile { deck, wall: library::own_walls().into_iter().next(), ..GameFile::default() };
    };
    GameFile { wall_tiles: BTreeMap::new(), ..of_record(&log) }
}

/// What a record says of its game. It does not say whose pieces they were: those that were measured
/// with its wall, where they have the players' colours.
fn of_record(log: &Log) -> GameFile {
    let file = GameFile::of(&log.header);
    let pieces = file.wall.clone().filter(|name| are_measured(name, &file.colours));
    GameFile { pieces, ..file }
}

/// Has the form go on with a record.
pub fn go_on(window: &ui::AppWindow, of: &Mutex<Shown>, file: &Path) {
    match Log::open(file) {
        Ok(log) => {
            fill(window, &of_record(&log));
            window.global::<ui::StartAdapter>().set_going_on(file.to_string_lossy().into_owned().into());
            problem(window, of, None);
        }
        Err(error) => problem(window, of, Some(Sentence::from(&error))),
    }
}

/// Calls `open` with what the form says when it is sent off; what the form does
/// not ask for is as in `known`.
pub fn connect(
    window: &ui::AppWindow,
    known: Rc<RefCell<Opening>>,
    open: impl Fn(&ui::AppWindow, Opening) + 'static,
) {
    let adapter = window.global::<ui::StartAdapter>();
    let weak = window.as_weak();
    adapter.on_start(move || {
        if let Some(window) = weak.upgrade() {
            let opening = filled_in(&window, &known.borrow());
            open(&window, opening);
        }
    });
    let weak = window.as_weak();
    adapter.on_edited(move || {
        let Some(window) = weak.upgrade() else { return };
        let adapter = window.global::<ui::StartAdapter>();
        let source = adapter.get_source();
        if adapter.get_going_on().is_empty()
            && let Ok(Some(file)) = GameFile::beside(source.trim())
        {
            fill(&window, &file);
        }
    });
    connect_choices(window);
}

/// Has the form follow what is chosen in it.
fn connect_choices(window: &ui::AppWindow) {
    let adapter = window.global::<ui::StartAdapter>();
    // Takes over what the form says, changes it, and fills the form in with it.
    let on = || {
        let weak = window.as_weak();
        move |change: &dyn Fn(&mut GameFile)| {
            let Some(window) = weak.upgrade() else { return };
            let mut file = form(&window);
            change(&mut file);
            fill(&window, &file);
        }
    };
    let change = on();
    adapter.on_play(move |classic| {
        let game = if classic { Game::Classic } else { Game::Castle };
        change(&|file| {
            if file.game != Some(game) {
                *file = GameFile { game: Some(game), ..std::mem::take(file).of_people() };
            }
        });
    });
    let change = on();
    adapter.on_set(move |name| {
        change(&|file| {
            let deck = file.deck.as_deref().unwrap_or_default();
            file.deck = Some(with_set(deck, &name));
        });
    });
    let change = on();
    adapter.on_deck_chosen(move || change(&|_| {}));
    let change = on();
    adapter.on_pieces_chosen(move || {
        // The colours become those that were measured, unless they are among them.
        change(&|file| {
            if file.pieces.as_deref().is_some_and(|name| !are_measured(name, &file.colours)) {
                file.colours.clear();
            }
        });
    });
    let change = on();
    adapter_house_rules::connect(window, move |edition| change(&|file| file.edition = edition(file)));
    let weak = window.as_weak();
    adapter.on_colour_chosen(move || {
        let Some(window) = weak.upgrade() else { return };
        let adapter = window.global::<ui::StartAdapter>();
        if adapter.get_neutral_at() >= 0 {
            let file = form(&window);
            fill_neutral(&adapter, &file, file.game.unwrap_or_default());
            name_colours(&window);
        }
    });
    let change = on();
    adapter.on_add_player(move || {
        change(&|file| {
            let free = COLOURS.iter().find(|c| !file.colours.iter().any(|taken| taken == *c));
            file.colours.push(free.map(|c| (*c).to_owned()).unwrap_or_default());
            file.players.push(String::new());
        });
    });
    let change = on();
    adapter.on_remove_player(move || {
        change(&|file| {
            file.players.pop();
            file.colours.pop();
        });
    });
    let weak = window.as_weak();
    adapter.on_anew(move || {
        let Some(window) = weak.upgrade() else { return };
        let file = GameFile { wall_tiles: BTreeMap::new(), ..form(&window) };
        window.global::<ui::StartAdapter>().set_going_on("".into());
        fill(&window, &file);
    });
}

/// A built-in classic deck with one set more or less: `classic+river`.
fn with_set(deck: &str, set: &str) -> String {
    let has = |name: &str| deck.split('+').skip(1).any(|s| s == name);
    let sets = classic::sets().map(|(name, _)| name).filter(|name| has(name) != (*name == set));
    classic::deck_name(sets)
}

/// Calls `open` with what the form says when a game without a camera is wanted.
pub fn connect_by_hand(
    window: &ui::AppWindow,
    known: Rc<RefCell<Opening>>,
    open: impl Fn(&ui::AppWindow, Opening) + 'static,
) {
    let weak = window.as_weak();
    window.global::<ui::StartAdapter>().on_by_hand(move || {
        if let Some(window) = weak.upgrade() {
            let opening = filled_in(&window, &known.borrow());
            open(&window, opening);
        }
    });
}

/// Plays with the deck, the wall and the pieces that are named from now on; all are offered. Pieces
/// are played with where their colours are those of the form.
pub fn play_with(window: &ui::AppWindow, GameFile { deck, wall, pieces, .. }: GameFile) {
    let file = form(window);
    let pieces = pieces.filter(|name| are_measured(name, &file.colours)).or(file.pieces.clone());
    let (deck, wall) = (deck.or(file.deck.clone()), wall.or(file.wall.clone()));
    fill(window, &GameFile { deck, wall, pieces, ..file });
}

/// Says the titles of the sets in the language of the window.
fn name_sets(window: &ui::AppWindow) {
    let terms = Terms::of(window);
    for row in window.global::<ui::StartAdapter>().get_sets().iter() {
        for (at, set) in row.iter().enumerate() {
            let title = classic::sets().find(|(name, _)| set.name == *name).map_or("", |(_, title)| title);
            row.set_row_data(at, ui::SetItem { title: terms.word(title).into(), ..set });
        }
    }
}

/// The sets that are chosen in the form.
fn chosen_items(adapter: &ui::StartAdapter<'_>) -> Vec<ui::SetItem> {
    let rows = adapter.get_sets();
    rows.iter().flat_map(|row| row.iter().collect::<Vec<_>>()).filter(|set| set.chosen).collect()
}

/// The sets that are chosen to play with the classic deck: as a deck has them, and their titles.
pub fn chosen_sets(window: &ui::AppWindow) -> (Vec<String>, Vec<String>) {
    let chosen = chosen_items(&window.global::<ui::StartAdapter>());
    let names: Vec<&str> = chosen.iter().map(|set| set.name.as_str()).collect();
    let sets = classic::deck_with(&names).map(|deck| deck.sets).unwrap_or_default();
    (sets, chosen.iter().map(|set| set.title.to_string()).collect())
}

/// The players' colours, as the form has them.
pub fn colours(window: &ui::AppWindow) -> Vec<String> {
    form(window).colours
}

/// Whether pieces of all these colours were measured under a name.
fn are_measured(name: &str, colours: &[String]) -> bool {
    library::pieces(name).is_ok_and(|pieces| pieces.of(colours).is_ok())
}

/// A player plays with this colour from now on.
pub fn play_in(window: &ui::AppWindow, player: usize, colour: &str) {
    let mut file = form(window);
    if let Some(word) = file.colours.get_mut(player) {
        colour.clone_into(word);
    }
    fill(window, &file);
}

/// Says that a table is being opened.
pub fn busy(window: &ui::AppWindow, of: &Mutex<Shown>) {
    problem(window, of, None);
    window.global::<ui::StartAdapter>().set_busy(true);
}

/// Says what went wrong, or nothing.
pub fn problem(window: &ui::AppWindow, of: &Mutex<Shown>, sentence: Option<Sentence>) {
    show_problem(window, sentence.as_ref());
    lock_shown(of).problem = sentence;
    window.global::<ui::StartAdapter>().set_busy(false);
}

fn show_problem(window: &ui::AppWindow, sentence: Option<&Sentence>) {
    let words = sentence.map(|sentence| Terms::of(window).sentence(sentence)).unwrap_or_default();
    window.global::<ui::StartAdapter>().set_problem(shown(&words, LONGEST_SENTENCE).into());
}

/// Says the colours that can be chosen in the language of the window.
fn name_colours(window: &ui::AppWindow) {
    let (adapter, terms) = (window.global::<ui::StartAdapter>(), Terms::of(window));
    let words: Vec<SharedString> =
        adapter.get_colours().iter().map(|colour| terms.word(&colour).into()).collect();
    adapter.set_colour_words(ModelRc::new(VecModel::from(words)));
}

/// Shows the form's colours, the house rules and what went wrong in the language of the window.
pub fn show_again(window: &ui::AppWindow, of: &Shown) {
    show_problem(window, of.problem.as_ref());
    name_colours(window);
    name_sets(window);
    let file = form(window);
    let (_, words) = edition_of(&file).unwrap_or_default();
    adapter_house_rules::show(window, file.game.unwrap_or_default(), &file, words);
}

/// Writes a game into the form.
fn fill(window: &ui::AppWindow, file: &GameFile) {
    let adapter = window.global::<ui::StartAdapter>();
    let file = file.clone().with_colours_of_pieces().unwrap_or_else(|_| file.clone());
    let of_deck = || file.deck.as_deref().and_then(|deck| Some(library::deck(deck).ok()?.deck.game));
    let game = file.game.or_else(of_deck).unwrap_or_default();
    adapter.set_classic(game == Game::Classic);
    let (least, most) = game.players();
    adapter.set_most_players(i32::try_from(most).unwrap_or(i32::MAX));
    fill_players(&adapter, &file, least, most);
    fill_neutral(&adapter, &file, game);
    name_colours(window);

    let usual = if game == Game::Classic { CLASSIC } else { HOUSE };
    let deck = file.deck.as_deref().unwrap_or(usual);
    let (base, sets) = match deck.split_once('+') {
        Some((CLASSIC, sets)) => (CLASSIC, sets),
        _ => (deck, ""),
    };
    let own = library::own_decks()
        .into_iter()
        .filter(|name| library::deck(name).is_ok_and(|place| place.deck.game == game));
    adapter.set_decks(names(usual, own.collect(), base));
    adapter.set_deck(base.into());
    let sets: Vec<&str> = sets.split('+').collect();
    let terms = Terms::of(window);
    let all: Vec<ui::SetItem> = classic::sets()
        .map(|(name, title)| ui::SetItem {
            name: name.into(),
            title: terms.word(title).into(),
            chosen: sets.contains(&name),
        })
        .collect();
    let rows = if base == CLASSIC { &all[..] } else { &[] };
    let shown = adapter.get_sets();
    let row =
        |(i, row): (usize, &[ui::SetItem])| refreshed(&shown.row_data(i).unwrap_or_default(), row.to_vec());
    let rows: Vec<ModelRc<ui::SetItem>> = rows.chunks(SETS_A_ROW).enumerate().map(row).collect();
    adapter.set_sets(refreshed(&shown, rows));

    let wall = file.wall.as_deref().unwrap_or(HOUSE);
    adapter.set_walls(names(HOUSE, library::own_walls(), wall));
    adapter.set_wall(wall.into());

    let own = library::own_pieces();
    let pieces = file.pieces.as_deref().filter(|_| game == Game::Castle).unwrap_or(NO_PIECES);
    // Where nobody has measured any, there is nothing to choose.
    let offered = if own.is_empty() && pieces == NO_PIECES {
        ModelRc::default()
    } else {
        names(NO_PIECES, own, pieces)
    };
    adapter.set_all_pieces(offered);
    adapter.set_pieces(pieces.into());

    let editions = game.editions();
    let named = |name: &str| editions.iter().find(|e| e.0 == name).map(|e| e.1.clone());
    let usual = editions.first().map_or("", |e| e.0);
    let (said, words) = edition_of(&file).unwrap_or((usual, ""));
    adapter_house_rules::show(window, game, &file, words);
    let chosen = named(said).unwrap_or_else(|| said.to_owned());
    let titles: Vec<String> = editions.iter().map(|e| e.1.clone()).collect();
    let others = Some(chosen.clone()).filter(|c| !titles.contains(c));
    let titles = titles.into_iter().chain(others).map(SharedString::from).collect::<Vec<_>>();
    adapter.set_editions(ModelRc::new(VecModel::from(titles)));
    adapter.set_edition(chosen.into());
}

/// The edition of a game and what the table chose differently, where they are said.
fn edition_of(file: &GameFile) -> Option<(&str, &str)> {
    let text = file.edition.as_deref()?.trim();
    Some(text.split_once(char::is_whitespace).unwrap_or((text, "")))
}

/// The players of a game, as many as it has to have.
fn fill_players(adapter: &ui::StartAdapter<'_>, file: &GameFile, least: usize, most: usize) {
    let count = file.players.len().max(file.colours.len()).clamp(least, most);
    let said = |list: &[String], i: usize| {
        list.get(i).map(|word| shown(word, LONGEST_NAME)).filter(|word| !word.is_empty())
    };
    let mut fields: Vec<ui::PlayerField> = Vec::new();
    for i in 0..count {
        let taken = |word: &&&str| {
            fields.iter().any(|f| f.colour == **word) || file.colours.iter().any(|c| c == **word)
        };
        let free = PROPOSED.iter().chain(&COLOURS).find(|word| !taken(word));
        let colour = said(&file.colours, i).or_else(|| free.map(|word| (*word).to_owned()));
        let name = said(&file.players, i).unwrap_or_default();
        fields.push(ui::PlayerField { name: name.into(), colour: colour.unwrap_or_default().into(), at: 0 });
    }
    let mut colours: Vec<SharedString> = COLOURS.into_iter().map(SharedString::from).collect();
    let others = fields.iter().map(|f| f.colour.clone()).filter(|c| !COLOURS.contains(&c.as_str()));
    colours.extend(others);
    for field in &mut fields {
        let at = colours.iter().position(|colour| *colour == field.colour);
        field.at = at.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1);
    }
    adapter.set_colours(ModelRc::new(VecModel::from(colours)));
    adapter.set_players(ModelRc::new(VecModel::from(fields)));
    let starts =
        file.starts.as_ref().and_then(|s| file.players.iter().position(|p| p.eq_ignore_ascii_case(s)));
    adapter.set_starts(starts.and_then(|i| i32::try_from(i).ok()).unwrap_or(0));
}

/// The colour of the figure that is nobody's, in a game that has one: as it is said, else one that no
/// player has.
fn fill_neutral(adapter: &ui::StartAdapter<'_>, file: &GameFile, game: Game) {
    let deck = file.deck.clone().filter(|_| game == Game::Classic);
    let has_one = |deck: String| {
        let place = library::deck(&deck).ok()?;
        let header = GameFile { game: Some(game), deck: Some(deck), ..GameFile::default() }.header().ok()?;
        record::Game::new(header, None, &place.deck).ok()?.position().neutral()
    };
    adapter.set_neutral_said(file.neutral.is_some());
    if deck.and_then(has_one).is_none() {
        adapter.set_neutral_at(-1);
        return;
    }
    let free = || {
        let taken: Vec<String> = adapter.get_players().iter().map(|field| field.colour.into()).collect();
        colours::neutral(&taken).to_owned()
    };
    let word = file.neutral.clone().unwrap_or_else(free);
    let mut all: Vec<SharedString> = adapter.get_colours().iter().collect();
    let at = all.iter().position(|colour| *colour == word).unwrap_or_else(|| {
        all.push(word.into());
        all.len() - 1
    });
    adapter.set_colours(ModelRc::new(VecModel::from(all)));
    adapter.set_neutral_at(i32::try_from(at).unwrap_or(-1));
}

/// The names to choose from: the built-in one, the owner's, and the one that is chosen.
fn names(built_in: &str, own: Vec<String>, chosen: &str) -> ModelRc<SharedString> {
    let mut names = vec![built_in.to_owned()];
    names.extend(own.into_iter().filter(|name| name != built_in));
    if !names.iter().any(|name| name == chosen) {
        names.push(chosen.to_owned());
    }
    ModelRc::new(VecModel::from(names.into_iter().map(SharedString::from).collect::<Vec<_>>()))
}

/// The game that the form says. A player without a name has none here.
fn form(window: &ui::AppWindow) -> GameFile {
    let adapter = window.global::<ui::StartAdapter>();
    let word = |s: SharedString| Some(s.trim().to_owned()).filter(|s| !s.is_empty());
    let game = if adapter.get_classic() { Game::Classic } else { Game::Castle };
    let fields: Vec<ui::PlayerField> = adapter.get_players().iter().collect();
    let players: Vec<String> = fields.iter().map(|f| f.name.trim().to_owned()).collect();
    let colours: Vec<String> = fields.iter().map(|f| f.colour.trim().to_owned()).collect();
    let starts = usize::try_from(adapter.get_starts()).ok().and_then(|i| players.get(i)).cloned();
    let neutral = usize::try_from(adapter.get_neutral_at()).ok().filter(|_| adapter.get_neutral_said());
    let neutral = neutral.and_then(|at| adapter.get_colours().row_data(at)).map(String::from);
    let chosen = chosen_items(&adapter);
    let deck = word(adapter.get_deck()).map(|deck| {
        let sets = chosen.iter().filter(|_| deck == CLASSIC).map(|s| s.name.to_string());
        std::iter::once(deck.clone()).chain(sets).collect::<Vec<_>>().join("+")
    });
    let title = adapter.get_edition();
    let editions = game.editions();
    let named = editions.iter().position(|e| e.1 == title.as_str());
    let words = window.global::<ui::HouseRulesAdapter>().get_words();
    let edition = match named {
        // The usual one need not be named.
        Some(0) if words.is_empty() => None,
        Some(at) => Some(format!("{} {words}", editions[at].0).trim_end().to_owned()),
        None => word(title),
    };
    GameFile {
        game: Some(game),
        players,
        colours,
        neutral,
        starts,
        deck,
        wall: word(adapter.get_wall()).filter(|_| game == Game::Castle),
        pieces: word(adapter.get_pieces()).filter(|name| game == Game::Castle && name != NO_PIECES),
        edition,
        ..GameFile::default()
    }
}

/// What the form says. A player without a name is called by the colour.
pub fn filled_in(window: &ui::AppWindow, known: &Opening) -> Opening {
    let adapter = window.global::<ui::StartAdapter>();
    let source = adapter.get_source().trim().to_owned();
    let mut said = form(window);
    let record = adapter.get_going_on();
    if !record.is_empty() {
        // The record says all but the pieces and the colours, of which a wrong word is mended on the
        // way.
        let GameFile { colours, neutral, pieces, .. } = said;
        let said = GameFile { colours, neutral, pieces, ..GameFile::default() };
        return Opening { source, record: Some(record.as_str().into()), said, ..Opening::default() };
    }
    for (name, colour) in said.players.iter_mut().zip(&said.colours) {
        if name.is_empty() {
            *name = titled(colour);
        }
    }
    let starts = usize::try_from(adapter.get_starts()).ok();
    said.starts = starts.and_then(|i| said.players.get(i)).cloned();
    let others = GameFile { pieces: None, ..known.said.clone() };
    Opening { source, said: said.or(others), ..known.clone() }
}

/// Lists what was watched before, and the cameras that are plugged in, these in a thread of its
/// own since a driver may be slow.
fn list_cameras(window: &ui::AppWindow, sources: Vec<String>) {
    let watched: Vec<ui::CameraItem> = sources
        .into_iter()
        .map(|source| ui::CameraItem { name: shown(&source, LONGEST_NAME).into(), source: source.into() })
        .collect();
    window
        .global::<ui::StartAdapter>()
        .set_cameras(refreshed(&window.global::<ui::StartAdapter>().get_cameras(), watched.clone()));
    #[cfg(feature = "camera")]
    {
        let weak = window.as_weak();
        std::thread::spawn(move || {
            let plugged_in = crate::capture::cameras().unwrap_or_else(|error| {
                tracing::info!("{error}");
                Vec::new()
            });
            // It only fails when the window is gone.
            let _ = weak.upgrade_in_event_loop(move |window| {
                let item = |c: crate::capture::CameraInfo| ui::CameraItem {
                    source: format!("camera:{}", c.index).into(),
                    name: c.name.into(),
                };
                let mut items: Vec<ui::CameraItem> = plugged_in.into_iter().map(item).collect();
                let others = watched.into_iter().filter(|w| !items.iter().any(|i| i.source == w.source));
                let others: Vec<ui::CameraItem> = others.collect();
                items.extend(others);
                window
                    .global::<ui::StartAdapter>()
                    .set_cameras(refreshed(&window.global::<ui::StartAdapter>().get_cameras(), items));
            });
        });
    }
}
