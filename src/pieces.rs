//! The players' own pieces as they were measured once: their paints and how large they are.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::rules::plain::check_name;
use crate::rules::{Sentence, quoted, sentence};

/// The longest text of pieces, bytes.
pub const MOST_TEXT: u64 = 1 << 16;
/// The most players with pieces.
const MOST_PLAYERS: usize = 6;
/// Lengths that a piece can have, tile sides: from 1 mm to twice a tile.
const LENGTHS: std::ops::RangeInclusive<f32> = 0.02..=2.0;

/// How large a piece is as it stands or lies, in tile sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Along the table, the longer way.
    pub length: f32,
    /// Along the table, the shorter way.
    pub width: f32,
    /// Above the table.
    pub height: f32,
}

/// A player's pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerPieces {
    /// The word of their colour.
    pub colour: String,
    /// Their paint, sRGB, in the light in which the wall's picture was taken.
    pub rgb: [u8; 3],
    /// A follower that stands.
    pub standing: Size,
    /// A follower that lies.
    pub lying: Size,
    /// The keep.
    pub keep: Size,
}

/// The pieces of all players.
///
/// ```toml
/// [[player]]
/// colour = "blue"
/// rgb = [28, 80, 166]
/// standing = { length = 0.31, width = 0.2, height = 0.36 }
/// lying = { length = 0.36, width = 0.31, height = 0.2 }
/// keep = { length = 0.52, width = 0.52, height = 0.56 }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPieces {
    /// Player by player.
    #[serde(rename = "player")]
    pub players: Vec<PlayerPieces>,
}

/// Why a text holds no pieces, or not those of a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum OwnPiecesError {
    /// Not TOML, or not of the form.
    Form(String),
    /// Too many or no players.
    Players(usize),
    /// A word that is no colour's, or stands twice.
    Word(String),
    /// A length that no piece has.
    Size(&'static str, String),
    /// No pieces of a colour that is played with.
    Colour(String, String),
}

impl From<&OwnPiecesError> for Sentence {
    fn from(error: &OwnPiecesError) -> Sentence {
        match error {
            OwnPiecesError::Form(why) => {
                sentence!("this is not a file of pieces as `castellan pieces` writes it: {}", why)
            }
            OwnPiecesError::Players(players) => sentence!(
                "a file of pieces holds those of 1 to {} players, not of {}; photograph them again",
                MOST_PLAYERS,
                *players
            ),
            OwnPiecesError::Word(word) => sentence!(
                "`{}` cannot be the word of a player's colour here; name each colour once, in plain letters",
                word
            ),
            OwnPiecesError::Size(what, colour) => sentence!(
                "the {} of the colour `{}` cannot be that large or small; give its size in tile sides",
                Sentence::word(what),
                colour
            ),
            OwnPiecesError::Colour(colour, known) => sentence!(
                "no pieces of the colour `{}` were measured, only {}; say those colours, or photograph the \
                 pieces with `castellan pieces`",
                colour,
                known
            ),
        }
    }
}

impl Size {
    /// To a thousandth of a tile side, between the lengths that a piece can have.
    #[must_use]
    pub fn rounded(self) -> Size {
        let round = |v: f32| ((v * 1000.0).round() / 1000.0).clamp(*LENGTHS.start(), *LENGTHS.end());
        let Size { length, width, height } = self;
        Size { length: round(length), width: round(width), height: round(height) }
    }
}

impl OwnPieces {
    /// Reads the text of a file of pieces, with everything in it bounded.
    ///
    /// # Errors
    /// [`OwnPiecesError`].
    pub fn from_toml(text: &str) -> Result<OwnPieces, OwnPiecesError> {
        if text.len() as u64 > MOST_TEXT {
            return Err(OwnPiecesError::Form("it is too long".to_owned()));
        }
        let pieces: OwnPieces =
            toml::from_str(text).map_err(|e| OwnPiecesError::Form(quoted(e.message())))?;
        if !(1..=MOST_PLAYERS).contains(&pieces.players.len()) {
            return Err(OwnPiecesError::Players(pieces.players.len()));
        }
        for (i, player) in pieces.players.iter().enumerate() {
            let again = pieces.players[..i].iter().any(|p| p.colour.eq_ignore_ascii_case(&player.colour));
            if again || check_name(&player.colour).is_err() {
                return Err(OwnPiecesError::Word(quoted(&player.colour)));
            }
            let sizes = [
                ("follower that stands", player.standing),
                ("follower that lies", player.lying),
                ("keep", player.keep),
            ];
            for (what, Size { length, width, height }) in sizes {
                if ![length, width, height].iter().all(|v| LENGTHS.contains(v)) || width > length {
                    return Err(OwnPiecesError::Size(what, player.colour.clone()));
                }
            }
        }
        Ok(pieces)
    }

    /// The text that [`OwnPieces::from_toml`] reads, with what its numbers mean.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# The players' pieces, measured by `castellan pieces`. `rgb` is a paint (sRGB) in the light in\n\
             # which the wall's picture was taken. Sizes are in tile sides: the longer and the shorter way\n\
             # along the table, and the height above it.\n",
        );
        let size = |s: Size| {
            format!("{{ length = {:?}, width = {:?}, height = {:?} }}", s.length, s.width, s.height)
        };
        for player in &self.players {
            let [r, g, b] = player.rgb;
            text.push_str(&format!(
                "\n[[player]]\ncolour = {}\nrgb = [{r}, {g}, {b}]\nstanding = {}\nlying = {}\nkeep = {}\n",
                toml::Value::from(player.colour.as_str()),
                size(player.standing),
                size(player.lying),
                size(player.keep)
            ));
        }
        text
    }

    /// The words of the colours.
    pub fn words(&self) -> Vec<String> {
        self.players.iter().map(|p| p.colour.clone()).collect()
    }

    /// The pieces of the players whose colours these are, in their order.
    ///
    /// # Errors
    /// [`OwnPiecesError::Colour`].
    pub fn of(&self, colours: &[String]) -> Result<Vec<PlayerPieces>, OwnPiecesError> {
        let of_word = |word: &String| {
            let found = self.players.iter().find(|p| p.colour.eq_ignore_ascii_case(word)).cloned();
            found.ok_or_else(|| OwnPiecesError::Colour(quoted(word), self.words().join(" and ")))
        };
        colours.iter().map(of_word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blue() -> PlayerPieces {
        PlayerPieces {
            colour: "blue".into(),
            rgb: [28, 80, 166],
            standing: Size { length: 0.31, width: 0.2, height: 0.36 },
            lying: Size { length: 0.36, width: 0.31, height: 0.2 },
            keep: Size { length: 0.52, width: 0.5, height: 0.56 },
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let natural = PlayerPieces { colour: "natural \"wood\"".into(), rgb: [210, 180, 140], ..blue() };
        let pieces = OwnPieces { players: vec![blue(), natural] };
        assert_eq!(OwnPieces::from_toml(&pieces.to_toml()), Ok(pieces));
    }

    #[test]
    fn pieces_are_found_by_the_word_of_their_colour() {
        let pieces = OwnPieces { players: vec![blue(), PlayerPieces { colour: "red".into(), ..blue() }] };
        let found = pieces.of(&["Red".into(), "blue".into()]).unwrap();
        assert_eq!((found[0].colour.as_str(), found[1].colour.as_str()), ("red", "blue"));
        let missing = pieces.of(&["green".into()]).unwrap_err().to_string();
        assert!(
            missing.starts_with("no pieces of the colour `green` were measured, only blue and red"),
            "{missing}"
        );
    }

    #[test]
    fn what_no_pieces_have_is_refused() {
        let text = OwnPieces { players: vec![blue()] }.to_toml();
        let fault = |text: &str| OwnPieces::from_toml(text).unwrap_err();
        assert_eq!(fault("player = []"), OwnPiecesError::Players(0));
        assert_eq!(fault(&text.repeat(7)), OwnPiecesError::Players(7));
        assert_eq!(fault(&text.repeat(2)), OwnPiecesError::Word("blue".into()));
        for (from, to) in
            [("0.31,", "nan,"), ("0.31,", "-0.31,"), ("0.31,", "20.0,"), ("width = 0.2", "width = 0.9")]
        {
            let wrong = fault(&text.replacen(from, to, 1));
            assert_eq!(wrong, OwnPiecesError::Size("follower that stands", "blue".into()), "{from} {to}");
        }
        for wrong in [
            "",
            "player = 1",
            "[[player]]\ncolour = 'blue'",
            &text.replace("rgb", "rbg"),
            &"#".repeat(70_000),
        ] {
            assert!(matches!(fault(wrong), OwnPiecesError::Form(_)));
        }
        let control = text.replace("\"blue\"", "\"\\u001b[2J\"");
        assert!(matches!(fault(&control), OwnPiecesError::Word(_)));
    }
}
