//! `game.toml`: who plays, in which colours, with which deck and wall.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::show::known_colour;
use crate::files;
use crate::record::Header;
use crate::rules::castle::{Edition, EditionError, NotationError};
use crate::rules::plain::{LONGEST_NAME, LONGEST_WORD, WordError, check_name, check_word, shown};
use crate::rules::{Game, MOST_TEXT, Player, quoted};

/// What is known of a game before it begins; everything may be left out.
///
/// ```toml
/// players = ["Ada", "Ben"]
/// colours = ["blue", "yellow"]
/// rgb = [[30, 84, 170], [240, 200, 30]]  # where the words' usual colours won't do
/// starts = "Ada"
/// deck = "house"
/// wall = "house"
/// edition = "hig-2003"
/// [wall_tiles]  # the lower space of a tower = the number printed on its wall tile
/// 12 = 4
/// 18 = "8 of 2003"  # where the edition does not say what is printed
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameFile {
    /// The players' names.
    pub players: Vec<String>,
    /// Their colours as words.
    pub colours: Vec<String>,
    /// Their colours as sRGB.
    pub rgb: Vec<[u8; 3]>,
    /// The name of who starts (CA-10).
    pub starts: Option<String>,
    /// The deck: a name or a path.
    pub deck: Option<String>,
    /// The wall: a name or a path.
    pub wall: Option<String>,
    /// The edition and what the table chose differently, as in
    /// [`Header::edition`].
    pub edition: Option<String>,
    /// The lower track space of a tower to the number printed on its wall tile.
    pub wall_tiles: BTreeMap<String, WallTileNumber>,
}

/// A wall tile's number as it stands in a game file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum WallTileNumber {
    /// Printed on the wall tile of the edition.
    Printed(u8),
    /// In words, as [`Words::wall_tile`] writes them: `8 of 2003`.
    ///
    /// [`Words::wall_tile`]: crate::rules::castle::Words::wall_tile
    Words(String),
}

/// Why a game file or the options of a game can't be used.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// The file cannot be read.
    #[error("the game file cannot be read ({0}): {1}")]
    Io(std::io::Error, PathBuf),
    /// Not TOML, or not of the form.
    #[error("the game file is not of the form ({0}): {1}")]
    Form(String, PathBuf),
    /// Not two players.
    #[error("The Castle is for two players, not {0}; name two")]
    Players(usize),
    /// Not two colours, or twice the same.
    #[error("two players need two different colours, such as blue and yellow")]
    Colours,
    /// A colour that is not known.
    #[error("`{0}` is no colour that is known; say its sRGB as rgb in game.toml")]
    Colour(String),
    /// Nobody of that name plays.
    #[error("nobody named `{0}` plays; who starts must be one of the players")]
    Starts(String),
    /// A name or another word that can't stand in a record.
    #[error(transparent)]
    Word(#[from] WordError),
    /// No such edition.
    #[error(transparent)]
    Edition(#[from] EditionError),
    /// A number of which the edition does not say what the wall tile does.
    #[error(transparent)]
    WallTile(#[from] NotationError),
    /// A wall tile on something that is no tower.
    #[error("`{0}` is not the lower space of a tower in wall_tiles; write it as a number, such as 12")]
    Tower(String),
}

impl GameFile {
    /// Reads a game file.
    ///
    /// # Errors
    /// [`GameFileError::Io`] or [`GameFileError::Form`].
    pub fn read(path: &Path) -> Result<GameFile, GameFileError> {
        let text =
            files::read_text(path, MOST_TEXT as u64).map_err(|e| GameFileError::Io(e, path.to_owned()))?;
        toml::from_str(&text).map_err(|e| GameFileError::Form(quoted(e.message()), path.to_owned()))
    }

    /// The `game.toml` in the folder that a source names, if there is one.
    ///
    /// # Errors
    /// [`GameFileError::Io`] or [`GameFileError::Form`].
    pub fn beside(source: &str) -> Result<Option<GameFile>, GameFileError> {
        let path = Path::new(source).join("game.toml");
        path.is_file().then(|| GameFile::read(&path)).transpose()
    }

    /// What this file says, and where it says nothing what the other says. Shades
    /// go with the colours that they are of.
    #[must_use]
    pub fn or(self, other: GameFile) -> GameFile {
        fn filled<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
            if first.is_empty() { second } else { first }
        }
        let same_colours = self.colours.is_empty() || self.colours == other.colours;
        let rgb = if same_colours { other.rgb } else { Vec::new() };
        GameFile {
            players: filled(self.players, other.players),
            colours: filled(self.colours, other.colours),
            rgb: filled(self.rgb, rgb),
            starts: self.starts.or(other.starts),
            deck: self.deck.or(other.deck),
            wall: self.wall.or(other.wall),
            edition: self.edition.or(other.edition),
            wall_tiles: if self.wall_tiles.is_empty() { other.wall_tiles } else { self.wall_tiles },
        }
    }

    /// The header of the game's record.
    ///
    /// # Errors
    /// [`GameFileError`] when the players, colours, towers or words are not usable.
    pub fn header(&self) -> Result<Header, GameFileError> {
        let players = match self.players.len() {
            0 => vec!["White".to_owned(), "Black".to_owned()],
            2 => self.players.clone(),
            n => return Err(GameFileError::Players(n)),
        };
        let colours = match self.colours.len() {
            0 => vec!["white".to_owned(), "black".to_owned()],
            2 if self.colours[0] != self.colours[1] => self.colours.clone(),
            _ => return Err(GameFileError::Colours),
        };
        players.iter().try_for_each(|name| check_name(name))?;
        colours.iter().try_for_each(|word| check_word(word, "a colour", LONGEST_NAME))?;
        let words = [
            (&self.starts, "who starts"),
            (&self.deck, "a deck"),
            (&self.wall, "a wall"),
            (&self.edition, "an edition"),
        ];
        for (word, what) in words {
            word.iter().try_for_each(|word| check_word(word, what, LONGEST_WORD))?;
        }
        let starts = match &self.starts {
            None => Player(0),
            Some(name) => {
                let named = |p: &String| p.eq_ignore_ascii_case(name);
                let index = players.iter().position(named).or_else(|| colours.iter().position(named));
                Player(index.ok_or_else(|| GameFileError::Starts(name.clone()))? as u8)
            }
        };
        let wall_tiles = self.wall_tile_numbers()?;
        Ok(Header {
            format: "castellan".to_owned(),
            version: 1,
            game: Game::Castle,
            deck: self.deck.clone().unwrap_or_else(|| "house".to_owned()),
            wall: Some(self.wall.clone().unwrap_or_else(|| "house".to_owned())),
            edition: self.edition.clone(),
            players,
            colours,
            starts,
            wall_tiles,
        })
    }

    /// The wall tiles by their numbers of 2003.
    fn wall_tile_numbers(&self) -> Result<BTreeMap<u8, u8>, GameFileError> {
        let mut numbers = BTreeMap::new();
        if self.wall_tiles.is_empty() {
            return Ok(numbers);
        }
        let words = Edition::named(self.edition.as_deref().unwrap_or(Edition::default_name()))?.words;
        for (tower, said) in &self.wall_tiles {
            let tower = tower.parse().map_err(|_| GameFileError::Tower(tower.clone()))?;
            let number = match said {
                WallTileNumber::Printed(number) => words.wall_tile_named(&number.to_string())?,
                WallTileNumber::Words(text) => words.wall_tile_named(text)?,
            };
            numbers.insert(tower, number);
        }
        Ok(numbers)
    }

    /// What a record's header says.
    pub fn of(header: &Header) -> GameFile {
        let edition = Edition::named(header.edition.as_deref().unwrap_or(Edition::default_name()));
        let words = edition.map(|edition| edition.words).unwrap_or_default();
        let said = |number: u8| match words.printed(number) {
            Some(printed) => WallTileNumber::Printed(printed),
            None => WallTileNumber::Words(words.wall_tile(number)),
        };
        GameFile {
            players: header.players.clone(),
            colours: header.colours.clone(),
            rgb: Vec::new(),
            starts: header.players.get(header.starts.index()).cloned(),
            deck: Some(header.deck.clone()),
            wall: header.wall.clone(),
            edition: header.edition.clone(),
            wall_tiles: header
                .wall_tiles
                .iter()
                .map(|(tower, tile)| (tower.to_string(), said(*tile)))
                .collect(),
        }
    }

    /// What is said here and otherwise in the header of a record: what it is, what
    /// the record says, and what is said here. Names that are shown alike are the
    /// same.
    pub fn contradicts(&self, header: &Header) -> Option<(&'static str, String, String)> {
        let name = |name: &String| shown(name, LONGEST_NAME);
        let alike = |a: &[String], b: &[String]| a.iter().map(name).eq(b.iter().map(name));
        let default = Edition::default_name();
        let recorded = header.edition.as_deref().unwrap_or(default);
        let wall = header.wall.as_deref().unwrap_or_default();
        let lists = [
            ("the players", &header.players, &self.players),
            ("the colours", &header.colours, &self.colours),
        ];
        let other_list =
            lists.into_iter().find(|(_, recorded, said)| !said.is_empty() && !alike(recorded, said));
        if let Some((what, recorded, said)) = other_list {
            return Some((what, recorded.join(" and "), said.join(" and ")));
        }
        if let Some(said) = &self.starts {
            let named = |list: &[String]| {
                list.get(header.starts.index()).is_some_and(|n| name(n).eq_ignore_ascii_case(&name(said)))
            };
            if !named(&header.players) && !named(&header.colours) {
                let recorded = header.players.get(header.starts.index()).cloned().unwrap_or_default();
                return Some(("the first turn of", recorded, said.clone()));
            }
        }
        let words = [
            ("the deck", header.deck.as_str(), &self.deck),
            ("the wall", wall, &self.wall),
            ("the edition", recorded, &self.edition),
        ];
        for (what, recorded, said) in words {
            if let Some(said) = said.as_deref().filter(|said| !is_same(said, recorded)) {
                return Some((what, format!("`{recorded}`"), format!("`{said}`")));
            }
        }
        None
    }

    /// The players' figure colours, sRGB: as given for the header's colours, else
    /// by their words.
    ///
    /// # Errors
    /// [`GameFileError::Colours`] or [`GameFileError::Colour`].
    pub fn figure_colours(&self, header: &Header) -> Result<Vec<[u8; 3]>, GameFileError> {
        let of_header = self.colours.is_empty() || self.colours == header.colours;
        match self.rgb.len() {
            2 if of_header => return Ok(self.rgb.clone()),
            0 | 2 => {}
            _ => return Err(GameFileError::Colours),
        }
        let known = |word: &String| known_colour(word).ok_or_else(|| GameFileError::Colour(word.clone()));
        header.colours.iter().map(known).collect()
    }
}

/// Whether two words name the same deck, wall or edition: the same word, or two
/// ways to one file.
fn is_same(said: &str, recorded: &str) -> bool {
    let file = |name: &str| std::fs::canonicalize(name).ok();
    said.split_whitespace().eq(recorded.split_whitespace())
        || file(said).is_some_and(|said| file(recorded) == Some(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header, GameFileError> {
        toml::from_str::<GameFile>(text).unwrap().header()
    }

    #[test]
    fn an_empty_file_is_a_game_of_the_house_set() {
        let header = header("").unwrap();
        assert_eq!((header.deck.as_str(), header.wall.as_deref()), ("house", Some("house")));
        assert_eq!(header.players.len(), 2);
    }

    #[test]
    fn what_is_said_holds() {
        let text =
            "players = ['Ada', 'Ben']\ncolours = ['blue', 'yellow']\nstarts = 'ben'\n[wall_tiles]\n12 = 4\n";
        let header = header(text).unwrap();
        assert_eq!((header.starts, header.wall_tiles.get(&12)), (Player(1), Some(&4)));
        let colours = toml::from_str::<GameFile>(text).unwrap().figure_colours(&header).unwrap();
        assert!(colours[0][2] > colours[0][0] && colours[1][0] > colours[1][2]);
    }

    #[test]
    fn wall_tiles_have_the_numbers_printed_on_them() {
        let text = "edition = 'zamek-2020'\n[wall_tiles]\n12 = 4\n18 = '8 of 2003'\n";
        let read = header(text).unwrap();
        assert_eq!(read.wall_tiles, [(12, 7), (18, 8)].into());
        assert_eq!(GameFile::of(&read).header().unwrap(), read);
        let unknown = header("edition = 'zamek-2020'\n[wall_tiles]\n12 = 8\n").unwrap_err().to_string();
        assert!(unknown.starts_with("what wall tile 8 does in this edition"), "{unknown}");
        assert!(header("[wall_tiles]\n12 = 'eight'\n").is_err());
    }

    #[test]
    fn errors_say_what_to_write() {
        let says = |text: &str| header(text).unwrap_err().to_string();
        assert!(says("players = ['A']").starts_with("The Castle is for two players, not 1"));
        assert!(says("colours = ['red', 'red']").contains("two different colours"));
        assert!(says("starts = 'Eve'").starts_with("nobody named `Eve` plays"));
        assert!(says("players = ['A', '']").starts_with("a name has 1 to 40 letters, not 0"));
        assert!(says("players = ['A', \"B\\nC\"]").starts_with("a name has no control characters"));
        assert!(says("colours = ['red', \"\\u001b[2J\"]").starts_with("a colour has no control characters"));
        assert!(says("deck = \"a\\nb\"").starts_with("a deck has no control characters"));
        assert!(says("[wall_tiles]\nx = 4").starts_with("`x` is not the lower space"));
    }
}
