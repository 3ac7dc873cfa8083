package offline

import (
	"strings"
	"testing"

	"drover/core"
)

func TestFollowUps(t *testing.T) {
	cases := map[string]struct {
		say  string
		want []string // in the answer
		call string   // in the story
	}{
		"help":             {"HELP", []string{"# The offline model", "demo nested"}, ""},
		"read":             {"read cart/total.go", []string{"func Total("}, `read_file {"limit":200,"path":"cart/total.go"}`},
		"read a range":     {"Read cart/total.go 3-4", []string{"takes the coupon"}, `{"limit":2,"offset":3,"path":"cart/total.go"}`},
		"read from a line": {"read cart/total.go 4-", []string{"FIXME"}, `{"limit":200,"offset":4,"path":"cart/total.go"}`},
		"read nothing":     {"read nowhere.go", []string{"did not work", "no such file"}, ""},
		"read a quoted":    {`read "docs/notes, old.md"`, []string{"coupon ideas"}, ""},
		"grep":             {"grep coupon cart", []string{"cart/total.go:3"}, `{"path":"cart","pattern":"coupon"}`},
		"grep quoted":      {`grep "func Total"`, []string{"cart/total.go:4"}, ""},
		"grep bad":         {"grep (", []string{"did not work"}, ""},
		"list":             {"list", []string{"go.mod"}, `{"depth":2,"path":"."}`},
		"list a path":      {"list cart/", []string{"total_test.go"}, ""},
		"find":             {"find **/*", []string{"store/schema.sql"}, ""},
		"run":              {"run echo 'a  b'", []string{"ran: echo 'a  b'"}, ""},
		"write":            {"write new.txt two  words", []string{"wrote new.txt"}, `{"content":"two  words\n","path":"new.txt"}`},
		"agents":           {"agents", []string{"0 agents"}, ""},
		"stop nobody":      {"stop nobody", []string{"did not work"}, ""},
		"todo":             {"todo buy milk; ; sell it", []string{"saved"}, `{"id":"t2","title":"sell it","status":"pending"}`},
		"say":              {"say  hello   there", []string{"hello   there"}, ""},
		"say keeps lines":  {"say a\n  b", []string{"a\n  b"}, ""},
		"explore":          {"explore cart", []string{"explore-cart (k1vqd) is at work"}, `"mode":"background"`},
		"wait explore":     {"wait explore cart", []string{"> - 2 files: Go 2"}, `"mode":"sync"`},
		"question":         {"where is the coupon taken off in Total?", []string{"best match is `cart/total.go:4`", "func Total(prices"}, ""},
		"no words":         {"what is this?", []string{"no word in this worth searching"}, ""},
		"no hits":          {"zebra quagga", []string{"none of these words here: zebra, quagga"}, ""},
		"not a command":    {"list the coupon handlers", []string{"best match"}, ""},
		"not a read":       {"read the coupon code", []string{"best match"}, ""},
		"not a write":      {"write a coupon handler", []string{"best match"}, ""},
		"empty":            {" \n ", []string{"holds no words"}, ""},
		"unknown demo":     {"demo dance", []string{"no demo “dance”", "demo slow"}, ""},
		"template in text": {"grep {path}", []string{"{path}"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shop)
			w.send("user", "say ready")
			text := w.send("user", c.say)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q lacks %q:\n%s", c.say, want, text)
				}
			}
			if got := story(w.main().msgs); !strings.Contains(got, c.call) {
				t.Errorf("%q did not call %s:\n%s", c.say, c.call, got)
			}
		})
	}
}

func TestSubagentTakesFollowUps(t *testing.T) {
	w := newWorld(t, shop)
	w.send("user", "explore cart")
	if text := w.deliver(); !strings.Contains(text, "**explore-cart (k1vqd)** answered turn 1:") || !strings.Contains(text, "> - 2 files: Go 2") {
		t.Errorf("the news was not told: %s", text)
	}
	if text := w.send("user", "tell explore-cart grep FIXME"); !strings.Contains(text, "delivered") {
		t.Errorf("tell: %s", text)
	}
	if text := w.deliver(); !strings.Contains(text, "answered turn 2") || !strings.Contains(text, "cart/total.go:5") {
		t.Errorf("the answer to tell was not told: %s", text)
	}
	if text := w.send("user", "stop explore-cart"); !strings.Contains(text, "stopped") {
		t.Errorf("stop: %s", text)
	}
	if text := w.turn(w.tasks["k1vqd"], "user", "where is the FIXME"); !strings.Contains(text, "`cart/total.go:5`") {
		t.Errorf("a person's question to the agent: %s", text)
	}
}

// News that comes in the middle of another turn is told at its end.
func TestNewsInTheMiddle(t *testing.T) {
	w := newWorld(t, shop)
	w.send("user", "explore cart")
	ft := w.main()
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: "user", Text: "list"})
	w.step(ft)
	if text := w.deliver(); !strings.Contains(text, "go.mod") || !strings.Contains(text, "answered turn 1") {
		t.Errorf("answer: %s", text)
	}
}

// Messages that were queued and arrive together are all answered.
func TestSeveralMessagesAtOnce(t *testing.T) {
	w := newWorld(t, shop)
	ft := w.main()
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Text: "grep FIXME"})
	text := w.send("user", "read go.mod")
	if !strings.Contains(text, "cart/total.go:5") || !strings.Contains(text, "module shop") {
		t.Errorf("answer: %s", text)
	}
}

func TestDemoWithChildren(t *testing.T) {
	cases := map[string]struct {
		prompt   string
		children int
		want     string
	}{
		"slow": {"demo slow 0", 1, "I worked for 0 seconds"},
		"fail": {"demo fail", 1, "failed: the offline model was asked to fail"},
		"fan":  {"demo fan 12", 12, "- 12 answered turn 1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shop)
			if text := w.send("user", c.prompt); !interim(text) {
				t.Errorf("should wait for its children: %q", text)
			}
			if text := w.deliver(); !strings.Contains(text, c.want) {
				t.Errorf("answer lacks %q: %s", c.want, text)
			}
			if got := len(w.tasks) - 1; got != c.children {
				t.Errorf("%d children", got)
			}
		})
	}
}

func TestDemoNested(t *testing.T) {
	w := newWorld(t, shop)
	text := w.send("user", "demo nested 0")
	depth := 0
	for _, ft := range w.tasks {
		depth = max(depth, ft.info.Depth)
	}
	if depth != 3 || !strings.Contains(text, "> > > I worked for 0 seconds") {
		t.Errorf("depth %d, answer %s", depth, text)
	}
}

func TestDemoSyncPromoted(t *testing.T) {
	w := newWorld(t, shop)
	w.promote = true
	if text := w.send("user", "demo sync 0"); !strings.Contains(text, "moved to the background") {
		t.Errorf("answer: %s", text)
	}
	if text := w.deliver(); !strings.Contains(text, "I worked for 0 seconds") {
		t.Errorf("later: %s", text)
	}
	w = newWorld(t, shop)
	if text := w.send("user", "demo sync 0"); !strings.Contains(text, "> I worked for 0 seconds") || strings.Contains(text, "agent_id") {
		t.Errorf("not promoted: %s", text)
	}
}

// A person says "continue" while a child works: the child is asked, not guessed at.
func TestContinueAsksChildren(t *testing.T) {
	w := newWorld(t, shop)
	w.stuck = true
	w.send("user", "demo slow 5")
	if text := w.send("user", "continue"); !interim(text) || !strings.Contains(story(w.main().msgs), toolAsk) {
		t.Errorf("should have asked and waited on: %q", text)
	}
	w.stuck = false
	child := w.tasks["k1vqd"]
	child.msgs = append(child.msgs, core.Message{Role: core.RoleAssistant, Text: "done at last"})
	if text := w.send("user", "Continue."); !strings.Contains(text, "done at last") {
		t.Errorf("answer: %q", text)
	}
}

func TestAutopilotDemos(t *testing.T) {
	cases := map[string]struct {
		prompt  string
		refuse  []string
		outcome string
	}{
		"approval":                {"demo approval", nil, "done"},
		"blocked":                 {"demo blocked", nil, "blocked"},
		"input":                   {"demo input", nil, "needs_input"},
		"todo":                    {"demo todo", nil, "done"},
		"never":                   {"demo never", nil, ""},
		"restless":                {"demo restless", nil, ""},
		"hostile":                 {"demo hostile", nil, "done"},
		"say, then a reminder":    {"say hello", nil, "done"},
		"follow-up":               {"list", nil, "done"},
		"refused without a cause": {"list", []string{"no", "no", "no", "no", "no", "no", "no", "no"}, ""},
		"refused once":            {"list", []string{"still running: x (zzzzz)"}, "done"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shop)
			w.main().tools, w.refuse = autoTools, c.refuse
			w.send("user", c.prompt)
			for range 3 {
				if w.main().done == "" {
					w.send(core.SenderAutopilot, "The job is not marked complete.")
				}
			}
			if w.main().done != c.outcome {
				t.Errorf("outcome %q, want %q:\n%s", w.main().done, c.outcome, story(w.main().msgs))
			}
		})
	}
}

func TestDemoTodoIsRefusedFirst(t *testing.T) {
	w := newWorld(t, shop)
	w.main().tools = autoTools
	w.send("user", "demo todo")
	got := story(w.main().msgs)
	refused, closed := strings.Index(got, "refused: 2 todos are open"), strings.Index(got, `"status":"done"`)
	if refused < 0 || closed < refused || w.main().done != "done" {
		t.Errorf("outcome %q:\n%s", w.main().done, got)
	}
}

func TestNeverAndRestlessDiffer(t *testing.T) {
	for prompt, steps := range map[string]int{"demo never": 0, "demo restless": 1} {
		w := newWorld(t, shop)
		w.main().tools = autoTools
		w.send("user", prompt)
		for range 3 {
			before := w.calls
			w.send(core.SenderAutopilot, "go on")
			if got := w.calls - before; got != steps {
				t.Errorf("%s: %d calls in a continuation, want %d", prompt, got, steps)
			}
		}
	}
}

// An agent that a completion waits for: it is tried again when its notice is in.
func TestCompletionWaitsForChildren(t *testing.T) {
	w := newWorld(t, shop)
	w.main().tools = autoTools
	w.refuse = []string{"not complete: still running: explore-cart (k1vqd)"}
	if text := w.send("user", "explore cart"); !interim(text) || w.main().done != "" {
		t.Fatalf("should wait: %q", text)
	}
	if w.deliver(); w.main().done != "done" {
		t.Errorf("not completed:\n%s", story(w.main().msgs))
	}
}

func TestFloodAndHostile(t *testing.T) {
	w := newWorld(t, shop)
	if n := strings.Count(w.send("user", "demo flood"), "\n"); n < floodLines {
		t.Errorf("%d lines", n)
	}
	text := w.send("user", "demo hostile")
	for _, bad := range []string{"\x1b[2J", "\u202e", "\x07", "[red]", "\u009b"} {
		if !strings.Contains(text, bad) {
			t.Errorf("lacks %q", bad)
		}
	}
}
