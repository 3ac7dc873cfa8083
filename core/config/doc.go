// Package config reads the settings file and knows where drover keeps things.
//
// The settings are one TOML file of flat keys, config.toml in $DROVER_CONFIG,
// else in $XDG_CONFIG_HOME/drover, else in ~/.config/drover. A missing file
// means the defaults; a few environment variables override single keys. The
// state (database, locks, logs) lies in $DROVER_STATE, else in
// $XDG_STATE_HOME/drover, else in ~/.local/state/drover.
//
// It promises that a key it does not know, a value of the wrong type and one
// out of range are errors that name the file, the line, the key and the way
// out; nothing is guessed and nothing is ignored.
//
// It never writes, never reads the environment but through the function it is
// given, and holds no secrets: keys of providers stay in the environment.
package config
