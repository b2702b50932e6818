//! What the program does, from photos to commands. All of it is one binary, so that tests of one file
//! compute beside those of others. What depends on the clock has binaries of its own.

#[cfg(all(feature = "vision", feature = "studio"))]
#[path = "../command_support/mod.rs"]
mod command_support;

mod bad_input;
mod classic_game;
mod command;
mod corpus;
mod correct;
mod enrol;
mod faces;
mod game_folder;
mod games;
mod glare;
mod house_game;
mod look;
mod output;
mod pieces;
mod print;
mod read;
mod recogniser;
mod recogniser_real;
mod share;
mod survey;
mod wall_tiles;
