package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// PricesFile is the name of the table of prices beside the settings file.
const PricesFile = "prices.toml"

// Price is what prices.toml says of one model, in US dollars for a million
// tokens. What is not said of cached tokens costs as much as the input.
type Price struct {
	Model           string // "provider/model", or "provider/*" for all others of it
	In, Out         float64
	Cached, Write   float64 // read from, and written to a cache
	Over            int64   // tokens of a prompt above which LongIn and LongOut multiply; 0: none
	LongIn, LongOut float64
	Context         int64 // tokens; 0: not said
}

const priceHint = `write ["openai/some-model"] on a line, and below it: in = 1.25, out = 10.0, cached = 0.125, context = 400000, each on its own`

// LoadPrices reads prices.toml, ordered by name; without the file there are
// none. The error is an *Error.
func LoadPrices(getenv func(string) string) ([]Price, error) {
	dir, err := Dir(getenv)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, PricesFile)
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &Error{File: file, Problem: "cannot be read: " + cause(err), Hint: "make it readable, or take it away"}
	}
	return parsePrices(file, string(text))
}

func parsePrices(file, text string) ([]Price, error) {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntaxError(file, err, priceHint)
	}
	names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		if la, lb := lineOf(text, a), lineOf(text, b); la != lb {
			return la - lb
		}
		return strings.Compare(a, b)
	})
	var out []Price
	for _, name := range names {
		table, ok := values[name].(map[string]any)
		if !ok || !fullModel(name) {
			return nil, &Error{File: file, Line: lineOf(text, name), Key: name, Problem: "must be a table named provider/model in quotes", Hint: priceHint}
		}
		p := Price{Model: name}
		if key, problem := p.set(table); problem != "" {
			return nil, &Error{File: file, Line: lineBelow(text, name, key), Key: key, Problem: name + ": " + problem, Hint: priceHint}
		}
		out = append(out, p)
	}
	return out, nil
}

// set takes over a table; key and problem are of its first fault.
func (p *Price) set(table map[string]any) (key, problem string) {
	amounts := map[string]*float64{"in": &p.In, "out": &p.Out, "cached": &p.Cached, "cache_write": &p.Write, "long_in": &p.LongIn, "long_out": &p.LongOut}
	counts := map[string]*int64{"over": &p.Over, "context": &p.Context}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		amount, count := amounts[key], counts[key]
		if amount == nil && count == nil {
			return key, "no such key; there are cache_write, cached, context, in, long_in, long_out, out, over"
		}
		if count != nil {
			n, ok := table[key].(int64)
			if !ok || n < 0 || n > 1<<40 {
				return key, fmt.Sprintf("must be a whole number of tokens, is %v", table[key])
			}
			*count = n
			continue
		}
		var s float64
		if err := number64(table[key], &s); err != nil {
			return key, err.Error()
		}
		*amount = s
	}
	for _, key := range []string{"in", "out"} {
		if table[key] == nil {
			return key, "is missing; where a price is not known, leave the model out"
		}
	}
	for key, v := range map[string]*float64{"cached": &p.Cached, "cache_write": &p.Write} {
		if table[key] == nil {
			*v = p.In
		}
	}
	if p.Over > 0 && (table["long_in"] == nil || table["long_out"] == nil) {
		return "over", "needs long_in and long_out: how many times as much a long prompt and its answer cost"
	}
	return "", ""
}

func number64(v any, to *float64) error {
	var s Settings
	err := amount(func(s *Settings) *float64 { return &s.BudgetCost })(&s, v)
	*to = s.BudgetCost
	return err
}

// lineBelow is the line that sets key in a table, else that of the table.
func lineBelow(text, table, key string) int {
	head := lineOf(text, table)
	lines := strings.SplitAfter(text, "\n")
	if head < 1 || head > len(lines) {
		return head
	}
	rest := strings.Join(lines[head:], "")
	if end := strings.Index("\n"+rest, "\n["); end >= 0 {
		rest = rest[:end]
	}
	if n := lineOf(rest, key); n > 0 {
		return head + n
	}
	return head
}

// syntaxError tells where a file is no TOML.
func syntaxError(file string, err error, hint string) *Error {
	e := &Error{File: file, Problem: "no valid TOML: " + err.Error(), Hint: hint}
	if p, ok := errors.AsType[toml.ParseError](err); ok {
		e.Line, e.Problem = p.Position.Line, "no valid TOML: "+p.Message
		if strings.Contains(p.Message, `but got '\n' instead`) { // the end of a line is told as the next
			e.Line--
		}
		if p.Message == "" {
			e.Problem = "no valid TOML: " + strings.TrimPrefix(p.Error(), "toml: ")
		}
	}
	return e
}
