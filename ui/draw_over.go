package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

// box draws a window over the rest and returns its inside.
func (v *view) box(s tcell.Screen, r rect, title string) rect {
	text, line := v.pal.Style(themes.Text), v.pal.Style(themes.BorderFocus)
	fill(s, r.x, r.y, r.w, r.h, text)
	v.zone(zone{rect: r, kind: onBox})
	if r.h < 4 || r.w < 10 { // every row is needed
		return r
	}
	for x := r.x; x < r.x+r.w; x++ {
		s.SetContent(x, r.y, '─', nil, line)
		s.SetContent(x, r.y+r.h-1, '─', nil, line)
	}
	for y := r.y; y < r.y+r.h; y++ {
		s.SetContent(r.x, y, '│', nil, line)
		s.SetContent(r.x+r.w-1, y, '│', nil, line)
	}
	for _, c := range []struct {
		x, y int
		r    rune
	}{{r.x, r.y, '┌'}, {r.x + r.w - 1, r.y, '┐'}, {r.x, r.y + r.h - 1, '└'}, {r.x + r.w - 1, r.y + r.h - 1, '┘'}} {
		s.SetContent(c.x, c.y, c.r, nil, line)
	}
	drawText(s, r.x+1, r.y, r.w-2, " "+truncate(title, r.w-6)+" ", line)
	return rect{r.x + 2, r.y + 1, r.w - 4, r.h - 2}
}

// drawOverlay shows help, or an approval in full.
func (v *view) drawOverlay(s tcell.Screen, w, h int) {
	o := &v.st.View.Overlay
	r := rect{0, 0, w, h - 1}
	if w > 84 {
		r.x, r.w = (w-80)/2, 80
	}
	if h > 20 {
		r.y, r.h = 1, h-3
	}
	in := v.box(s, r, o.Title)
	var lines []string
	for _, line := range o.Lines {
		lines = append(lines, wrapHanging(line, max(4, in.w))...)
	}
	v.overRoom = in.h
	v.overTop = max(0, min(v.overTop, len(lines)-in.h))
	for i := range in.h {
		if v.overTop+i >= len(lines) {
			break
		}
		line, style := lines[v.overTop+i], v.pal.Style(themes.Text)
		if line != "" && line[0] != ' ' {
			style = v.pal.Style(themes.Heading)
		}
		drawText(s, in.x, in.y+i, in.w, line, style)
	}
	if rest := len(lines) - v.overTop - in.h; rest > 0 && r.w > 30 && in.h < r.h {
		drawText(s, r.x+r.w-16, r.y+r.h-1, 14, " "+itoa(rest)+" more ↓ ", v.pal.Style(themes.BorderFocus))
	}
}

// wrapHanging wraps a line of two columns so that the second hangs.
func wrapHanging(line string, width int) []string {
	if textWidth(line) <= width {
		return []string{line}
	}
	hang := 0
	if strings.HasPrefix(line, "  ") && width > 50 {
		if i := strings.LastIndex(line[:min(30, len(line))], "  "); i > 1 {
			hang = textWidth(line[:i+2])
		} else {
			hang = min(21, width/2)
		}
	}
	head, tail := splitWidth(line, width)
	if cut := strings.LastIndex(head, " "); cut > hang && cut > width/2 {
		head, tail = line[:cut], line[cut+1:]
	}
	out := []string{head}
	for _, more := range wrapLine(tail, max(4, width-hang)) {
		out = append(out, strings.Repeat(" ", hang)+more)
	}
	return out
}

// drawConfirm asks, naming what will stop.
func (v *view) drawConfirm(s tcell.Screen, w, h int) {
	width := min(w, max(40, w*3/5), 90)
	inner := max(4, width-4)
	lines := wrapLine(v.st.View.Confirm.Text, inner)
	height := min(h-1, len(lines)+4)
	if height < 5 { // no room for a frame
		width, inner = w, w
		lines, height = wrapLine(v.st.View.Confirm.Text, inner), h-1
	}
	r := rect{(w - width) / 2, max(0, (h-1-height)/2), width, height}
	title, yes := "cancel?", "yes, stop it"
	if c := &v.st.View.Confirm; c.Title != "" {
		title, yes = c.Title, c.Yes
	}
	if v.st.View.Confirm.Trust {
		title, yes = "trust?", "yes, trust it"
	}
	in := v.box(s, r, title)
	for i, line := range lines {
		if i >= in.h-1 {
			break
		}
		if i == in.h-2 && len(lines) > in.h-1 {
			line = truncate(line, max(1, in.w-2)) + " …"
		}
		drawText(s, in.x, in.y+i, in.w, line, v.pal.Style(themes.Text))
	}
	v.drawHints(s, rect{in.x, in.y + in.h - 1, in.w, 1}, themes.Text, 3, v.st.HintOf("yes", yes), v.st.HintOf("no", "no"))
}
