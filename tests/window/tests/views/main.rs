//! What the window shows and does. All of it is one binary, since each links the whole program; each
//! test runs in a process of its own.

mod aids;
mod archive;
mod by_hand;
mod classic;
mod dispute;
mod house_rules;
mod languages;
mod live;
mod look;
mod modules;
mod names;
mod own_copy;
mod page;
mod questions;
mod replay;
mod sound;
mod start;
mod states;
