// Package themes says which colours the screen has.
//
// A theme gives each of a closed set of roles (what a cell means: running,
// selected, heading …) a style (colours and attributes). Two come with the
// program, as TOML files inside it; a person adds more, or replaces these, by
// putting NAME.toml into a directory of themes.
//
// It promises that a theme which loads is complete (roles that a file leaves
// out are those of the built-in theme of the same darkness), and that a fault
// in a file names the file, the line, the key and the way out.
//
// It never knows a terminal: what a colour becomes on one with 16 colours, or
// under NO_COLOR, is decided where the cells are drawn.
package themes
