//! The makes of followers and keeps, as distances to their surface.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::space::{V3, blend, block, v3};
use crate::observation::Figure;
use crate::rules::FigureKind;

/// The pieces of a game: all followers are of one make, both keeps of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pieces {
    /// How followers are made.
    pub follower: FollowerMake,
    /// How high a follower is, in tile sides.
    pub height: f32,
    /// How wide it is, of the usual width for its height.
    pub width: f32,
    /// How keeps are made.
    pub keep: KeepMake,
    /// How large a keep is, of the usual size (0.52 tile sides wide).
    pub keep_size: f32,
    /// How much the paint shines, 0 to 1.
    pub gloss: f32,
}

/// What a piece on a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PieceKind {
    /// A follower.
    Follower,
    /// A big follower: as a follower, larger.
    BigFollower,
    /// A builder: taller than a follower and narrower, with a hat.
    Builder,
    /// A pig, from the side.
    Pig,
    /// A keep.
    Keep,
    /// The figure that is nobody's: a person with a crown, taller than a follower.
    Neutral,
}

impl PieceKind {
    /// The piece that a kind of figure is.
    pub fn of(figure: FigureKind) -> PieceKind {
        match figure {
            FigureKind::BIG_FOLLOWER => PieceKind::BigFollower,
            FigureKind::BUILDER => PieceKind::Builder,
            FigureKind::PIG => PieceKind::Pig,
            _ => PieceKind::Follower,
        }
    }

    /// What readers take it for.
    pub fn seen_as(self) -> Figure {
        match self {
            PieceKind::Keep => Figure::Keep,
            PieceKind::Neutral => Figure::Neutral,
            _ => Figure::Follower,
        }
    }
}

/// The shape of followers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowerMake {
    /// A robed person with arms, cut from board.
    Robed,
    /// A person with spread legs, cut from board.
    Legged,
    /// A cone with a ball on it.
    Pawn,
    /// A round peg with a dome.
    Peg,
    /// A die.
    Cube,
    /// A cone with a blunt tip.
    Cone,
    /// A flat round counter.
    Disc,
}

/// The shape of keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepMake {
    /// A low block with a higher tower on a corner.
    Corner,
    /// A round tower with battlements.
    Round,
    /// A square tower with battlements.
    Square,
    /// Two towers with a gate between.
    Gate,
}

/// Half the thickness of what is cut from board.
const CUT: f32 = 0.1;
/// A follower of the usual make (16 mm on a tile of 45 mm).
const USUAL_HEIGHT: f32 = 0.36;
/// How much larger a big follower is, in each direction.
const BIG: f32 = 1.28;

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces {
            follower: FollowerMake::Robed,
            height: USUAL_HEIGHT,
            width: 1.0,
            keep: KeepMake::Corner,
            keep_size: 1.0,
            gloss: 0.35,
        }
    }
}

impl Pieces {
    /// Pieces of some make, size and paint.
    pub fn random(seed: u64) -> Pieces {
        use {FollowerMake as F, KeepMake as K};
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let followers = [F::Robed, F::Legged, F::Legged, F::Pawn, F::Peg, F::Cube, F::Cone, F::Disc];
        let keeps = [K::Corner, K::Round, K::Square, K::Gate];
        Pieces {
            follower: followers[rng.random_range(0..followers.len())],
            height: rng.random_range(0.29..0.45),
            width: rng.random_range(0.8..1.2),
            keep: keeps[rng.random_range(0..keeps.len())],
            keep_size: rng.random_range(0.85..1.15),
            gloss: rng.random_range(0.0..0.8),
        }
    }

    /// Whether a figure that should lie does: cubes, cones and counters stand.
    pub fn can_lie(&self) -> bool {
        !matches!(self.follower, FollowerMake::Cube | FollowerMake::Cone | FollowerMake::Disc)
    }

    /// The middle, above the foot, and the radius of a ball round a figure.
    pub fn ball(&self, figure: PieceKind, lying: bool) -> (f32, f32) {
        match figure {
            PieceKind::Keep => (0.28 * self.keep_size, 0.5 * self.keep_size),
            PieceKind::BigFollower => {
                let (height, radius) = self.ball(PieceKind::Follower, lying);
                (BIG * height, BIG * radius)
            }
            PieceKind::Builder | PieceKind::Pig | PieceKind::Neutral => {
                let scale = self.height / USUAL_HEIGHT;
                (0.22 * scale, 0.36 * scale)
            }
            PieceKind::Follower => {
                let scale = self.height / USUAL_HEIGHT;
                (if lying && self.can_lie() { 0.1 } else { 0.18 } * scale, 0.3 * scale * self.width.max(1.0))
            }
        }
    }

    /// The distance to a figure's surface (a lower bound) from a place in its own axes.
    pub fn distance(&self, figure: PieceKind, lying: bool, p: V3) -> f32 {
        match figure {
            PieceKind::Keep => self.keep(p * (1.0 / self.keep_size)) * self.keep_size,
            PieceKind::BigFollower => self.distance(PieceKind::Follower, lying, p * (1.0 / BIG)) * BIG,
            PieceKind::Builder | PieceKind::Pig | PieceKind::Neutral => {
                let scale = self.height / USUAL_HEIGHT;
                let p = p * (1.0 / scale);
                let flat = match figure {
                    PieceKind::Pig => pig(p.x, p.z),
                    PieceKind::Neutral => crowned(p.x.abs(), p.z),
                    _ => builder(p.x.abs(), p.z),
                };
                cut(flat, p.y) * scale
            }
            PieceKind::Follower => {
                let scale = self.height / USUAL_HEIGHT;
                let p = p * (1.0 / scale);
                let p = if lying && self.can_lie() {
                    v3(p.x, p.z - self.half_depth(), p.y + USUAL_HEIGHT / 2.0)
                } else {
                    p
                };
                self.follower(v3(p.x / self.width, p.y, p.z)) * scale * self.width.min(1.0)
            }
        }
    }

    /// How far a figure reaches, in tile sides: the longer way along the table, the shorter,
    /// and upwards.
    pub fn reach(&self, figure: PieceKind, lying: bool) -> [f32; 3] {
        const STEPS: i32 = 120;
        let (middle, radius) = self.ball(figure, lying);
        let place = |i: i32| (i as f32 + 0.5) / STEPS as f32 * 2.0 - 1.0;
        let mut reach = [(f32::INFINITY, f32::NEG_INFINITY); 3];
        for i in 0..STEPS * STEPS * STEPS {
            let at = [place(i % STEPS), place(i / STEPS % STEPS), place(i / STEPS / STEPS)];
            let p = v3(at[0] * radius, at[1] * radius, at[2] * radius + middle);
            if p.z >= 0.0 && self.distance(figure, lying, p) <= 0.0 {
                for (reach, v) in reach.iter_mut().zip([p.x, p.y, p.z]) {
                    *reach = (reach.0.min(v), reach.1.max(v));
                }
            }
        }
        let [x, y, z] = reach.map(|(low, high)| (high - low).max(0.0));
        [x.max(y), x.min(y), z]
    }

    /// Half the depth of a follower of the usual height, front to back.
    fn half_depth(&self) -> f32 {
        match self.follower {
            FollowerMake::Pawn => 0.13,
            FollowerMake::Peg => 0.1,
            _ => CUT,
        }
    }

    fn follower(&self, p: V3) -> f32 {
        let round = p.x.hypot(p.y);
        let upright = |radius: f32, top: f32| (round - radius).max(p.z - top).max(-p.z);
        let ball = |height: f32, radius: f32| round.hypot(p.z - height) - radius;
        match self.follower {
            FollowerMake::Robed => cut(robed(p.x.abs(), p.z), p.y),
            FollowerMake::Legged => cut(legged(p.x.abs(), p.z), p.y),
            FollowerMake::Pawn => {
                let cone = (round - (0.13 - 0.28 * p.z).max(0.05)).max(p.z - 0.25).max(-p.z) * 0.9;
                cone.min(ball(0.275, 0.085))
            }
            FollowerMake::Peg => upright(0.1, 0.27).min(ball(0.26, 0.1)),
            FollowerMake::Cube => block(p - v3(0.0, 0.0, 0.11), v3(0.1, 0.1, 0.1)) - 0.01,
            FollowerMake::Cone => {
                (round - 0.15 * (1.0 - 0.8 * p.z / USUAL_HEIGHT)).max(p.z - USUAL_HEIGHT).max(-p.z) * 0.9
            }
            FollowerMake::Disc => upright(0.17, 0.11),
        }
    }

    fn keep(&self, p: V3) -> f32 {
        let teeth = |p: V3, half: f32, top: f32, gap: f32| {
            let body = block(p - v3(0.0, 0.0, top / 2.0), v3(half, half, top / 2.0));
            let cross = (p.x.abs() - gap).min(p.y.abs() - gap);
            body.max(-cross.max(top - 0.08 - p.z))
        };
        let shape = match self.keep {
            KeepMake::Corner => {
                teeth(p, 0.26, 0.34, 0.07).min(teeth(v3(p.x + 0.13, p.y + 0.13, p.z), 0.12, 0.56, 0.035))
            }
            KeepMake::Round => {
                let round = p.x.hypot(p.y);
                let body = (round - 0.26).max(p.z - 0.44).max(-p.z);
                let cross = (p.x.abs() - 0.06).min(p.y.abs() - 0.06);
                body.max(-(round - 0.19).max(0.36 - p.z)).max(-cross.max(0.36 - p.z))
            }
            KeepMake::Square => teeth(p, 0.24, 0.46, 0.08),
            KeepMake::Gate => {
                let tower = teeth(v3(p.x.abs() - 0.19, p.y, p.z), 0.11, 0.5, 0.04);
                tower.min(block(p - v3(0.0, 0.0, 0.15), v3(0.26, 0.09, 0.15)))
            }
        };
        (shape - 0.01) * 0.9
    }
}

/// A plane figure cut from board, with rounded edges.
fn cut(flat: f32, across: f32) -> f32 {
    let thick = across.abs() - CUT;
    let (a, b) = (flat + 0.015, thick + 0.015);
    (a.max(0.0).hypot(b.max(0.0)) + a.max(b).min(0.0) - 0.015) * 0.85
}

/// A person in a long coat with a broad hat: a silhouette of our own.
fn builder(u: f32, w: f32) -> f32 {
    let coat = (u - (0.115 - 0.16 * w)).max(-w).max(w - 0.27) * 0.95;
    let head = u.hypot(w - 0.31) - 0.062;
    let brim = (u - 0.115).max((w - 0.345).abs() - 0.018);
    let crown = (u - 0.06).max((w - 0.375).abs() - 0.03);
    coat.min(head).min(brim).min(crown)
}

/// A person in a wide mantle with a crown of three points: a silhouette of our own.
fn crowned(u: f32, w: f32) -> f32 {
    let mantle = (u - (0.16 - 0.28 * w)).max(-w).max(w - 0.3) * 0.95;
    let head = u.hypot(w - 0.34) - 0.075;
    let point = |at: f32| ((u - at).abs() * 2.0 + (w - 0.47)).max(0.39 - w) * 0.45;
    let band = (u - 0.085).max((w - 0.405).abs() - 0.025);
    mantle.min(head).min(band).min(point(0.0)).min(point(0.07))
}

/// A pig from its side, the snout to the right: a silhouette of our own.
fn pig(u: f32, w: f32) -> f32 {
    let oval = |u: f32, w: f32, a: f32, b: f32| ((u / a).hypot(w / b) - 1.0) * a.min(b);
    let body = oval(u + 0.02, w - 0.15, 0.17, 0.095);
    let head = oval(u - 0.14, w - 0.18, 0.075, 0.07);
    let snout = (u - 0.21).abs().max((w - 0.165).abs() - 0.0) - 0.03;
    let ear = oval(u - 0.12, w - 0.25, 0.03, 0.04);
    let leg = |at: f32| ((u - at).abs() - 0.03).max(-w).max(w - 0.12);
    body.min(head).min(snout).min(ear).min(leg(-0.12)).min(leg(0.08))
}

/// A robed person with a round head: a silhouette of our own.
fn robed(u: f32, w: f32) -> f32 {
    let head = u.hypot(w - 0.285) - 0.072;
    let robe = {
        let half = 0.155 - 0.36 * w + 0.42 * w * w;
        let side = (u - half) * 0.92;
        side.max(-w).max(w - 0.245)
    };
    let arms = {
        let t = (u / 0.125).clamp(0.0, 1.0);
        (u - 0.125 * t).hypot(w - 0.195 + 0.02 * t) - 0.036
    };
    let notch = u.hypot(w + 0.01) - 0.05;
    blend(blend(head, robe, 0.03), arms, 0.03).max(-notch)
}

/// A person with wide arms and two legs.
fn legged(u: f32, w: f32) -> f32 {
    let head = u.hypot(w - 0.3) - 0.06;
    let trunk = (u - 0.075).max(w - 0.27).max(0.1 - w);
    let arms = {
        let t = (u / 0.15).clamp(0.0, 1.0);
        (u - 0.15 * t).hypot(w - 0.205) - 0.034
    };
    let leg = {
        let (du, dw) = (0.11, -0.12);
        let t = ((u - 0.03) * du + (w - 0.14) * dw) / (du * du + dw * dw);
        let t = t.clamp(0.0, 1.0);
        (u - 0.03 - du * t).hypot(w - 0.14 - dw * t) - 0.05
    };
    blend(blend(blend(head, trunk, 0.02), arms, 0.02), leg, 0.02).max(-w)
}
