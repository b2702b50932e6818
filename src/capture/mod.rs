//! Where frames come from: webcam, video file, network stream, folder of stills.
