package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"drover/core"
)

// DefaultTimeout is how long a hook may take that does not say.
const DefaultTimeout = 60 * time.Second

// longest is how long a hook may ask for; a file that asks for more gets this.
const longest = 24 * time.Hour

// Dialect is whose format a hook was written in.
type Dialect string

// The dialects there are.
const (
	Drover  Dialect = "drover"
	Claude  Dialect = "claude"
	Copilot Dialect = "copilot"
)

// State says whether a hook runs.
type State string

// The states there are.
const (
	Active    State = "active"
	Untrusted State = "untrusted" // its folder is not trusted
	Disabled  State = "disabled"  // a file of the dialect says disableAllHooks, or this is inside a hook
	Ignored   State = "ignored"   // sound, and not for drover: another moment, another kind of hook
	Faulty    State = "problem"   // it cannot be read
)

// Hook is one command at one point, or (Point is "") what cannot be one.
type Hook struct {
	Name     string // the file and the place in it
	Event    string // the moment, as the file spells it
	Point    core.HookPoint
	Dialect  Dialect
	Path     string // of the file
	Root     string // the folder whose trust counts; "" for the person's own
	Hash     string // sha256 of the file, in hex
	Matcher  string // which agents, or topics of a notification; "" is all
	Command  string // a line for the shell, or with Args a program
	Shell    string // what reads the line: "sh" or "bash"
	Args     []string
	Dir      string            // where it runs, "" is the session's; relative to Root, else to the session's
	Env      map[string]string // on top of what every hook gets
	Timeout  time.Duration
	Required bool // its fault is the agent's
	State    State
	Reason   string // why it is not active

	match   func(string) bool
	trusted bool // its folder is, or it is the person's own
}

// Options of a Set. The zero value has no hooks of the person's and trusts nobody's.
type Options struct {
	Home string // whose hook files are the person's; "" is none

	// Settings are the hooks of the settings file: Path, Point, Matcher,
	// Command, Args, Dir, Env, Timeout and Required are used. It is asked at each
	// look. With an error the hooks count all the same, and it is told.
	Settings func() ([]Hook, error)

	// Trust says whether the person trusts what a folder brings; content is the
	// sha256 of the file. It is asked for once at each look that finds something of a folder's. nil trusts nothing.
	Trust func(ctx context.Context) (func(root, content string) bool, error)

	Environ []string            // what commands may see, see sandbox.Environ
	Mask    func(string) string // takes secrets out of what they say; nil takes none
	Inside  bool                // this runs in a hook itself: none is active, or they would start each other for ever
}

// Set is the hooks there are, for any directory. It is safe for concurrent use.
type Set struct {
	o Options

	mu    sync.Mutex
	files map[string]cached
	told  map[string]bool // faults that a run has told of

	looking sync.Mutex // held while the files of a directory are looked at; guards what follows
	rest    time.Duration
	last    map[string]look // by directory
}

// Open makes a set. It reads nothing yet.
func Open(o Options) *Set {
	if o.Home != "" {
		o.Home = filepath.Clean(o.Home)
	}
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	return &Set{o: o, files: map[string]cached{}, told: map[string]bool{}, last: map[string]look{}}
}

// Rest lets what was found in a directory count for d without another look: where
// many agents begin and end at once they need not look at the same files each.
func (s *Set) Rest(d time.Duration) {
	s.looking.Lock()
	defer s.looking.Unlock()
	s.rest = d
}

// Load lists every hook that counts in dir, in the order in which they run:
// the settings', the person's files, the project's files. The error is ctx's, or
// Trust's: the list holds then with nothing trusted.
func (s *Set) Load(ctx context.Context, dir string) ([]Hook, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if l, ok := s.last[dir]; ok && time.Since(l.at) < s.rest {
		return slices.Clone(l.hooks), nil
	}
	all, err := s.load(ctx, dir)
	if err == nil {
		s.last[dir] = look{slices.Clone(all), time.Now()}
	}
	return all, err
}

// look is what was found in a directory, and when.
type look struct {
	hooks []Hook
	at    time.Time
}

func (s *Set) load(ctx context.Context, dir string) ([]Hook, error) {
	all := s.settings()
	files := s.places(dir)
	for _, p := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, s.read(p).hooks...)
	}
	trusts, fault := func(string, string) bool { return false }, error(nil)
	if s.o.Trust != nil && slices.ContainsFunc(all, func(h Hook) bool { return h.Root != "" }) {
		if t, err := s.o.Trust(ctx); err != nil {
			fault = fmt.Errorf("looking up what is trusted: %w", err)
		} else {
			trusts = t
		}
	}
	for i := range all {
		h := &all[i]
		h.trusted = h.Root == "" || trusts(h.Root, h.Hash)
		switch {
		case h.State != Active:
		case s.o.Inside:
			h.State, h.Reason = Disabled, "this runs inside a hook, where hooks do not run"
		case !h.trusted:
			h.State, h.Reason = Untrusted, "it is of the folder "+core.CleanLine(h.Root)+", which is not trusted"
		}
	}
	s.switchOff(all, files)
	return all, fault
}

func (s *Set) settings() []Hook {
	if s.o.Settings == nil {
		return nil
	}
	list, err := s.o.Settings()
	all := make([]Hook, 0, len(list)+1)
	counts := map[core.HookPoint]int{}
	for _, h := range list {
		h.Dialect, h.Event, h.State, h.Shell = Drover, string(h.Point), Active, "sh"
		h.Name = fmt.Sprintf("config.toml: %s[%d]", h.Point, counts[h.Point])
		counts[h.Point]++
		h.check()
		all = append(all, h)
	}
	if err != nil {
		all = append(all, Hook{Name: "config.toml", Dialect: Drover, State: Faulty, Reason: core.CleanLine(err.Error())})
	}
	return all
}

// switchOff honours disableAllHooks: a person's file holds for all of its
// dialect, a project's for those of the project.
func (s *Set) switchOff(all []Hook, files []place) {
	for _, p := range files {
		if !s.read(p).off {
			continue
		}
		for i := range all {
			h := &all[i]
			if h.Dialect == p.dialect && (p.root == "" || h.Root != "") && (h.State == Active || h.State == Untrusted) {
				h.State, h.Reason = Disabled, core.CleanLine(p.path)+" says disableAllHooks"
			}
		}
	}
}

// check finds what only shows when a hook is to run, and compiles its matcher.
func (h *Hook) check() {
	match, err := matcher(h.Matcher, h.Dialect)
	switch {
	case err != nil:
		h.fault("the matcher %q cannot be read: %v", core.Short(h.Matcher, 80), err)
	case strings.TrimSpace(h.Command) == "":
		h.fault("it has no command")
	case strings.ContainsRune(h.Command, 0):
		h.fault("its command holds a NUL")
	}
	h.match = match
	if h.Timeout <= 0 {
		h.Timeout = DefaultTimeout
	}
	h.Timeout = min(h.Timeout, longest)
}

func (h *Hook) fault(format string, args ...any) {
	h.State, h.Reason = Faulty, core.CleanLine(fmt.Sprintf(format, args...))
}

// plain is a matcher that Claude Code takes for names, not for a pattern.
var plain = regexp.MustCompile(`^[A-Za-z0-9_, |-]*$`)

// matcher reads a matcher as its dialect does: names or a pattern somewhere in
// the name for Claude Code, a pattern for the whole name otherwise. Claude's
// agents are those of other programs here too, so that case does not count.
func matcher(text string, d Dialect) (func(string) bool, error) {
	if text == "" || text == "*" {
		return func(string) bool { return true }, nil
	}
	pattern := `^(?:` + text + `)$`
	if d == Claude {
		pattern = `(?i)` + text
		if plain.MatchString(text) {
			names := strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })
			return func(s string) bool {
				for _, n := range names {
					if strings.EqualFold(strings.TrimSpace(n), s) {
						return true
					}
				}
				return false
			}, nil
		}
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}

// topics are the names that a notification's topic has elsewhere.
var topics = map[string][]string{
	"approval":  {"permission_prompt"},
	"idle":      {"idle_prompt", "agent_idle"},
	"completed": {"agent_completed"},
}

// due reports whether the hook is to run for the event.
func (h *Hook) due(e core.HookEvent) bool {
	if h.State != Active || h.Point != e.Point {
		return false
	}
	if e.Point != core.HookNotification {
		return h.match(e.Agent)
	}
	if h.match(e.Topic) {
		return true
	}
	for _, t := range topics[e.Topic] {
		if h.match(t) {
			return true
		}
	}
	return false
}
