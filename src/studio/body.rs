//! Figures, hands and cups as distances to their surface.

use super::pieces::PieceKind;
use super::pieces::Pieces;
use super::scene::{Hand, Prop};
use super::space::{V3, blend, limb, v3};

/// A solid thing in its own axes, at a place of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub shape: Shape,
    /// Its foot; for a hand the place under the finger tips.
    pub foot: V3,
    /// Its turn about the upright axis, as cosine and sine.
    turn: (f32, f32),
    lying: bool,
    /// The middle and radius of a ball round it.
    ball: (V3, f32),
    pub colour: V3,
    pub gloss: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Piece(Pieces, PieceKind),
    Cup,
    Hand(Box<HandBones>),
}

/// The bones of a hand: the palm and the fingers, in the axes of the hand (x to
/// its right, y from the elbow to the finger tips, z up).
#[derive(Clone, Debug, PartialEq)]
pub struct HandBones {
    limbs: Vec<Limb>,
    /// Elbow side and wrist side of the forearm, and the sleeve's end on it.
    arm: (V3, V3, V3),
    pub sleeve: V3,
}

/// A bone with flesh round it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limb {
    /// Its ends, each with its radius, tile sides.
    ends: [(V3, f32); 2],
    /// The middle and radius of a ball round it.
    ball: (V3, f32),
}

impl Limb {
    fn new(a: V3, b: V3, ra: f32, rb: f32) -> Limb {
        Limb { ends: [(a, ra), (b, rb)], ball: (a.mix(b, 0.5), (b - a).length() * 0.5 + ra.max(rb)) }
    }

    fn distance(&self, p: V3) -> f32 {
        let [(a, ra), (b, rb)] = self.ends;
        limb(p, a, b, ra, rb)
    }

    /// Whether it is surely so far away or farther.
    fn is_beyond(&self, p: V3, distance: f32) -> bool {
        let (off, reach) = (p - self.ball.0, distance + self.ball.1);
        reach <= 0.0 || off.dot(off) >= reach * reach
    }
}

const ARM_RADIUS: (f32, f32) = (0.62, 0.88);
/// How wide the seams between limbs are rounded, tile sides.
const LIMB_SEAM: f32 = 0.05;
/// From wrist to elbow, tile sides (29 cm).
pub const FOREARM: f32 = 6.5;

impl Body {
    pub fn new(shape: Shape, foot: V3, turn: f32, lying: bool, colour: V3, gloss: f32) -> Body {
        let (s, c) = turn.to_radians().sin_cos();
        let ball = (V3::default(), 0.0);
        let body = Body { shape, foot, turn: (c, s), lying, ball, colour, gloss };
        Body { ball: body.ball_round(), ..body }
    }

    pub fn cup(prop: &Prop, colour: V3) -> Option<Body> {
        let Prop::Cup { place, .. } = prop else { return None };
        Some(Body::new(Shape::Cup, v3(place.0, place.1, 0.0), 0.0, false, colour, 0.9))
    }

    pub fn hand(hand: &Hand, skin: V3, sleeve: V3) -> Body {
        let bones = HandBones::new(hand, sleeve);
        let foot = v3(hand.tip.0, hand.tip.1, 0.0);
        Body::new(Shape::Hand(Box::new(bones)), foot, -hand.from, false, skin, 0.12)
    }

    /// The middle and radius of a ball round it.
    pub fn ball(&self) -> (V3, f32) {
        self.ball
    }

    fn ball_round(&self) -> (V3, f32) {
        match &self.shape {
            Shape::Piece(pieces, figure) => {
                let (height, radius) = pieces.ball(*figure, self.lying);
                (self.foot + v3(0.0, 0.0, height), radius)
            }
            Shape::Cup => (self.foot + v3(0.0, 0.0, 1.0), 1.5),
            Shape::Hand(bones) => {
                let (low, high) = bones.bounds();
                (self.to_world((low + high) * 0.5), (high - low).length() * 0.5)
            }
        }
    }

    /// A box round it: lower and upper corner.
    pub fn bounds(&self) -> (V3, V3) {
        match &self.shape {
            Shape::Hand(bones) => {
                let (low, high) = bones.bounds();
                let corners = [
                    v3(low.x, low.y, 0.0),
                    v3(high.x, low.y, 0.0),
                    v3(low.x, high.y, 0.0),
                    v3(high.x, high.y, 0.0),
                ]
                .map(|c| self.to_world(c));
                let fold = |pick: fn(V3) -> f32, join: fn(f32, f32) -> f32| {
                    corners.iter().map(|c| pick(*c)).reduce(join).unwrap_or_default()
                };
                (
                    v3(fold(|c| c.x, f32::min), fold(|c| c.y, f32::min), low.z),
                    v3(fold(|c| c.x, f32::max), fold(|c| c.y, f32::max), high.z),
                )
            }
            _ => {
                let (c, r) = self.ball();
                (c - v3(r, r, r), c + v3(r, r, r))
            }
        }
    }

    /// Boxes that it lies in, all together; several where one would be mostly empty.
    pub fn boxes(&self) -> Vec<(V3, V3)> {
        /// Boxes along an arm.
        const ALONG: usize = 10;
        let Shape::Hand(bones) = &self.shape else { return vec![self.bounds()] };
        let round = |places: &[(V3, f32)]| {
            let (mut low, mut high) = (v3(f32::MAX, f32::MAX, f32::MAX), v3(f32::MIN, f32::MIN, f32::MIN));
            for (p, r) in places {
                let p = self.to_world(*p);
                low = v3(low.x.min(p.x - r), low.y.min(p.y - r), low.z.min(p.z - r));
                high = v3(high.x.max(p.x + r), high.y.max(p.y + r), high.z.max(p.z + r));
            }
            (low, high)
        };
        // Seams are rounded and sleeves have folds.
        let grown = |r: f32| r + 0.1;
        let hand: Vec<(V3, f32)> =
            bones.limbs.iter().flat_map(|limb| limb.ends.map(|(p, r)| (p, grown(r)))).collect();
        let (elbow, wrist, _) = bones.arm;
        let at = |i: usize| (wrist.mix(elbow, i as f32 / ALONG as f32), grown(ARM_RADIUS.1 + 0.16));
        let arm = (0..ALONG).map(|i| round(&[at(i), at(i + 1)]));
        std::iter::once(round(&hand)).chain(arm).collect()
    }

    fn to_local(&self, p: V3) -> V3 {
        let d = p - self.foot;
        let (c, s) = self.turn;
        v3(c * d.x + s * d.y, c * d.y - s * d.x, d.z)
    }

    fn to_world(&self, p: V3) -> V3 {
        let (c, s) = self.turn;
        self.foot + v3(c * p.x - s * p.y, s * p.x + c * p.y, p.z)
    }

    /// The distance from a place of the world to the surface (a lower bound).
    pub fn distance(&self, p: V3) -> f32 {
        let p = self.to_local(p);
        match &self.shape {
            Shape::Piece(pieces, figure) => pieces.distance(*figure, self.lying, p),
            Shape::Cup => cup(p),
            Shape::Hand(bones) => bones.distance(p),
        }
    }

    /// The colour at a place of its surface.
    pub fn colour_at(&self, p: V3) -> V3 {
        match &self.shape {
            Shape::Hand(bones) => {
                let p = self.to_local(p);
                let (elbow, wrist, cuff) = bones.arm;
                let along = (wrist - elbow).unit();
                if (p - cuff).dot(along) < 0.0 { bones.sleeve } else { self.colour }
            }
            _ => self.colour,
        }
    }

    /// The outward normal at a place of the surface.
    pub fn normal(&self, p: V3) -> V3 {
        let e = if matches!(self.shape, Shape::Hand(_) | Shape::Cup) { 0.012 } else { 0.005 };
        let k = [v3(1.0, -1.0, -1.0), v3(-1.0, -1.0, 1.0), v3(-1.0, 1.0, -1.0), v3(1.0, 1.0, 1.0)];
        k.iter().fold(V3::default(), |n, d| n + *d * self.distance(p + *d * e)).unit()
    }
}

fn cup(p: V3) -> f32 {
    let round = p.x.hypot(p.y);
    let wall = (round - 0.86 - 0.05 * p.z).abs() - 0.05;
    let wall = wall.max(p.z - 2.0).max(-p.z);
    let drink = (round - 0.88).max((p.z - 1.55).abs() - 0.05);
    let handle = v3((p.x - 1.05).hypot(p.z - 1.0) - 0.5, p.y, 0.0);
    wall.min(drink).min((handle.x.hypot(handle.y) - 0.1).max(0.9 - p.x)) * 0.9
}

impl HandBones {
    fn new(hand: &Hand, sleeve: V3) -> HandBones {
        let side = if hand.left { -1.0 } else { 1.0 };
        let z = hand.height;
        let curl = hand.curl.clamp(0.0, 1.0);
        let knuckle_z = z + 0.55 + 0.75 * curl;
        let reach = 1.95 - 0.65 * curl;
        let wrist = v3(0.0, reach + 1.75, knuckle_z - 0.1);
        let elbow = wrist + v3(0.5 * side * hand.arm / FOREARM, hand.arm, 1.1);
        let mut limbs = Vec::new();
        for (i, (length, radius)) in
            [(1.0, 0.185), (1.08, 0.19), (1.0, 0.18), (0.82, 0.16)].into_iter().enumerate()
        {
            let spread = (i as f32 - 1.0) * 0.42 * side;
            let knuckle = v3(spread * 0.95 + 0.05 * side, reach + 0.06 * (i as f32 - 1.0).powi(2), knuckle_z);
            let tip = v3(
                spread * (1.15 - 0.6 * curl) - 0.1 * side * curl,
                reach * (1.0 - length) + 0.12 * i as f32 * curl,
                z + 0.15 + 0.14 * (i as f32 - 1.0).abs(),
            );
            let bend = knuckle.mix(tip, 0.52) + v3(0.0, 0.05, 0.16 + 0.42 * curl);
            let last = bend.mix(tip, 0.55) + v3(0.0, -0.03, 0.07 * curl);
            limbs.push(Limb::new(wrist.mix(knuckle, 0.25), knuckle, 0.34, 0.25));
            limbs.push(Limb::new(knuckle, bend, 0.235, radius * 1.05));
            limbs.push(Limb::new(bend, last, radius * 1.05, radius));
            limbs.push(Limb::new(last, tip, radius, radius * 0.82));
        }
        let base = v3(-0.5 * side, wrist.y - 0.35, wrist.z - 0.12);
        let joint = v3(-(0.95 - 0.2 * curl) * side, reach * 0.75 + 0.25, knuckle_z - 0.35);
        let thumb = v3(-(0.75 - 0.4 * curl) * side, reach * 0.25 + 0.12, z + 0.2);
        limbs.push(Limb::new(base, joint, 0.36, 0.24));
        limbs.push(Limb::new(joint, thumb, 0.22, 0.17));
        let along = (elbow - wrist).unit();
        let cuff = wrist + along * hand.bare;
        HandBones { limbs, arm: (elbow, wrist, cuff), sleeve }
    }

    fn bounds(&self) -> (V3, V3) {
        let mut low = v3(f32::MAX, f32::MAX, f32::MAX);
        let mut high = -low;
        let mut take = |p: V3, r: f32| {
            low = v3(low.x.min(p.x - r), low.y.min(p.y - r), low.z.min(p.z - r));
            high = v3(high.x.max(p.x + r), high.y.max(p.y + r), high.z.max(p.z + r));
        };
        for (p, r) in self.limbs.iter().flat_map(|limb| limb.ends) {
            take(p, r);
        }
        take(self.arm.0, ARM_RADIUS.1 + 0.1);
        take(self.arm.1, ARM_RADIUS.0);
        (low, high)
    }

    fn distance(&self, p: V3) -> f32 {
        let (elbow, wrist, cuff) = self.arm;
        let arm = limb(p, wrist, elbow, ARM_RADIUS.0, ARM_RADIUS.1);
        let sleeve = limb(p, cuff, elbow, ARM_RADIUS.0 + 0.16, ARM_RADIUS.1 + 0.12);
        let folds = 0.025 * (p.y * 5.0 + 2.0 * p.x).sin();
        let arm = arm.min(sleeve + folds);
        if p.y > wrist.y + 1.2 {
            return arm * 0.9;
        }
        // Beyond its seam a limb changes nothing.
        let hand = self.limbs.iter().fold(9.0, |d: f32, limb| {
            if limb.is_beyond(p, d + LIMB_SEAM) { d } else { blend(d, limb.distance(p), LIMB_SEAM) }
        });
        blend(hand, arm, 0.25) * 0.9
    }
}
