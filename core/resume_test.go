package core_test

import (
	"context"
	"testing"

	"drover/core"
	"drover/store"
)

// absent is a machine on which no host lives; it counts those that were asked for.
type absent struct{ asked int }

func (*absent) Held(string) bool { return false }

func (a *absent) Ensure(context.Context, string) error {
	a.asked++
	return nil
}

// deserted is a session whose host has gone.
func deserted(t *testing.T) (*core.Client, *absent, *core.Registry, core.Task) {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	hosts := &absent{}
	c := &core.Client{Store: s, Hosts: hosts}
	main, err := c.Create(t.Context(), core.NewSession{Dir: t.TempDir(), Prompt: "hello", Agent: core.Agent{Name: "main"}, Model: "offline/rules"})
	if err != nil {
		t.Fatal(err)
	}
	reg := core.NewRegistry(s, core.Options{})
	if _, err := reg.Load(main.Session); err != nil {
		t.Fatal(err)
	}
	return c, hosts, reg, main
}

// A message whose sender was stopped before a host was there is delivered by
// resume, which else has nothing to do with an idle task.
func TestResumeOfAWaitingMessage(t *testing.T) {
	ctx := t.Context()
	c, hosts, reg, main := deserted(t)
	if _, err := reg.SetLatestResponse(main.ID, "done"); err != nil {
		t.Fatal(err)
	}
	resume := core.Request{Task: main.ID, Kind: core.ReqResume}
	if _, err := c.Submit(ctx, resume); core.CodeOf(err) != core.CodeWrongStatus {
		t.Errorf("an idle task without a message: %v", err)
	}
	if _, err := c.Submit(ctx, core.Request{Task: main.ID, Kind: core.ReqMessage, Text: "and now?"}); err != nil {
		t.Fatal(err)
	}
	before := hosts.asked
	if _, err := c.Submit(ctx, resume); err != nil || hosts.asked != before+1 {
		t.Errorf("resume starts no host for the message that waits: %v", err)
	}
}

// An idle main task stands for what was running under it when the host died.
func TestResumeOfChildren(t *testing.T) {
	ctx := t.Context()
	c, hosts, reg, main := deserted(t)
	child := func(parent string) string {
		t.Helper()
		k, err := reg.Start(core.NewTask{Parent: parent, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "look", Mode: core.Background, Model: "offline/rules"})
		if err != nil {
			t.Fatal(err)
		}
		return k.ID
	}
	kid := child(main.ID)
	child(kid)
	for _, id := range []string{main.ID, kid} {
		if _, err := reg.SetLatestResponse(id, "done"); err != nil {
			t.Fatal(err)
		}
	}
	before := hosts.asked
	if _, err := c.Submit(ctx, core.Request{Task: main.ID, Kind: core.ReqResume}); err != nil || hosts.asked != before+1 {
		t.Errorf("the child of a child was running: %v, %d hosts started", err, hosts.asked-before)
	}
}
