package host_test

import (
	"context"
	"fmt"
	"testing"

	"drover/core"
	"drover/core/host"
	"drover/core/run"
	"drover/core/tool"
	"drover/store"
)

// stepper asks for one tool call a step until it has made n, and then answers.
type stepper struct{ n int }

func (s stepper) Stream(_ context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	steps := 0
	for _, m := range req.Messages {
		if m.Role == core.RoleAssistant {
			steps++
		}
	}
	if steps == s.n {
		on(core.Delta{Text: "done"})
		return core.ModelReply{Text: "done"}, nil
	}
	return core.ModelReply{Calls: []core.ToolCall{call(fmt.Sprintf("c%d", steps), "probe", `{}`)}}, nil
}

// BenchmarkStep is what drover itself adds to a step of a running turn, every
// piece durable: 100 sequential steps of a model that answers at once, each
// with one tool call that does nothing. Its floor is four commits a step:
// BenchmarkRegistryTransitionFloor in package core.
func BenchmarkStep(b *testing.B) {
	const steps = 100
	dir := b.TempDir()
	s, err := store.Open(b.Context(), dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	client := &core.Client{Store: s}
	for b.Loop() {
		root, err := client.Create(b.Context(), core.NewSession{Dir: dir, Prompt: "go", Agent: core.Agent{Name: "main"}, Model: "script/one"})
		if err != nil {
			b.Fatal(err)
		}
		h := host.New(host.Options{
			Store: s, Dir: dir, Session: root.ID, Registry: core.Options{OneShot: true},
			Runner: func(r *core.Registry) core.Runner {
				return run.New(run.Options{
					Registry: r, Tools: tool.NewBox(probe{core.Reads}), Scratch: dir, Limits: run.Limits{MaxTurns: steps + 1},
					Model: func(string) (core.Model, string, error) { return stepper{steps}, "one", nil },
				})
			},
		})
		if err := h.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*steps)/1000, "ms/step")
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}
