//! An owner's deck on disk: `deck.toml`, `references/ID.png`, the contact sheet,
//! and in `left-out/` the tiles that don't count. Nothing that was photographed
//! is deleted by a correction.

use std::path::{Path, PathBuf};

use image::RgbImage;

use super::alike;
use super::contact_sheet::{SheetTile, contact_sheet};
use super::{EnrolError, Enrolment, check_name, cut_out};
use crate::references::{self, picture_file};
use crate::rules::{Deck, Face, MOST_TEXT, Sentence, Tile};
use crate::share::{self, Shared};
use crate::vision::base::photo;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::{files, library, picture};

const SHEET: &str = "contact-sheet.png";
/// A file that the deck came in without pictures.
const SHARED: &str = "shared.castellan";
/// Least score of a tile of a photo against a tile of the deck, as a share of its score
/// against itself, for them to be the same; which one is decided over all tiles together.
const KNOWN: f32 = 0.7;

/// What an owner corrects.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    /// Ids with their faces as texts.
    pub faces: Vec<(String, String)>,
    /// Ids of tiles to leave out.
    pub drop: Vec<String>,
    /// Ids of tiles to take back.
    pub restore: Vec<String>,
}

/// Says whether a deck of this name can be stored.
///
/// # Errors
/// [`EnrolError::DeckName`], or [`EnrolError::Exists`] unless `replace`.
pub fn check_free(name: &str, replace: bool) -> Result<(), EnrolError> {
    check_name(name)?;
    if !replace && library::data_dir()?.join("decks").join(name).exists() {
        return Err(EnrolError::Exists(name.to_owned()));
    }
    Ok(())
}

/// Where the contact sheet of a deck's folder is.
pub fn sheet_path(folder: &Path) -> PathBuf {
    folder.join(SHEET)
}

/// Stores a deck in the owner's data folder, with its contact sheet, and gives
/// its folder. `shared` is the file that it came in without pictures, kept so that it
/// can be completed. Half a deck is never left behind: the folder appears when all is
/// written. A deck that is replaced is kept beside it as `.NAME.former`.
///
/// # Errors
/// [`EnrolError::Exists`] unless `replace`, or [`EnrolError::Write`].
pub fn store(enrolment: &Enrolment, replace: bool, shared: Option<&[u8]>) -> Result<PathBuf, EnrolError> {
    let name = &enrolment.deck.name;
    check_free(name, replace)?;
    let decks = library::data_dir()?.join("decks");
    let place = decks.join(name);
    std::fs::create_dir_all(&decks).map_err(failed(&decks))?;
    let draft = Draft::new(decks.join(format!(".{name}.new")))?;
    let folder = &draft.0;
    let pictures = folder.join("references");
    std::fs::create_dir(&pictures).map_err(failed(&pictures))?;
    for (id, picture) in &enrolment.references {
        save(picture, &pictures.join(format!("{id}.png")))?;
    }
    let text = match &enrolment.former {
        Some(former) => enrolment.deck.to_toml_over(former),
        None => enrolment.deck.to_toml(),
    };
    write(&folder.join("deck.toml"), text.as_bytes())?;
    if let Some(bytes) = shared {
        write(&folder.join(SHARED), bytes)?;
    }
    if !enrolment.left_out.is_empty() {
        let aside = folder.join("left-out");
        std::fs::create_dir(&aside).map_err(failed(&aside))?;
        for (tile, picture) in &enrolment.left_out {
            save(picture, &aside.join(format!("{}.png", tile.id)))?;
        }
        let tiles = enrolment.left_out.iter().map(|(t, _)| t.clone()).collect();
        write(&aside.join("deck.toml"), Deck { tiles, ..enrolment.deck.clone() }.to_toml().as_bytes())?;
    }
    draw_sheet(folder, &enrolment.deck)?;
    let former = decks.join(format!(".{name}.former"));
    let replaced = std::fs::symlink_metadata(&place).is_ok();
    if replaced {
        remove(&former)?;
        std::fs::rename(&place, &former).map_err(failed(&place))?;
    }
    if let Err(error) = std::fs::rename(folder, &place) {
        if replaced {
            std::fs::rename(&former, &place).map_err(failed(&place))?;
        }
        return Err(failed(&place)(error));
    }
    Ok(place)
}

/// A folder that goes again unless it was renamed.
struct Draft(PathBuf);

impl Draft {
    fn new(place: PathBuf) -> Result<Draft, EnrolError> {
        remove(&place)?;
        std::fs::create_dir(&place).map_err(failed(&place))?;
        Ok(Draft(place))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What is in the way is removed by the next draft.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Removes a folder if it is there; of a link only the link.
fn remove(place: &Path) -> Result<(), EnrolError> {
    match std::fs::remove_dir_all(place) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(failed(place)(e)),
        _ => Ok(()),
    }
}

/// A stored deck as an enrolment, to be added to.
///
/// # Errors
/// [`EnrolError`] says what is missing.
pub fn load(name: &str) -> Result<Enrolment, EnrolError> {
    let place = owned(name)?;
    let (mut deck, former) = deck_file(&place.join("deck.toml"))?;
    // It is kept under the name of its folder.
    name.clone_into(&mut deck.name);
    let references = references::pictures(&place.join("references"), &deck.tiles)?;
    let aside = place.join("left-out");
    let mut left_out = Vec::new();
    if aside.join("deck.toml").exists() {
        let tiles = deck_file(&aside.join("deck.toml"))?.0.tiles;
        let found = references::pictures(&aside, &tiles)?;
        left_out = tiles.into_iter().zip(found.into_iter().map(|(_, p)| p)).collect();
    }
    Ok(Enrolment {
        deck,
        references,
        left_out,
        twice: Vec::new(),
        warnings: Vec::new(),
        former: Some(former),
    })
}

/// A stored deck with corrections, not stored yet: all is checked before
/// anything is written.
///
/// # Errors
/// [`EnrolError`] names the tile.
pub fn corrected(name: &str, correction: &Correction) -> Result<Enrolment, EnrolError> {
    let sheet = owned(name)?.join(SHEET);
    let mut enrolment = load(name)?;
    for id in &correction.restore {
        let at = enrolment.left_out.iter().position(|(t, _)| t.id == *id);
        let at = at.ok_or_else(|| EnrolError::NotLeftOut(id.clone(), sheet.clone()))?;
        let (tile, picture) = enrolment.left_out.remove(at);
        enrolment.references.push((id.clone(), picture));
        enrolment.deck.tiles.push(tile);
    }
    for id in &correction.drop {
        let at = enrolment.deck.index(id);
        let at = at.ok_or_else(|| EnrolError::NoTileNamed(id.clone(), sheet.clone()))?;
        let tile = enrolment.deck.tiles.remove(at);
        let (_, picture) = enrolment.references.remove(at);
        enrolment.left_out.push((tile, picture));
    }
    for (id, text) in &correction.faces {
        let face: Face = text.parse().map_err(|e| EnrolError::Face(id.clone(), e))?;
        let at = enrolment.deck.index(id);
        let tile = at.and_then(|i| enrolment.deck.tiles.get_mut(i));
        let tile = tile.ok_or_else(|| EnrolError::NoTileNamed(id.clone(), sheet.clone()))?;
        (tile.face, tile.doubts) = (Some(face), Vec::new());
    }
    Ok(enrolment)
}

/// Draws the contact sheet of the tiles in a deck's folder that have a picture,
/// with their faces and the ports in doubt, and gives its path.
///
/// # Errors
/// [`EnrolError::Write`], or what keeps a reference from being read.
pub fn draw_sheet(folder: &Path, deck: &Deck) -> Result<PathBuf, EnrolError> {
    let folder_of = folder.join("references");
    let there: Vec<Tile> =
        deck.tiles.iter().filter(|t| picture_file(&folder_of, t).exists()).cloned().collect();
    let pictures = references::pictures(&folder_of, &there)?;
    let tiles: Vec<SheetTile<'_>> = there
        .iter()
        .zip(&pictures)
        .map(|(tile, (_, picture))| SheetTile {
            id: &tile.id,
            picture,
            face: tile.face.as_ref(),
            doubts: &tile.doubts,
        })
        .collect();
    let path = folder.join(SHEET);
    save(&contact_sheet(&tiles)?, &path)?;
    Ok(path)
}

/// Says whether a name can be a wall's.
///
/// # Errors
/// [`EnrolError::DeckName`].
pub fn check_wall_name(name: &str) -> Result<(), EnrolError> {
    check_name(name)
}

/// Gives the tiles of a deck that came without pictures those of the owner's own
/// copy: each tile of the photos is known by the deck's maps, and turned upright
/// as the deck has it. What is found is stored; the warnings say what is missing.
///
/// # Errors
/// [`EnrolError`] names the photo, or says that the deck needs no completing.
pub fn complete(
    name: &str,
    photos: &[PathBuf],
    matcher: &OnnxMatcher,
) -> Result<(Enrolment, PathBuf), EnrolError> {
    let place = owned(name)?;
    let (deck, _) = deck_file(&place.join("deck.toml"))?;
    let bytes = files::read(&place.join(SHARED), share::MOST_BYTES)
        .map_err(|_| EnrolError::Complete(name.to_owned()))?;
    let Ok(Shared::Deck { deck: origin, maps: Some(maps), .. }) = share::unpack(&bytes) else {
        return Err(EnrolError::Complete(name.to_owned()));
    };
    if maps.model != matcher.fingerprint() {
        return Err(EnrolError::OtherModel(name.to_owned()));
    }
    let folder = place.join("references");
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let has = |id: &str| folder.join(format!("{id}.png")).exists();
    let mut pictures = Vec::new();
    for photo in photos {
        pictures.extend(cut_out(photo)?.0);
    }
    let mut known = maps.tiles;
    let named = known.len();
    known.extend(matcher.maps(&pictures)?);
    let crops: Vec<RgbImage> = pictures.iter().map(alike::crop_of).collect();
    let seen = matcher.gallery(&known)?.compare(&crops)?;
    let mut fits: Vec<(f32, usize, usize, usize)> = Vec::new();
    for (picture, comparison) in seen.iter().enumerate() {
        let own = comparison.scores.get(named + picture).map_or(1.0, |s| s[0]).max(1e-3);
        for (tile, scores) in comparison.scores.iter().take(named).enumerate() {
            fits.extend((0..4).map(|turn| (scores[turn] / own, picture, tile, turn)));
        }
    }
    fits.retain(|f| f.0 >= KNOWN);
    fits.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    let (mut used, mut taken) = (vec![false; pictures.len()], vec![false; named]);
    let mut warnings = Vec::new();
    for (_, picture, tile, turn) in fits {
        let id = origin.tiles.get(tile).map_or("", |t| t.id.as_str());
        if used[picture] || taken[tile] || deck.index(id).is_none() {
            continue;
        }
        (used[picture], taken[tile]) = (true, true);
        let upright = photo::quarter_turned(&pictures[picture], (4 - turn as u8) % 4);
        save(&upright, &folder.join(format!("{id}.png")))?;
    }
    let strange = used.iter().filter(|u| !**u).count();
    if strange > 0 {
        warnings.push(Sentence::from(format!(
            "{strange} of the tiles in the photos are none of deck `{name}`'s, or are there twice"
        )));
    }
    let (there, missing): (Vec<Tile>, Vec<Tile>) = deck.tiles.iter().cloned().partition(|t| has(&t.id));
    if !missing.is_empty() {
        let ids: Vec<&str> = missing.iter().map(|t| t.id.as_str()).collect();
        warnings.push(Sentence::from(format!(
            "{} tiles have no picture yet; photograph them too: {}",
            ids.len(),
            ids.join(", ")
        )));
    }
    draw_sheet(&place, &deck)?;
    let references = references::pictures(&folder, &there)?;
    let (left_out, twice) = (Vec::new(), Vec::new());
    Ok((Enrolment { deck, references, left_out, twice, warnings, former: None }, place))
}

/// The folder of a deck in the owner's data.
fn owned(name: &str) -> Result<PathBuf, EnrolError> {
    check_name(name)?;
    let place = library::data_dir()?.join("decks").join(name);
    if place.join("deck.toml").exists() { Ok(place) } else { Err(EnrolError::NoDeck(name.to_owned())) }
}

/// A deck's file: what it says, and its text.
fn deck_file(path: &Path) -> Result<(Deck, String), EnrolError> {
    let text = files::read_text(path, MOST_TEXT as u64)
        .map_err(|e| library::LibraryError::Io(e, path.to_owned()))?;
    let deck = Deck::from_toml(&text).map_err(|e| library::LibraryError::Deck(e, path.to_owned()))?;
    Ok((deck, text))
}

fn save(picture: &RgbImage, path: &Path) -> Result<(), EnrolError> {
    picture::save(path, picture).map_err(failed(path))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), EnrolError> {
    files::write_whole(path, bytes).map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> EnrolError {
    let path = path.to_owned();
    move |e| EnrolError::Write(e.to_string(), path.clone())
}
