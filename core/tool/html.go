package tool

import (
	"html"
	"net/url"
	"strings"
)

// isHTML goes by what a server says, and where it says nothing by the look.
func isHTML(kind, text string) bool {
	low := strings.ToLower(kind)
	if low != "" && !strings.HasPrefix(low, "text/plain") {
		return strings.Contains(low, "html")
	}
	head := strings.ToLower(strings.TrimSpace(text[:min(len(text), 200)]))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// silent are elements whose content nobody reads.
var silent = map[string]bool{"script": true, "style": true, "noscript": true, "template": true, "svg": true, "iframe": true, "textarea": true}

// blocks are elements that begin on a line of their own.
var blocks = map[string]string{
	"p": "\n\n", "div": "\n", "br": "\n", "tr": "\n", "ul": "\n", "ol": "\n", "li": "\n- ", "table": "\n\n", "section": "\n\n", "article": "\n\n",
	"header": "\n", "footer": "\n", "pre": "\n\n", "blockquote": "\n\n", "hr": "\n\n", "title": "\n", "dt": "\n", "dd": "\n  ", "td": "\t", "th": "\t",
	"h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "h4": "\n\n#### ", "h5": "\n\n##### ", "h6": "\n\n###### ", "form": "\n", "option": "\n",
}

// reading is a text that is being made of HTML. It takes one pass over it, whatever
// stands there, and understands no more of it than tags, comments and entities.
type reading struct {
	out  strings.Builder
	base *url.URL
	href string
	pre  int
	gap  string // what separates the next word from the last
}

// htmlText is the readable text of a page, with its links as [text](address).
func htmlText(src string, base *url.URL) string {
	p := &reading{base: base}
	for len(src) > 0 {
		i := strings.IndexByte(src, '<')
		if i < 0 {
			p.text(src)
			break
		}
		p.text(src[:i])
		src = p.tag(src[i:])
	}
	p.closeLink()
	return strings.TrimSpace(p.out.String()) + "\n"
}

// tag takes what begins with < and returns what follows it.
func (p *reading) tag(s string) string {
	if strings.HasPrefix(s, "<!--") {
		return after(s[4:], "-->")
	}
	if len(s) < 2 || !isNameByte(s[1]) && s[1] != '/' && s[1] != '!' && s[1] != '?' {
		p.text("<")
		return s[1:]
	}
	end := tagEnd(s)
	inside := strings.Trim(s[1:end], "/ \t\r\n")
	closing := strings.HasPrefix(s, "</")
	rest := s[min(end+1, len(s)):]
	n := 0
	for n < len(inside) && isNameByte(inside[n]) {
		n++
	}
	name := strings.ToLower(inside[:n])
	if silent[name] && !closing {
		return afterElement(rest, name)
	}
	p.element(name, inside[n:], closing)
	return rest
}

func (p *reading) element(name, attrs string, closing bool) {
	switch {
	case name == "a":
		p.closeLink()
		if !closing {
			if to := p.link(attribute(attrs, "href")); to != "" {
				p.flush()
				p.href = to
				p.out.WriteString("[")
			}
		}
	case name == "pre" && closing:
		p.pre = max(0, p.pre-1)
		p.gap = "\n\n"
	case name == "pre":
		p.pre++
		p.gap = "\n\n"
	case name == "img" && !closing:
		if alt := attribute(attrs, "alt"); alt != "" {
			p.text("[image: " + alt + "]")
		}
	case closing && strings.HasPrefix(blocks[name], "\n"):
		p.separate("\n")
	default:
		p.separate(blocks[name])
	}
}

// separate remembers the larger of two separations.
func (p *reading) separate(by string) {
	if len(by) > len(p.gap) || strings.Contains(by, "\n") && !strings.Contains(p.gap, "\n") {
		p.gap = by
	}
}

func (p *reading) flush() {
	if p.out.Len() > 0 || strings.ContainsAny(p.gap, "#-") {
		p.out.WriteString(p.gap)
	}
	p.gap = ""
}

func (p *reading) text(s string) {
	if s == "" {
		return
	}
	s = html.UnescapeString(s)
	if p.pre > 0 {
		p.flush()
		p.out.WriteString(s)
		return
	}
	for i, word := range strings.Fields(s) {
		if i > 0 || strings.ContainsRune(" \t\r\n", rune(s[0])) {
			p.separate(" ")
		}
		p.flush()
		p.out.WriteString(word)
	}
	if strings.ContainsRune(" \t\r\n", rune(s[len(s)-1])) {
		p.separate(" ")
	}
}

func (p *reading) closeLink() {
	if p.href != "" {
		p.out.WriteString("](" + p.href + ")")
		p.href = ""
	}
}

// link is the whole address of a link, "" where it leads nowhere else.
func (p *reading) link(href string) string {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil || href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	if p.base != nil {
		u = p.base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || len(u.String()) > 1000 {
		return ""
	}
	return u.String()
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// tagEnd is where the > of a tag stands, quoted values left out.
func tagEnd(s string) int {
	var quote byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && s[i-1] == '=':
			quote = c
		case c == '>':
			return i
		}
	}
	return len(s)
}

func after(s, mark string) string {
	if i := strings.Index(s, mark); i >= 0 {
		return s[i+len(mark):]
	}
	return ""
}

// afterElement leaves out everything up to the end of an element.
func afterElement(s, name string) string {
	for i := 0; ; i++ {
		j := strings.Index(s[i:], "</")
		if j < 0 {
			return ""
		}
		i += j
		if tag := s[i+2:]; len(tag) >= len(name) && strings.EqualFold(tag[:len(name)], name) && (len(tag) == len(name) || !isNameByte(tag[len(name)])) {
			return after(s[i:], ">")
		}
	}
}

// attribute is the value of one attribute of a tag.
func attribute(attrs, name string) string {
	low := strings.ToLower(attrs)
	for i := 0; ; {
		j := strings.Index(low[i:], name)
		if j < 0 || len(low) != len(attrs) {
			return ""
		}
		i += j + len(name)
		before := i == len(name) || strings.ContainsRune(" \t\r\n\"'/", rune(low[i-len(name)-1]))
		rest := strings.TrimLeft(attrs[i:], " \t\r\n")
		if !before || !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\r\n")
		if rest == "" {
			return ""
		}
		if q := rest[0]; q == '"' || q == '\'' {
			value, _, _ := strings.Cut(rest[1:], string(q))
			return html.UnescapeString(value)
		}
		return html.UnescapeString(strings.FieldsFunc(rest+" ", func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' })[0])
	}
}
