package themes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rgb is a colour, each part from 0 to 1.
type rgb [3]float64

// scheme is a base16 scheme: sixteen colours that many programs share.
type scheme struct {
	name     string
	dark     bool
	contrast float64 // what text has at least to its background
	base     [16]rgb
}

// usual is the contrast of WCAG AA for text; frames need less.
const (
	usual      = 4.5
	usualFrame = 3
)

// base16 makes a theme of sixteen colours. Many schemes have colours that
// cannot be read on the rows they come to stand on: those are made lighter, or
// darker, as far as it takes.
func (c scheme) theme() Theme {
	b := c.base
	bg, raised := b[0], b[1]
	if contrast(raised, bg) > 1.4 {
		raised = mix(bg, b[5], 0.06)
	}
	chosen, quiet := mix(bg, b[0xD], 0.20), mix(bg, b[5], 0.09)
	all := []rgb{bg, raised, chosen, quiet}
	on := func(fg rgb, bgs ...rgb) Style {
		if len(bgs) == 0 {
			bgs = all
		}
		return Style{FG: legible(fg, c.contrast, bgs...).hex()}
	}
	with := func(s Style, set func(*Style)) Style {
		set(&s)
		return s
	}
	bold := func(s *Style) { s.Bold = true }
	back := func(bg rgb) func(*Style) { return func(s *Style) { s.BG = bg.hex() } }
	text, bright, muted := on(b[5]), on(b[6]), on(b[4])
	t := Theme{Name: c.name, Dark: c.dark, Styles: map[Role]Style{
		Text:              with(text, back(bg)),
		Muted:             muted,
		Border:            {FG: legible(b[3], usualFrame*c.contrast/usual, bg).hex()},
		BorderFocus:       on(b[0xD]),
		Title:             with(bright, bold),
		Header:            with(text, back(raised)),
		Selected:          with(bright, back(chosen)),
		SelectedUnfocused: with(text, back(quiet)),
		Running:           on(b[0xC]),
		Idle:              on(b[0xD]),
		Completed:         on(b[0xB]),
		Failed:            on(b[8]),
		Cancelled:         on(mix(b[4], b[0xE], 0.3)),
		Interrupted:       on(b[9]),
		NeedsYou:          with(on(b[0xA]), bold),
		Queued:            on(b[0xE]),
		User:              with(on(b[0xD]), bold),
		Agent:             text,
		Tool:              on(b[0xC]),
		Notice:            on(b[0xE]),
		Error:             on(b[8]),
		Warning:           on(b[9]),
		Code:              on(mix(b[0xA], b[5], 0.4)),
		CodeBlock:         with(text, back(raised)),
		Heading:           with(bright, bold),
		Link:              with(on(b[0xD]), func(s *Style) { s.Underline = true }),
		Quote:             with(muted, func(s *Style) { s.Italic = true }),
		DiffAdd:           on(b[0xB]),
		DiffDel:           on(b[8]),
		Key:               with(on(b[0xD]), bold),
		KeyLabel:          muted,
		Match:             with(Style{FG: legible(bg, c.contrast, b[0xA]).hex()}, back(b[0xA])),
		Composer:          with(bright, back(raised)),
		CursorLine:        with(text, back(quiet)),
	}}
	return t
}

func (c rgb) hex() string {
	part := func(v float64) int { return int(math.Round(min(1, max(0, v)) * 255)) }
	return fmt.Sprintf("#%02x%02x%02x", part(c[0]), part(c[1]), part(c[2]))
}

// parseHex reads rrggbb, with or without a # before it.
func parseHex(s string) (c rgb, ok bool) {
	s = strings.TrimPrefix(s, "#")
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return c, false
	}
	return rgb{float64(n>>16&255) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}, true
}

func mix(a, b rgb, part float64) rgb {
	for i := range a {
		a[i] += (b[i] - a[i]) * part
	}
	return a
}

// luminance and contrast are those of WCAG 2.
func luminance(c rgb) float64 {
	lin := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c[0]) + 0.7152*lin(c[1]) + 0.0722*lin(c[2])
}

func contrast(a, b rgb) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// legible is fg, or the nearest to it on the way to white or black that has the
// contrast to every background; where none has, the one that comes closest.
func legible(fg rgb, want float64, bgs ...rgb) rgb {
	worst := func(c rgb) float64 {
		low := math.Inf(1)
		for _, bg := range bgs {
			low = min(low, contrast(c, bg))
		}
		return low
	}
	black, white := rgb{}, rgb{1, 1, 1}
	end := white
	if worst(black) > worst(white) {
		end = black
	}
	for i := range 41 {
		c, _ := parseHex(mix(fg, end, float64(i)/40).hex()) // as it will be shown
		if worst(c) >= want {
			return c
		}
	}
	return end
}

// base16 reads a scheme that a file's keys give.
func (p *parser) base16(raw map[string]any) (Theme, error) {
	c := scheme{contrast: usual}
	values := raw
	table := ""
	if inner, ok := raw["palette"].(map[string]any); ok {
		if values = inner; p.between() == "=" {
			table = "palette"
		}
	}
	for i := range c.base {
		key := fmt.Sprintf("base%02X", i)
		v, ok := values[key]
		if !ok {
			v, ok = values[strings.ToLower(key)]
		}
		if !ok {
			return Theme{}, p.fault(table, key, "is missing", "a base16 scheme has base00 to base0F")
		}
		if c.base[i], ok = parseHex(fmt.Sprint(v)); !ok {
			return Theme{}, p.fault(table, key, fmt.Sprintf("unknown colour %q", fmt.Sprint(v)), `write it as "rrggbb"`)
		}
	}
	c.name, c.dark = p.name(), luminance(c.base[0]) < luminance(c.base[5])
	if v, ok := raw["contrast"]; ok {
		n, whole := v.(int64)
		f, broken := v.(float64)
		if c.contrast = f; whole {
			c.contrast = float64(n)
		}
		if !whole && !broken || c.contrast < 1 || c.contrast > 15 {
			return Theme{}, p.fault("", "contrast", fmt.Sprintf("%v is no contrast", v), "a number from 1 to 15; 4.5 is usual, 7 is high")
		}
	}
	return c.theme(), nil
}

// isBase16 reports whether a file's keys are those of a base16 scheme.
func isBase16(raw map[string]any) bool {
	if inner, ok := raw["palette"].(map[string]any); ok {
		raw = inner
	}
	_, ok := raw["base00"]
	return ok
}

// flatYAML reads the part of YAML in which base16 schemes are written: KEY:
// VALUE, and one table whose lines are indented. Lines of another form are left out.
func flatYAML(src string) map[string]any {
	raw := map[string]any{}
	into := raw
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, " \t\r\n")
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if key == strings.TrimLeft(key, " \t") {
			into = raw
		}
		key, value = strings.Trim(strings.TrimSpace(key), `"'`), strings.TrimSpace(value)
		if quote := strings.IndexAny(value, `"'`); quote == 0 {
			value, _, _ = strings.Cut(value[1:], value[:1])
		} else {
			value, _, _ = strings.Cut(value, " #")
			value = strings.TrimSpace(value)
		}
		if value == "" && !strings.HasPrefix(line, " ") {
			inner := map[string]any{}
			raw[key], into = inner, inner
			continue
		}
		into[key] = value
	}
	return raw
}
