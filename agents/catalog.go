package agents

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"drover/core"
)

//go:embed builtin/*.md
var builtin embed.FS

// Main is the name of the agent that leads a session unless another is asked for.
const Main = "main"

// Options of a Catalog. The zero value knows the bundled agents and those of
// the projects, which nobody trusts.
type Options struct {
	Home   string   // whose directories are the person's; "" is none
	Config string   // drover's settings directory; "" is none
	Order  []string // of families (.claude, .github, …); those it leaves out come after

	// Canonical gives drover's name for a tool of any vocabulary; nil takes every name as it is.
	Canonical func(name string) (string, bool)
	Tools     []string // drover's tools, MCP's aside; nil is the built-in list

	// Trusted says whether the person trusts what a project's folder brings.
	// content is the sha256 of the file, for a trust that holds for a content only.
	// It must be quick: it is asked for each file at each look. nil trusts nothing.
	Trusted func(dir, content string) bool

	// Refresh is called before each look, so that Trusted answers as of then; may be nil.
	Refresh func(ctx context.Context) error

	Disabled  []string            // agents that the settings switch off
	Overrides map[string]Override // of agents, by name
	Plugins   []Plugin            // besides those that Claude Code has installed
	Inline    json.RawMessage     // agents of the command line, as Claude Code's --agents has them; they come first
	Remote    bool                // remote agents can be run
}

// Override changes an agent of the name, wherever it came from. Zero changes nothing.
type Override struct {
	Disabled    bool
	Model       string
	Temperature *float64
	MaxTurns    int
	Timeout     time.Duration
	Tools       []string                   // replaces the agent's
	MCPServers  map[string]json.RawMessage // is merged into the agent's, by server
}

// Catalog is the core.Catalog of the agents there are. It is safe for
// concurrent use.
type Catalog struct {
	o        Options
	families []family
	loader   *loader
	bundled  []Definition
	inline   []Definition

	looks     atomic.Uint64 // that have begun
	mu        sync.Mutex
	folders   map[string]folder
	files     map[key]parsed
	views     map[string]view
	rest      time.Duration
	installed struct {
		stamp   stamp
		plugins []Plugin
	}
}

// Open makes a catalogue. It reads nothing yet.
func Open(o Options) *Catalog {
	c := &Catalog{o: o, families: inOrder(families, o.Order), folders: map[string]folder{}, files: map[key]parsed{}, views: map[string]view{}}
	if c.o.Home != "" {
		c.o.Home = filepath.Clean(c.o.Home)
	}
	c.loader = newLoader(&c.o)
	c.bundled = c.loader.bundled()
	if len(o.Inline) > 0 {
		c.inline = c.loader.inline(o.Inline)
	}
	return c
}

// Bundled is the catalogue of the embedded agents alone. It fails where one of
// them is not sound.
func Bundled() (*Catalog, error) {
	c := &Catalog{folders: map[string]folder{}, files: map[key]parsed{}, views: map[string]view{}}
	c.loader = newLoader(&c.o)
	c.bundled = c.loader.bundled()
	if len(c.bundled) == 0 {
		return nil, fmt.Errorf("there are no bundled agents")
	}
	seen := map[string]string{}
	for _, d := range c.bundled {
		for _, p := range d.Problems {
			if p.Severity == Info {
				continue
			}
			return nil, fmt.Errorf("the bundled agent %s: line %d: %s: %s", d.Path, p.Line, p.Field, p.Message)
		}
		for _, n := range append([]string{d.Name}, d.Aliases...) {
			if other, ok := seen[n]; ok {
				return nil, fmt.Errorf("the bundled agents %s and %s are both called %q", other, d.Path, n)
			}
			seen[n] = d.Path
		}
	}
	return c, nil
}

// bundled loads the embedded agents.
func (l *loader) bundled() []Definition {
	var all []Definition
	files, err := fs.ReadDir(builtin, "builtin")
	if err != nil {
		return nil // Bundled tells that there are none
	}
	for _, f := range files {
		from := Origin{Dialect: "drover", Family: "bundled", Scope: ScopeBundled, Path: "bundled/" + f.Name()}
		raw, err := fs.ReadFile(builtin, path.Join("builtin", f.Name()))
		if err != nil {
			all = append(all, l.fails(from, f.Name(), Problem{Severity: Error, Message: err.Error()})...)
			continue
		}
		all = append(all, l.file(from, raw)...)
	}
	return all
}

// Rest lets a look count for d without another one, and for restShare times as
// long as it took: a step that starts many agents looks once, not once for each.
func (c *Catalog) Rest(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest = d
}

const restShare = 8

// Load looks for all definitions that count in dir. What has not changed since
// the last look comes from memory: a directory or file counts as unchanged by
// its time of change, size and identity. It fails only where ctx ends; what
// cannot be read is a definition in state "problem".
func (c *Catalog) Load(ctx context.Context, dir string) (Snapshot, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Snapshot{}, fmt.Errorf("looking for agents: %w", err)
	}
	arrived := c.looks.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	if v, ok := c.views[dir]; ok && (v.look > arrived || began.Before(v.until)) { // somebody has looked since this was asked for, or just before
		return v.snapshot, nil
	}
	look := c.looks.Add(1)
	if err := c.refresh(ctx); err != nil {
		return Snapshot{}, err
	}
	jobs, err := c.jobs(ctx, dir)
	if err != nil {
		return Snapshot{}, err
	}
	fresh, err := c.load(ctx, jobs)
	if err != nil {
		return Snapshot{}, err
	}
	v, ok := c.views[dir]
	if !ok || fresh || !v.of(c, jobs) {
		v = newView(c, jobs, c.resolve(c.gather(jobs)))
	}
	if len(c.views) > 16 {
		clear(c.views)
	}
	v.look, v.until = look, time.Time{}
	if c.rest > 0 {
		now := time.Now()
		v.until = now.Add(max(c.rest, restShare*now.Sub(began)))
	}
	c.views[dir] = v
	return v.snapshot, nil
}

func (c *Catalog) refresh(ctx context.Context) error {
	if c.o.Refresh == nil {
		return nil
	}
	return c.o.Refresh(ctx)
}

// gather puts all definitions into the order that counts.
func (c *Catalog) gather(jobs []job) []Definition {
	n := len(c.inline) + len(c.bundled)
	refs := map[string]bool{}
	for i := range jobs {
		n += len(jobs[i].defs)
		for k := range jobs[i].defs {
			for _, r := range jobs[i].defs[k].refs {
				refs[r] = true
			}
		}
	}
	defs := append(make([]Definition, 0, n), c.inline...)
	for i := range jobs {
		defs = append(defs, jobs[i].defs...)
	}
	if len(refs) > 0 { // what another file declares is not a fault of its own
		defs = slices.DeleteFunc(defs, func(d Definition) bool { return d.State == Faulty && d.refs == nil && refs[d.Path] })
	}
	return append(defs, c.bundled...)
}

// A view is the snapshot of a directory as it was last, with what it came from.
type view struct {
	keys     []key
	trusted  []bool // of the project's definitions, in order
	snapshot Snapshot
	look     uint64    // at which it was seen to hold
	until    time.Time // and until when it counts without another, see Rest
}

func newView(c *Catalog, jobs []job, s Snapshot) view {
	v := view{keys: make([]key, len(jobs)), snapshot: s}
	for i := range jobs {
		v.keys[i] = jobs[i].key()
	}
	for i := range s.Definitions {
		if d := &s.Definitions[i]; d.Scope == ScopeProject && d.State != Faulty {
			v.trusted = append(v.trusted, c.trusted(d))
		}
	}
	return v
}

// of reports whether the view is what the jobs would come to again: the same
// files, none of them read anew, and the same trust.
func (v view) of(c *Catalog, jobs []job) bool {
	if !slices.EqualFunc(v.keys, jobs, func(k key, j job) bool { return k == j.key() }) {
		return false
	}
	n := 0
	for i := range v.snapshot.Definitions {
		if d := &v.snapshot.Definitions[i]; d.Scope == ScopeProject && d.State != Faulty {
			if c.trusted(d) != v.trusted[n] {
				return false
			}
			n++
		}
	}
	return true
}

// jobs lists the files of all places that dir sees, each file once.
func (c *Catalog) jobs(ctx context.Context, dir string) ([]job, error) {
	if len(c.files) > 50_000 || len(c.folders) > 50_000 { // many projects later
		clear(c.files)
		clear(c.folders)
	}
	if c.families == nil {
		return nil, nil // the bundled ones alone
	}
	places := c.places(dir)
	jobs := make([]job, 0, len(c.views[dir].keys))
	seen := map[string]bool{}
	for i := range places {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("looking for agents: %w", err)
		}
		if seen[places[i].path] {
			continue
		}
		seen[places[i].path] = true
		jobs = append(jobs, c.list(&places[i])...)
	}
	return jobs, nil
}

// Find returns the agent of that exact name, else of that alias, as it counts
// in dir. An agent that there is and that cannot be used is CodeSubagentDisabled
// with the reason; a name that nobody has is CodeUnknownAgent with those there are.
func (c *Catalog) Find(ctx context.Context, dir, name string) (core.Agent, error) {
	s, err := c.Load(ctx, dir)
	if err != nil {
		return core.Agent{}, err
	}
	d, err := s.Find(name)
	return d.Agent, err
}

// List returns all agents that can be used in dir, by name.
func (c *Catalog) List(ctx context.Context, dir string) ([]core.Agent, error) {
	s, err := c.Load(ctx, dir)
	if err != nil {
		return nil, err
	}
	var all []core.Agent
	for _, d := range s.Definitions {
		if d.State == Available {
			all = append(all, d.Agent)
		}
	}
	slices.SortFunc(all, func(a, b core.Agent) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
