package state

import (
	"fmt"
	"testing"
	"time"

	"drover/core"
)

// many is a registry of 100,000 tasks in 1,000 sessions.
func many(b *testing.B) *State {
	b.Helper()
	s := New(Config{})
	s.Now = t0
	var u core.Update
	cost := 0.01
	for i := range 1000 {
		id := fmt.Sprintf("s%04d", i)
		at := t0.Add(time.Duration(i) * time.Second)
		u.Sessions = append(u.Sessions, core.Session{ID: id, Title: fmt.Sprint("Session ", i), Updated: at, Dir: fmt.Sprint("/src/", i%20)})
		u.Tasks = append(u.Tasks, core.TaskView{ID: id, Session: id, Kind: core.KindMain, Name: "main", Status: core.Idle, Created: &at, Cost: &cost, Rev: 1})
		for k := range 99 {
			u.Tasks = append(u.Tasks, core.TaskView{ID: fmt.Sprintf("%s%02d", id, k), Session: id, Parent: id, Kind: core.KindAgent, Agent: "explore", Name: fmt.Sprint("explore-", k), Status: core.Idle, Created: &at, Cost: &cost, Rev: 1})
		}
	}
	s.Apply(u)
	return s
}

// BenchmarkOpen100k is the registry as it is first read.
func BenchmarkOpen100k(b *testing.B) {
	for b.Loop() {
		many(b)
	}
}

// BenchmarkChange100k is one changed task.
func BenchmarkChange100k(b *testing.B) {
	s := many(b)
	v := s.Tree.Node("s050007").Task.View()
	for b.Loop() {
		v.Rev++
		s.Apply(core.Update{Tasks: []core.TaskView{v}})
	}
}

// BenchmarkStart100k is one new task: the rows are made anew.
func BenchmarkStart100k(b *testing.B) {
	s := many(b)
	i := 0
	for b.Loop() {
		i++
		s.Apply(core.Update{Tasks: []core.TaskView{{ID: fmt.Sprint("new", i), Session: "s0500", Parent: "s0500", Status: core.Running, Rev: 1}}})
	}
}

// BenchmarkMove100k is the cursor, BenchmarkFold100k a fold and BenchmarkFilter100k a letter of a filter.
func BenchmarkMove100k(b *testing.B)   { benchKeys(b, "", "j", "k") }
func BenchmarkFold100k(b *testing.B)   { benchKeys(b, "", " ") }
func BenchmarkFilter100k(b *testing.B) { benchKeys(b, "/status:idle cost:>1 ", "x", "Backspace") }
func BenchmarkSort100k(b *testing.B)   { benchKeys(b, "", "S") }
func BenchmarkGroup100k(b *testing.B)  { benchKeys(b, "", "=") }

func benchKeys(b *testing.B, before string, keys ...Key) {
	s := many(b)
	press(s, before)
	i := 0
	for b.Loop() {
		s.Key(keys[i%len(keys)])
		i++
	}
}
