//! The games that were recorded: listed, looked through, renamed, deleted, and what they say
//! of the players who played them.
//!
//! A game is a record, `NAME.jsonl`, with what belongs to it beside it: its pictures, and its own
//! deck and wall where it has them ([`library::evidence_beside`], [`library::deck_beside`],
//! [`library::wall_beside`]).

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use thiserror::Error;

use crate::library::{self, DeckPlace, LibraryError};
use crate::record::{Game as PlayedGame, Header, Log, LogError, RecordError};
use crate::rules::{Game, Sentence, Term, Wall, sentence};

/// The most letters that a game's own name may have: with the endings of what lies beside a
/// record it stays under the 255 bytes of a file's name on common systems.
pub const LONGEST_TITLE: usize = 48;

/// Why a game of the archive cannot be had, renamed or deleted.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum ArchiveError {
    /// The folder or a file cannot be read or changed.
    Io(io::Error, PathBuf),
    /// The record cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Its deck or wall cannot be had.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// Its events make no game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What is no name for a file.
    Title,
    /// A game of this name is there.
    Taken(String),
    /// The picture of the table cannot be made.
    Picture(String),
    /// A program records into it.
    Open(PathBuf),
}

impl From<&ArchiveError> for Sentence {
    fn from(error: &ArchiveError) -> Sentence {
        match error {
            ArchiveError::Io(error, path) => {
                sentence!("cannot be read or changed, {}: {}", Term::same(error), Term::same(path.display()))
            }
            ArchiveError::Log(error) => Sentence::from(error),
            ArchiveError::Library(error) => Sentence::from(error),
            ArchiveError::Record(error) => Sentence::from(error),
            ArchiveError::Title => sentence!(
                "a game's name has 1 to {} letters, none of them / \\ : or a control character, and no dot in front",
                LONGEST_TITLE
            ),
            ArchiveError::Taken(title) => {
                sentence!("another game is called `{}`; give this one another name", title)
            }
            ArchiveError::Picture(why) => {
                sentence!("the table cannot be drawn as a picture: {}", why)
            }
            ArchiveError::Open(path) => {
                sentence!("the game is being recorded; leave it first: {}", Term::same(path.display()))
            }
        }
    }
}

/// A recorded game as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Archived {
    /// The record.
    pub file: PathBuf,
    /// The name that people gave it; `None` where it is called by its time.
    pub title: Option<String>,
    /// When it was last written.
    pub played: SystemTime,
    /// Who plays what with which deck.
    pub header: Header,
    /// Each player's total; the final scoring is in it once the game is over.
    pub totals: Vec<u32>,
    /// A category of the sheet and each player's points in it.
    pub categories: Vec<(String, Vec<u32>)>,
    /// The number of the current turn, from 1.
    pub turn: u32,
    /// How many tiles are left to be laid.
    pub tiles_left: u32,
    /// Whether the game is over.
    pub over: bool,
    /// The indices of the winners, once it is; several for a draw.
    pub winners: Vec<usize>,
}

/// A record that is no game that can be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The record.
    pub file: PathBuf,
    /// Why, in a sentence.
    pub why: Sentence,
}

/// A recorded game with what it was played with.
#[derive(Debug)]
pub struct Played {
    /// The game as its record has it.
    pub game: PlayedGame,
    /// The deck.
    pub deck: DeckPlace,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
}

impl Played {
    /// Plays a record with its own deck and wall, or those that its header names.
    ///
    /// # Errors
    /// [`ArchiveError`] in a sentence.
    pub fn open(file: &Path) -> Result<Played, ArchiveError> {
        let log = Log::open(file)?;
        let deck = library::deck_of(file, &log.header.deck)?;
        let wall = log.header.wall.as_deref().map(|name| library::wall_of(file, name)).transpose()?;
        let game = log.replay(wall.as_ref(), &deck.deck)?;
        Ok(Played { game, deck, wall })
    }
}

impl Archived {
    /// Reads a record.
    ///
    /// # Errors
    /// [`ArchiveError`] in a sentence.
    pub fn read(file: &Path) -> Result<Archived, ArchiveError> {
        let io = |error| ArchiveError::Io(error, file.to_owned());
        let played = std::fs::metadata(file).and_then(|m| m.modified()).map_err(io)?;
        Ok(Archived::of(file, played, &Played::open(file)?.game))
    }

    fn of(file: &Path, played: SystemTime, game: &PlayedGame) -> Archived {
        let (sheet, position) = (game.sheet(), game.position());
        let points = |category: &String| {
            let of = |t: &crate::record::Tally| t.by_category.get(category).copied().unwrap_or(0);
            (category.clone(), sheet.tallies.iter().map(of).collect())
        };
        Archived {
            file: file.to_owned(),
            title: title(file),
            played,
            header: game.header().clone(),
            totals: sheet.tallies.iter().map(|t| t.total).collect(),
            categories: sheet.categories.iter().map(points).collect(),
            turn: position.turn(),
            tiles_left: position.tiles_left(),
            over: sheet.over,
            winners: sheet.winners.iter().map(|p| p.index()).collect(),
        }
    }

    /// When it was last played, in this place's time: `2026-03-01 19:45`.
    pub fn when(&self) -> String {
        local(self.played)
    }

    /// The sheet as a text to pass on: who played what and when, every category, the totals.
    pub fn sheet(&self) -> String {
        let header = &self.header;
        let mut lines = vec![format!("{} · {}", header.game.title(), self.when())];
        let name = |i: &usize| header.players.get(*i).map_or("", String::as_str);
        let winners: Vec<&str> = self.winners.iter().map(name).collect();
        lines.push(match winners[..] {
            [] => format!("turn {}, {} tiles left", self.turn, self.tiles_left),
            [winner] => format!("{winner} won"),
            _ => format!("a draw of {}", winners.join(" and ")),
        });
        lines.push(String::new());
        let total = ("total".to_owned(), self.totals.clone());
        let rows = || self.categories.iter().chain(std::iter::once(&total));
        let widest = rows().map(|row| row.0.chars().count()).max().unwrap_or(0);
        let width = |name: &String| name.chars().count().max(4);
        let row = |first: &str, cells: Vec<String>| {
            let cells =
                cells.iter().zip(&header.players).map(|(cell, name)| format!("  {cell:>0$}", width(name)));
            format!("{first:<widest$}{}", cells.collect::<String>())
        };
        lines.push(row("", header.players.clone()));
        lines.extend(
            rows().map(|(category, points)| row(category, points.iter().map(u32::to_string).collect())),
        );
        lines.push(String::new());
        lines.join("\n")
    }

    /// Whether all words stand in its name, its players, its game or its time, whatever their case.
    pub fn matches(&self, words: &str) -> bool {
        let title = self.title.as_deref().unwrap_or_default();
        let all = format!(
            "{title} {} {} {} {}",
            self.header.players.join(" "),
            self.header.game.name(),
            self.header.deck,
            self.when()
        )
        .to_lowercase();
        words.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }
}

/// A moment in this place's time: `2026-03-01 19:45`.
fn local(moment: SystemTime) -> String {
    Timestamp::try_from(moment)
        .map(|t| TimeZone::system().to_datetime(t).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}

/// The name that people gave a record; `None` where it is called by its time.
fn title(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_string_lossy().into_owned();
    let by_time = library::is_stamp(&stem);
    (!by_time).then_some(stem)
}

/// The games of a folder, the one that was played last first, and the records that cannot be
/// read. A folder that is not there holds none.
///
/// # Errors
/// [`ArchiveError::Io`] where the folder cannot be read.
pub fn list(folder: &Path) -> Result<(Vec<Archived>, Vec<Unreadable>), ArchiveError> {
    let io = |error| ArchiveError::Io(error, folder.to_owned());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        Err(e) => return Err(io(e)),
    };
    let (mut games, mut unreadable) = (Vec::new(), Vec::new());
    for entry in entries {
        let file = entry.map_err(io)?.path();
        if file.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        match Archived::read(&file) {
            Ok(game) => games.push(game),
            Err(error) => unreadable.push(Unreadable { file, why: Sentence::from(&error) }),
        }
    }
    games.sort_by(|a, b| b.played.cmp(&a.played).then_with(|| a.file.cmp(&b.file)));
    unreadable.sort_by(|a, b| a.file.cmp(&b.file));
    Ok((games, unreadable))
}

/// The record of a folder that was written last, of those that can be read.
pub fn newest(folder: &Path) -> Option<Log> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let records = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "jsonl"));
    let mut records: Vec<(SystemTime, PathBuf)> = records
        .filter_map(|path| Some((std::fs::metadata(&path).and_then(|m| m.modified()).ok()?, path)))
        .collect();
    records.sort();
    records.iter().rev().find_map(|(_, path)| Log::open(path).ok())
}

/// What lies beside a record and belongs to it.
fn beside(record: &Path) -> [PathBuf; 6] {
    let of = [
        library::evidence_beside,
        library::deck_beside,
        library::wall_beside,
        library::picture_beside,
        library::sheet_beside,
        library::jcz_beside,
    ];
    of.map(|beside| beside(record))
}

/// Holds a record so that nobody writes it.
fn held(file: &Path) -> Result<File, ArchiveError> {
    let io = |error| ArchiveError::Io(error, file.to_owned());
    let open = OpenOptions::new().read(true).write(true).open(file).map_err(io)?;
    match open.try_lock() {
        Ok(()) => Ok(open),
        Err(TryLockError::WouldBlock) => Err(ArchiveError::Open(file.to_owned())),
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Gives a game a name: its record and what lies beside it are called by it from now on. The
/// new file.
///
/// # Errors
/// [`ArchiveError`]; then everything is called as before.
pub fn rename(file: &Path, title: &str) -> Result<PathBuf, ArchiveError> {
    let title = title.trim();
    let letters = title.chars().count();
    let bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    if !(1..=LONGEST_TITLE).contains(&letters) || title.starts_with('.') || title.contains(bad) {
        return Err(ArchiveError::Title);
    }
    let to = file.with_file_name(format!("{title}.jsonl"));
    if to == file {
        return Ok(to);
    }
    let _held = held(file)?;
    let from = std::iter::once(file.to_owned()).chain(beside(file));
    let pairs: Vec<(PathBuf, PathBuf)> = from.zip(std::iter::once(to.clone()).chain(beside(&to))).collect();
    if pairs.iter().any(|(_, to)| std::fs::symlink_metadata(to).is_ok()) {
        return Err(ArchiveError::Taken(title.to_owned()));
    }
    let mut done: Vec<&(PathBuf, PathBuf)> = Vec::new();
    for pair in pairs.iter().filter(|(from, _)| from.exists()) {
        if let Err(error) = std::fs::rename(&pair.0, &pair.1) {
            for (from, to) in done {
                // What was renamed a moment ago can be renamed back.
                let _ = std::fs::rename(to, from);
            }
            return Err(ArchiveError::Io(error, pair.0.clone()));
        }
        done.push(pair);
    }
    Ok(to)
}

/// Deletes a game: its record and what lies beside it.
///
/// # Errors
/// [`ArchiveError::Open`] where it is being recorded, and [`ArchiveError::Io`].
pub fn delete(file: &Path) -> Result<(), ArchiveError> {
    let _held = held(file)?;
    let io = |error, path: &Path| ArchiveError::Io(error, path.to_owned());
    for path in beside(file).into_iter().filter(|p| std::fs::symlink_metadata(p).is_ok()) {
        let gone = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        gone.map_err(|e| io(e, &path))?;
    }
    std::fs::remove_file(file).map_err(|e| io(e, file))
}

/// What the games that are over say of one player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerRecord {
    /// The name, as it was written last.
    pub name: String,
    /// How many games.
    pub games: u32,
    /// How many of them were won, a shared win among them.
    pub won: u32,
    /// The most points in one.
    pub best: u32,
    /// The points of all.
    pub points: u32,
    /// A category and the points of all games in it, in the order of the sheet.
    pub categories: Vec<(String, u32)>,
}

impl PlayerRecord {
    /// Points a game on average.
    pub fn average(&self) -> f64 {
        f64::from(self.points) / f64::from(self.games.max(1))
    }
}

/// What the games of two players, and no others, that are over say of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairRecord {
    /// The names, in the order of the alphabet.
    pub names: [String; 2],
    /// How many games.
    pub games: u32,
    /// How many each has won alone.
    pub won: [u32; 2],
    /// The points of each in all of them.
    pub points: [u32; 2],
}

/// What recorded games say of their players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The players, who played most first.
    pub players: Vec<PlayerRecord>,
    /// The pairs, who played most first.
    pub pairs: Vec<PairRecord>,
}

/// Counts the games of one kind that are over: points of different games are not alike. Names
/// are the same whatever their case.
pub fn statistics(games: &[Archived], kind: Game) -> Statistics {
    let mut all = Statistics::default();
    for game in games.iter().filter(|g| g.over && g.header.game == kind) {
        let names = &game.header.players;
        for (i, name) in names.iter().enumerate() {
            let at = all.players.iter().position(|p| is_same(&p.name, name)).unwrap_or_else(|| {
                all.players.push(PlayerRecord { name: name.clone(), ..PlayerRecord::default() });
                all.players.len() - 1
            });
            let player = &mut all.players[at];
            let points = game.totals.get(i).copied().unwrap_or(0);
            player.games += 1;
            player.won += u32::from(game.winners.contains(&i));
            player.best = player.best.max(points);
            player.points += points;
            for (category, points) in &game.categories {
                let points = points.get(i).copied().unwrap_or(0);
                match player.categories.iter_mut().find(|c| c.0 == *category) {
                    Some(known) => known.1 += points,
                    None => player.categories.push((category.clone(), points)),
                }
            }
        }
        let [first, second] = &names[..] else { continue };
        let swapped = first.to_lowercase() > second.to_lowercase();
        let order = if swapped { [1, 0] } else { [0, 1] };
        let pair = order.map(|i| names[i].clone());
        let same = |p: &PairRecord| is_same(&p.names[0], &pair[0]) && is_same(&p.names[1], &pair[1]);
        let at = all.pairs.iter().position(same).unwrap_or_else(|| {
            all.pairs.push(PairRecord { names: pair.clone(), ..PairRecord::default() });
            all.pairs.len() - 1
        });
        let known = &mut all.pairs[at];
        known.games += 1;
        for (slot, i) in order.into_iter().enumerate() {
            known.won[slot] += u32::from(game.winners == [i]);
            known.points[slot] += game.totals.get(i).copied().unwrap_or(0);
        }
    }
    all.players.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    all.pairs.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.names.cmp(&b.names)));
    all
}

fn is_same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{LogWriter, play_random};
    use crate::rules::castle::Policy;

    fn recorded(folder: &Path, name: &str, seed: u64, players: [&str; 2]) -> (PathBuf, PlayedGame) {
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap());
        let played = play_random(&wall, &deck.deck, seed, Policy::Greedy).unwrap();
        let mut header = played.header().clone();
        header.players = players.map(str::to_owned).to_vec();
        let game = PlayedGame::replay(header.clone(), played.events().to_vec(), &wall, &deck.deck).unwrap();
        let file = folder.join(name);
        LogWriter::create(&file, &header).unwrap().write(&game).unwrap();
        (file, game)
    }

    #[test]
    fn a_name_by_time_is_no_title() {
        let of = |name: &str| title(Path::new(name));
        assert_eq!(of("2026-03-01-184500Z.jsonl"), None);
        assert_eq!(of("2026-03-01-184500Z-2.jsonl"), None);
        assert_eq!(of("game.jsonl").as_deref(), Some("game"));
        assert_eq!(of("Zoe wins.jsonl").as_deref(), Some("Zoe wins"));
    }

    #[test]
    fn games_are_listed_renamed_and_deleted_with_what_is_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let (file, game) = recorded(folder.path(), "2026-03-01-184500Z.jsonl", 1, ["Ada", "Ben"]);
        std::fs::create_dir(library::evidence_beside(&file)).unwrap();
        std::fs::write(library::evidence_beside(&file).join("0-after.jpg"), b"picture").unwrap();
        std::fs::write(folder.path().join("torn.jsonl"), b"{}\n").unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"not a game").unwrap();
        let (games, unreadable) = list(folder.path()).unwrap();
        assert_eq!((games.len(), unreadable.len()), (1, 1));
        assert_eq!(games[0].totals, game.position().final_totals());
        assert!(games[0].over && !games[0].winners.is_empty() && games[0].title.is_none());
        for (i, total) in games[0].totals.iter().enumerate() {
            assert_eq!(games[0].categories.iter().map(|c| c.1[i]).sum::<u32>(), *total);
        }
        let sheet = games[0].sheet();
        let total = sheet.lines().last().unwrap().split_whitespace().skip(1).map(|n| n.parse().unwrap());
        assert_eq!(total.collect::<Vec<u32>>(), games[0].totals, "{sheet}");
        assert!(games[0].matches("ben CASTLE") && !games[0].matches("ben classic"));

        let names = |log: Option<Log>| log.map(|l| l.header.players);
        assert_eq!(names(newest(folder.path())), Some(games[0].header.players.clone()), "not the torn one");
        recorded(folder.path(), "Taken.jsonl", 2, ["Ada", "Ben"]);
        assert!(matches!(rename(&file, "Taken"), Err(ArchiveError::Taken(_))));
        for bad in ["", "  ", "../up", "a/b", "a\\b", ".hidden", "a\nb", &"x".repeat(LONGEST_TITLE + 1)] {
            assert!(matches!(rename(&file, bad), Err(ArchiveError::Title)), "{bad}");
        }
        let renamed = rename(&file, " Sunday evening ").unwrap();
        assert!(!file.exists() && !library::evidence_beside(&file).exists());
        assert!(library::evidence_beside(&renamed).join("0-after.jpg").is_file());
        let again = Archived::read(&renamed).unwrap();
        assert_eq!(again.title.as_deref(), Some("Sunday evening"));

        delete(&renamed).unwrap();
        assert!(!renamed.exists() && !library::evidence_beside(&renamed).exists());
        assert!(matches!(delete(&renamed), Err(ArchiveError::Io(..))));
        assert_eq!(list(&folder.path().join("none")).unwrap(), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_game_that_is_being_recorded_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = recorded(folder.path(), "a.jsonl", 1, ["Ada", "Ben"]);
        let writing = LogWriter::resume(&file).unwrap();
        assert!(matches!(rename(&file, "b"), Err(ArchiveError::Open(_))));
        assert!(matches!(delete(&file), Err(ArchiveError::Open(_))));
        drop(writing);
        delete(&file).unwrap();
    }

    #[test]
    fn statistics_are_of_finished_games_of_one_kind() {
        let folder = tempfile::tempdir().unwrap();
        recorded(folder.path(), "a.jsonl", 1, ["Ada", "Ben"]);
        recorded(folder.path(), "b.jsonl", 2, ["ben", "ada"]);
        recorded(folder.path(), "c.jsonl", 3, ["Ada", "Cleo"]);
        let (mut games, _) = list(folder.path()).unwrap();
        games.sort_by(|a, b| a.file.cmp(&b.file));
        let all = statistics(&games, Game::Castle);
        assert_eq!(all.players.iter().map(|p| p.games).collect::<Vec<_>>(), [3, 2, 1]);
        let ada = &all.players[0];
        assert_eq!((ada.name.as_str(), ada.games), ("Ada", 3));
        let points = games[0].totals[0] + games[1].totals[1] + games[2].totals[0];
        assert_eq!(ada.points, points);
        assert_eq!(ada.categories.iter().map(|c| c.1).sum::<u32>(), points);
        let pair = &all.pairs[0];
        assert_eq!(
            (pair.names.each_ref().map(|n| n.to_lowercase()), pair.games),
            (["ada".into(), "ben".into()], 2)
        );
        assert_eq!(
            pair.points,
            [games[0].totals[0] + games[1].totals[1], games[0].totals[1] + games[1].totals[0]]
        );
        let draws = games[..2].iter().filter(|g| g.winners.len() == 2).count() as u32;
        assert_eq!(pair.won[0] + pair.won[1] + draws, 2);
        assert_eq!(statistics(&games, Game::Classic), Statistics::default());
        games[2].over = false;
        assert_eq!(statistics(&games, Game::Castle).players.len(), 2);
    }
}
