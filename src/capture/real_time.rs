//! A recording played in real time, as a camera would have seen it.

use std::time::{Duration, Instant};

use super::error::CaptureError;
use super::frame::{Frame, FrameSource};

/// Plays a recording by its times: a frame comes no sooner than it was taken, what came
/// while nobody asked is left out but for the newest, and until the next is due the same
/// comes again, at a camera's pace.
pub struct RealTime {
    source: Box<dyn FrameSource>,
    /// Seconds between two frames at least.
    pace: f64,
    /// Seconds for which the last frame is seen.
    lasts: f64,
    began: Option<Instant>,
    /// What is seen now, and since when.
    seen: Option<(Frame, f64)>,
    /// What is not due yet.
    coming: Option<Frame>,
    /// When a frame was given last.
    given: f64,
    ended: bool,
    /// Why the recording ended, where it broke off: told after what was seen before.
    broke_off: Option<CaptureError>,
}

impl RealTime {
    /// Plays a source that is not live. Frames come `pace` seconds apart, or as far apart as
    /// they are asked for; the last is seen for `lasts` seconds.
    pub fn new(source: Box<dyn FrameSource>, pace: f64, lasts: f64) -> RealTime {
        RealTime {
            source,
            pace,
            lasts,
            began: None,
            seen: None,
            coming: None,
            given: f64::NEG_INFINITY,
            ended: false,
            broke_off: None,
        }
    }

    /// Seconds since the first frame was asked for.
    fn now(&mut self) -> f64 {
        self.began.get_or_insert_with(Instant::now).elapsed().as_secs_f64()
    }

    /// Goes on in the recording to what is due.
    fn catch_up(&mut self) -> Result<(), CaptureError> {
        loop {
            if let Some(frame) = self.coming.take() {
                if frame.t > self.now() {
                    self.coming = Some(frame);
                    return Ok(());
                }
                let since = frame.t;
                self.seen = Some((frame, since));
            }
            if self.ended {
                return Ok(());
            }
            match self.source.next() {
                Ok(Some(frame)) => self.coming = Some(frame),
                Ok(None) => self.ended = true,
                Err(error) if error.is_of_one_frame() => return Err(error),
                Err(error) => (self.ended, self.broke_off) = (true, Some(error)),
            }
        }
    }
}

impl FrameSource for RealTime {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        loop {
            self.catch_up()?;
            let (now, next) = (self.now(), self.given + self.pace);
            let over = self.seen.as_ref().map_or(0.0, |(_, since)| since + self.lasts);
            let is_new = self.seen.as_ref().is_some_and(|(_, since)| *since > self.given);
            if self.ended && self.coming.is_none() && now >= over && !is_new {
                return self.broke_off.take().map_or(Ok(None), Err);
            }
            if let Some((frame, _)) = &self.seen
                && now >= next
            {
                self.given = now;
                return Ok(Some(Frame { t: now, ..frame.clone() }));
            }
            let due = self.coming.as_ref().map_or(f64::INFINITY, |f| f.t);
            let until = if self.seen.is_some() { next } else { due };
            std::thread::sleep(Duration::from_secs_f64((until - now).clamp(0.001, 1.0)));
        }
    }

    fn is_live(&self) -> bool {
        false
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// Frames so many seconds apart, then the end or an error.
    struct Recording {
        frames: u32,
        apart: f64,
        next: u32,
        cut: bool,
    }

    impl FrameSource for Recording {
        fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
            let n = self.next;
            self.next += 1;
            match n {
                n if n < self.frames => {
                    let image = image::RgbImage::new(16, 16);
                    Ok(Some(Frame { image, t: f64::from(n) * self.apart, name: n.to_string() }))
                }
                _ if self.cut => Err(CaptureError::Truncated("at 0:01.0".to_owned().into(), PathBuf::new())),
                _ => Ok(None),
            }
        }

        fn is_live(&self) -> bool {
            false
        }
    }

    fn recording(frames: u32, apart: f64, pace: f64) -> RealTime {
        RealTime::new(Box::new(Recording { frames, apart, next: 0, cut: false }), pace, apart)
    }

    /// A machine may always be slower than a test wants: only what holds then is asserted.
    #[test]
    fn frames_come_no_sooner_than_they_were_taken_and_stay_until_the_next() {
        let mut source = recording(4, 0.2, 0.03);
        let (began, mut all): (_, Vec<(String, f64)>) = (Instant::now(), Vec::new());
        while let Some(frame) = source.next().unwrap() {
            let (number, now) = (frame.name.parse::<f64>().unwrap(), began.elapsed().as_secs_f64());
            assert!(0.2 * number <= frame.t && frame.t <= now, "{number} at {} of {now}", frame.t);
            assert!(all.last().is_none_or(|(_, t)| frame.t >= t + 0.03), "{all:?} {}", frame.t);
            all.push((frame.name, frame.t));
        }
        assert!(all.last().unwrap().0 == "3" && began.elapsed().as_secs_f64() >= 0.8, "{all:?}");
        assert!(all.windows(2).any(|w| w[0].0 == w[1].0), "the same is seen again: {all:?}");
    }

    #[test]
    fn what_came_while_nobody_asked_is_left_out_but_for_the_newest() {
        let mut source = recording(40, 0.02, 0.02);
        assert_eq!(source.next().unwrap().unwrap().name, "0");
        std::thread::sleep(Duration::from_millis(300));
        let seen = source.next().unwrap().unwrap();
        assert!(seen.name.parse::<u32>().unwrap() >= 15 && seen.t >= 0.3, "{} at {}", seen.name, seen.t);
        if seen.name != "39" {
            std::thread::sleep(Duration::from_millis(900));
            assert_eq!(source.next().unwrap().unwrap().name, "39", "the last is seen however late");
        }
        assert!(source.next().unwrap().is_none());
    }

    #[test]
    fn a_recording_that_breaks_off_is_seen_to_its_end() {
        let mut source =
            RealTime::new(Box::new(Recording { frames: 2, apart: 0.0, next: 0, cut: true }), 0.01, 0.0);
        assert_eq!(source.next().unwrap().unwrap().name, "1");
        assert!(matches!(source.next(), Err(CaptureError::Truncated(..))));
        assert!(source.next().unwrap().is_none());
    }
}
