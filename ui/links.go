package ui

import (
	"hash/fnv"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// maxLink bounds a link's target, in bytes; longer ones stay text.
const maxLink = 2000

// link makes the addresses and the paths of files in a part of the last drawn
// frame into links of the terminal (OSC 8). An address that goes on in the next
// row is one link there too. It reads and writes cells only; dir is where
// relative paths begin, "" for none.
func link(s tcell.Screen, r rect, dir string) {
	if r.w < 8 || r.h <= 0 {
		return
	}
	var run []cellAt
	var text strings.Builder
	flush := func() {
		if len(run) > 0 {
			linkWord(s, run, text.String(), dir)
		}
		run, text = run[:0], strings.Builder{}
	}
	for y := r.y; y < r.y+r.h; y++ {
		full := false // the word reaches the end of the row: it may go on
		for x := r.x; x < r.x+r.w; {
			str, style, width := s.Get(x, y)
			width = max(1, width)
			c, n := utf8.DecodeRuneInString(str)
			if n != len(str) || c <= ' ' || strings.ContainsRune("│\"<>`", c) || c > 0x2fff {
				flush()
				full = false
			} else {
				run = append(run, cellAt{x, y, c, style})
				text.WriteRune(c)
				full = x+width >= r.x+r.w
			}
			x += width
		}
		if !full || !strings.Contains(text.String(), "://") {
			flush()
		}
	}
	flush()
}

type cellAt struct {
	x, y  int
	r     rune
	style tcell.Style
}

// linkWord links a word if it is an address or a path.
func linkWord(s tcell.Screen, run []cellAt, word, dir string) {
	from, target := target(word, dir)
	if target == "" {
		return
	}
	runes := []rune(word)
	begin := len([]rune(word[:from[0]]))
	end := begin + len([]rune(word[from[0]:from[1]]))
	h := fnv.New32a()
	h.Write([]byte(target))
	id := strconv.FormatUint(uint64(h.Sum32()), 36)
	for i := begin; i < min(end, len(runes), len(run)); i++ {
		c := run[i]
		s.SetContent(c.x, c.y, c.r, nil, c.style.Url(target).UrlId(id))
	}
}

// target is what a word leads to, and which of its bytes say so; "" for nothing.
// Only http, https and file come out, every byte of them printable ASCII.
func target(word, dir string) (part [2]int, to string) {
	for _, scheme := range []string{"https://", "http://", "file:///"} {
		i := strings.Index(word, scheme)
		if i < 0 {
			continue
		}
		end := i + len(trimEnd(word[i:]))
		u, err := url.Parse(word[i:end])
		if err != nil || end-i <= len(scheme) || end-i > maxLink || u.Scheme != "file" && u.Host == "" {
			return part, ""
		}
		return [2]int{i, end}, safe(u.String())
	}
	word2 := strings.TrimLeft(word, "([{'")
	i := len(word) - len(word2)
	path := trimEnd(word2)
	path, _, _ = strings.Cut(path, ":") // the line after it
	if !pathLike(path) {
		return part, ""
	}
	full := path
	if !filepath.IsAbs(path) {
		if dir == "" {
			return part, ""
		}
		full = filepath.Join(dir, path)
	}
	return [2]int{i, i + len(path)}, safe((&url.URL{Scheme: "file", Path: full}).String())
}

// trimEnd takes off what stands after an address rather than in it.
func trimEnd(s string) string {
	for {
		t := strings.TrimRight(s, ".,;:!?'*_…")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(t, pair[1:]) && strings.Count(t, pair[:1]) < strings.Count(t, pair[1:]) {
				t = t[:len(t)-1]
			}
		}
		if t == s {
			return s
		}
		s = t
	}
}

// pathLike reports whether a word reads as a file's path: with a directory and an ending.
func pathLike(s string) bool {
	dir, name := filepath.Split(s)
	ending := filepath.Ext(name)
	if dir == "" || dir == "/" && ending == "" || len(ending) < 2 || len(ending) > 8 || len(s) > maxLink || strings.Contains(s, "//") {
		return false
	}
	for _, r := range s {
		if !strings.ContainsRune("/._-+@~", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return s[0] != '~' && s[0] != '@'
}

// safe is the target if nothing in it could end the sequence or mean anything else; else "".
func safe(to string) string {
	for i := range len(to) {
		if to[i] <= ' ' || to[i] > '~' || to[i] == ';' && i < 8 {
			return ""
		}
	}
	return to
}

// links are those in the detail pane; paths begin where its task works.
func (v *view) links(s tcell.Screen, r rect) {
	if n := v.st.Selected(); n != nil && r.h > 0 {
		link(s, rect{r.x + 1, r.y, r.w - 2, r.h}, n.Task.Dir)
	}
}
