//! The sound that the window makes: two soft notes.

use std::f32::consts::TAU;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};

use rodio::buffer::SamplesBuffer;
use rodio::{DeviceSinkBuilder, Player};

/// Samples a second.
const RATE: u32 = 44_100;

/// How the notes sound.
struct Notes {
    /// Their pitches in hertz, one after the other: a fourth upwards, A5 and D6.
    pitches: [f32; 2],
    /// How long after the first the second begins, in seconds.
    apart: f32,
    /// How long a note takes to come, in seconds: without it there would be a click.
    rise: f32,
    /// How long it takes to fall to a third, in seconds.
    fall: f32,
    /// How long all of it lasts, in seconds.
    lasts: f32,
    /// The loudest sample of a note, of 1.
    loud: f32,
}

const NOTES: Notes =
    Notes { pitches: [880.0, 1174.66], apart: 0.16, rise: 0.01, fall: 0.12, lasts: 0.9, loud: 0.25 };

/// The samples of the sound, one channel, -1 to 1.
fn samples() -> Vec<f32> {
    let note = |pitch: f32, t: f32| {
        if t < 0.0 {
            return 0.0;
        }
        let swell = (t / NOTES.rise).min(1.0) * (-t / NOTES.fall).exp();
        NOTES.loud * swell * (TAU * pitch * t).sin()
    };
    let count = (NOTES.lasts * RATE as f32) as u32;
    let at = |i: u32| {
        let t = i as f32 / RATE as f32;
        let ends = ((NOTES.lasts - t) / NOTES.rise).min(1.0);
        ends * (note(NOTES.pitches[0], t) + note(NOTES.pitches[1], t - NOTES.apart))
    };
    (0..count).map(at).collect()
}

/// Plays the sound on a thread of its own and says there how that went: why it cannot be heard,
/// in words of the system. While it sounds it is not begun again. The speaker is let go in
/// between.
pub fn ring(done: impl FnOnce(Result<(), String>) + Send + 'static) {
    static SOUNDING: AtomicBool = AtomicBool::new(false);
    if SOUNDING.swap(true, Ordering::Relaxed) {
        return;
    }
    std::thread::spawn(move || {
        let played = play();
        SOUNDING.store(false, Ordering::Relaxed);
        done(played);
    });
}

fn play() -> Result<(), String> {
    let mut sink = DeviceSinkBuilder::open_default_sink().map_err(|error| error.to_string())?;
    sink.log_on_drop(false);
    let player = Player::connect_new(sink.mixer());
    let (one, rate) = (NonZero::<u16>::MIN, NonZero::new(RATE).unwrap_or(NonZero::<u32>::MIN));
    player.append(SamplesBuffer::new(one, rate, samples()));
    player.sleep_until_end();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sound_is_soft_and_begins_and_ends_in_silence() {
        let samples = samples();
        let loudest = |part: &[f32]| part.iter().fold(0.0_f32, |most, s| most.max(s.abs()));
        assert!(samples.iter().all(|s| s.is_finite()));
        assert!((0.1..=2.0 * NOTES.loud).contains(&loudest(&samples)), "{}", loudest(&samples));
        assert!(loudest(&samples[..20]) < 0.01 && loudest(&samples[samples.len() - 20..]) < 0.001);
        // the second note is heard
        let second = (NOTES.apart * RATE as f32) as usize;
        assert!(
            loudest(&samples[second + 200..second + 2000]) > loudest(&samples[second - 2000..second - 200])
        );
        let steps = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f32::max) < 0.1, "no click");
    }
}
