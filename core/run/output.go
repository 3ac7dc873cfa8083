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

// bounded cuts an answer that is too long, and keeps the whole of it in a file.
func (u *turn) bounded(a core.Answer) core.Answer {
	a.Text = u.o.Mask(a.Text)
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
