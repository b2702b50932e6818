//! Measures enrolment on folders that `castellan render --boards N --loose` made:
//! tiles found, false finds, how far corners are off, which faces are proposed right, and
//! which tiles look alike.
//! With a second folder it writes the samples there once more, with references
//! as they were enrolled, for `castellan evaluate`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use castellan::calibrate::enrol::{self, alike, loose};
use castellan::calibrate::faces::FaceReader;
use castellan::references::REFERENCE_PX;
use castellan::rules::{Deck, Face, Port};
use castellan::studio::Truth;
use castellan::vision::base::geometry::Quad;
use castellan::vision::base::photo::{self, Pyramid};
use castellan::vision::tiles::recogniser::OnnxMatcher;
use image::RgbImage;

/// A found corner farther off than this share of a side is another tile's.
const FOUND: f64 = 0.15;

struct Sample {
    tiles: usize,
    found: Vec<(String, RgbImage, usize)>,
    wrong: usize,
    errors: Vec<f64>,
    /// Photos with all tiles found and with one missed; of each, how many are not and
    /// are said to show other things as large as a tile.
    told: [[usize; 2]; 2],
}

/// How many faces and half-sides are proposed right, of how many.
#[derive(Default)]
struct Faces {
    whole: (u32, u32),
    halves: (u32, u32),
}

impl Faces {
    fn add(
        &mut self,
        reader: &FaceReader,
        pictures: &[RgbImage],
        sample: &Sample,
        truth: &Deck,
    ) -> anyhow::Result<()> {
        let known = FaceReader::known(truth);
        let proposals = reader.propose(pictures, truth.game, known.as_ref())?;
        for (found, proposal) in sample.found.iter().zip(proposals) {
            let tile = truth.tiles.iter().find(|t| t.id == found.0);
            let Some(face) = tile.and_then(|t| t.face.as_ref()) else { continue };
            self.whole.0 += u32::from(proposal.face.clone().ordered() == face.clone().ordered());
            self.whole.1 += 1;
            let kind = |f: &Face, port: Port| f.at(port).map(|i| f.segments()[i].kind);
            for port in Port::ALL.into_iter().filter(|p| !p.is_middle()) {
                self.halves.0 += u32::from(kind(&proposal.face, port) == kind(face, port));
                self.halves.1 += 1;
            }
        }
        Ok(())
    }

    fn row(&self) -> String {
        let share = |(right, all): (u32, u32)| 100.0 * f64::from(right) / f64::from(all.max(1));
        format!("{:.1} % whole, {:.1} % of half-sides", share(self.whole), share(self.halves))
    }
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(from) = args.next().map(PathBuf::from) else {
        anyhow::bail!("name a folder of `castellan render --boards N --loose`")
    };
    let to = args.next().map(PathBuf::from);
    let matcher = OnnxMatcher::built_in()?;
    let reader = FaceReader::built_in()?;
    let (mut as_photographed, mut in_one_light) = (Faces::default(), Faces::default());
    let (mut tiles, mut wrong, mut errors) = (0, 0, Vec::new());
    let mut told = [[0; 2]; 2];
    let (mut same, mut other) = (Vec::new(), Vec::new());
    let mut decks: Vec<PathBuf> =
        std::fs::read_dir(&from)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    decks.sort();
    for deck in decks.iter().filter(|d| d.join("loose").is_dir()) {
        let mut sample = measure(deck)?;
        println!(
            "{}: {} of {} tiles, {} false",
            deck.display(),
            sample.found.len(),
            sample.tiles,
            sample.wrong
        );
        tiles += sample.tiles;
        wrong += sample.wrong;
        errors.extend(&sample.errors);
        told.iter_mut().flatten().zip(sample.told.as_flattened()).for_each(|(sum, more)| *sum += more);
        let mut pictures: Vec<RgbImage> = sample.found.iter().map(|f| f.1.clone()).collect();
        let photos: Vec<Option<usize>> = sample.found.iter().map(|f| Some(f.2)).collect();
        let truth = Deck::from_toml(&std::fs::read_to_string(deck.join("deck.toml"))?)?;
        as_photographed.add(&reader, &pictures, &sample, &truth)?;
        enrol::one_light::bring(&mut pictures, &photos);
        in_one_light.add(&reader, &pictures, &sample, &truth)?;
        sample.found.iter_mut().zip(&pictures).for_each(|(found, picture)| found.1 = picture.clone());
        let mut seen_twice = 0;
        for pair in alike::pairs(&pictures, &matcher)? {
            let (a, b) = (&sample.found[pair.first], &sample.found[pair.second]);
            if a.2 == b.2 {
                continue;
            }
            let list = if a.0 == b.0 { &mut same } else { &mut other };
            list.push((pair.score, pair.fit, enrol::is_same(&pair)));
            seen_twice += usize::from(a.0 == b.0);
        }
        let mut ids: Vec<&String> = sample.found.iter().map(|f| &f.0).collect();
        ids.sort();
        let twice = ids.windows(2).filter(|w| w[0] == w[1]).count();
        println!("  {twice} photographed twice, {seen_twice} of them compared");
        if let Some(to) = &to {
            write_sample(deck, &to.join(deck.file_name().unwrap_or_default()), &sample)?;
        }
    }
    errors.sort_by(f64::total_cmp);
    let at =
        |share: f64| errors.get((share * (errors.len().max(1) - 1) as f64) as usize).copied().unwrap_or(0.0);
    println!("all: {} of {tiles} tiles found, {wrong} false", errors.len());
    println!("faces proposed of tiles as photographed: {}", as_photographed.row());
    println!("brought into one light: {}", in_one_light.row());
    for (what, [silent, told]) in ["all tiles found", "a tile missed"].iter().zip(told) {
        println!("photos with {what}: {}, other things seen on {told}", silent + told);
    }
    println!(
        "worst corner of a tile, % of a side: median {:.2}, 90 % {:.2}, 99 % {:.2}, worst {:.2}",
        100.0 * at(0.5),
        100.0 * at(0.9),
        100.0 * at(0.99),
        100.0 * at(1.0)
    );
    for (what, mut list) in [("the same tile", same), ("other tiles", other)] {
        list.sort_by(|a, b| (b.0 + b.1).total_cmp(&(a.0 + a.1)));
        let judged = list.iter().filter(|p| p.2).count();
        println!("{what}: {} pairs near, {judged} judged the same", list.len());
        for (score, fit, same) in list.iter().take(30) {
            println!("  score {score:.3} fit {fit:.3} {same}");
        }
    }
    Ok(())
}

/// Finds the tiles of a deck's photos and turns each upright by the truth.
fn measure(deck: &Path) -> anyhow::Result<Sample> {
    let mut photos: Vec<PathBuf> =
        std::fs::read_dir(deck.join("loose"))?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    photos.retain(|p| p.extension().is_some_and(|e| e == "jpg"));
    photos.sort();
    let mut sample = Sample { tiles: 0, found: Vec::new(), wrong: 0, errors: Vec::new(), told: [[0; 2]; 2] };
    for (number, path) in photos.iter().enumerate() {
        let picture = photo::open(path)?;
        let truth: Truth = serde_json::from_str(&std::fs::read_to_string(path.with_extension("json"))?)?;
        let mut lying: Vec<(String, Quad)> = truth
            .cells
            .iter()
            .filter_map(|c| c.tile.as_ref())
            .map(|t| (t.id.clone(), Quad(t.corners.map(|p| p.map(f64::from)))))
            .collect();
        sample.tiles += lying.len();
        let pyramid = Pyramid::new(&picture)?;
        let loose = loose::find(&picture)?;
        let told = loose.besides > 0;
        for quad in loose.tiles {
            let off = |t: &Quad, k: usize| quad.starting_at(k).corner_distance(t) / t.side();
            let best = (0..lying.len())
                .flat_map(|i| (0..4).map(move |k| (i, k)))
                .map(|(i, k)| (off(&lying[i].1, k), i, k))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((error, i, k)) if error < FOUND => {
                    let (id, _) = lying.swap_remove(i);
                    let crop = pyramid.crop(&quad.starting_at(k), REFERENCE_PX, 0)?;
                    sample.found.push((id, crop, number));
                    sample.errors.push(error);
                }
                _ => {
                    sample.wrong += 1;
                    println!("  false find in {}", path.display());
                }
            }
        }
        sample.told[usize::from(!lying.is_empty())][usize::from(told)] += 1;
        for (id, _) in lying {
            println!("  not found in {}: {id}", path.display());
        }
    }
    Ok(sample)
}

/// The sample again, with references as enrolled; a tile that was not found
/// keeps the reference it had.
fn write_sample(from: &Path, to: &Path, sample: &Sample) -> anyhow::Result<()> {
    let references = to.join("references");
    std::fs::create_dir_all(&references)?;
    for file in ["deck.toml", "wall.toml", "wall.png", "wall.json", "truth.json", "photo.jpg"] {
        std::fs::copy(from.join(file), to.join(file))?;
    }
    for entry in std::fs::read_dir(from.join("references"))? {
        let entry = entry?;
        std::fs::copy(entry.path(), references.join(entry.file_name()))?;
    }
    let found: BTreeMap<&String, &RgbImage> = sample.found.iter().map(|(id, p, _)| (id, p)).collect();
    for (id, picture) in found {
        picture.save(references.join(format!("{id}.png")))?;
    }
    Ok(())
}
