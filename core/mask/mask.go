package mask

import (
	"strings"
)

// Mark stands where a secret was.
const Mark = "[REDACTED]"

// window is how far ahead a decision may look, and so the longest secret.
const window = 16 << 10

// Masker knows what to mask. It does not change, and may be used by many at once.
type Masker struct {
	triggers map[uint32][]trigger // by their first three bytes, in lower case
	threes   [1 << 16 / 64]uint64 // a bit for each hash of those
	pairs    map[uint16]bool      // the first two of them
	firsts   [256]bool            // the first
}

// trigger is a literal text at which something may begin.
type trigger struct {
	text  string
	exact bool // the text is itself a secret
	word  bool // exact: only where it stands alone
	home  bool // the text is the home
	fold  bool // in upper or lower case; the text is in lower case
	find  matcher
}

// matcher looks at what begins with a trigger's text, and says what to mask of
// it; nothing if to is 0. ahead.more is asked for what lies beyond the window.
type matcher func(t *trigger, a *ahead) (from, to int)

// New makes a masker of the secrets in env ("NAME=value" each) and of every
// secret that can be told by its shape. home is shown as ~ if it is not "".
func New(env []string, home string) *Masker {
	m := &Masker{triggers: map[uint32][]trigger{}, pairs: map[uint16]bool{}}
	for _, t := range secrets(env) {
		m.add(t)
	}
	if home = strings.TrimRight(home, "/"); len(home) > 2 {
		m.add(trigger{text: home, home: true})
	}
	for _, t := range shapes {
		m.add(t)
	}
	return m
}

func (m *Masker) add(t trigger) {
	key := three(t.text)
	m.triggers[key] = append(m.triggers[key], t)
	h := hash(key)
	m.threes[h/64] |= 1 << (h % 64)
	m.pairs[uint16(key>>8)], m.firsts[key>>16] = true, true
}

// three are the first three bytes of s, in lower case.
func three(s string) uint32 {
	return uint32(lower(s[0]))<<16 | uint32(lower(s[1]))<<8 | uint32(lower(s[2]))
}

func hash(key uint32) uint32 { return (key>>6 ^ key>>3 ^ key) & 0xffff }

// begun reports whether so short a text may be the beginning of a trigger.
func (m *Masker) begun(s string) bool {
	if len(s) == 1 {
		return m.firsts[lower(s[0])]
	}
	return m.pairs[uint16(lower(s[0]))<<8|uint16(lower(s[1]))]
}

// Text is s without its secrets.
func (m *Masker) Text(s string) string {
	var r run
	out, _ := r.feed(m, nil, s, true)
	if out == nil {
		return s
	}
	return string(out)
}

// run is masking under way.
type run struct {
	prev     byte // before the text at hand, 0 at the start
	skip     int  // so many bytes are masked
	from, to int  // to be masked, as found by a shape; none if to is 0
	touching bool // what comes next follows a mark
}

// feed appends what is masked of s to out, and returns how much of s it has
// taken; all if s is final. If nothing was masked and out is nil and s final, out stays nil.
func (r *run) feed(m *Masker, out []byte, s string, final bool) ([]byte, int) {
	lazy, done, i := out == nil && final, 0, 0 // s[done:i] is to be written as it is
	write := func(text string) {
		if lazy {
			out, lazy = make([]byte, 0, len(s)+64), false
		}
		out = append(append(out, s[done:i]...), text...)
	}
	for i < len(s) {
		if r.skip == 0 && r.to == 0 {
			if n := m.dull(s[i:], final); n > 0 {
				r.prev, r.touching = s[i+n-1], false
				i += n
				continue
			}
		}
		f, wait := m.at(s[i:], r.prev, r.to > 0 || r.skip > 0, final)
		if wait {
			break
		}
		if f.home && r.skip == 0 {
			write("~")
			r.prev, r.touching = s[i+f.to-1], false
			i += f.to
			done = i
			continue
		}
		if f.to > 0 && f.from > 0 {
			r.from, r.to = f.from, f.to
		} else if f.to > 0 {
			r.cover(f.to, func() { write(Mark); done = i })
		}
		if r.to > 0 && r.from == 0 {
			r.cover(r.to, func() { write(Mark); done = i })
			r.to = 0
		}
		r.prev = s[i]
		i++
		if r.skip > 0 {
			r.skip--
			done = i
		} else {
			r.touching = false
		}
		if r.to > 0 {
			r.from, r.to = r.from-1, r.to-1
		}
	}
	if lazy {
		return nil, i
	}
	return append(out, s[done:i]...), i
}

// cover masks the next n bytes; begin is called where a mark is due.
func (r *run) cover(n int, begin func()) {
	if r.skip == 0 && !r.touching {
		begin()
	}
	r.touching = true
	r.skip = max(r.skip, n)
}

// dull is the length of what s begins with that no trigger can.
func (m *Masker) dull(s string, final bool) int {
	i := 0
	if len(s) > 2 {
		key := uint32(lower(s[0]))<<8 | uint32(lower(s[1]))
		for ; i+2 < len(s); i++ {
			key = (key<<8 | uint32(lowered[s[i+2]])) & 0xffffff
			if h := hash(key); m.threes[h/64]>>(h%64)&1 != 0 {
				return i
			}
		}
	}
	for i < len(s) && (final || !m.begun(s[i:])) {
		i++
	}
	return i
}

// found is what a trigger has brought up: bytes from to to, seen from where it begins.
type found struct {
	from, to int
	home     bool
}

// at finds what begins here. With known only exact secrets count, as the
// rest is masked, or about to be. wait says that more text is needed to tell.
func (m *Masker) at(s string, prev byte, known, final bool) (f found, wait bool) {
	if len(s) < 3 {
		return f, !final && m.begun(s)
	}
	a := ahead{text: s, prev: prev, final: final}
	if len(s) >= window {
		a.text, a.final = s[:window], true
	}
	list := m.triggers[three(s)]
	for i := range list {
		t := &list[i]
		if known && !t.exact || !a.begins(t) {
			continue
		}
		from, to := t.match(&a)
		switch {
		case to == 0:
		case t.home:
			f = found{to: to, home: f.to == 0}
		case t.exact:
			f = found{to: max(to, f.to)}
		case f.to == 0:
			f = found{from: from, to: to}
		}
	}
	return f, a.wait
}

func (t *trigger) match(a *ahead) (from, to int) {
	n := len(t.text)
	switch {
	case t.exact:
		if t.word && (isWord(a.prev) || isWord(a.byte(n))) {
			return 0, 0
		}
		return 0, n
	case t.home:
		if strings.IndexByte("._-~", a.prev) >= 0 && a.prev != 0 || isWord(a.prev) || isWord(a.byte(n)) || a.byte(n) == '-' ||
			a.byte(n) == '.' && isWord(a.byte(n+1)) {
			return 0, 0
		}
		return 0, n
	}
	return t.find(t, a)
}

// class is a set of bytes.
type class [256]bool

func classOf(ok func(byte) bool) *class {
	var set class
	for c := range 256 {
		set[c] = ok(byte(c))
	}
	return &set
}

// lowered are the bytes in lower case.
var lowered = func() (table [256]byte) {
	for c := range 256 {
		table[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			table[c] += 'a' - 'A'
		}
	}
	return table
}()

func lower(c byte) byte { return lowered[c] }

func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return isLower(c) || isUpper(c) }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' || c >= 0x80 }

// ahead is the text from a trigger on.
type ahead struct {
	text  string
	prev  byte
	final bool // text is all there is, or all that counts
	wait  bool // somebody has asked for more
}

// byte is the byte at i, 0 beyond the end.
func (a *ahead) byte(i int) byte {
	if i < len(a.text) {
		return a.text[i]
	}
	a.wait = a.wait || !a.final
	return 0
}

// span is the end of the bytes from i on that are in ok.
func (a *ahead) span(i int, ok *class) int {
	for i < len(a.text) && ok[a.text[i]] {
		i++
	}
	_ = a.byte(i)
	return i
}

// upTo is span, but of no more than most bytes.
func (a *ahead) upTo(i, most int, ok *class) int {
	end := i + most
	for i < end && i < len(a.text) && ok[a.text[i]] {
		i++
	}
	if i < end {
		_ = a.byte(i)
	}
	return i
}

// rest is the end of the value from i on, of which a glance has shown what reaches to end.
func (a *ahead) rest(i, end int, ok *class) int {
	if end-i < glance {
		return end
	}
	return a.span(end, ok)
}

// begins reports whether the trigger's text is here.
func (a *ahead) begins(t *trigger) bool { return a.has(0, t.text, t.fold) }

// has reports whether word is at i; with fold it is in lower case.
func (a *ahead) has(i int, word string, fold bool) bool {
	for k := range len(word) {
		if i+k >= len(a.text) {
			a.wait = a.wait || !a.final
			return false
		}
		c := a.text[i+k]
		if fold {
			c = lower(c)
		}
		if c != word[k] {
			return false
		}
	}
	return true
}
