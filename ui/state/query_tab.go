package state

import (
	"slices"
	"strings"

	"drover/core"
)

// maxOffers is how many values of the registry Tab goes round.
const maxOffers = 50

// completeFilter completes the last term: a field's name, then its values.
func (s *State) completeFilter() []Effect {
	if s.Listing() {
		s.say("this list is searched by plain words; !word leaves out")
		return nil
	}
	t := &s.Input.tab
	if len(t.fit) == 0 {
		text := s.Input.Line.String()
		at := len(text)
		if all := splitTerms(text); len(all) > 0 && strings.HasSuffix(text, all[len(all)-1]) {
			at -= len(all[len(all)-1])
		}
		term := text[at:]
		if rest, not := strings.CutPrefix(term, "!"); not {
			at, term = at+1, rest
		}
		name, value, isField := strings.Cut(term, ":")
		if !isField {
			t.head, t.fit = text[:at], fieldsAt(term)
		} else {
			from := at + len(name) + 1 + strings.LastIndex(value, ",") + 1
			t.head, t.fit = text[:from], s.valuesAt(strings.ToLower(name), text[from:])
		}
		if len(t.fit) == 0 {
			s.say("nothing fits; fields: " + strings.Join(fieldsAt(""), " "))
			return nil
		}
	}
	s.Input.Line.Set(t.head + t.fit[t.at%len(t.fit)])
	t.at++
	s.refilter()
	return nil
}

// keepFilter leaves the line, and says what of the filter finds nothing because it is not understood.
func (s *State) keepFilter() []Effect {
	s.View.Mode = Normal
	if bad := s.Tree.FilterError(); bad != "" && !s.Listing() {
		s.fail("left out of the filter: " + bad)
	}
	return nil
}

func fieldsAt(prefix string) []string {
	var fit []string
	for _, f := range fields() {
		if strings.HasPrefix(f.name, strings.ToLower(prefix)) {
			fit = append(fit, f.name+":")
		}
	}
	return fit
}

// valuesAt are the values that begin like this: of the closed set, or those that occur.
func (s *State) valuesAt(name, prefix string) []string {
	f, ok := fieldOf(name)
	if !ok {
		return nil
	}
	if f.unit != "" {
		if prefix != "" {
			return nil
		}
		return map[string][]string{"money": {">0.1", ">1"}, "count": {">10k", ">100k"}, "time": {">5m", ">1h", ">1d"}}[f.unit]
	}
	if f.values != nil {
		return beginning(f.values, strings.ToLower(prefix))
	}
	prefix = strings.ToLower(strings.ReplaceAll(prefix, `"`, ""))
	seen := map[string]bool{}
	for _, n := range s.Tree.nodes {
		v := textOf(s, n, name)
		if i := strings.LastIndexByte(v, '\n'); i >= 0 {
			v = v[i+1:]
		}
		if v = core.CleanLine(strings.ReplaceAll(v, `"`, "")); v != "" && strings.HasPrefix(strings.ToLower(v), prefix) {
			if strings.ContainsAny(v, " ,") {
				v = `"` + v + `"`
			}
			seen[v] = true
		}
	}
	var fit []string
	for v := range seen {
		fit = append(fit, v)
	}
	slices.Sort(fit)
	return fit[:min(len(fit), maxOffers)]
}
