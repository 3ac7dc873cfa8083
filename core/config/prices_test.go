package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestPrices(t *testing.T) {
	got, err := parsePrices("p", "# mine\n[\"openai/x\"]\nin = 1.5\nout = 10\n\n[\"ollama/*\"]\nin = 0\nout = 0\ncached = 0\ncontext = 8000\n[\"a/long\"]\nin=1\nout=2\ncached=0.1\ncache_write=3\nover=1000\nlong_in=2\nlong_out=1.5\n")
	want := []Price{
		{Model: "openai/x", In: 1.5, Out: 10, Cached: 1.5, Write: 1.5},
		{Model: "ollama/*", Context: 8000},
		{Model: "a/long", In: 1, Out: 2, Cached: 0.1, Write: 3, Over: 1000, LongIn: 2, LongOut: 1.5},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"no table", "in = 3", "p:1: in: must be a table named provider/model"},
		{"no provider", "[\"x\"]\nin=1\nout=1", "p:1: x: must be a table named provider/model"},
		{"nested", "[openai.x]\nin=1\nout=1", "p:1: openai: must be a table named"},
		{"half", "[\"a/b\"]\nin=1\n[\"c/d\"]\nin=1\nout=1", "p:1: out: a/b: is missing; where a price is not known, leave the model out"},
		{"unknown key, the second table", "[\"a/b\"]\nin=1\nout=1\n[\"c/d\"]\nin=1\nout=1\ncahced=1", "p:7: cahced: c/d: no such key"},
		{"text", "[\"a/b\"]\nin=\"1\"\nout=1", "p:2: in: a/b: must be a number, is a text"},
		{"negative", "[\"a/b\"]\nin=1\nout=-1", "p:3: out: a/b: must be 0 or more"},
		{"endless", "[\"a/b\"]\nin=inf\nout=1", "p:2: in: a/b: must be 0 or more"},
		{"no number", "[\"a/b\"]\nin=nan\nout=1", "p:2: in: a/b: must be 0 or more"},
		{"context", "[\"a/b\"]\nin=1\nout=1\ncontext=1.5", "p:4: context: a/b: must be a whole number of tokens"},
		{"over alone", "[\"a/b\"]\nin=1\nout=1\nover=5", "p:4: over: a/b: needs long_in and long_out"},
		{"no TOML", "[\"a/b\"]\nin=", "p:2: no valid TOML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parsePrices("p", tt.text)
			if e, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(e.Error(), tt.want) || e.Hint == "" {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func FuzzPrices(f *testing.F) {
	f.Add("[\"a/b\"]\nin=1\nout=1")
	f.Add("[\"a/b\"]\n[x]\nin=")
	f.Fuzz(func(t *testing.T, text string) {
		prices, err := parsePrices("p", text)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Line < 0 {
				t.Errorf("%v is no *Error", err)
			}
			return
		}
		for _, p := range prices {
			if !(p.In >= 0 && p.Out >= 0 && p.Cached >= 0) {
				t.Errorf("%+v", p)
			}
		}
	})
}
