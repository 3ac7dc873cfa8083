package ui

import (
	"encoding/base64"
	"strings"

	"drover/core"
)

// Relay is a multiplexer between drover and the terminal: what the terminal is
// sent has to be passed on by it.
type Relay string

// The relays there are. Of one in another the inner one is known only.
const (
	NoRelay     Relay = ""
	RelayTmux   Relay = "tmux"
	RelayScreen Relay = "screen"
)

// RelayFor finds out by what the relays put into the environment.
func RelayFor(getenv func(string) string) Relay {
	switch {
	case getenv("TMUX") != "":
		return RelayTmux
	case getenv("STY") != "":
		return RelayScreen
	}
	return NoRelay
}

// screenChunk is how much of a device control string GNU screen passes on at once, in bytes.
const screenChunk = 240

// wrap lets an escape sequence through to the terminal around the relay.
func (r Relay) wrap(sequence string) string {
	switch r {
	case RelayTmux:
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case RelayScreen: // it ends at the first string terminator: what is inside ends with BEL
		if rest, ok := strings.CutSuffix(sequence, "\x1b\\"); ok {
			sequence = rest + "\a"
		}
		var b strings.Builder
		for len(sequence) > screenChunk {
			b.WriteString("\x1bP" + sequence[:screenChunk] + "\x1b\\")
			sequence = sequence[screenChunk:]
		}
		return b.String() + "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}

// clipboard is what puts the text on the terminal's clipboard. tmux takes it
// itself where set-clipboard is on, and passes it on where allow-passthrough is:
// it is told both ways, for it does not say which.
func (r Relay) clipboard(text string) string {
	set := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x1b\\"
	if r == RelayTmux {
		return set + r.wrap(set)
	}
	return r.wrap(set)
}

// caution says what has to be so for the text to arrive: no terminal acknowledges one.
func (r Relay) caution() string {
	switch r {
	case RelayTmux:
		return ", through tmux: it must have set-clipboard on or allow-passthrough on"
	case RelayScreen:
		return ", through screen: the terminal around it must take OSC 52"
	}
	return ""
}

// NoClipboard says why a terminal has no clipboard that a program can reach; "" where it may have one.
func NoClipboard(getenv func(string) string) string {
	switch term := getenv("TERM"); {
	case RelayFor(getenv) != NoRelay:
		return ""
	case term == "linux" || term == "dumb" || strings.HasPrefix(term, "vt"):
		return "a terminal of the kind " + core.CleanLine(term) + " has no clipboard"
	}
	return ""
}
