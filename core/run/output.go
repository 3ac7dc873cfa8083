package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drover/core"
)

// What of an answer goes on to a parent, a row and a screen
// (subagents-reference: 200 KiB or 5,000 lines); the rest is in a file.
const (
	mostBytes = 200 << 10
	mostLines = 5000
)

// mostResult bytes of one tool's result go to the model, a row and a screen,
// whatever the tool thinks of it; mostSaid of one answer of a model.
const (
	mostResult = 256 << 10
	mostSaid   = 4 << 20
)

// sound makes text of a tool or a model fit to be kept and sent: valid UTF-8
// without NUL, secrets masked, of bounded length.
func (u *turn) sound(text string, most int) string {
	cut := len(text) - most
	if cut > 0 {
		text = text[:most]
	}
	text = u.o.Mask(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", ""))
	if cut > 0 {
		text += fmt.Sprintf("\n[TRUNCATED: %d more bytes]", cut)
	}
	return text
}

// bounded cuts an answer that is too long, and keeps the whole of it in a file.
func (u *turn) bounded(a core.Answer) core.Answer {
	lines := strings.Count(a.Text, "\n") + 1
	if len(a.Text) <= mostBytes && lines <= mostLines {
		return a
	}
	whole := a.Text
	kept := firstLines(whole, mostLines)
	kept = strings.ToValidUTF8(kept[:min(len(kept), mostBytes)], "")
	where := "the transcript has all of it"
	path := filepath.Join(u.o.Scratch, fmt.Sprintf("%s-turn%d.md", u.t.ID, u.t.Turn))
	if err := os.WriteFile(path, []byte(whole), 0o600); err == nil {
		a.Full, where = path, "all of it is in "+path
	}
	a.Text = fmt.Sprintf("%s\n[TRUNCATED: %d bytes in %d lines; shown are the first %d lines or %d bytes; %s]", kept, len(whole), lines, mostLines, mostBytes, where)
	if a.Code == "" {
		a.Code = core.CodeOutputTruncated
	}
	return a
}

func firstLines(s string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:at]
}
