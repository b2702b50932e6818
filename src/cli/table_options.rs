//! What `open` and `watch` are told about a live game.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::rules::Game;
use crate::table::{GameFile, Opening, USUAL_BYTES};

/// A folder of stills may hold a `game.toml` with game, players, colours, rgb,
/// neutral, starts, deck, wall, pieces, edition and wall_tiles; what is said here goes before it.
#[derive(Clone, Debug, Args)]
pub struct TableOptions {
    /// The deck: `house`, an enrolled deck's name, or a path.
    #[arg(long)]
    deck: Option<String>,
    /// The wall: `house`, a surveyed wall's name, or a path; the classic game has none.
    #[arg(long)]
    wall: Option<String>,
    /// The players' pieces as `castellan pieces` measured them: a name or a path. Without
    /// --colours their colours are those of the players.
    #[arg(long, value_name = "MINE")]
    pieces: Option<String>,
    /// The players' names: two, or two to six in a classic game.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    players: Vec<String>,
    /// Their colours, in the same order.
    #[arg(long, value_delimiter = ',', value_name = "C,D")]
    colours: Vec<String>,
    /// The colour of the figure that is nobody's, the count: purple, or one that no player has.
    #[arg(long, value_name = "E")]
    neutral: Option<String>,
    /// Who starts.
    #[arg(long, value_name = "A")]
    starts: Option<String>,
    /// The edition that is played: hig-2003, rgg-2003 or zamek-2020, then what is
    /// different at this table, such as +pickup_after_all_moves.
    #[arg(long)]
    edition: Option<String>,
    /// Which game, `castle` or `classic`, where the deck does not say; or a file with
    /// players, colours and wall tiles.
    #[arg(long, value_name = "GAME|FILE.toml")]
    game: Option<PathBuf>,
    /// Write the record of the game here, event by event; a record that is there
    /// is gone on with.
    #[arg(long, value_name = "OUT.jsonl")]
    record: Option<PathBuf>,
    /// Read with this model, not the built-in one.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// How long each still of a folder lasts, in the record's time.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds_per_still: f64,
    /// Play a recording as a camera would have seen it: stills and frames at their times,
    /// and what comes while a picture is read is left out.
    #[arg(long)]
    real_time: bool,
    /// The size of pictures that a webcam is asked for; it gives what comes nearest.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = resolution)]
    resolution: Option<(u32, u32)>,
    /// The source shows the whole game: score it at the end even when tiles are
    /// left.
    #[arg(long)]
    whole_game: bool,
    /// How much the pictures of what is seen may take beside the record, those of all
    /// records in its folder together; 0 keeps none.
    #[arg(long, value_name = "MB", default_value_t = USUAL_BYTES >> 20)]
    pictures_mb: u64,
}

impl TableOptions {
    /// The game to open with a source.
    pub fn opening(&self, source: &str) -> Opening {
        let game = self.game.as_deref().and_then(Path::to_str).and_then(Game::named);
        let said = GameFile {
            game,
            players: self.players.clone(),
            colours: self.colours.clone(),
            neutral: self.neutral.clone(),
            starts: self.starts.clone(),
            deck: self.deck.clone(),
            wall: self.wall.clone(),
            pieces: self.pieces.clone(),
            edition: self.edition.clone(),
            ..GameFile::default()
        };
        Opening {
            source: source.to_owned(),
            said,
            game: self.game.clone().filter(|_| game.is_none()),
            record: self.record.clone(),
            model: self.model.clone(),
            seconds_per_still: self.seconds_per_still,
            real_time: self.real_time,
            resolution: self.resolution,
            whole_game: self.whole_game,
            evidence: self.pictures_mb.saturating_mul(1 << 20),
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("give a number of seconds above 0".to_owned()),
    }
}

/// Sizes beyond these are no webcam's.
const SIDES: std::ops::RangeInclusive<u32> = 16..=16_384;

fn resolution(text: &str) -> Result<(u32, u32), String> {
    let side = |side: &str| side.parse().ok().filter(|side| SIDES.contains(side));
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| "give width and height in pixels, such as 1920x1080".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolution_is_two_numbers_of_pixels() {
        assert_eq!(resolution("1920x1080"), Ok((1920, 1080)));
        for wrong in ["1920", "1920x", "x1080", "0x0", "-1x5", "99999x16", "1280x720x3"] {
            assert!(resolution(wrong).is_err(), "{wrong}");
        }
    }
}
