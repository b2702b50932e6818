//! A frame to an observation: registration, rectification, recogniser, followers.
