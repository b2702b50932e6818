//! Measures how well players' pieces are measured that the studio makes up and photographs.
//!
//! `cargo run --example measure_pieces -- [SEED [PHOTOS [MOOD [FOLDER]]]]`, without arguments 20
//! photos from seed 1 in the usual light. Photos that can't be measured are put into FOLDER.

use castellan::calibrate::pieces::{Kind, measure};
use castellan::observation::Figure;
use castellan::pieces::Size;
use castellan::studio::{Mood, PieceKind, Scene, photograph, random_set_up, survey_picture};
use castellan::table::colour;
use castellan::vision::SurveyedWall;

/// The players' colours, photo by photo.
const COLOURS: [[&str; 2]; 6] = [
    ["red", "blue"],
    ["black", "white"],
    ["yellow", "green"],
    ["blue", "yellow"],
    ["purple", "white"],
    ["orange", "black"],
];

fn middle(values: &mut [f32], share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get((values.len() as f32 * share) as usize).copied().unwrap_or(f32::NAN)
}

fn main() {
    let number = |i: usize, usual: u64| {
        std::env::args().nth(i).and_then(|text| text.parse::<u64>().ok()).unwrap_or(usual)
    };
    let (first, photos) = (number(1, 1), number(2, 20));
    let mood = match std::env::args().nth(3).as_deref() {
        Some("calm") => Mood::Calm,
        Some("hard") => Mood::Hard,
        _ => Mood::Usual,
    };
    let (mut measured, mut kinds) = (0, [0_u32; 2]);
    let (mut paints, mut brightness) = (Vec::new(), Vec::new());
    let names = ["standing", "lying", "keep"];
    let mut errors: [[Vec<f32>; 3]; 3] = Default::default();
    for seed in first..first + photos {
        let words = COLOURS[seed as usize % COLOURS.len()];
        let colours = words.map(colour);
        let board = random_set_up(&colours, seed);
        let Some(standing) = board.wall.clone() else { continue };
        let mut scene = Scene::random(&board, mood, (1280, 720), seed);
        scene.hand = None;
        let (photo, truth) = photograph(&scene, seed);
        let survey = survey_picture(&standing, seed);
        let survey = SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        };
        let named: Vec<(String, [u8; 3])> =
            words.iter().zip(colours).map(|(word, rgb)| ((*word).to_owned(), rgb)).collect();
        let found = match measure(std::slice::from_ref(&photo), &survey, &named) {
            Ok(found) => found,
            Err(error) => {
                println!("{seed}: {error}");
                if let Some(folder) = std::env::args().nth(4) {
                    let kept = photo.save(std::path::Path::new(&folder).join(format!("{seed}.png")));
                    kept.unwrap_or_else(|error| println!("{error}"));
                }
                continue;
            }
        };
        measured += 1;
        for piece in &found.found[0] {
            let n = piece.outline.len() as f32;
            let at = piece.outline.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
            let figures = truth.cells.iter().flat_map(|c| &c.figures);
            let far = |foot: [f32; 2]| (foot[0] - at.0).hypot(foot[1] - at.1);
            let nearest = figures.min_by(|a, b| far(a.foot).total_cmp(&far(b.foot)));
            let right = nearest.is_some_and(|f| {
                let kind = match (f.figure, f.lying) {
                    (Figure::Keep, _) => Kind::Keep,
                    (_, true) => Kind::Lying,
                    _ => Kind::Standing,
                };
                // What can't lie stands both times.
                let alike = kind != Kind::Keep && piece.kind != Kind::Keep && !board.pieces.can_lie();
                usize::from(f.player) == piece.player && (kind == piece.kind || alike)
            });
            kinds[0] += u32::from(right);
            kinds[1] += 1;
        }
        let truths = [(PieceKind::Follower, false), (PieceKind::Follower, true), (PieceKind::Keep, false)]
            .map(|(figure, lying)| board.pieces.reach(figure, lying));
        for (player, true_paint) in found.pieces.players.iter().zip(colours) {
            let chroma = |rgb: [u8; 3]| {
                let sum: f32 = rgb.iter().map(|v| f32::from(*v)).sum::<f32>().max(1.0);
                rgb.map(|v| f32::from(v) / sum)
            };
            let (a, b) = (chroma(player.rgb), chroma(true_paint));
            paints.push((0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f32::max));
            let sum = |rgb: [u8; 3]| rgb.iter().map(|v| f32::from(*v)).sum::<f32>();
            brightness.push(sum(player.rgb) / sum(true_paint));
            let sizes = [player.standing, player.lying, player.keep];
            for ((errors, size), truth) in errors.iter_mut().zip(sizes).zip(truths) {
                let Size { length, width, height } = size;
                for ((errors, v), truth) in errors.iter_mut().zip([length, width, height]).zip(truth) {
                    errors.push((v / truth).ln());
                }
            }
        }
        println!(
            "{seed}: {:?} {:.2}, keep {:?} {:.2}: paints {:?} for {colours:?}, {:?} {:?}, truth {truths:.2?}, doubts {}",
            board.pieces.follower,
            board.pieces.height,
            board.pieces.keep,
            board.pieces.keep_size,
            found.pieces.players.iter().map(|p| p.rgb).collect::<Vec<_>>(),
            found.pieces.players[0].standing,
            found.pieces.players[0].keep,
            found.doubts.len(),
        );
    }
    println!("{measured} of {photos} photos measured, {} of {} pieces told right", kinds[0], kinds[1]);
    println!(
        "paints: share of a colour off by {:.3} (median), {:.3} (90 %), {:.3} (worst); brightness {:.2} to {:.2}, median {:.2}",
        middle(&mut paints, 0.5),
        middle(&mut paints, 0.9),
        middle(&mut paints, 0.999),
        middle(&mut brightness, 0.05),
        middle(&mut brightness, 0.95),
        middle(&mut brightness, 0.5),
    );
    for (name, errors) in names.iter().zip(&mut errors) {
        for (what, errors) in ["length", "width", "height"].iter().zip(errors) {
            let bias = middle(errors, 0.5);
            let mut off: Vec<f32> = errors.iter().map(|v| v.abs()).collect();
            println!(
                "{name} {what}: {:+.0} % on the middle, off by {:.0} % (median), {:.0} % (90 %)",
                100.0 * (bias.exp() - 1.0),
                100.0 * (middle(&mut off, 0.5).exp() - 1.0),
                100.0 * (middle(&mut off, 0.9).exp() - 1.0),
            );
        }
    }
}
