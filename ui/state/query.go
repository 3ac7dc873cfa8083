package state

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Query is a filter of the tree, as it is understood. A task fits when every
// term fits. Its grammar, case never counting:
//
//	word "two words"          in name, title, agent, intent, state, directory …
//	~wrd                      its letters in this order in the name
//	field:value,value         one of the values; a beginning of it will do
//	cost:>0.5 tokens:>=10k age:<2h quiet:>5m turn:2
//	!term                     what does not fit the term
type Query struct {
	Terms []Term
	Err   string // names the first term that was not understood; it filters nothing
}

// Term is one condition of a Query.
type Term struct {
	Not    bool
	Field  string   // "" for words, "~" for letters in order
	Values []string // lower case; any of them
	Op     string   // of a number: < <= = >= >
	Number float64  // dollars, tokens, turns or seconds
}

// A field says what may stand behind its name.
type field struct {
	name   string
	help   string
	unit   string   // "", "money", "count" or "time": not "" is a number
	values []string // the closed set, or nil: any text
}

// fields are those of the grammar, in the order in which Tab offers them.
func fields() []field {
	return []field{
		{"status", "what it is doing", "", []string{"running", "idle", "queued", "parked", "needs", "interrupted", "stalled", "completed", "failed", "cancelled", "live", "ended"}},
		{"agent", "its definition", "", nil},
		{"is", "what is true of it", "", []string{"stuck", "mine", "needs", "marked", "pinned", "archived", "live", "ended", "autopilot", "background"}},
		{"needs", "whom it waits for", "", []string{"me", "you"}},
		{"outcome", "what it declared", "", []string{"done", "blocked", "needs_input"}},
		{"kind", "what runs it", "", []string{"main", "agent", "shell", "mcp", "remote"}},
		{"model", "its model", "", nil},
		{"dir", "where it works", "", nil},
		{"session", "title or ID of its session", "", nil},
		{"name", "its name", "", nil},
		{"cost", "dollars, its own", "money", nil},
		{"tokens", "in and out, its own", "count", nil},
		{"turn", "turns", "count", nil},
		{"age", "since it was created", "time", nil},
		{"quiet", "since its last event", "time", nil},
	}
}

func fieldOf(name string) (field, bool) {
	all := fields()
	i := slices.IndexFunc(all, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return all[i], true
}

// ParseQuery understands a filter. It takes any text: what it does not
// understand is named in Err, and the rest holds.
func ParseQuery(text string) Query {
	var q Query
	for _, raw := range splitTerms(text) {
		t, ok, err := parseTerm(raw)
		switch {
		case err != "" && q.Err == "":
			q.Err = err
		case ok:
			q.Terms = append(q.Terms, t)
		}
	}
	return q
}

// splitTerms cuts at blanks that stand in no quotes; an open quote ends with the text.
func splitTerms(text string) []string {
	var all []string
	var b strings.Builder
	quoted := false
	end := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for _, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
			b.WriteRune(r)
		case unicode.IsSpace(r) && !quoted:
			end()
		default:
			b.WriteRune(r)
		}
	}
	end()
	return all
}

// parseTerm reads one term; not ok and no error: it is not finished yet.
func parseTerm(raw string) (t Term, ok bool, err string) {
	body := raw
	if rest, not := strings.CutPrefix(body, "!"); not {
		t.Not, body = true, rest
	}
	name, value, isField := strings.Cut(body, ":")
	if !isField || strings.Contains(name, `"`) || name == "" {
		if rest, fuzzy := strings.CutPrefix(body, "~"); fuzzy {
			t.Field, body = "~", rest
		}
		t.Values = []string{unquote(body)}
		return t, t.Values[0] != "", ""
	}
	f, known := fieldOf(strings.ToLower(name))
	if !known {
		return t, false, fmt.Sprintf("%s: no field %q (quoted it is text)", line(raw), line(name))
	}
	t.Field = f.name
	if f.unit != "" {
		return numberTerm(t, f, raw, value)
	}
	for _, v := range splitValues(value) {
		if f.values == nil {
			t.Values = append(t.Values, v)
			continue
		}
		fit := beginning(f.values, strings.ReplaceAll(v, "-", "_"))
		if len(fit) == 0 {
			return t, false, fmt.Sprintf("%s: %s is one of %s", line(raw), f.name, strings.Join(f.values, ", "))
		}
		t.Values = append(t.Values, fit...)
	}
	return t, len(t.Values) > 0, ""
}

// splitValues cuts at commas that stand in no quotes.
func splitValues(value string) []string {
	var all []string
	quoted, from := false, 0
	add := func(v string) {
		if v = unquote(v); v != "" {
			all = append(all, v)
		}
	}
	for i, r := range value {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ',' && !quoted:
			add(value[from:i])
			from = i + 1
		}
	}
	add(value[from:])
	return all
}

func unquote(v string) string { return strings.ToLower(strings.ReplaceAll(v, `"`, "")) }

func beginning(of []string, word string) []string {
	if slices.Contains(of, word) {
		return []string{word}
	}
	var fit []string
	for _, o := range of {
		if strings.HasPrefix(o, word) {
			fit = append(fit, o)
		}
	}
	return fit
}

func numberTerm(t Term, f field, raw, value string) (Term, bool, string) {
	t.Op = ">="
	if f.unit == "count" && f.name == "turn" {
		t.Op = "="
	}
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		if rest, found := strings.CutPrefix(value, op); found {
			t.Op, value = op, rest
			break
		}
	}
	if value = unquote(value); value == "" {
		return t, false, ""
	}
	n, ok := number(f.unit, value)
	if !ok {
		want := map[string]string{"money": "dollars, as 0.5", "count": "a number, as 10k", "time": "a time, as 90s, 5m, 2h or 3d"}[f.unit]
		return t, false, fmt.Sprintf("%s: %s wants %s", line(raw), f.name, want)
	}
	t.Number = n
	return t, true, ""
}

// number reads an amount: dollars, a count with k or m, or a time in seconds.
func number(unit, v string) (float64, bool) {
	scale := 1.0
	switch unit {
	case "money":
		v = strings.TrimPrefix(v, "$")
	case "count":
		if rest, k := strings.CutSuffix(v, "k"); k {
			v, scale = rest, 1e3
		} else if rest, m := strings.CutSuffix(v, "m"); m {
			v, scale = rest, 1e6
		}
	case "time":
		if rest, d := strings.CutSuffix(v, "d"); d {
			v, scale = rest, 24*3600
		} else if d, err := time.ParseDuration(v); err == nil {
			return d.Seconds(), d >= 0
		}
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0, false
	}
	return n * scale, true
}
