package core_test

import (
	"slices"
	"strings"
	"testing"

	"drover/core"
)

// ids is a Reader of nothing but tasks.
type ids struct {
	core.Reader
	tasks []core.Task
}

func (r ids) TaskIDs(prefix string, limit int) ([]string, error) {
	var all []string
	for _, t := range r.tasks {
		if strings.HasPrefix(t.ID, prefix) {
			all = append(all, t.ID)
		}
	}
	slices.Sort(all)
	return all[:min(limit, len(all))], nil
}

func (r ids) Tasks(f core.TaskFilter) ([]core.Task, error) {
	var all []core.Task
	for _, t := range r.tasks {
		if f.Session == "" || t.Session == f.Session {
			all = append(all, t)
		}
	}
	return all, nil
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 2000 {
		id := core.NewID()
		if len(id) != 5 {
			t.Fatalf("NewID() = %q: not five characters", id)
		}
		if strings.ContainsAny(id, "01loiILO ") || id != strings.ToLower(id) {
			t.Errorf("NewID() = %q: a character that is easily confused", id)
		}
		if id[0] == 'a' || id[0] == 'r' || id[0] < 'a' {
			t.Errorf("NewID() = %q: could be an approval, a request or a number", id)
		}
		seen[id] = true
	}
	if len(seen) < 1990 {
		t.Errorf("only %d of 2000 IDs differ", len(seen))
	}
}

func TestRefs(t *testing.T) {
	if got := core.RequestRef(12); got != "r12" {
		t.Errorf("RequestRef = %q", got)
	}
	if got := core.ApprovalRef(7); got != "a7" {
		t.Errorf("ApprovalRef = %q", got)
	}
	for _, tt := range []struct {
		letter byte
		in     string
		want   int64
		ok     bool
	}{
		{'r', "r12", 12, true}, {'r', "12", 12, true}, {'a', "a7", 7, true},
		{'r', "a7", 0, false}, {'r', "", 0, false}, {'r', "r", 0, false}, {'r', "r0", 0, false},
		{'r', "r-3", 0, false}, {'r', "rr3", 0, false}, {'r', "r3x", 0, false}, {'r', "r99999999999999999999", 0, false},
		{'r', "r+3", 0, false}, {'r', "r03", 0, false}, {'r', " r3", 0, false},
	} {
		got, ok := core.ParseRef(tt.letter, tt.in)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("ParseRef(%c, %q) = %d, %v; want %d, %v", tt.letter, tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestResolve(t *testing.T) {
	r := ids{tasks: []core.Task{
		{ID: "kxm42", Session: "kxm42", Name: "main"},
		{ID: "kxp77", Session: "kxm42", Name: "api"},
		{ID: "kx", Session: "kxm42", Name: "short"},
		{ID: "m2345", Session: "kxm42", Name: "twin"},
		{ID: "n2345", Session: "kxm42", Name: "twin"},
		{ID: "p2345", Session: "p2345", Name: "api"},
		{ID: "q2345", Session: "kxm42", Name: "kx"},
	}}
	for _, tt := range []struct {
		name, ref, session, want string
		code                     core.Code
		message                  string
	}{
		{"exact", "kxp77", "", "kxp77", "", ""},
		{"prefix", "kxp", "", "kxp77", "", ""},
		{"blanks around", "  kxp ", "", "kxp77", "", ""},
		{"exact wins over a longer one and a name", "kx", "kxm42", "kx", "", ""},
		{"name in the session", "api", "kxm42", "kxp77", "", ""},
		{"the same name elsewhere", "api", "p2345", "p2345", "", ""},
		{"a name without a session is nothing", "api", "", "", core.CodeNotFound, `no task "api"`},
		{"twice the same name", "twin", "kxm42", "", core.CodeAmbiguous, "m2345, n2345"},
		{"ambiguous prefix", "k", "", "", core.CodeAmbiguous, "kx, kxm42, kxp77"},
		{"unknown", "zzz", "", "", core.CodeNotFound, `"zzz"`},
		{"empty", " ", "", "", core.CodeInvalidInput, "no task named"},
		{"hostile", "\x1b[31mx", "", "", core.CodeNotFound, `no task "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := core.Resolve(r, tt.ref, tt.session)
			if got != tt.want || core.CodeOf(err) != tt.code {
				t.Fatalf("Resolve(%q) = %q, %v; want %q, code %q", tt.ref, got, err, tt.want, tt.code)
			}
			if err != nil && !strings.Contains(err.Error(), tt.message) {
				t.Errorf("message %q, want %q in it", err, tt.message)
			}
			if err != nil && core.HintOf(err) == "" {
				t.Errorf("%q names no way out", err)
			}
		})
	}
}

func TestResolveNamesEightAtMost(t *testing.T) {
	var r ids
	for _, c := range "23456789bcd" {
		r.tasks = append(r.tasks, core.Task{ID: "k" + string(c) + "aaa"})
	}
	_, err := core.Resolve(r, "k", "")
	if core.CodeOf(err) != core.CodeAmbiguous || !strings.HasSuffix(err.Error(), ", …") || strings.Count(err.Error(), "aaa") != 8 {
		t.Errorf("got %v", err)
	}
}
