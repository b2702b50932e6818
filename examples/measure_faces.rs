//! Measures how well faces are proposed on decks that the studio makes up and
//! draws, beside two plain ways.
//!
//! `cargo run --example measure_faces -- [DECKS [FIRST [TILES [PICTURE]]]]`, without
//! arguments 20 decks of 60 tiles from seed 100. PICTURE is where the wrong faces of
//! the first deck are shown.
//!
//! `cargo run --example measure_faces -- DECK.toml SCANS` measures a deck whose scans lie in the
//! folder SCANS, each named after its tile (ID.png or ID.jpg).

use std::path::Path;
use std::time::Instant;

use castellan::calibrate::faces::{FaceProposal, FaceReader};
use castellan::rules::{Attributes, Deck, Face, Game, Kind, Port, PortSet, Segment, Side};
use castellan::studio::{Style, draw_tile, random_deck, scan};
use image::{RgbImage, imageops};

/// What is counted over all tiles.
#[derive(Default)]
struct Tally {
    halves: [u32; 2],
    middles: [u32; 2],
    /// All kinds and lines of the tile, and what is joined.
    parts: [u32; 2],
    marks: [u32; 2],
    faces: [u32; 2],
    /// Proposals that no doubt was raised about.
    undoubted: [u32; 2],
    /// Wrong faces of which a port that is wrong was doubted.
    caught: [u32; 2],
    /// How sure each proposal is, and whether it is right.
    sure: Vec<(f32, bool)>,
}

fn count(counter: &mut [u32; 2], right: bool) {
    counter[0] += u32::from(right);
    counter[1] += 1;
}

fn kind_at(face: &Face, port: Port) -> Option<Kind> {
    face.at(port).map(|i| face.segments()[i].kind)
}

fn same(a: &[Segment], b: &[Segment]) -> bool {
    a.len() == b.len() && a.iter().all(|s| b.contains(s))
}

fn bare(face: &Face) -> Vec<Segment> {
    face.segments().iter().map(|s| Segment { attributes: Attributes::default(), ..*s }).collect()
}

/// Which marks are printed, whatever their segments' ports.
fn marks(face: &Face) -> Vec<(Kind, Attributes)> {
    let marked = face.segments().iter().filter(|s| s.attributes != Attributes::default());
    let mut all: Vec<_> = marked.map(|s| (s.kind, s.attributes)).collect();
    all.sort();
    all
}

impl Tally {
    fn add_proposal(&mut self, proposal: &FaceProposal, face: &Face) {
        self.add(&proposal.face, face, Some(!proposal.doubts.is_empty()));
        self.sure.push((proposal.confidence, same(proposal.face.segments(), face.segments())));
    }

    fn add(&mut self, proposed: &Face, face: &Face, doubted: Option<bool>) {
        for port in Port::ALL {
            let right = kind_at(proposed, port) == kind_at(face, port);
            count(if port.is_middle() { &mut self.middles } else { &mut self.halves }, right);
        }
        count(&mut self.parts, same(&bare(proposed), &bare(face)));
        count(&mut self.marks, marks(proposed) == marks(face));
        let right = same(proposed.segments(), face.segments());
        count(&mut self.faces, right);
        match doubted {
            Some(false) => count(&mut self.undoubted, right),
            Some(true) if !right => count(&mut self.caught, true),
            _ => {}
        }
        if doubted == Some(false) && !right {
            count(&mut self.caught, false);
        }
    }

    /// How many faces, and how many of the wrong ones, are less sure than some shares.
    fn by_confidence(&self) {
        println!("\n| less sure than | faces | wrong faces |");
        println!("|---|---|---|");
        for least in [0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0] {
            let below = |right: bool| self.sure.iter().filter(|s| s.0 < least && (!right || !s.1)).count();
            println!("| {least} | {} | {} |", below(false), below(true));
        }
    }

    fn row(&self, name: &str) {
        let share = |c: [u32; 2]| format!("{:.1} %", 100.0 * f64::from(c[0]) / f64::from(c[1].max(1)));
        println!(
            "| {name} | {} | {} | {} | {} | {} |",
            share(self.halves),
            share(self.middles),
            share(self.parts),
            share(self.marks),
            share(self.faces)
        );
    }
}

/// Everything is one court: the commonest kind.
fn commonest() -> Face {
    let ports = Port::ALL.into_iter().filter(|p| !p.is_middle()).collect();
    let court = Segment { kind: Kind::COURT, ports, attributes: Attributes::default() };
    Face::new(vec![court]).unwrap_or_default()
}

fn mean_colour(tile: &RgbImage, (x, y): (f32, f32), half: f32) -> [f32; 3] {
    let side = tile.width() as f32;
    let range = |v: f32| ((v - half).max(0.0) * side) as u32..((v + half).min(1.0) * side) as u32;
    let mut sum = [0.0; 3];
    let mut n = 0.0;
    for py in range(y) {
        for px in range(x) {
            for (s, v) in sum.iter_mut().zip(tile.get_pixel(px, py).0) {
                *s += f32::from(v);
            }
            n += 1.0;
        }
    }
    sum.map(|s| s / f32::max(n, 1.0))
}

fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f32>().sqrt()
}

/// Where a port is, a little inside the border.
fn place(port: Port) -> (f32, f32) {
    let along = 0.25 * (1 + port.index() % 3) as f32;
    match port.side() {
        Side::North => (along, 0.08),
        Side::East => (0.92, along),
        Side::South => (1.0 - along, 0.92),
        Side::West => (0.08, 1.0 - along),
    }
}

/// By colour alone: the halves' colours of the whole deck in three clusters, each
/// named after the nearest of the colours that such things usually have; equal
/// neighbours are joined; a middle unlike both its halves is a path, and all paths
/// of a tile are one.
fn by_colour(tiles: &[RgbImage]) -> Vec<Face> {
    let halves: Vec<Port> = Port::ALL.into_iter().filter(|p| !p.is_middle()).collect();
    let usual = [
        (Kind::COURT, [131.0, 165.0, 82.0]),
        (Kind::HOUSE, [181.0, 83.0, 58.0]),
        (Kind::TOWER, [143.0, 146.0, 152.0]),
    ];
    let looks: Vec<Vec<[f32; 3]>> =
        tiles.iter().map(|t| halves.iter().map(|p| mean_colour(t, place(*p), 0.07)).collect()).collect();
    let mut means = usual.map(|u| u.1);
    let nearest = |look: [f32; 3], means: &[[f32; 3]; 3]| {
        (0..3).min_by(|a, b| apart(look, means[*a]).total_cmp(&apart(look, means[*b]))).unwrap_or(0)
    };
    for _ in 0..20 {
        let mut sums = [([0.0_f32; 3], 0.0_f32); 3];
        for look in looks.iter().flatten() {
            let (sum, n) = &mut sums[nearest(*look, &means)];
            sum.iter_mut().zip(look).for_each(|(s, v)| *s += v);
            *n += 1.0;
        }
        for (mean, (sum, n)) in means.iter_mut().zip(sums) {
            if n > 0.0 {
                *mean = sum.map(|s| s / n);
            }
        }
    }
    let face = |tile: &RgbImage, looks: &Vec<[f32; 3]>| {
        let kinds: Vec<usize> = looks.iter().map(|l| nearest(*l, &means)).collect();
        let mut segments: Vec<Segment> = Vec::new();
        let middles: PortSet = Side::ALL
            .into_iter()
            .filter(|side| {
                let own = mean_colour(tile, place(Port::middle(*side)), 0.03);
                let at = 2 * side.index();
                [looks[at], looks[at + 1]].into_iter().all(|l| apart(own, l) > 45.0)
            })
            .map(Port::middle)
            .collect();
        if !middles.is_empty() {
            segments.push(Segment { kind: Kind::PATH, ports: middles, attributes: Attributes::default() });
        }
        let start = (0..8).find(|i| kinds[*i] != kinds[(i + 7) % 8]).unwrap_or(0);
        let mut last = None;
        for i in (0..8).map(|i| (start + i) % 8) {
            let cut = halves[i].index() % 3 == 2
                && middles.contains(Port::middle(halves[i].side()))
                && middles.len() > 1;
            match segments.last_mut() {
                Some(segment) if last == Some(kinds[i]) && !cut => {
                    segment.ports = segment.ports.with(halves[i])
                }
                _ => segments.push(Segment {
                    kind: usual[kinds[i]].0,
                    ports: PortSet::EMPTY.with(halves[i]),
                    attributes: Attributes::default(),
                }),
            }
            last = Some(kinds[i]);
        }
        Face::new(segments).unwrap_or_default()
    };
    tiles.iter().zip(&looks).map(|(t, l)| face(t, l)).collect()
}

/// Measures a deck whose scans lie in a folder.
fn scanned(deck: &str, folder: &str) -> anyhow::Result<()> {
    let deck = Deck::from_toml(&std::fs::read_to_string(deck)?)?;
    let (mut pictures, mut faces) = (Vec::new(), Vec::new());
    for tile in &deck.tiles {
        let name = |end: &str| Path::new(folder).join(format!("{}.{end}", tile.id));
        let path = [name("png"), name("jpg")].into_iter().find(|path| path.exists());
        let (Some(path), Some(face)) = (path, &tile.face) else { continue };
        pictures.push(image::open(path)?.to_rgb8());
        faces.push(face);
    }
    let mut tally = Tally::default();
    for (proposal, face) in FaceReader::built_in()?.propose_alone(&pictures, deck.game)?.iter().zip(&faces) {
        if !same(proposal.face.segments(), face.segments()) {
            eprintln!("is       {face}\nproposed {}", proposal.face);
            proposal.doubts.iter().for_each(|d| eprintln!("         {d}"));
        }
        tally.add_proposal(proposal, face);
    }
    tally.row(&deck.name);
    println!("undoubted right {:?}, wrong doubted {:?}", tally.undoubted, tally.caught);
    tally.by_confidence();
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [deck, folder] = &args[..]
        && deck.parse::<u64>().is_err()
    {
        return scanned(deck, folder);
    }
    let number = |i: usize, default: u64| args.get(i).map_or(Ok(default), |a| a.parse());
    let (decks, first, tiles) = (number(0, 20)?, number(1, 100)?, number(2, 60)? as usize);
    let reader = FaceReader::built_in()?;
    let [mut network, mut colour, mut plain] = [Tally::default(), Tally::default(), Tally::default()];
    let mut seconds = 0.0;
    for seed in first..first + decks {
        let style = Style::random(seed);
        let faces: Vec<Face> =
            random_deck(seed).tiles.into_iter().take(tiles).filter_map(|t| t.face).collect();
        let pictures: Vec<RgbImage> = faces
            .iter()
            .enumerate()
            .map(|(i, face)| scan(&draw_tile(face, i as u64, &style, 160), seed << 8 | i as u64))
            .collect();
        let began = Instant::now();
        let proposals = reader.propose(&pictures, Game::Castle, None)?;
        seconds += began.elapsed().as_secs_f64();
        let mut of_deck = Tally::default();
        for (proposal, face) in proposals.iter().zip(&faces) {
            of_deck.add_proposal(proposal, face);
            network.add_proposal(proposal, face);
        }
        for (proposed, face) in by_colour(&pictures).iter().zip(&faces) {
            colour.add(proposed, face, None);
            plain.add(&commonest(), face, None);
        }
        eprint!("deck {seed}: ");
        eprintln!(
            "halves {:?}, parts {:?}, marks {:?}, faces {:?}",
            of_deck.halves, of_deck.parts, of_deck.marks, of_deck.faces
        );
        if let (true, Some(path)) = (seed == first, args.get(3)) {
            let wrong: Vec<usize> = (0..faces.len())
                .filter(|i| !same(proposals[*i].face.segments(), faces[*i].segments()))
                .collect();
            let mut sheet = RgbImage::new(128 * 8, 128 * wrong.len().div_ceil(8).max(1) as u32);
            for (at, i) in wrong.iter().enumerate() {
                let (x, y) = (128 * (at % 8) as i64, 128 * (at / 8) as i64);
                imageops::replace(&mut sheet, &pictures[*i], x, y);
                println!("{at}: is       {}\n   proposed {}", faces[*i], proposals[*i].face);
                proposals[*i].doubts.iter().for_each(|d| println!("     {d}"));
            }
            sheet.save(path)?;
        }
    }
    println!("{decks} decks of {tiles} tiles, {:.2} s a deck\n", seconds / decks.max(1) as f64);
    println!("| | halves | middles | all parts of a tile | marks | whole faces |");
    println!("|---|---|---|---|---|---|");
    network.row("network");
    colour.row("by colour");
    plain.row("all court");
    println!("\nproposals without a doubt that are right: {:?}", network.undoubted);
    println!("wrong faces with a doubt raised: {:?}", network.caught);
    network.by_confidence();
    Ok(())
}
