package ui

import (
	"encoding/base64"
	"strings"
	"testing"
	"testing/synctest"

	"drover/core"
)

func TestRelay(t *testing.T) {
	env := func(name string) func(string) string {
		return func(k string) string { return map[bool]string{true: "x"}[k == name] }
	}
	for name, want := range map[string]Relay{"TMUX": RelayTmux, "STY": RelayScreen, "TERM": NoRelay} {
		if got := RelayFor(env(name)); got != want {
			t.Errorf("with %s: %q, want %q", name, got, want)
		}
	}
	for relay, want := range map[Relay]string{
		NoRelay:     "\x1b]52;c;aGk=\x1b\\",
		RelayTmux:   "\x1b]52;c;aGk=\x1b\\" + "\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\",
		RelayScreen: "\x1bP\x1b]52;c;aGk=\a\x1b\\",
	} {
		if got := relay.clipboard("hi"); got != want {
			t.Errorf("%q: %q, want %q", relay, got, want)
		}
	}
	// GNU screen passes on so much at once: what it unwraps is one sequence again.
	text := strings.Repeat("line of text\n", 400)
	var inner strings.Builder
	for part := range strings.SplitSeq(strings.TrimSuffix(RelayScreen.clipboard(text), "\x1b\\"), "\x1b\\") {
		body, ok := strings.CutPrefix(part, "\x1bP")
		if !ok || len(body) > screenChunk {
			t.Fatalf("a part of %d bytes: %.40q", len(body), part)
		}
		inner.WriteString(body)
	}
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"; inner.String() != want {
		t.Errorf("screen unwraps %d bytes, not %d", inner.Len(), len(want))
	}
	for term, has := range map[string]bool{"xterm-256color": true, "linux": false, "vt220": false, "dumb": false} {
		why := NoClipboard(func(k string) string { return map[bool]string{true: term}[k == "TERM"] })
		if (why == "") != has {
			t.Errorf("%s: %q", term, why)
		}
	}
}

// What is told of a copy is what was done: the way it went, that it is too long, that there is no clipboard.
func TestCopyTellsTheTruth(t *testing.T) {
	for _, c := range []struct {
		name  string
		relay Relay
		none  string
		long  bool
		says  []string
		wrote bool
	}{
		{"terminal", NoRelay, "", false, []string{"the last answer is copied (5 lines)"}, true},
		{"tmux", RelayTmux, "", false, []string{"copied (5 lines), through tmux", "set-clipboard on or allow-passthrough on"}, true},
		{"screen", RelayScreen, "", false, []string{"copied (5 lines), through screen"}, true},
		{"long", RelayTmux, "", true, []string{"too long for a terminal's clipboard (75 kB, it takes 72)", "nothing is copied", "drover log dexpl prints it"}, false},
		{"none", NoRelay, "a terminal of the kind linux has no clipboard", false, []string{"of the kind linux has no clipboard", "drover log dexpl"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				shop(f)
				if c.long {
					f.change(func() {
						f.say("dexpl", core.Entry{Turn: 1, Step: 3, Kind: core.EntryAnswer, Text: strings.Repeat("long text ", 7500)})
					})
				}
				var wrote []string
				d := drive(t, f, 160, 40, func(o *Options) {
					o.Notify.Relay, o.Outside.NoCopy = c.relay, c.none
					o.Outside.Write = func(s string) error { wrote = append(wrote, s); return nil }
				})
				d.keys(":go explore-api<Enter>y")
				d.sees(c.says...)
				if (len(wrote) == 1) != c.wrote {
					t.Errorf("wrote %.80q", wrote)
				}
				if c.wrote && !strings.Contains(wrote[0], base64.StdEncoding.EncodeToString([]byte("Totals are computed in **three** places:\n\n1. `cart/total.go`\n2. `cart/vat.go`\n3. `invoice/sum.go`\n"))) {
					t.Errorf("wrote %.200q", wrote[0])
				}
				d.quit()
			})
		})
	}
}
