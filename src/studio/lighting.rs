//! How a scene is lit: what colour of light comes from where a ray meets it.

use super::scene::Scene;
use super::space::{V3, v3};
use super::stage::{Hit, Stage, Thing};
use super::surface::finish;

/// What a pixel shows where nothing is.
pub const NOTHING: u32 = u32::MAX;
/// What a pixel shows of the first figure; the others count on from there.
pub const BODY: u32 = 1 << 20;
/// What a pixel shows of the hand.
pub const HAND: u32 = 1 << 30;
/// What a pixel shows of what the hand holds.
pub const HELD: u32 = HAND + 1;

fn id_of(stage: &Stage<'_>, hit: &Hit) -> u32 {
    let face = u32::from(hit.top);
    match hit.thing {
        Thing::Table => 0,
        Thing::Wall => 2 + face,
        Thing::Slab(i) if i >= stage.moving.0 => HELD,
        Thing::Slab(i) => 8 + 2 * i as u32 + face,
        Thing::Body(i) if Some(i) == stage.hand => HAND,
        Thing::Body(i) if i >= stage.moving.1 => HELD,
        Thing::Body(i) => BODY + i as u32,
    }
}

/// The light of a scene as colours.
pub struct Lighting {
    lamp: V3,
    room: V3,
    ambient: f32,
    gloss: f32,
    reach: f32,
}

impl Lighting {
    pub fn new(scene: &Scene) -> Lighting {
        let warm = kelvin(scene.light.kelvin);
        let (x, y, z) = scene.light.lamp;
        let reach = v3(x - 4.5, y - 5.0, z).length();
        Lighting {
            lamp: warm,
            room: warm.mix(v3(1.0, 1.0, 1.0), 0.5).mix(v3(0.95, 1.0, 1.08), 0.25),
            ambient: scene.light.ambient,
            gloss: scene.light.gloss,
            reach,
        }
    }

    /// The light that comes to a place of the picture, `width` px wide, and from what.
    pub fn sample(&self, stage: &Stage<'_>, px: f32, py: f32, width: f32) -> (V3, u32) {
        let ray = stage.view.ray(px, py);
        match stage.hit(px, py, ray) {
            Some(hit) => (self.shade(stage, &hit, ray, width), id_of(stage, &hit)),
            None => (self.room * 0.08, NOTHING),
        }
    }

    fn shade(&self, stage: &Stage<'_>, hit: &Hit, ray: V3, width: f32) -> V3 {
        let scene = stage.scene;
        let spot = width * hit.distance / stage.view.focal_px / ray.z.abs().max(0.2).sqrt();
        let (colour, gloss, sharp) = match hit.thing {
            Thing::Table => {
                let f = finish(&scene.table, hit.at.x, hit.at.y);
                (f.colour, f.gloss, f.sharp)
            }
            Thing::Slab(i) => {
                let slab = &stage.slabs[i];
                let texture = &stage.textures[slab.texture];
                if hit.top {
                    let (u, v) = slab.picture_place(hit.at);
                    let texel = texture.at(u, v, spot * texture.width() / (2.0 * slab.half));
                    let edge = (u - 0.5).abs().max((v - 0.5).abs());
                    let worn = if edge > 0.488 { 0.82 } else { 1.0 };
                    (texel.colour * worn, self.gloss, 60.0 + 240.0 * self.gloss)
                } else {
                    (v3(0.42, 0.38, 0.31) * 0.8, 0.0, 8.0)
                }
            }
            Thing::Wall => match &stage.relief {
                Some(relief) => {
                    let u = (hit.at.x * relief.scale + relief.origin.0) / relief.size.0;
                    let v = (hit.at.y * relief.scale + relief.origin.1) / relief.size.1;
                    let texel = relief.texture.at(u, v, spot * relief.scale);
                    if hit.top {
                        (texel.colour, self.gloss, 60.0 + 240.0 * self.gloss)
                    } else {
                        (texel.colour.mix(v3(0.36, 0.33, 0.28), 0.6) * 0.8, 0.0, 8.0)
                    }
                }
                None => (V3::default(), 0.0, 8.0),
            },
            Thing::Body(i) => {
                let body = &stage.bodies[i];
                (body.colour_at(hit.at), body.gloss, 40.0)
            }
        };
        let (lit, open) = self.shadow(stage, hit);
        let to_lamp = stage.lamp - hit.at;
        let far = to_lamp.length();
        let to_lamp = to_lamp * (1.0 / far);
        let facing = to_lamp.dot(hit.normal);
        let soft = if Some(hit.thing) == stage.hand.map(Thing::Body) { 0.18 } else { 0.0 };
        let diffuse = ((facing + soft) / (1.0 + soft)).max(0.0);
        let strength = (self.reach / far).powi(2) / (stage.lamp.z / self.reach).max(0.3);
        let direct = self.lamp * ((1.0 - self.ambient) * strength * lit);
        let sky = 0.6 + 0.4 * hit.normal.z;
        let indirect = self.room * (self.ambient * open * sky);
        let mut out = colour.times(direct * diffuse + indirect);
        if gloss > 0.0 {
            let half = (to_lamp - ray).unit();
            let lobe = hit.normal.dot(half).max(0.0).powf(sharp) * (sharp + 8.0) / 25.0;
            let slant = (1.0 + ray.dot(hit.normal)).clamp(0.0, 1.0).powi(5);
            let reflect = 0.04 + 0.96 * slant;
            out = out + direct * (lobe * reflect * gloss * f32::from(u8::from(facing > 0.0)));
            out = out + self.room * (self.ambient * open * reflect * gloss * 0.6);
        }
        out
    }

    /// How much of the lamp and of the room reaches a hit.
    fn shadow(&self, stage: &Stage<'_>, hit: &Hit) -> (f32, f32) {
        match hit.thing {
            Thing::Body(i) if Some(i) == stage.hand => {
                let low = (hit.at.z / 2.0).clamp(0.0, 1.0);
                (1.0, 0.75 + 0.25 * low)
            }
            Thing::Body(i) => {
                let body = &stage.bodies[i];
                let (middle, radius) = body.ball();
                let out = v3(hit.at.x - middle.x, hit.at.y - middle.y, 0.0).unit() * (radius * 0.35);
                let (lit, open) = stage.shadows.at(v3(hit.at.x + out.x, hit.at.y + out.y, body.foot.z));
                let rise = ((hit.at.z - body.foot.z) / radius).clamp(0.0, 1.0);
                let facing = (stage.lamp - hit.at).dot(hit.normal) > 0.0;
                let lit = if facing { lit.max(0.35 + 0.65 * rise * lit) } else { 0.0 };
                (lit, open * (0.6 + 0.4 * rise))
            }
            Thing::Slab(i) if stage.slabs[i].stacked => (if hit.top { 1.0 } else { 0.8 }, 0.8),
            _ if hit.top => stage.shadows.at(hit.at),
            _ => {
                let out = hit.at + hit.normal * 0.06;
                let (lit, open) = stage.shadows.at(v3(out.x, out.y, (hit.at.z - 0.03).max(0.0)));
                (lit, open * 0.6)
            }
        }
    }
}

/// The colour of a black body, scaled so that green is 1.
fn kelvin(k: f32) -> V3 {
    let t = k / 100.0;
    let red = if t <= 66.0 { 1.0 } else { (1.293 * (t - 60.0).powf(-0.1332)).clamp(0.0, 1.0) };
    let green =
        if t <= 66.0 { 0.39 * t.ln() - 0.632 } else { 1.13 * (t - 60.0).powf(-0.0755) }.clamp(0.05, 1.0);
    let blue = if t >= 66.0 { 1.0 } else { (0.5432 * (t - 10.0).max(1.0).ln() - 1.196).clamp(0.0, 1.0) };
    let linear = |v: f32| v.powf(2.2);
    let g = linear(green);
    v3(linear(red) / g, 1.0, linear(blue) / g)
}
