package ui

import (
	"fmt"
	"strings"
)

// Notices is how a person who looks elsewhere is told.
type Notices struct {
	Kind  string // "osc9", "osc777", "osc99", "bell"; "" not at all
	Relay Relay  // what stands between
}

// NoticesFor finds the way that this terminal knows. setting is "auto", "off",
// or one of the kinds.
func NoticesFor(setting string, getenv func(string) string) Notices {
	n := Notices{Kind: setting, Relay: RelayFor(getenv)}
	switch setting {
	case "auto":
		n.Kind = noticeKind(getenv)
	case "off":
		n.Kind = ""
	}
	return n
}

// noticeKind knows terminals by what they put into the environment; inside tmux
// the outer one may have left its own variables.
func noticeKind(getenv func(string) string) string {
	term := getenv("TERM")
	switch program := strings.ToLower(getenv("TERM_PROGRAM") + " " + getenv("LC_TERMINAL")); {
	case getenv("KITTY_WINDOW_ID") != "", strings.HasPrefix(term, "xterm-kitty"):
		return "osc99"
	case strings.Contains(program, "iterm"), strings.Contains(program, "wezterm"), strings.Contains(program, "warp"):
		return "osc9"
	case strings.Contains(program, "ghostty"), strings.Contains(term, "ghostty"), strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"), getenv("VTE_VERSION") != "":
		return "osc777"
	}
	return "bell"
}

// Sequence is what the terminal has to be sent. What it says is one clean line,
// and always begins with drover's name, so that no task's name is taken for a command.
func (n Notices) Sequence(text string) string {
	text = clip(text, 200)
	switch n.Kind {
	case "osc9":
		return n.Relay.wrap(fmt.Sprintf("\x1b]9;drover: %s\x1b\\", text))
	case "osc777":
		return n.Relay.wrap(fmt.Sprintf("\x1b]777;notify;drover;%s\x1b\\", text))
	case "osc99":
		return n.Relay.wrap(fmt.Sprintf("\x1b]99;;drover: %s\x1b\\", text))
	case "bell":
		return "\a"
	}
	return ""
}
