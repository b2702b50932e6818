//! The list of recorded games.

use std::path::Path;
use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, ModelRc, SharedString, VecModel};

use super::adapter_board::image;
use super::adapter_players::colour;
use super::board_picture::{BoardPainter, Lighting};
use super::models::refreshed;
use super::qr::code;
use super::shelf::{self, Shelf, shelf as lock};
use super::terms::Terms;
use super::ui;
use crate::archive::{self, ArchiveError, Archived, Played, Statistics};
use crate::record::{Game as PlayedGame, to_jcz};
use crate::rules::plain::{LONGEST_NAME, LONGEST_SENTENCE, shown};
use crate::rules::{Game, Sentence};
use crate::table::{GameView, Session};
use crate::{bg_stats, colours, files, library};

/// So many games are offered beside the form.
const RECENT: usize = 5;

/// The side of the drawn board of a game that is looked at, in pixels.
const BOARD_PX: u32 = 900;

/// The side of the picture of the final table that is saved, in pixels.
const SAVED_PX: u32 = 2400;

/// Shows the list as it stands, and the chosen game.
pub fn show(window: &ui::AppWindow, shelf: &Mutex<Shelf>) {
    let shelf = lock(shelf);
    let adapter = window.global::<ui::ArchiveAdapter>();
    let terms = Terms::of(window);
    let items: Vec<ui::GameItem> = shelf.listed().map(item).collect();
    adapter.set_games(refreshed(&adapter.get_games(), items));
    adapter.set_all(number(shelf.games.len()));
    let unreadable = shelf.unreadable.iter().map(|unreadable| {
        let name = unreadable.file.file_name().unwrap_or_default().to_string_lossy();
        SharedString::from(shown(&format!("{name}: {}", terms.sentence(&unreadable.why)), LONGEST_SENTENCE))
    });
    adapter.set_unreadable(refreshed(&adapter.get_unreadable(), unreadable));
    let recent: Vec<ui::GameItem> = shelf.games.iter().take(RECENT).map(item).collect();
    let start = window.global::<ui::StartAdapter>();
    start.set_recent(refreshed(&start.get_recent(), recent));
    let Some((at, game)) = shelf.chosen() else {
        adapter.set_chosen(-1);
        return;
    };
    if adapter.get_game().file != game.file.to_string_lossy() {
        adapter.set_code_shown(false);
    }
    adapter.set_chosen(number(at));
    adapter.set_title(shown(game.title.as_deref().unwrap_or(&game.when()), LONGEST_NAME).into());
    let header = &game.header;
    adapter.set_game(item(game));
    adapter.set_deck(shown(&header.deck, LONGEST_NAME).into());
    adapter.set_wall(shown(header.wall.as_deref().unwrap_or_default(), LONGEST_NAME).into());
    adapter.set_may_go_on(!game.over);
    let line = |(category, points): &(String, Vec<u32>)| {
        let points: Vec<String> = points.iter().map(u32::to_string).collect();
        format!("{} {}", terms.word(category), points.join(" : "))
    };
    let scored = game.categories.iter().filter(|c| c.1.iter().any(|p| *p > 0));
    adapter.set_categories(scored.map(line).collect::<Vec<_>>().join(" · ").into());
}

/// Draws the board of the chosen game while the list is seen.
fn draw(window: &ui::AppWindow, shelf: &Mutex<Shelf>) {
    if !window.global::<ui::Screens>().invoke_shows(ui::Screen::Archive) {
        return;
    }
    let chosen = lock(shelf).chosen.clone();
    let dark = window.global::<ui::Theme>().get_dark();
    let drawn = chosen.and_then(|file| board(&file, BOARD_PX, dark).ok().flatten());
    let drawn = drawn.map_or_else(Image::default, |canvas| image(&canvas));
    window.global::<ui::ArchiveAdapter>().set_board(drawn);
}

/// The board of a record as it stood last.
fn board(file: &Path, px: u32, dark: bool) -> Result<Option<tiny_skia::Pixmap>, ArchiveError> {
    let Played { game, deck, wall } = Played::open(file)?;
    let view = Session::resume(game, deck.deck.clone()).view();
    let view = GameView { questions: Vec::new(), ..view };
    Ok(BoardPainter::new(deck, wall).paint(&view, &Lighting::default(), px, px, dark))
}

/// A game for a list.
fn item(game: &Archived) -> ui::GameItem {
    let header = &game.header;
    let players = header.players.iter().enumerate().map(|(i, name)| ui::GamePlayer {
        name: shown(name, LONGEST_NAME).into(),
        colour: colour(colours::colour(header.colours.get(i).map_or("", String::as_str))),
        total: game.totals.get(i).map(u32::to_string).unwrap_or_default().into(),
        winner: game.winners.contains(&i),
    });
    let players: Vec<ui::GamePlayer> = players.collect();
    let tally: Vec<String> = players.iter().map(|p| format!("{} {}", p.name, p.total)).collect();
    let winners: Vec<&str> = players.iter().filter(|p| p.winner).map(|p| p.name.as_str()).collect();
    ui::GameItem {
        file: game.file.to_string_lossy().into_owned().into(),
        title: shown(game.title.as_deref().unwrap_or_default(), LONGEST_NAME).into(),
        when: game.when().into(),
        classic: header.game == Game::Classic,
        tally: tally.join(", ").into(),
        winner: if let [one] = winners[..] { one.into() } else { SharedString::default() },
        over: game.over,
        turn: i32::try_from(game.turn).unwrap_or(i32::MAX),
        tiles_left: i32::try_from(game.tiles_left).unwrap_or(i32::MAX),
        players: model(players),
    }
}

fn model<T: Clone + 'static>(items: Vec<T>) -> ModelRc<T> {
    ModelRc::new(VecModel::from(items))
}

fn number(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// Reads the games anew in a thread of its own, and shows them.
pub fn look(window: &ui::AppWindow, shelf: &Arc<Mutex<Shelf>>) {
    if lock(shelf).data.is_none() {
        return;
    }
    let (weak, shelf) = (window.as_weak(), Arc::clone(shelf));
    std::thread::spawn(move || {
        shelf::read(&shelf);
        // It only fails when the window is gone.
        let _ = weak.upgrade_in_event_loop(move |window| {
            show(&window, &shelf);
            draw(&window, &shelf);
        });
    });
}

/// Has the list do what it offers. `open` shows a record turn by turn, `go_on` has the form filled
/// in with it.
pub fn connect(
    window: &ui::AppWindow,
    shelf: &Arc<Mutex<Shelf>>,
    open: impl Fn(&ui::AppWindow, &Path) -> Result<(), Sentence> + 'static,
    go_on: impl Fn(&ui::AppWindow, &Path) + 'static,
) {
    let adapter = window.global::<ui::ArchiveAdapter>();
    let on = |act: fn(&ui::AppWindow, &Arc<Mutex<Shelf>>)| {
        let (weak, shelf) = (window.as_weak(), Arc::clone(shelf));
        move || {
            if let Some(window) = weak.upgrade() {
                act(&window, &shelf);
            }
        }
    };
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_searched(move |words| {
        let Some(window) = weak.upgrade() else { return };
        {
            let mut shelf = lock(&of);
            shelf.words = words.into();
            shelf.choose_if_none();
        }
        show(&window, &of);
        draw(&window, &of);
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_choose(move |index| {
        let Some(window) = weak.upgrade() else { return };
        {
            let mut shelf = lock(&of);
            let at = usize::try_from(index).ok().and_then(|at| shelf.listed().nth(at));
            let Some(file) = at.map(|game| game.file.clone()) else { return };
            shelf.chosen = Some(file);
        }
        window.global::<ui::ArchiveAdapter>().set_notice("".into());
        show(&window, &of);
        draw(&window, &of);
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_replay(move || {
        let (Some(window), Some(file)) = (weak.upgrade(), lock(&of).chosen.clone()) else { return };
        if let Err(sentence) = open(&window, &file) {
            refused(&window, &sentence);
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_go_on(move || {
        let Some(window) = weak.upgrade() else { return };
        let file = lock(&of).chosen().filter(|(_, game)| !game.over).map(|(_, game)| game.file.clone());
        if let Some(file) = file {
            window.global::<ui::Screens>().invoke_close_all();
            go_on(&window, &file);
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_rename(move |name| {
        let Some(window) = weak.upgrade() else { return false };
        let Some(file) = lock(&of).chosen.clone() else { return false };
        match archive::rename(&file, &name) {
            Ok(file) => {
                lock(&of).chosen = Some(file);
                notice(&window, "");
                look_now(&window, &of);
                true
            }
            Err(error) => {
                refused(&window, &Sentence::from(&error));
                false
            }
        }
    });
    adapter.on_delete(on(|window, shelf| {
        let Some(file) = lock(shelf).chosen.clone() else { return };
        let after = {
            let shelf = lock(shelf);
            let files: Vec<_> = shelf.listed().map(|game| game.file.clone()).collect();
            let at = files.iter().position(|f| *f == file).unwrap_or(0);
            files.get(at + 1).or(at.checked_sub(1).and_then(|at| files.get(at))).cloned()
        };
        match archive::delete(&file) {
            Ok(()) => {
                lock(shelf).chosen = after;
                notice(window, "");
                look_now(window, shelf);
            }
            Err(error) => refused(window, &Sentence::from(&error)),
        }
    }));
    adapter.on_save_picture(on(|window, shelf| {
        let Some(game) = lock(shelf).chosen().map(|(_, game)| game.clone()) else { return };
        match save(&game) {
            Ok(saved) => notice(window, &saved.join("\n")),
            Err(error) => refused(window, &Sentence::from(&error)),
        }
    }));
    adapter.on_share(on(|window, shelf| {
        let adapter = window.global::<ui::ArchiveAdapter>();
        let Some(game) = lock(shelf).chosen().map(|(_, game)| game.clone()) else { return };
        let seconds = Played::open(&game.file).map_or(0.0, |played| length(&played.game));
        let link = bg_stats::link(&game, seconds).unwrap_or_default();
        adapter.set_code(code(&link));
        adapter.set_link(link.into());
    }));
    let (weak, of) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_count(move |classic| {
        let Some(window) = weak.upgrade() else { return };
        let kind = if classic { Game::Classic } else { Game::Castle };
        count(&window, &archive::statistics(&lock(&of).games, kind));
        window.global::<ui::ArchiveAdapter>().set_classic(classic);
    });
}

/// How long a game was played, in seconds.
fn length(game: &PlayedGame) -> f64 {
    let times = || game.events().iter().map(|event| event.t);
    let (first, last) =
        times().fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), t| (first.min(t), last.max(t)));
    (last - first).max(0.0)
}

/// Reads the games anew at once: one was changed here.
fn look_now(window: &ui::AppWindow, shelf: &Arc<Mutex<Shelf>>) {
    shelf::read(shelf);
    show(window, shelf);
    draw(window, shelf);
}

/// Says why something cannot be done.
fn refused(window: &ui::AppWindow, sentence: &Sentence) {
    notice(window, &Terms::of(window).sentence(sentence));
}

fn notice(window: &ui::AppWindow, sentence: &str) {
    let sentence: Vec<String> = sentence.lines().map(|line| shown(line, LONGEST_SENTENCE)).collect();
    window.global::<ui::ArchiveAdapter>().set_notice(sentence.join("\n").into());
}

/// Saves what can be passed on of a game beside its record: a picture of the table as it stood
/// last, the sheet as text, and a saved game of JCloisterZone where there is one of it. The files.
fn save(game: &Archived) -> Result<Vec<String>, ArchiveError> {
    let file = &game.file;
    let mut saved = Vec::new();
    let mut write = |path: std::path::PathBuf, bytes: &[u8]| {
        files::write_whole(&path, bytes).map_err(|e| ArchiveError::Io(e, path.clone()))?;
        saved.push(path.to_string_lossy().into_owned());
        Ok::<(), ArchiveError>(())
    };
    if let Some(canvas) = board(file, SAVED_PX, false)? {
        let png = canvas.encode_png();
        write(library::picture_beside(file), &png.map_err(|e| ArchiveError::Picture(e.to_string()))?)?;
    }
    write(library::sheet_beside(file), game.sheet().as_bytes())?;
    if game.header.game == Game::Classic {
        let Played { game, deck, .. } = Played::open(file)?;
        match to_jcz(&game, &deck.deck) {
            Ok((text, _)) => write(library::jcz_beside(file), text.as_bytes())?,
            Err(error) => tracing::info!("no saved game for JCloisterZone: {error}"),
        }
    }
    Ok(saved)
}

fn count(window: &ui::AppWindow, all: &Statistics) {
    let adapter = window.global::<ui::ArchiveAdapter>();
    let terms = Terms::of(window);
    let players = all.players.iter().map(|player| {
        let games = f64::from(player.games.max(1));
        let scored = player.categories.iter().filter(|c| c.1 > 0);
        let each = scored
            .map(|(category, points)| format!("{} {:.1}", terms.word(category), f64::from(*points) / games));
        ui::PlayerRecordItem {
            name: shown(&player.name, LONGEST_NAME).into(),
            games: player.games.to_string().into(),
            won: player.won.to_string().into(),
            average: format!("{:.1}", player.average()).into(),
            best: player.best.to_string().into(),
            categories: each.collect::<Vec<_>>().join(", ").into(),
        }
    });
    adapter.set_players(refreshed(&adapter.get_players(), players));
    let pairs = all.pairs.iter().map(|pair| {
        let average = |i: usize| format!("{:.1}", f64::from(pair.points[i]) / f64::from(pair.games.max(1)));
        let name = |i: usize| SharedString::from(shown(&pair.names[i], LONGEST_NAME));
        ui::PairItem {
            first: name(0),
            second: name(1),
            games: i32::try_from(pair.games).unwrap_or(i32::MAX),
            first_won: pair.won[0].to_string().into(),
            second_won: pair.won[1].to_string().into(),
            first_average: average(0).into(),
            second_average: average(1).into(),
        }
    });
    adapter.set_pairs(refreshed(&adapter.get_pairs(), pairs));
}
