package model

import (
	"bytes"
	"slices"
	"sync"

	"drover/core"
)

// mostSets is how many sets of tools are kept: a few agents, with and without a result to hand in.
const mostSets = 32

// ToolSets keeps what was worked out of sets of tools: a set is by far the
// longest part of most requests, and the same in all of them.
type ToolSets struct {
	mu   sync.Mutex
	sets []*ToolSet // the last one used is the last
}

// ToolSet is the tools of a request. It is safe for concurrent use.
type ToolSet struct {
	Names *Names
	specs []core.ToolSpec

	mu   sync.Mutex
	wire map[string][]byte
}

// Of returns the set of these tools.
func (t *ToolSets) Of(specs []core.ToolSpec) *ToolSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.sets)
	for i := n - 1; i >= 0; i-- {
		if s := t.sets[i]; slices.EqualFunc(s.specs, specs, sameSpec) {
			t.sets[i], t.sets[n-1] = t.sets[n-1], s
			return s
		}
	}
	if n == mostSets {
		t.sets = slices.Delete(t.sets, 0, 1)
	}
	s := &ToolSet{Names: NewNames(specs), specs: slices.Clone(specs), wire: map[string][]byte{}}
	t.sets = append(t.sets, s)
	return s
}

// sameSpec costs next to nothing where the texts are the same bytes in memory, which they are.
func sameSpec(a, b core.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// Encode is the JSON object of v with the set as its last field, "tools", as
// list makes it; form tells apart what a wire makes of one set. A set of no
// tools is left out.
func (s *ToolSet) Encode(v any, form string, list func(specs []core.ToolSpec) any) (Body, error) {
	tools, err := s.encoded(form, list)
	if err != nil {
		return Body{}, err
	}
	own, err := Encode(v)
	if err != nil || len(tools) == 0 {
		return Body{[3][]byte{own}}, err
	}
	return Body{[3][]byte{bytes.TrimSuffix(bytes.TrimSpace(own), brace), tools, brace}}, nil
}

var brace = []byte("}")

func (s *ToolSet) encoded(form string, list func(specs []core.ToolSpec) any) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.specs) == 0 || s.wire[form] != nil {
		return s.wire[form], nil
	}
	tools, err := Encode(list(s.specs))
	if err != nil {
		return nil, err
	}
	s.wire[form] = append([]byte(`,"tools":`), bytes.TrimSpace(tools)...)
	return s.wire[form], nil
}
