package host_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// What an agent's file says reaches its model calls: how hard to try, whose
// prompt comes before its own, which calls nobody may allow it.
func TestDefinitionReachesTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deny := []core.Permission{{Tool: "*", Pattern: "*", Decision: "allow"}, {Tool: "danger", Pattern: "*prod*", Decision: "deny"}}
		a := core.Agent{Name: "kid", Prompt: "You are the kid.", Append: true, Effort: "low", Permissions: deny}
		w := child(t, func(w *world) {}, a, use(call("1", "danger", `{"seconds":0,"on":"prod"}`), call("2", "probe", `{}`)), say("done"))
		defer w.close()
		w.pass(time.Minute)
		kid := w.kidRequests()
		if len(kid) != 2 {
			t.Fatalf("%d model calls\n%s", len(kid), w.transcript("kid"))
		}
		w.mu.Lock()
		main := w.seen[0]
		w.mu.Unlock()
		if main.Effort != "high" || kid[0].Effort != "low" {
			t.Errorf("main tries %q, the kid %q", main.Effort, kid[0].Effort)
		}
		own, _, _ := strings.Cut(main.System, "\n")
		if !strings.HasPrefix(kid[0].System, own) || !strings.Contains(kid[0].System, "\n\nYou are the kid.") {
			t.Errorf("the kid is told %q", kid[0].System)
		}
		if got := w.transcript("kid"); !strings.Contains(got, "nobody can allow it here") || strings.Count(got, "denies this call") != 1 {
			t.Errorf("the call was not denied:\n%s", got)
		}
		if tl := w.timeline(); !strings.Contains(tl, `kid: its definition denies danger {"seconds":0,"on":"prod"}`) || strings.Contains(tl, "needs you") {
			t.Errorf("the timeline does not say so, or somebody was asked:\n%s", tl)
		}
	})
}

// At the deepest level an agent is not shown the tools that start others.
func TestDepth(t *testing.T) {
	for limit, want := range map[int]bool{1: false, 2: true, -1: true} {
		synctest.Test(t, func(t *testing.T) {
			var shown []string
			w := child(t, func(w *world) { w.opts.MaxDepth = limit }, core.Agent{Name: "kid"}, func(_ context.Context, r core.ModelRequest) (core.ModelReply, error) {
				for _, s := range r.Tools {
					shown = append(shown, s.Name)
				}
				return text("done")
			})
			defer w.close()
			w.pass(time.Minute)
			if got := slices.ContainsFunc(shown, core.StartsAgents); got != want || !slices.Contains(shown, "probe") {
				t.Errorf("with %d levels a child has %v", limit, shown)
			}
		})
	}
}

// What the calls of one step start is there in the order of the calls, though
// they are at work at the same time; one that is refused holds nobody up.
func TestStartedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 24
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			if req.Task.Kind != core.KindMain || len(req.Messages) > 1 {
				return text("done")
			}
			var cs []core.ToolCall
			for i := range n {
				agent := "explore"
				if i == 7 {
					agent = "nobody"
				}
				cs = append(cs, call(fmt.Sprint("c", i), "task", fmt.Sprintf(`{"agent_type":%q,"description":"part %02d","prompt":"look","mode":"background"}`, agent, i)))
			}
			return calls(cs...)
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "hello"})
		w.pass(time.Minute)
		var got []string
		for _, v := range w.tree()[1:] {
			got = append(got, v.Name+" "+v.Description)
		}
		if len(got) != n-1 || !slices.IsSortedFunc(w.tree()[1:], func(a, b core.TaskView) int { return strings.Compare(a.Description, b.Description) }) || got[1] != "explore-2 part 01" {
			t.Errorf("the children are\n%s", strings.Join(got, "\n"))
		}
	})
}
