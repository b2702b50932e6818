//! Pictures of what the camera decided: for each event the cell before and after, in a
//! folder beside the record.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use image::{RgbImage, imageops};

use crate::library::evidence_beside;
use crate::observation::{CellReading, CellState, Figure, Observation};
use crate::picture;
use crate::rules::Cell;
use crate::vision::read::drawing::Placed;

/// How much is shown round a cell, as a share of its width on each side.
const MARGIN: f64 = 0.5;
/// Pixels of a picture's longer side at most: tile and follower are told apart, and a game
/// takes some 5 MB.
const MOST_PX: u32 = 320;
/// Bytes that the pictures of all games in one folder may take, where nobody says another
/// number: some hundred games.
pub const USUAL_BYTES: u64 = 512 << 20;

/// The pictures of a record, written as its events come.
///
/// The pictures of all records in the same folder share a number of bytes; where they
/// would take more, the oldest are given up. Facts are never given up for pictures, and
/// pictures that cannot be written hinder no record.
#[derive(Debug)]
pub struct Evidence {
    folder: PathBuf,
    /// The pictures there are, oldest first, with their bytes.
    kept: VecDeque<(PathBuf, u64)>,
    bytes: u64,
    most: u64,
    /// The last frame before what is going on.
    before: Option<Glimpse>,
    written: u64,
    given_up: usize,
    /// Why a picture could not be written.
    trouble: Option<String>,
}

/// A frame, where its cells are, and what was seen in it.
#[derive(Debug)]
struct Glimpse {
    frame: RgbImage,
    places: BTreeMap<Cell, [[f64; 2]; 4]>,
    seen: Vec<Seen>,
}

/// What is seen in a cell, as far as a player would say that something has changed.
#[derive(Debug, PartialEq)]
struct Seen {
    cell: Cell,
    state: CellState,
    figures: Vec<(u8, Figure)>,
}

impl Evidence {
    /// The pictures of a record; those of all records beside it take at most `most` bytes.
    /// The folder is made with the first picture.
    ///
    /// # Errors
    /// The system's own when the pictures that are there cannot be listed.
    pub fn of(record: &Path, most: u64) -> io::Result<Evidence> {
        let mut kept = there(record)?;
        kept.sort();
        let bytes = kept.iter().map(|(_, _, bytes)| bytes).sum();
        Ok(Evidence {
            folder: evidence_beside(record),
            kept: kept.into_iter().map(|(_, path, bytes)| (path, bytes)).collect(),
            bytes,
            most,
            before: None,
            written: 0,
            given_up: 0,
            trouble: None,
        })
    }

    /// Takes a frame in. `decided` are the events that it decided, each with the cells of the
    /// picture that it is about; gives for each event with pictures their names.
    pub fn take(
        &mut self,
        frame: &RgbImage,
        places: &[Placed],
        seen: &Observation,
        decided: &[(u64, Vec<Cell>)],
    ) -> Vec<(u64, Vec<String>)> {
        let places: BTreeMap<Cell, [[f64; 2]; 4]> = places.iter().copied().collect();
        let mut named = Vec::new();
        for (seq, cells) in decided {
            let mut names = Vec::new();
            for (cell, part) in cells.iter().zip(["", "b-", "c-"]) {
                let Some(quad) = places.get(cell) else { continue };
                let before = self.before.as_ref().map(|b| cut(&b.frame, b.places.get(cell).unwrap_or(quad)));
                let pictures = [("before", before), ("after", Some(cut(frame, quad)))];
                for (when, picture) in pictures {
                    let Some(picture) = picture.flatten() else { continue };
                    let name = format!("{seq:04}-{part}{when}.jpg");
                    match self.write(&name, &picture) {
                        Ok(()) => names.push(name),
                        Err(error) => self.fail(&error),
                    }
                }
            }
            if !names.is_empty() {
                named.push((*seq, names));
            }
        }
        let seen = as_seen(seen);
        let calm = seen.iter().all(|s| s.state != CellState::Covered);
        let same = self.before.as_ref().is_none_or(|b| b.seen == seen);
        if same || (calm && !decided.is_empty()) {
            self.before = Some(Glimpse { frame: frame.clone(), places, seen });
        }
        named
    }

    /// What there is to tell at the end: where the pictures are, how much they take, and what
    /// was given up; `None` where there are none.
    pub fn told(&self) -> Option<String> {
        if let Some(trouble) = &self.trouble {
            return Some(format!(
                "some pictures could not be kept ({trouble}); the record itself is whole: {}",
                self.folder.display()
            ));
        }
        if self.written == 0 {
            return None;
        }
        let given_up = match self.given_up {
            0 => String::new(),
            n => format!(
                "; the {n} oldest were given up, since all games here may take {:.0} MB",
                megabytes(self.most)
            ),
        };
        let written = megabytes(self.written);
        Some(format!("pictures of what was seen: {written:.1} MB in {}{given_up}", self.folder.display()))
    }

    fn write(&mut self, name: &str, image: &RgbImage) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(name);
        picture::save(&path, image)?;
        let bytes = std::fs::metadata(&path)?.len();
        self.kept.push_back((path, bytes));
        (self.bytes, self.written) = (self.bytes + bytes, self.written + bytes);
        while self.bytes > self.most {
            let Some((oldest, bytes)) = self.kept.pop_front() else { break };
            // One that somebody else took away is given up as well.
            if let Err(error) = std::fs::remove_file(&oldest)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            self.bytes -= bytes;
            self.given_up += 1;
        }
        Ok(())
    }

    fn fail(&mut self, error: &io::Error) {
        if self.trouble.is_none() {
            tracing::warn!("a picture could not be kept, {error}: {}", self.folder.display());
            self.trouble = Some(error.to_string());
        }
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The pictures of all records beside one: when each was written, where, its bytes.
fn there(record: &Path) -> io::Result<Vec<(SystemTime, PathBuf, u64)>> {
    let home = record.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for folder in std::fs::read_dir(home)? {
        let folder = folder?;
        let is_one = folder.file_name().to_string_lossy().ends_with(".jsonl.evidence");
        if !is_one || !folder.file_type()?.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path())? {
            let file = file?;
            let meta = file.metadata()?;
            if meta.is_file() && file.path().extension().is_some_and(|e| e == "jpg") {
                found.push((meta.modified()?, file.path(), meta.len()));
            }
        }
    }
    Ok(found)
}

fn as_seen(observation: &Observation) -> Vec<Seen> {
    let seen = |cell: &CellReading| {
        let mut figures: Vec<(u8, Figure)> = cell.figures.iter().map(|f| (f.player, f.figure)).collect();
        figures.sort_by_key(|(player, figure)| (*player, *figure == Figure::Keep));
        Seen { cell: Cell::new(cell.col, cell.row), state: cell.state, figures }
    };
    observation.cells.iter().map(seen).collect()
}

/// The part of a frame with a cell, with [`MARGIN`] round it; `None` outside the frame.
pub(crate) fn cut(frame: &RgbImage, quad: &[[f64; 2]; 4]) -> Option<RgbImage> {
    let span = |axis: usize, most: u32| -> Option<(u32, u32)> {
        let all = quad.map(|corner| corner[axis]);
        let (low, high) =
            (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(f64::MIN, f64::max));
        let margin = MARGIN * (high - low);
        let (low, high) = ((low - margin).max(0.0), (high + margin).min(f64::from(most)));
        (high - low >= 1.0).then_some((low as u32, (high - low) as u32))
    };
    let (left, width) = span(0, frame.width())?;
    let (top, height) = span(1, frame.height())?;
    let part = imageops::crop_imm(frame, left, top, width, height).to_image();
    let longer = width.max(height);
    if longer <= MOST_PX {
        return Some(part);
    }
    let scaled = |side: u32| (side * MOST_PX / longer).max(1);
    Some(imageops::resize(&part, scaled(width), scaled(height), imageops::FilterType::Triangle))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [Placed; 2] = [
        (Cell::new(0, 0), [[20.0, 20.0], [60.0, 20.0], [60.0, 60.0], [20.0, 60.0]]),
        (Cell::new(1, 0), [[60.0, 20.0], [100.0, 20.0], [100.0, 60.0], [60.0, 60.0]]),
    ];

    fn frame(grey: u8) -> RgbImage {
        RgbImage::from_pixel(120, 80, image::Rgb([grey; 3]))
    }

    fn table(states: [CellState; 2]) -> Observation {
        let cell =
            |(col, state)| CellReading { col, row: 0, state, confidence: 0.9, ..CellReading::default() };
        Observation { cells: (0..).zip(states).map(cell).collect(), ..Observation::default() }
    }

    fn grey(folder: &Path, name: &str) -> u8 {
        image::open(folder.join(name)).unwrap().into_rgb8().get_pixel(3, 3)[0]
    }

    #[test]
    fn an_event_has_the_cell_as_it_was_before_the_hand_came_and_as_it_is() {
        use CellState::{Covered, Empty, Tile};
        let home = tempfile::tempdir().unwrap();
        let record = home.path().join("game.jsonl");
        let mut evidence = Evidence::of(&record, USUAL_BYTES).unwrap();
        assert_eq!(evidence.told(), None);
        for (shade, states) in [(10, [Tile, Empty]), (40, [Tile, Empty]), (80, [Tile, Covered])] {
            assert!(evidence.take(&frame(shade), &PLACES, &table(states), &[]).is_empty());
        }
        let laid = [(7, vec![Cell::new(1, 0)])];
        let named = evidence.take(&frame(200), &PLACES, &table([Tile, Tile]), &laid);
        assert_eq!(named, [(7, vec!["0007-before.jpg".to_owned(), "0007-after.jpg".to_owned()])]);
        let folder = home.path().join("game.jsonl.evidence");
        assert!(grey(&folder, "0007-before.jpg").abs_diff(40) < 4);
        assert!(grey(&folder, "0007-after.jpg").abs_diff(200) < 4);
        let part = image::open(folder.join("0007-after.jpg")).unwrap();
        assert_eq!((part.width(), part.height()), (80, 80), "half a cell round it");
        // A cell that is not in the picture has none.
        let far = [(8, vec![Cell::new(9, 9)])];
        assert!(evidence.take(&frame(210), &PLACES, &table([Tile, Tile]), &far).is_empty());
        assert!(evidence.told().unwrap().ends_with("game.jsonl.evidence"));
    }

    #[test]
    fn the_oldest_pictures_of_all_games_are_given_up_first() {
        use CellState::{Empty, Tile};
        let home = tempfile::tempdir().unwrap();
        let cell = Cell::new(0, 0);
        let write = |game: &str, most: u64, seqs: std::ops::Range<u64>| -> Evidence {
            let mut evidence = Evidence::of(&home.path().join(game), most).unwrap();
            for seq in seqs {
                evidence.take(&frame(9), &PLACES, &table([Tile, Empty]), &[(seq, vec![cell])]);
            }
            evidence
        };
        write("first.jsonl", USUAL_BYTES, 1..4);
        let second = write("second.jsonl", USUAL_BYTES, 1..4);
        let size = second.kept[0].1;
        assert_eq!((second.kept.len(), second.given_up), (10, 0));
        let third = write("third.jsonl", 8 * size, 1..3);
        assert_eq!((third.kept.len(), third.given_up), (8, 5));
        assert!(third.told().unwrap().contains("5 oldest were given up"), "{:?}", third.told());
        assert!(third.kept.iter().all(|(path, _)| path.exists()));
        let left = |game: &str| std::fs::read_dir(evidence_beside(&home.path().join(game))).unwrap().count();
        assert_eq!((left("first.jsonl"), left("second.jsonl"), left("third.jsonl")), (0, 5, 3));
    }

    #[test]
    fn pictures_that_cannot_be_written_hinder_nothing() {
        let home = tempfile::tempdir().unwrap();
        let record = home.path().join("game.jsonl");
        std::fs::write(evidence_beside(&record), "in the way").unwrap();
        let mut evidence = Evidence::of(&record, USUAL_BYTES).unwrap();
        let laid = [(1, vec![Cell::new(0, 0)])];
        assert!(evidence.take(&frame(9), &PLACES, &table([CellState::Tile; 2]), &laid).is_empty());
        assert!(evidence.told().unwrap().starts_with("some pictures could not be kept"));
    }
}
