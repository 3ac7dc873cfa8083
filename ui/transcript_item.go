package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
	"drover/themes"
)

const (
	maxMeasure = 120       // columns; longer lines are hard to read
	maxEntry   = 128 << 10 // bytes shown of one entry
	maxNotice  = 3         // lines of a notice while calls are collapsed
	maxOutput  = 40        // lines of output of an expanded call
	maxArg     = 20        // lines of one of its arguments
)

// item is one thing shown: an entry, a call with what belongs to it, or a
// message that waits. Its lines are those for width; height adds the empty line before.
type item struct {
	entry   *core.Entry    // nil for a message that waits and for the live answer
	asked   *core.ToolCall // of a call: what the answer asked for
	call    *core.Entry    // of a call: it has begun
	result  *core.Entry    // of a call
	thought *core.Entry    // of a call: the answer that asked for it had nothing else to say
	request *core.Request  // of a message that waits
	gap     bool           // an empty line before
	closed  bool           // no result will come
	width   int
	height  int
	lines   []Line
}

func (it *item) lead() int {
	if it.gap {
		return 1
	}
	return 0
}

func (it *item) tool() bool { return it.asked != nil || it.call != nil || it.result != nil }

// gapAfter reports whether an empty line parts the item from the one before.
func (it *item) gapAfter(before *item) bool {
	if it.tool() && before.tool() {
		return false
	}
	note := func(i *item) bool { return i.entry != nil && i.entry.Kind == core.EntryNote }
	return !note(it) || !note(before)
}

func (t *Transcript) build(it *item, width int) []Line {
	measure := min(width, maxMeasure)
	switch {
	case it == &t.live.item:
		return t.live.build(measure)
	case it.request != nil:
		r := it.request
		return t.message(t.speaker(r.Sender, "")+", "+waiting(r.Delivery), r.Text, themes.Queued, measure)
	case it.tool():
		return t.toolLines(it, measure)
	}
	e := it.entry
	switch e.Kind {
	case core.EntryAnswer:
		return t.answer(e, measure)
	case core.EntryNotice:
		return t.notice(e, measure)
	case core.EntryNote:
		return indented(capped(e.Text, measure-2, Span{Role: themes.Muted}), Span{Text: "· ", Role: themes.Muted}, measure)
	}
	return t.message(t.speaker(e.Sender, e.Delivery), e.Text, themes.User, measure)
}

// speaker says who speaks, and how the words arrived.
func (t *Transcript) speaker(sender string, d core.Delivery) string {
	who := ""
	switch sender {
	case core.SenderUser, "":
		who = "you"
	case core.SenderAutopilot:
		who = "autopilot"
	case core.SenderSystem:
		who = "drover"
	default:
		who = "from " + sender
		if t.names != nil {
			if name := t.names(sender); name != "" && name != sender {
				who = "from " + name + " (" + sender + ")"
			}
		}
	}
	switch d {
	case core.Steer:
		who += ", steered"
	case core.Interrupt:
		who += ", interrupting"
	}
	return core.CleanLine(who)
}

func waiting(d core.Delivery) string {
	switch d {
	case core.Steer:
		return "queued, after the current tool call"
	case core.Interrupt:
		return "interrupting"
	}
	return "queued, after this turn"
}

// message shows words with their speaker: beside them where that is short, else above.
func (t *Transcript) message(who, text string, role themes.Role, width int) []Line {
	label := Line{{Text: who, Role: role}, {Text: " › ", Role: themes.Muted}}
	n := lineWidth(label)
	if n > min(16, width/4) {
		return append(Wrap(label[:1], width), indented(capped(text, width-2, Span{}), Span{Text: "  "}, width)...)
	}
	lines := capped(text, width-n, Span{})
	for i, l := range lines {
		if i == 0 {
			lines[i] = append(slices.Clone(label), l...)
		} else {
			lines[i] = append(Line{{Text: blanks[:n]}}, l...)
		}
	}
	return lines
}

func (t *Transcript) answer(e *core.Entry, width int) []Line {
	var out []Line
	if t.expanded {
		out = reasoning(e, width)
	}
	if strings.TrimSpace(e.Text) != "" {
		if len(out) > 0 {
			out = append(out, nil)
		}
		shown, more := capText(e.Text)
		out = append(append(out, Markdown(shown, width)...), more...)
	}
	if e.Failed {
		out = append(out, Wrap(Line{{Text: "✗ the answer was cut off", Role: themes.Warning}}, width)...)
	}
	if out == nil {
		out = Wrap(Line{{Text: "┆ thought", Role: themes.Muted}}, width)
	}
	return out
}

// reasoning is what the model thought before the answer.
func reasoning(e *core.Entry, width int) []Line {
	if strings.TrimSpace(e.Reasoning) == "" {
		return nil
	}
	return indented(capped(e.Reasoning, width-2, Span{Role: themes.Muted, Attr: Italic}), Span{Text: "┆ ", Role: themes.Muted}, width)
}

func (t *Transcript) notice(e *core.Entry, width int) []Line {
	lines := capped(e.Text, width-2, Span{Role: themes.Notice})
	if n := len(lines); !t.expanded && n > maxNotice+1 {
		lines = append(lines[:maxNotice:maxNotice], moreLines(n-maxNotice))
	}
	return indented(lines, Span{Text: "◆ ", Role: themes.Notice}, width)
}

// indented puts mark before the first line and blanks before the others,
// where the width has room for it.
func indented(lines []Line, mark Span, width int) []Line {
	if width < 4 {
		return lines
	}
	rest := Span{Text: blanks[:textWidth(mark.Text)]}
	if mark.Text == "┆ " {
		rest = mark
	}
	for i, l := range lines {
		if i > 0 {
			mark = rest
		}
		lines[i] = append(Line{mark}, l...)
	}
	return lines
}

// capped wraps text that has lines, at most maxEntry bytes of it.
func capped(text string, width int, span Span) []Line {
	shown, more := capText(text)
	return append(plainLines(core.Clean(shown), max(width, 1), span), more...)
}

// capText cuts a text that is too long to lay out at once, and says so.
func capText(text string) (shown string, more []Line) {
	if len(text) <= maxEntry {
		return text, nil
	}
	left := fmt.Sprintf("… %d KB more, in: drover log", (len(text)-maxEntry)>>10)
	return strings.ToValidUTF8(text[:maxEntry], ""), []Line{{{Text: left, Role: themes.Muted}}}
}

func moreLines(n int) Line {
	return Line{{Text: fmt.Sprintf("… %d more lines", n), Role: themes.Muted}}
}

// tookText is a duration as people say it.
func tookText(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}
