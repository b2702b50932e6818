#![cfg(all(feature = "vision", feature = "studio"))]
#![allow(missing_docs)]
use castellan::observation::*;
use castellan::rules::*;
use castellan::studio::*;
use castellan::vision::castle_reader::CastleReader;
use castellan::vision::recogniser::*;
use castellan::vision::SurveyedWall;
use image::RgbImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::Path;
use std::time::Instant;

const COLOURS: [[[u8; 3]; 2]; 6] = [
    [[188, 32, 34], [34, 72, 170]],
    [[28, 28, 30], [222, 202, 168]],
    [[226, 190, 40], [30, 110, 60]],
    [[34, 72, 170], [226, 190, 40]],
    [[120, 50, 130], [230, 228, 222]],
    [[214, 96, 30], [28, 28, 30]],
];

fn env(k: &str, d: u64) -> u64 { std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d) }
fn mood() -> Mood { match std::env::var("MOOD").as_deref() { Ok("calm") => Mood::Calm, Ok("hard") => Mood::Hard, _ => Mood::Usual } }

fn generate(folder: &Path, seed: u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (wall, deck, style) = (random_wall(rng.random()), random_deck(rng.random()), Style::random(rng.random()));
    let height = if rng.random_bool(0.6) { rng.random_range(0.04..0.08) } else { rng.random_range(0.08..0.2) };
    let set = PrintedSet::draw(&wall, &deck, &style, height);
    let position = random_position(&wall, &deck, rng.random_range(20..=60), rng.random()).unwrap();
    let colours = COLOURS[rng.random_range(0..COLOURS.len())];
    let board = set.board(&position, &colours, rng.random());
    let scene = Scene::random(&board, mood(), (1280, 720), rng.random());
    let (picture, truth) = photograph(&scene, rng.random());
    std::fs::create_dir_all(folder.join("references")).unwrap();
    picture.save(folder.join("photo.png")).unwrap();
    std::fs::write(folder.join("truth.json"), serde_json::to_string(&truth).unwrap()).unwrap();
    std::fs::write(folder.join("deck.toml"), deck.to_toml()).unwrap();
    std::fs::write(folder.join("wall.toml"), wall.to_toml()).unwrap();
    for (id, picture) in &set.pictures { scan(picture, rng.random()).save(folder.join(format!("references/{id}.png"))).unwrap(); }
    let survey = survey_picture(&set.wall, rng.random());
    survey.picture.save(folder.join("wall.png")).unwrap();
    std::fs::write(folder.join("wall.json"), format!("[{},{},{}]", survey.px_per_tile, survey.origin_px.0, survey.origin_px.1)).unwrap();
}

#[test]
fn lab() {
    tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
    let root = std::path::PathBuf::from(std::env::var("BOARDS").unwrap_or("/tmp/boards".into()));
    let (mut cells, mut right, mut wrong, mut unknown, mut covered, mut false_tiles, mut missed, mut found, mut corner_bad) = (0,0,0,0,0,0,0,0,0);
    let (mut figs, mut fig_right, mut fig_false, mut fig_seg) = (0,0,0,0);
    let n = env("N", 6);
    for i in env("FROM", 0)..n {
        let folder = root.join(format!("{i:03}"));
        if !folder.join("wall.json").exists() { let t = Instant::now(); generate(&folder, env("SEED", 7000) + i); println!("made {i} {:?}", t.elapsed()); }
        let truth: Truth = serde_json::from_str(&std::fs::read_to_string(folder.join("truth.json")).unwrap()).unwrap();
        let frame = image::open(folder.join("photo.png")).unwrap().to_rgb8();
        let deck = Deck::from_toml(&std::fs::read_to_string(folder.join("deck.toml")).unwrap()).unwrap();
        let wall = Wall::from_toml(&std::fs::read_to_string(folder.join("wall.toml")).unwrap()).unwrap();
        let s: [f32; 3] = serde_json::from_str(&std::fs::read_to_string(folder.join("wall.json")).unwrap()).unwrap();
        let survey = SurveyedWall { wall: wall.clone(), picture: image::open(folder.join("wall.png")).unwrap().to_rgba8(), px_per_tile: s[0], origin_px: (s[1], s[2]) };
        let refs: Vec<RgbImage> = deck.tiles.iter().map(|t| image::imageops::resize(&image::open(folder.join(format!("references/{}.png", t.id))).unwrap().to_rgb8(), 64, 64, image::imageops::FilterType::Triangle)).collect();
        let gallery = if std::env::var("HOG").is_ok() { HogMatcher.enrol(&refs).unwrap() } else { OnnxMatcher::built_in().unwrap().enrol(&refs).unwrap() };
        let mut reader = match CastleReader::new(deck.clone(), gallery, &refs, &survey, truth.colours.clone()) { Ok(r) => r, Err(e) => { println!("{i}: NEW {e}"); cells += truth.cells.len(); continue } };
        let t = Instant::now();
        let started = Instant::now(); let got = reader.read(&frame); let _ = started;
        let ms = t.elapsed().as_millis();
        let tiles_true = truth.cells.iter().filter(|c| c.tile.is_some()).count();
        cells += truth.cells.len();
        match got {
            Err(e) => println!("{i}: LOST {e} {ms} ms"),
            Ok(o) => {
                found += 1;
                let (pose, depth) = reader.place().unwrap();
                let px = pose.tile_px(4.0, 5.0);
                // interior cell corners on the tiles' plane
                let mut errs: Vec<f32> = truth.cells.iter().flat_map(|c| { let k = [(0.0,0.0),(1.0,0.0),(1.0,1.0),(0.0,1.0)]; (0..4).map(move |j| { let p = pose.project(c.cell.col as f32 + k[j].0, c.cell.row as f32 + k[j].1, depth); ((p.0 - c.corners[j][0]).hypot(p.1 - c.corners[j][1])) / px }).collect::<Vec<_>>() }).collect();
                errs.sort_by(f32::total_cmp);
                if errs[errs.len()-1] > 0.03 { corner_bad += 1; }
                let real = truth.wall.as_ref().unwrap().height - truth.tile_thickness;
                let mut bad = Vec::new();
                for (c, r) in truth.cells.iter().zip(&o.cells) {
                    let name = |t: &Option<String>| t.clone().unwrap_or_default();
                    let hidden = c.covered > 0.25 || c.inside < 0.8;
                    match (&c.tile, r.state) {
                        (Some(t), CellState::Tile) => if r.tile.as_ref() == Some(&t.id) && r.rotation == t.rotation.quarters() { right += 1 } else { wrong += 1; bad.push(format!("{:?} {}@{} for {}@{} {:.2} cov {:.2}", (r.col, r.row), name(&r.tile), r.rotation, t.id, t.rotation.quarters(), r.confidence, c.covered)) },
                        (None, CellState::Tile) => { false_tiles += 1; bad.push(format!("{:?} FALSE {} {:.2} cov {:.2}", (r.col, r.row), name(&r.tile), r.confidence, c.covered)) },
                        (None, CellState::Empty) => right += 1,
                        (None, CellState::Unknown) => { unknown += 1; bad.push(format!("{:?} unknown for empty", (r.col, r.row))) },
                        (_, CellState::Covered) if hidden => { covered += 1 },
                        (_, CellState::Unknown | CellState::Covered) => { unknown += 1; bad.push(format!("{:?} {:?} truth {} cov {:.2} fig {}", (r.col, r.row), r.state, c.tile.is_some(), c.covered, c.figures.len())) },
                        (Some(_), CellState::Empty) => if hidden { covered += 1 } else { missed += 1; bad.push(format!("{:?} missed fig {}", (r.col, r.row), c.figures.len())) },
                    }
                    let mut left: Vec<&FigureReading> = r.figures.iter().collect();
                    for f in c.figures.iter().filter(|f| f.pixels > 40 && c.covered < 0.25) {
                        figs += 1;
                        if let Some(k) = left.iter().position(|g| g.player == f.player && g.figure == f.figure) {
                            let g = left.remove(k); fig_right += 1;
                            let seg = c.tile.as_ref().and_then(|t| deck.tiles[deck.index(&t.id)?].face.as_ref().map(|face| { let (mut x, mut y) = (g.x - 0.5, g.y - 0.5); for _ in 0..t.rotation.quarters() { (x, y) = (y, -x); } FaceMap::new(face).segment_at((x + 0.5).clamp(0.0, 0.999), (y + 0.5).clamp(0.0, 0.999)) })).flatten();
                            if seg.map(|s| s as u8) == f.segment { fig_seg += 1; }
                            else if env("VERBOSE", 0) > 0 { bad.push(format!("{:?} segment {:?} for {:?} at {:.2},{:.2} truth {:.2},{:.2}", (r.col, r.row), seg, f.segment, g.x, g.y, f.x, f.y)) }
                        } else { bad.push(format!("{:?} figure missed {:?} p{} lying {} px {}", (r.col, r.row), f.figure, f.player, f.lying, f.pixels)); }
                    }
                    fig_false += left.len();
                    for g in left { bad.push(format!("{:?} false figure {:?} p{} {:.2}", (r.col, r.row), g.figure, g.player, g.confidence)); }
                }
                println!("{i}: {ms} ms px {px:.0} tiles {tiles_true} corner med {:.3} max {:.3} depth {depth:.3} real {real:.3} bad {}", errs[errs.len()/2], errs[errs.len()-1], bad.len());
                if env("MONTAGE", 0) > 0 {
                    use castellan::vision::rectify::Rectifier;
                    let rect = Rectifier::new(&frame, pose, depth, 64).unwrap();
                    let rows: Vec<_> = truth.cells.iter().zip(&o.cells).filter(|(c, r)| match &c.tile { Some(t) => r.tile.as_ref() != Some(&t.id) || r.rotation != t.rotation.quarters(), None => r.state != CellState::Empty }).collect();
                    let mut sheet = RgbImage::new(80 * 3 * 6, 80 * (rows.len().div_ceil(6).max(1)) as u32);
                    let turned = |id: &str, q: u8| { let r = &refs[deck.index(id).unwrap()]; match q { 0 => r.clone(), 1 => image::imageops::rotate90(r), 2 => image::imageops::rotate180(r), _ => image::imageops::rotate270(r) } };
                    for (k, (c, r)) in rows.iter().enumerate() {
                        let (x, y) = ((k % 6) as i64 * 240, (k / 6) as i64 * 80);
                        image::imageops::replace(&mut sheet, &rect.crop(c.cell, (0.0, 0.0)).unwrap(), x, y);
                        if let Some(t) = &c.tile { image::imageops::replace(&mut sheet, &turned(&t.id, t.rotation.quarters()), x + 88, y + 8); }
                        if let Some(t) = &r.tile { image::imageops::replace(&mut sheet, &turned(t, r.rotation), x + 160, y + 8); }
                    }
                    sheet.save(format!("/tmp/wall/bad{i:03}.png")).unwrap();
                    rect.board(Cell::new(-1, -1), (wall.size().0 as u32 + 2, wall.size().1 as u32 + 2), 64).unwrap().save(format!("/tmp/wall/board{i:03}.png")).unwrap();
                }
                for b in bad.iter().take(env("SHOW", 12) as usize) { println!("     {b}"); }
                if env("AGAIN", 0) > 0 { let t = Instant::now(); let _ = reader.read(&frame); println!("     unchanged {:?}", t.elapsed()); }
            }
        }
    }
    println!("found {found} of {n}, corners over 3 %: {corner_bad}; cells {cells} right {right} wrong {wrong} unknown {unknown} hidden {covered} false tiles {false_tiles} missed {missed}; figures {figs} right {fig_right} false {fig_false} segment {fig_seg}");
}
