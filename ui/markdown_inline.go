package ui

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"drover/core"
	"drover/themes"
)

// inliner gathers the spans of a block.
type inliner struct {
	src   []byte
	lines []Line
	cur   Line
}

func (in *inliner) add(text string, style Span) {
	if text == "" {
		return
	}
	style.Text = text
	if n := len(in.cur); n > 0 {
		last := &in.cur[n-1]
		if last.Role == style.Role && last.Attr == style.Attr && last.Link == style.Link && len(last.Text) < 256 {
			last.Text += text
			return
		}
	}
	in.cur = append(in.cur, style)
}

func (in *inliner) walk(parent ast.Node, style Span) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		in.node(n, style)
	}
}

func (in *inliner) node(n ast.Node, style Span) {
	switch n := n.(type) {
	case *ast.Text:
		in.text(n, style)
	case *ast.String:
		in.add(core.Clean(string(n.Value)), style)
	case *ast.CodeSpan:
		style.Role = themes.Code
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				in.add(strings.ReplaceAll(string(t.Value(in.src)), "\n", " "), style)
			}
		}
	case *ast.Emphasis:
		if n.Level == 1 {
			style.Attr |= Italic
		} else {
			style.Attr |= Bold
		}
		in.walk(n, style)
	case *east.Strikethrough:
		style.Attr |= Strike
		in.walk(n, style)
	case *ast.Link:
		in.link(n, string(n.Destination), style)
	case *ast.Image:
		in.link(n, string(n.Destination), style)
	case *ast.AutoLink:
		url := string(n.URL(in.src))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(url, "mailto:") {
			style.Link = "mailto:" + url
		} else {
			style.Link = url
		}
		style.Role = themes.Link
		in.add(string(n.Label(in.src)), style)
	case *ast.RawHTML:
		in.add(strings.ReplaceAll(string(n.Segments.Value(in.src)), "\n", " "), style)
	case *east.TaskCheckBox:
		box := "[ ] "
		if n.IsChecked {
			box = "[x] "
		}
		in.add(box, Span{Role: themes.Muted})
	default:
		in.walk(n, style)
	}
}

func (in *inliner) text(n *ast.Text, style Span) {
	value := n.Value(in.src)
	if n.IsRaw() {
		in.add(string(value), style)
	} else {
		in.add(unescape(value), style)
	}
	switch {
	case n.HardLineBreak():
		in.lines = append(in.lines, in.cur)
		in.cur = nil
	case n.SoftLineBreak():
		in.add(" ", style)
	}
}

// link shows label and address: what a label says is no promise of where it leads.
func (in *inliner) link(n ast.Node, url string, style Span) {
	url = core.CleanLine(unescape([]byte(url)))
	inner := style
	inner.Role, inner.Link = themes.Link, url
	label := inliner{src: in.src}
	label.walk(n, inner)
	shown := ""
	for _, l := range append(label.lines, label.cur) {
		shown += lineText(l)
		for _, s := range l {
			in.add(s.Text, s)
		}
	}
	switch {
	case shown == "":
		in.add(url, inner)
	case url != "" && url != shown && url != "mailto:"+shown:
		in.add(" ("+url+")", Span{Role: themes.Muted, Attr: style.Attr})
	}
}

// unescape resolves backslashes and entities, in that order of precedence,
// and cleans what entities may have brought in.
func unescape(b []byte) string {
	if !strings.ContainsAny(string(b), `\&`) {
		return string(b)
	}
	var out strings.Builder
	for i := 0; i < len(b); {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			out.WriteByte(b[i+1])
			i += 2
			continue
		case b[i] == '&':
			if s, n := entity(b[i:]); n > 0 {
				out.WriteString(s)
				i += n
				continue
			}
		}
		out.WriteByte(b[i])
		i++
	}
	return core.Clean(out.String())
}

// entity resolves the entity b begins with, and says how long that is: 0 for none.
func entity(b []byte) (string, int) {
	const longest = 33 // &CounterClockwiseContourIntegral;
	end := strings.IndexByte(string(b[:min(len(b), longest)]), ';')
	if end < 2 {
		return "", 0
	}
	name := string(b[1:end])
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters), end + 1
		}
		return "", 0
	}
	digits, base := name[1:], 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return "", 0
	}
	return string(util.ToValidRune(rune(v))), end + 1
}
