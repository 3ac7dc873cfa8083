package offline

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"drover/core"
)

var prompts = []string{
	"Add coupon support", "help", "read cart/total.go 1-2", "grep Total", "list", "find **/*", "run ls", "write a.txt x", "explore cart",
	"wait explore cart", "tell explore-cart list", "agents", "stop explore-cart", "todo a; b", "say x", "survey", "continue", "demo slow 0",
	"demo sync 0", "demo fail", "demo nested 0", "demo approval", "demo never", "demo restless", "demo blocked", "demo input", "demo todo",
	"demo flood", "demo hostile", "demo fan 3", "where is Total?", "", "\x00\xff", "[notice] a (b) answered turn 1:", "Survey cart: go",
}

// Whatever is offered, said and refused: only offered tools are called, turns
// end, IDs are unique, the same request gets the same reply.
func TestOnlyOfferedTools(t *testing.T) {
	all := append(slices.Clone(autoTools), toolTodosToo)
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, map[string]string{"cart/total.go": shop["cart/total.go"], "README.md": "# Shop\n"})
		ft := w.main()
		ids := map[string]bool{}
		for range rapid.IntRange(1, 6).Draw(r, "turns") {
			ft.tools = slices.DeleteFunc(slices.Clone(all), func(string) bool { return rapid.IntRange(0, 3).Draw(r, "drop") == 0 })
			w.refuse = rapid.SliceOfN(rapid.SampledFrom([]string{"still running: x (zzzzz)", "open todos: a (pending)", "interrupted", "no"}), 0, 3).Draw(r, "refuse")
			sender := rapid.SampledFrom([]string{"user", "user", "system", "autopilot", "k9zzz"}).Draw(r, "sender")
			text := rapid.SampledFrom(prompts).Draw(r, "prompt")
			if sender == core.SenderSystem && len(w.notices) > 0 {
				text, w.notices = strings.Join(w.notices, "\n"), nil
			}
			ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: sender, Text: text})
			for step := 0; ; step++ {
				req := w.request(ft)
				if a, b := decide(loadPhrases(), req), decide(loadPhrases(), req); !reflect.DeepEqual(a, b) {
					r.Fatalf("two replies to one request: %+v and %+v", a, b)
				}
				if step > 30 {
					r.Fatalf("the turn does not end:\n%s", story(ft.msgs))
				}
				answer, more := w.step(ft)
				if ft.err != nil {
					r.Fatalf("error: %v", ft.err)
				}
				for _, c := range ft.msgs[lastAnswer(ft.msgs)].Calls {
					if ids[c.ID] {
						r.Fatalf("the ID %s is used twice", c.ID)
					}
					ids[c.ID] = true
				}
				if more && rapid.IntRange(0, 5).Draw(r, "cut off") == 0 {
					m := &ft.msgs[len(ft.msgs)-1]
					m.Text, m.Failed = "interrupted: the host was stopped", true
				}
				if !more {
					if answer == "" {
						r.Fatalf("an empty answer:\n%s", story(ft.msgs))
					}
					break
				}
			}
		}
	})
}

func lastAnswer(msgs []core.Message) int {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role == core.RoleAssistant {
			return i
		}
	}
	return 0
}

// What tools print may be anything.
func TestAnyToolOutput(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ft := &fakeTask{info: core.TaskInfo{Kind: core.KindMain, Dir: "/shop"}, tools: autoTools}
		w := &world{t: t, model: New(Options{})}
		line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a/b.go", "a/", "a/b.go:3: x", "(9 more left out)", "agent_id: k1", "a  12 B", "[notice] x (k1) answered turn 1:", "\"q\\n.go\"", "     1\tx"}))
		text := rapid.Custom(func(r *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 6).Draw(r, "lines"), "\n") })
		ft.msgs = []core.Message{{Role: core.RoleUser, Text: text.Draw(r, "prompt")}}
		for range 12 {
			reply, err := w.model.Stream(t.Context(), w.request(ft), func(core.Delta) {})
			if err != nil {
				r.Skip("asked to fail")
			}
			ft.msgs = append(ft.msgs, core.Message{Role: core.RoleAssistant, Text: reply.Text, Calls: reply.Calls})
			for _, c := range reply.Calls {
				ft.msgs = append(ft.msgs, core.Message{Role: core.RoleTool, CallID: c.ID, Tool: c.Name, Text: text.Draw(r, "output"), Failed: rapid.Bool().Draw(r, "failed")})
			}
			if len(reply.Calls) == 0 {
				ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: "system", Text: text.Draw(r, "notice")})
			}
		}
	})
}

func TestPhrasesExist(t *testing.T) {
	say := loadPhrases()
	used := map[string]bool{"report": true}
	for _, src := range sources(t) {
		for _, m := range regexp.MustCompile(`say\.of\(\s*"([a-z-]+)"`).FindAllStringSubmatch(src, -1) {
			used[m[1]] = true
			if say[m[1]] == "" {
				t.Errorf("phrases.md lacks %q", m[1])
			}
		}
	}
	for name := range say {
		if !used[name] {
			t.Errorf("phrases.md has %q, which nothing says", name)
		}
	}
	if !strings.HasSuffix(say.of("waiting", "n", "1", "names", "x"), interimMark) {
		t.Error("the word of waiting does not end in its mark")
	}
}

// Every word is in the help, but those one demo says to another.
func TestHelpIsWhole(t *testing.T) {
	for _, r := range rules() {
		if r.words != "demo" && r.words != "demo nest" && !strings.Contains(Help(), "`"+r.words) {
			t.Errorf("help does not tell of %q", r.words)
		}
	}
}

func TestLineRange(t *testing.T) {
	for s, want := range map[string][2]int{"1": {1, 1}, "3-9": {3, 9}, "3-": {3, 0}, "0": {}, "9-3": {}, "-3": {}, "x": {}, "": {}, "3-x": {}} {
		from, to, ok := lineRange(s)
		if ok != (want[0] > 0) || from != want[0] || to != want[1] {
			t.Errorf("%q: %d-%d %v", s, from, to, ok)
		}
	}
}

func TestSignificant(t *testing.T) {
	for text, want := range map[string]string{
		"Add coupon support to the cart":                  "coupon cart",
		"why does handleRequest fail with http timeouts?": "handleRequest fail timeout",
		"please do it": "", "42 a of": "", "überall größe Größe": "überall größe",
	} {
		if got := strings.Join(significant(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, p := range prompts {
		f.Add(p)
	}
	f.Add("read \"a b\" 1-2")
	f.Add("wait  EXPLORE  'x'")
	f.Fuzz(func(t *testing.T, text string) {
		r, rest, ok := match(text)
		if ok && (!strings.HasSuffix(strings.TrimSpace(text), rest) || r.run == nil) {
			t.Fatalf("%q gave %q with %q", text, r.words, rest)
		}
		w := &world{t: t, model: New(Options{})}
		ft := &fakeTask{info: core.TaskInfo{Kind: core.KindMain}, tools: autoTools, msgs: []core.Message{{Role: core.RoleUser, Text: text}}}
		p := decide(loadPhrases(), w.request(ft))
		if p.err == nil && p.text == "" && len(p.calls) == 0 {
			t.Fatalf("%q: an empty reply", text)
		}
		for _, c := range p.calls {
			if !utf8.Valid(c.raw()) {
				t.Fatalf("%q: arguments are not UTF-8: %s", text, c.raw())
			}
		}
	})
}

func BenchmarkSay(b *testing.B) {
	m := New(Options{})
	req := ask("say hello", false, autoTools...)
	for b.Loop() {
		if _, err := m.Stream(b.Context(), req, func(core.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLongTranscript(b *testing.B) {
	req := ask("survey", false, mainTools...)
	for i := range 1000 {
		req.Messages = append(req.Messages,
			core.Message{Role: core.RoleAssistant, Calls: []core.ToolCall{{ID: fmt.Sprintf("c%d-1", i+1), Name: toolList, Args: []byte(`{"path":".","depth":1}`)}}},
			core.Message{Role: core.RoleTool, CallID: fmt.Sprintf("c%d-1", i+1), Text: "a.go  1 B"})
	}
	m := New(Options{})
	for b.Loop() {
		if _, err := m.Stream(b.Context(), req, func(core.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}
