//! Where the camera stands and how it maps the table to pixels.

use serde::{Deserialize, Serialize};

use super::space::{V3, v3};

/// A camera over the table. Lengths in tile sides, angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Picture width and height, px.
    pub size: (u32, u32),
    /// The place on the table that it looks at.
    pub target: (f32, f32),
    /// From the target to the lens.
    pub distance: f32,
    /// 90 straight from above; smaller is steeper.
    pub elevation: f32,
    /// 0 from the south side of the board, 90 from its east side.
    pub azimuth: f32,
    /// Turn about the axis of view.
    pub roll: f32,
    /// Focal length in picture widths: 0.72 is a phone, 0.6 to 0.9 webcams.
    pub focal: f32,
    /// Radial distortion, first coefficient, as in OpenCV.
    pub k1: f32,
    /// Radial distortion, second coefficient.
    pub k2: f32,
}

impl Camera {
    /// Where a place of the world comes to lie in the picture, px; `None`
    /// behind the camera. `(0, 0)` is the middle of the upper left pixel.
    pub fn project(&self, place: (f32, f32, f32)) -> Option<(f32, f32)> {
        View::new(self).project(v3(place.0, place.1, place.2))
    }

    /// The same camera at the distance from which all these places just lie
    /// inside the picture with a margin (a share of the picture).
    #[must_use]
    pub fn framing(mut self, places: &[(f32, f32, f32)], margin: f32) -> Camera {
        let fits = |camera: &Camera| places.iter().all(|p| camera.sees(*p, margin));
        let (mut near, mut far) = (2.0, 80.0);
        for _ in 0..24 {
            let middle = (near + far) / 2.0;
            self.distance = middle;
            if fits(&self) {
                far = middle;
            } else {
                near = middle;
            }
        }
        self.distance = far;
        self
    }

    /// Moved over the board in a direction (degrees) until no more than a share of
    /// the places is in the picture, at most 40 tile sides.
    #[must_use]
    pub fn aside(self, places: &[(f32, f32, f32)], direction: f32, share: f32) -> Camera {
        let (dy, dx) = direction.to_radians().sin_cos();
        let most = share * places.len() as f32;
        let mut moved = (0..400).map(|i| {
            let by = i as f32 / 10.0;
            Camera { target: (self.target.0 + dx * by, self.target.1 + dy * by), ..self }
        });
        let seen = |camera: &Camera| places.iter().filter(|p| camera.sees(**p, 0.0)).count() as f32;
        moved.find(|camera| seen(camera) <= most).unwrap_or(self)
    }

    /// Whether a place is in the picture, a margin (a share of its sides) left out.
    fn sees(&self, place: (f32, f32, f32), margin: f32) -> bool {
        let (w, h) = (self.size.0 as f32, self.size.1 as f32);
        let inside = |v: f32, side: f32| (side * margin..side * (1.0 - margin)).contains(&v);
        self.project(place).is_some_and(|(x, y)| inside(x, w) && inside(y, h))
    }
}

/// A camera ready for rays.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub eye: V3,
    forward: V3,
    right: V3,
    down: V3,
    pub focal_px: f32,
    centre: (f32, f32),
    k1: f32,
    k2: f32,
}

impl View {
    pub fn new(camera: &Camera) -> View {
        let (se, ce) = camera.elevation.to_radians().sin_cos();
        let (sa, ca) = camera.azimuth.to_radians().sin_cos();
        let (sr, cr) = camera.roll.to_radians().sin_cos();
        let outward = v3(sa * ce, ca * ce, se);
        let right = v3(ca, -sa, 0.0);
        let down = v3(sa * se, ca * se, -ce);
        View {
            eye: v3(camera.target.0, camera.target.1, 0.0) + outward * camera.distance,
            forward: -outward,
            right: right * cr + down * sr,
            down: down * cr - right * sr,
            focal_px: camera.focal * camera.size.0 as f32,
            centre: (camera.size.0 as f32 / 2.0 - 0.5, camera.size.1 as f32 / 2.0 - 0.5),
            k1: camera.k1,
            k2: camera.k2,
        }
    }

    pub fn project(&self, place: V3) -> Option<(f32, f32)> {
        let p = place - self.eye;
        let depth = p.dot(self.forward);
        if depth < 0.05 {
            return None;
        }
        let (x, y) = (p.dot(self.right) / depth, p.dot(self.down) / depth);
        let r2 = x * x + y * y;
        let bend = 1.0 + r2 * (self.k1 + r2 * self.k2);
        Some((self.centre.0 + self.focal_px * x * bend, self.centre.1 + self.focal_px * y * bend))
    }

    /// The unit direction of the ray through a place of the picture.
    pub fn ray(&self, px: f32, py: f32) -> V3 {
        let (xd, yd) = ((px - self.centre.0) / self.focal_px, (py - self.centre.1) / self.focal_px);
        let (mut x, mut y) = (xd, yd);
        if self.k1 != 0.0 || self.k2 != 0.0 {
            for _ in 0..6 {
                let r2 = x * x + y * y;
                let bend = 1.0 + r2 * (self.k1 + r2 * self.k2);
                x = xd / bend;
                y = yd / bend;
            }
        }
        (self.forward + self.right * x + self.down * y).unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            size: (1280, 720),
            target: (4.5, 5.0),
            distance: 18.0,
            elevation: 52.0,
            azimuth: 25.0,
            roll: -4.0,
            focal: 0.8,
            k1: -0.09,
            k2: 0.02,
        }
    }

    #[test]
    fn a_ray_goes_back_through_the_place_it_was_projected_from() {
        let view = View::new(&camera());
        for place in [v3(0.0, 0.0, 0.0), v3(9.0, 3.0, 0.2), v3(4.0, 10.0, 0.04), v3(-1.0, 8.0, 0.0)] {
            let (x, y) = view.project(place).unwrap();
            let ray = view.ray(x, y);
            let t = (place.z - view.eye.z) / ray.z;
            let back = view.eye + ray * t;
            assert!((back - place).length() < 2e-3, "{place:?} came back as {back:?}");
        }
    }

    #[test]
    fn from_above_and_south_the_picture_has_the_boards_axes() {
        let camera = Camera { elevation: 90.0, azimuth: 0.0, roll: 0.0, k1: 0.0, k2: 0.0, ..camera() };
        let (x0, y0) = camera.project((4.0, 4.0, 0.0)).unwrap();
        let (x1, y1) = camera.project((5.0, 4.0, 0.0)).unwrap();
        let (x2, y2) = camera.project((4.0, 5.0, 0.0)).unwrap();
        assert!(x1 > x0 + 1.0 && (y1 - y0).abs() < 0.01);
        assert!(y2 > y0 + 1.0 && (x2 - x0).abs() < 0.01);
    }

    #[test]
    fn framing_fills_the_picture_and_no_more() {
        let places = [(0.0, 0.0, 0.0), (9.0, 0.0, 0.0), (9.0, 10.0, 0.0), (0.0, 10.0, 0.0)];
        let camera = camera().framing(&places, 0.03);
        let inside = |c: &Camera| {
            places.iter().all(|p| {
                let (x, y) = c.project(*p).unwrap();
                (0.0..1280.0).contains(&x) && (0.0..720.0).contains(&y)
            })
        };
        assert!(inside(&camera));
        assert!(!inside(&Camera { distance: camera.distance * 0.85, ..camera }));
    }

    #[test]
    fn looking_aside_leaves_half_in_the_picture() {
        let places: Vec<(f32, f32, f32)> = (0..90).map(|i| ((i % 9) as f32, (i / 9) as f32, 0.0)).collect();
        let framed = camera().framing(&places, 0.03);
        for direction in [0.0, 70.0, 200.0, 310.0] {
            let aside = framed.aside(&places, direction, 0.5);
            let inside = |p: &&(f32, f32, f32)| {
                let (x, y) = aside.project(**p).unwrap();
                (0.0..1280.0).contains(&x) && (0.0..720.0).contains(&y)
            };
            let share = places.iter().filter(inside).count() as f32 / places.len() as f32;
            assert!((0.4..=0.5).contains(&share), "{direction}: {share}");
            assert_eq!(Camera { target: framed.target, ..aside }, framed, "it only moves");
        }
    }
}
