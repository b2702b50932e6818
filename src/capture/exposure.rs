//! A webcam's exposure, set by hand through the controls of its driver: those of V4L2, Linux's
//! interface to cameras (<https://docs.kernel.org/userspace-api/media/v4l/ext-ctrls-camera.html>).
//! On other systems no camera has them.

use nokhwa::utils::{ControlValueDescription, ControlValueSetter, KnownCameraControl};
use nokhwa::{Camera, NokhwaError};

/// `V4L2_CID_EXPOSURE_AUTO`, and its value for an exposure that is set by hand.
const AUTO: KnownCameraControl = KnownCameraControl::Other(0x009a_0901);
const BY_HAND: i64 = 1;
/// `V4L2_CID_EXPOSURE_ABSOLUTE`: how long the shutter is open.
const TIME: KnownCameraControl = KnownCameraControl::Other(0x009a_0902);

/// A control that has whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    value: i64,
    least: i64,
    most: i64,
    step: i64,
}

impl Control {
    fn of(camera: &Camera, id: KnownCameraControl) -> Option<Control> {
        match *camera.camera_control(id).ok()?.description() {
            ControlValueDescription::IntegerRange { min, max, value, step, .. } if min <= max => {
                Some(Control { value, least: min, most: max, step: step.max(1) })
            }
            _ => None,
        }
    }

    /// The value that is so many times this one, or the next that the control can have; `None` where
    /// that is no other.
    fn times(&self, factor: f64) -> Option<i64> {
        let steps = (self.value as f64 * factor - self.least as f64) / self.step as f64;
        let most = (self.most - self.least) / self.step;
        let rounded = if factor < 1.0 { steps.floor() } else { steps.ceil() };
        let value = self.least + (rounded as i64).clamp(0, most) * self.step;
        (value != self.value).then_some(value)
    }
}

/// Opens the shutter for a time that is so many times as long from now on, whoever set the exposure
/// before. Whether the camera can.
///
/// # Errors
/// [`NokhwaError`] where it has the controls and does not take them.
pub fn expose(camera: &mut Camera, factor: f64) -> Result<bool, NokhwaError> {
    let (Some(auto), Some(_)) = (Control::of(camera, AUTO), Control::of(camera, TIME)) else {
        return Ok(false);
    };
    if auto.value != BY_HAND {
        camera.set_camera_control(AUTO, ControlValueSetter::Integer(BY_HAND))?;
    }
    // What it was while the camera set it itself is told by some cameras only now.
    let Some(to) = Control::of(camera, TIME).and_then(|time| time.times(factor)) else { return Ok(false) };
    camera.set_camera_control(TIME, ControlValueSetter::Integer(to))?;
    tracing::info!(exposure = to, "the camera's exposure is set");
    Ok(true)
}

/// How a camera set its exposure before it was set by hand: who, and the time.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    auto: i64,
    time: i64,
}

impl Before {
    /// As it is now; `None` where the camera has no such controls.
    pub fn of(camera: &Camera) -> Option<Before> {
        Some(Before { auto: Control::of(camera, AUTO)?.value, time: Control::of(camera, TIME)?.value })
    }

    /// Sets it so again; a camera that is gone keeps what it has.
    pub fn restore(self, camera: &mut Camera) {
        let mut set = |id, value| {
            if let Err(error) = camera.set_camera_control(id, ControlValueSetter::Integer(value)) {
                tracing::debug!("{error}");
            }
        };
        // The time is taken while the exposure is set by hand only.
        set(TIME, self.time);
        set(AUTO, self.auto);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_stepped_within_what_it_can_have() {
        let control = Control { value: 250, least: 3, most: 2047, step: 1 };
        assert_eq!(control.times(0.5), Some(125));
        assert_eq!(Control { step: 100, ..control }.times(0.9), Some(203), "203 is the next below 225");
        assert_eq!(Control { value: 2000, ..control }.times(2.0), Some(2047));
        assert_eq!(Control { value: 3, ..control }.times(0.5), None, "it is the least");
        assert_eq!(Control { value: 4, ..control }.times(0.9), Some(3));
        assert_eq!(Control { value: 3, ..control }.times(1.1), Some(4));
    }
}
