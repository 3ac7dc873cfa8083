package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"drover/agents"
	"drover/core"
	"drover/core/config"
	"drover/core/hook"
	"drover/core/tool"
)

// catalogue is the agents and commands there are, for a person who trusts some
// folders. It asks the registry for them at each look, so that what is trusted
// on the screen counts in a host at once.
type catalogue struct {
	*agents.Catalog
	hooks     *hook.Set
	client    *core.Client // knows which folders are trusted; nil: none is
	byContent bool
	mu        sync.Mutex
	trusted   map[string]string
}

// openCatalogue makes the catalogue of this person. Its client is to be set
// before it is asked for anything.
func openCatalogue(getenv func(string) string, s config.Settings) (*catalogue, error) {
	dir, err := config.Dir(getenv)
	if err != nil {
		return nil, err
	}
	k := &catalogue{byContent: s.Trust == "content"}
	k.Catalog = agents.Open(agents.Options{
		Home: getenv("HOME"), Config: dir, Order: s.AgentOrder, Disabled: s.AgentsDisabled,
		Canonical: tool.Canonical, Tools: toolNames(), Trusted: k.trusts, Refresh: k.refresh,
	})
	k.hooks = openHooks(k, getenv, dir, s)
	return k, nil
}

func (k *catalogue) trusts(dir, content string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := dir
	if k.byContent {
		key += "#" + content
	}
	return k.trusted[key] != ""
}

func (k *catalogue) refresh(ctx context.Context) error {
	if k.client == nil {
		return nil
	}
	trusted, err := k.client.Trusted(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trusted = trusted
	return nil
}

// policy is what a model is told of the agents it may start.
func (k *catalogue) policy(ctx context.Context, parent core.Agent, dir string) (string, error) {
	s, err := k.Load(ctx, dir)
	if err != nil {
		return "", err
	}
	return agents.DelegationPolicy(s, parent), nil
}

// brought is what a project's folders bring that is not trusted, by folder.
type brought struct {
	Root   string   `json:"folder"`
	Agents []string `json:"agents"`
	Cmds   []string `json:"commands"`
	Hooks  []string `json:"hooks"` // what they run
	hashes []string
}

func (k *catalogue) brings(ctx context.Context, dir string, all bool) ([]brought, error) {
	s, err := k.Load(ctx, dir)
	if err != nil {
		return nil, err
	}
	cmds, err := k.Commands(ctx, dir)
	if err != nil {
		return nil, err
	}
	hooks, err := k.hooks.Load(ctx, dir)
	if err != nil {
		return nil, err
	}
	var out []brought
	at := func(root string) *brought {
		i := slices.IndexFunc(out, func(b brought) bool { return b.Root == root })
		if i < 0 {
			out = append(out, brought{Root: root, Agents: []string{}, Cmds: []string{}, Hooks: []string{}})
			i = len(out) - 1
		}
		return &out[i]
	}
	for _, d := range s.Definitions {
		if d.Scope == agents.ScopeProject && d.Root != "" && (all || d.State == agents.Untrusted) {
			b := at(d.Root)
			b.Agents, b.hashes = append(b.Agents, d.Name), append(b.hashes, d.Hash)
		}
	}
	for _, c := range cmds {
		if c.Scope == agents.ScopeProject && c.Root != "" && (all || c.State == agents.Untrusted) {
			b := at(c.Root)
			b.Cmds, b.hashes = append(b.Cmds, c.Name), append(b.hashes, c.Hash)
		}
	}
	for _, h := range hooks {
		if h.Root != "" && (all && h.State != hook.Ignored || h.State == hook.Untrusted) {
			b := at(h.Root)
			b.Hooks, b.hashes = append(b.Hooks, hookCommand(h)), append(b.hashes, h.Hash)
		}
	}
	return out, nil
}

// trust records the trust in what dir's folders bring, or takes it back.
func (k *catalogue) trust(ctx context.Context, dir string, on bool) ([]brought, error) {
	all, err := k.brings(ctx, dir, true)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		keys := []string{b.Root}
		for _, h := range b.hashes {
			if k.byContent {
				keys = append(keys, b.Root+"#"+h)
			}
		}
		for _, key := range keys {
			if err := k.client.Trust(ctx, key, on); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// slash is how a text begins that may call a command.
var slash = regexp.MustCompile(`^/([^\s/][^\s]*)(?:\s+([\s\S]*))?$`)

// expand puts a command's prompt in the place of "/name args". Text that only
// looks so (a path) stays; a name that nobody has is refused.
func (k *catalogue) expand(ctx context.Context, dir, text string) (string, agents.Command, error) {
	m := slash.FindStringSubmatch(strings.TrimRight(text, " \t\r\n"))
	if m == nil {
		return text, agents.Command{}, nil
	}
	all, err := k.Commands(ctx, dir)
	if err != nil {
		return "", agents.Command{}, err
	}
	var names []string
	for _, c := range all {
		if c.Name == m[1] {
			if c.State == agents.Available {
				return c.Expand(m[2]), c, nil
			}
			return "", c, &core.Error{Code: core.CodeSubagentDisabled, Message: fmt.Sprintf("the command /%s cannot be used: %s", core.CleanLine(c.Name), core.CleanLine(c.Reason)), Hint: "look at " + c.Path + ", then: drover trust"}
		}
		if c.State == agents.Available {
			names = append(names, "/"+core.CleanLine(c.Name))
		}
	}
	if strings.Contains(m[1], "/") {
		return text, agents.Command{}, nil
	}
	if _, err := os.Lstat("/" + m[1]); err == nil {
		return text, agents.Command{}, nil
	}
	hint := "this folder and you have no commands; begin with a blank to send the text as it is"
	if len(names) > 0 {
		hint = "there are: " + core.Short(strings.Join(names, " "), 300)
	}
	return "", agents.Command{}, &core.Error{Code: core.CodeInvalidInput, Message: "no command /" + core.CleanLine(m[1]), Hint: hint}
}

// maySpawn is the spawn policy of a definition, and the guard against an agent that starts itself.
func maySpawn(getenv func(string) string) func(core.Agent, string) error {
	blocked := getenv(agents.BlockedEnv)
	return func(parent core.Agent, name string) error {
		if err := agents.Recursion(blocked, name); err != nil {
			return err
		}
		return agents.MaySpawn(parent, name)
	}
}

// expanded is a message with a workflow command in it made into its prompt.
func (a *app) expanded(ctx context.Context, c client, dir, text string) (string, error) {
	real, ok := c.(*core.Client)
	if !ok || !strings.HasPrefix(text, "/") {
		return text, nil
	}
	settings, err := config.Load(a.getenv)
	if err != nil {
		return "", err
	}
	k, err := openCatalogue(a.getenv, settings)
	if err != nil {
		return "", err
	}
	k.client = real
	text, _, err = k.expand(ctx, dir, text)
	return text, err
}
