package openai

import "strings"

// Some servers leave a model's reasoning in its text, between tags at its beginning.
const (
	tagOpen  = "<think>"
	tagClose = "</think>"
	tagField = "think" // what kept.Field says then
)

// tags parts such reasoning from the text as both stream in.
type tags struct {
	state tagState
	held  string // what may be a part of a tag
}

type tagState int

const (
	beforeTag tagState = iota
	insideTag
	closedTag
	afterTag
)

// take returns what more there is of reasoning and of text.
func (t *tags) take(s string) (reasoning, text string) {
	switch t.state {
	case afterTag:
		return "", s
	case closedTag: // the empty lines after it
		if s = strings.TrimLeft(s, "\r\n"); s != "" {
			t.state = afterTag
		}
		return "", s
	}
	s = t.held + s
	t.held = ""
	if t.state == beforeTag {
		begin := strings.TrimLeft(s, " \t\r\n")
		rest, found := strings.CutPrefix(begin, tagOpen)
		if !found {
			if strings.HasPrefix(tagOpen, begin) {
				t.held = s
				return "", ""
			}
			t.state = afterTag
			return "", s
		}
		t.state, s = insideTag, rest
	}
	if before, after, found := strings.Cut(s, tagClose); found {
		t.state = closedTag
		_, text = t.take(after)
		return before, text
	}
	keep := 0 // the end of it may be the beginning of the closing tag
	for n := min(len(s), len(tagClose)-1); n > 0 && keep == 0; n-- {
		if strings.HasSuffix(s, tagClose[:n]) {
			keep = n
		}
	}
	t.held = s[len(s)-keep:]
	return s[:len(s)-keep], ""
}

// text takes a piece of the text.
func (d *decoder) text(s string) {
	reasoning, text := d.tags.take(s)
	if reasoning != "" {
		d.field = tagField
		d.a.Reasoning(reasoning)
	}
	d.a.Text(text)
}

// undecided takes, at the end, what was held back.
func (d *decoder) undecided() {
	held := d.tags.held
	d.tags.held = ""
	if d.tags.state == insideTag {
		d.a.Reasoning(held)
	} else {
		d.a.Text(held)
	}
}
