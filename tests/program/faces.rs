//! The shipped network of faces on art that it has never seen: decks that the
//! studio makes up and draws, and scans of a real classic game, which are not ours
//! to give (without them the test says that it was skipped). With `CASTELLAN_LONG_TESTS`
//! more of the decks are read, and the scans without the known faces too.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::collections::BTreeMap;
use std::path::PathBuf;

use castellan::calibrate::faces::{FaceProposal, FaceReader};
use castellan::rules::{Attribute, Attributes, Face, Game, Kind, Port, Rotation, Segment, Side};
use castellan::studio::{Style, draw_tile, random_deck, scan};
use image::RgbImage;
use serde::Deserialize;

/// Pictures of a deck that the studio makes up, as an owner would scan them, and
/// what is printed on them.
fn unseen_deck(seed: u64, tiles: usize) -> (Vec<RgbImage>, Vec<Face>) {
    let style = Style::random(seed);
    let faces: Vec<Face> = random_deck(seed).tiles.into_iter().take(tiles).filter_map(|t| t.face).collect();
    let draw =
        |(i, face): (usize, &Face)| scan(&draw_tile(face, i as u64, &style, 160), seed << 8 | i as u64);
    (faces.iter().enumerate().map(draw).collect(), faces)
}

/// Whether all is read, in minutes.
fn is_long() -> bool {
    std::env::var_os("CASTELLAN_LONG_TESTS").is_some()
}

fn kind_at(face: &Face, port: Port) -> Option<Kind> {
    face.at(port).map(|i| face.segments()[i].kind)
}

fn same(a: &Face, b: &Face) -> bool {
    a.segments().len() == b.segments().len() && a.segments().iter().all(|s| b.segments().contains(s))
}

#[test]
fn unseen_art_is_read() {
    let reader = FaceReader::built_in().unwrap();
    let (mut halves, mut right, mut whole, mut tiles) = (0, 0, 0, 0);
    for seed in [90_001, 90_002] {
        let (pictures, faces) = unseen_deck(seed, if is_long() { 30 } else { 15 });
        let proposals = reader.propose(&pictures, Game::Castle, None).unwrap();
        for (proposal, face) in proposals.iter().zip(&faces) {
            for port in Port::ALL.into_iter().filter(|p| !p.is_middle()) {
                halves += 1;
                right += usize::from(kind_at(&proposal.face, port) == kind_at(face, port));
            }
            whole += usize::from(same(&proposal.face, face));
            tiles += 1;
        }
    }
    println!("halves right {right} of {halves}, faces right {whole} of {tiles}");
    assert!(right * 100 >= halves * 95, "halves right {right} of {halves}");
    assert!(whole * 100 >= tiles * 80, "faces right {whole} of {tiles}");
}

#[test]
fn one_tile_and_none_are_read_too() {
    let reader = FaceReader::built_in().unwrap();
    assert!(reader.propose(&[], Game::Castle, None).unwrap().is_empty());
    for picture in [RgbImage::new(7, 7), unseen_deck(3, 1).0.remove(0)] {
        let base = castellan::rules::classic::base_deck();
        for (game, known) in [(Game::Castle, None), (Game::Classic, Some(&base)), (Game::Classic, None)] {
            let proposals = reader.propose(std::slice::from_ref(&picture), game, known).unwrap();
            let [FaceProposal { face, confidence, .. }] = &proposals[..] else { panic!("one proposal") };
            assert_eq!(face.to_string().parse::<Face>().unwrap(), *face);
            assert!((0.0..=1.0).contains(confidence));
        }
    }
}

#[test]
fn a_turned_deck_is_read_as_turned() {
    let reader = FaceReader::built_in().unwrap();
    let (pictures, _) = unseen_deck(90_003, 12);
    let turned: Vec<RgbImage> = pictures.iter().map(image::imageops::rotate90).collect();
    let upright = reader.propose(&pictures, Game::Castle, None).unwrap();
    let turned = reader.propose(&turned, Game::Castle, None).unwrap();
    for (a, b) in upright.iter().zip(&turned) {
        assert!(same(&a.face.turned(castellan::rules::Rotation::new(1)), &b.face), "{} {}", a.face, b.face);
    }
}

#[derive(Deserialize)]
struct Scan {
    r#type: String,
    #[serde(rename = "edges_NESW")]
    sides: String,
    shield: bool,
}

/// A folder of what is shared among us, if it is there.
fn shared(folder: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("CASTELLAN_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let found = Some(shared.join(folder)).filter(|folder| folder.exists());
    if found.is_none() {
        println!("skipped: ../shared is not there");
    }
    found
}

/// The tiles of the base game by the letters of their types, A to X.
const TYPES: [&str; 24] = [
    "LR", "L", "Cccc-p", "RCr", "C", "CFc-p", "CFc-1", "CFC-2", "CC-2", "CRr", "RrC", "CRRR", "Cc-p", "Cc-1",
    "CcRr-p", "CcRr", "Ccc-p", "Ccc", "CccR-p", "CccR", "RFr", "Rr", "RRR", "RRRR",
];

#[test]
fn scans_of_a_real_classic_game_are_read() {
    let Some(board) = shared("photos/board") else { return };
    let text = std::fs::read_to_string(board.join("scans.json")).unwrap();
    let scans: BTreeMap<String, Scan> = serde_json::from_str(&text).unwrap();
    let open = |name: &str| image::open(board.join("scans").join(format!("{name}.jpg"))).unwrap().to_rgb8();
    let pictures: Vec<RgbImage> = scans.keys().map(|name| open(name)).collect();
    let reader = FaceReader::built_in().unwrap();
    let base = castellan::rules::classic::base_deck();
    let proposals = reader.propose(&pictures, Game::Classic, Some(&base)).unwrap();
    let is_of_type = |scan: &Scan, face: &Face| {
        let id = TYPES[usize::from(scan.r#type.as_bytes()[0] - b'A')];
        let known = base.tiles[base.index(id).unwrap()].face.as_ref().unwrap();
        Rotation::ALL.iter().any(|r| known.turned(*r).ordered() == face.clone().ordered())
    };
    if is_long() {
        let alone = reader.propose_alone(&pictures, Game::Classic).unwrap();
        let whole = scans.values().zip(&alone).filter(|(scan, p)| is_of_type(scan, &p.face)).count();
        println!("whole faces right without the known faces: {whole} of {}", scans.len());
    }
    let (mut sides, mut tiles, mut pennants, mut cloisters, mut whole) = (0, 0, 0, 0, 0);
    for ((name, scan), proposal) in scans.iter().zip(&proposals) {
        let face = &proposal.face;
        whole += usize::from(is_of_type(scan, face));
        let read: String = Side::ALL
            .into_iter()
            .map(|side| {
                let both = [Port::left(side), Port::right(side)].map(|p| kind_at(face, p));
                match (kind_at(face, Port::middle(side)), both) {
                    (Some(_), _) => 'R',
                    (None, [Some(Kind::CITY), Some(Kind::CITY)]) => 'C',
                    (None, [Some(Kind::FIELD), Some(Kind::FIELD)]) => 'F',
                    _ => '?',
                }
            })
            .collect();
        let hits = read.chars().zip(scan.sides.chars()).filter(|(a, b)| a == b).count();
        sides += hits;
        tiles += usize::from(hits == 4);
        let pennant = face.segments().iter().any(|s| s.attributes.has(Attribute::PENNANT));
        pennants += usize::from(pennant == scan.shield);
        let cloister = face.segments().iter().any(|s| s.kind == Kind::CLOISTER);
        cloisters += usize::from(cloister == matches!(scan.r#type.as_str(), "A" | "B"));
        if hits < 4 || pennant != scan.shield {
            println!("{name} {} {read}: {face} ({:.2})", scan.sides, proposal.confidence);
        }
    }
    let n = scans.len();
    println!("sides right {sides} of {}, tiles with all sides {tiles} of {n}", 4 * n);
    println!("whole faces right {whole} of {n}");
    println!("pennant or none right {pennants} of {n}, cloister or none {cloisters} of {n}");
    assert!(sides * 100 >= 4 * n * 95, "sides right {sides} of {}", 4 * n);
    assert!(whole * 100 >= n * 95, "whole faces right {whole} of {n}");
}

/// What a deck's truth says of a tile.
#[derive(Deserialize)]
struct Told {
    id: String,
    segments: Vec<ToldSegment>,
}

#[derive(Deserialize)]
struct ToldSegment {
    kind: String,
    ports: Vec<usize>,
    #[serde(default)]
    markets: u8,
    #[serde(default)]
    fountain: bool,
}

#[derive(Deserialize)]
struct ToldDeck {
    tiles: Vec<Told>,
}

impl ToldSegment {
    /// Without squares: the truth does not say where they are.
    fn segment(&self) -> Segment {
        let attributes = Attributes::default()
            .with(Attribute::MARKET, self.markets)
            .with(Attribute::FOUNTAIN, u8::from(self.fountain));
        let ports = self.ports.iter().map(|p| Port::ALL[*p]).collect();
        Segment { kind: Kind::named(&self.kind).unwrap(), ports, attributes }
    }
}

#[test]
fn scans_of_a_foreign_deck_are_read() {
    let Some(folder) = shared("tables/1001/deck") else { return };
    let text = std::fs::read_to_string(folder.join("deck.json")).unwrap();
    let told: ToldDeck = serde_json::from_str(&text).unwrap();
    let open = |tile: &Told| image::open(folder.join(format!("tile_{}.jpg", tile.id))).unwrap().to_rgb8();
    let pictures: Vec<RgbImage> = told.tiles.iter().map(open).collect();
    let proposals = FaceReader::built_in().unwrap().propose(&pictures, Game::Castle, None).unwrap();
    let (mut whole, mut doubted) = (0, 0);
    for (tile, proposal) in told.tiles.iter().zip(&proposals) {
        let seen = proposal.face.segments().iter().map(|s| {
            let attributes = s.attributes.with(Attribute::SQUARE, 0);
            Segment { attributes, ..*s }
        });
        let (seen, is): (Vec<Segment>, Vec<Segment>) =
            (seen.collect(), tile.segments.iter().map(ToldSegment::segment).collect());
        let right = seen.len() == is.len() && seen.iter().all(|s| is.contains(s));
        whole += usize::from(right);
        doubted += usize::from(!right && !proposal.doubts.is_empty());
    }
    let n = told.tiles.len();
    println!("whole faces right {whole} of {n}; of {} wrong ones {doubted} are doubted", n - whole);
    assert!(whole * 100 >= n * 70, "whole faces right {whole} of {n}");
}
