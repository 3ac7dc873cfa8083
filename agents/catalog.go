package agents

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"drover/core"
)

//go:embed builtin/*.md
var builtin embed.FS

// Main is the name of the agent that leads a session unless another is asked for.
const Main = "main"

// Catalog is the core.Catalog of the agents there are.
type Catalog struct{ agents []core.Agent }

// Bundled loads the embedded agents.
func Bundled() (*Catalog, error) {
	files, err := builtin.ReadDir("builtin")
	if err != nil {
		return nil, fmt.Errorf("reading the bundled agents: %w", err)
	}
	c := &Catalog{}
	for _, f := range files {
		name := path.Join("builtin", f.Name())
		text, err := builtin.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the bundled agent %s: %w", name, err)
		}
		a, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("the bundled agent %s: %w", name, err)
		}
		a.Source = "bundled"
		c.agents = append(c.agents, a)
	}
	return c, nil
}

// head is the front matter of a bundled agent.
type head struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Tools       []string `yaml:"tools"`
	Model       string   `yaml:"model"`
	ReadOnly    bool     `yaml:"read_only"`
	Background  bool     `yaml:"background"`
	Aliases     []string `yaml:"aliases"`
}

func parse(text []byte) (core.Agent, error) {
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	front, body, found := bytes.Cut(rest, []byte("\n---\n"))
	if !ok || !found {
		return core.Agent{}, fmt.Errorf("no front matter between lines of ---")
	}
	var h head
	if err := yaml.Load(front, &h, yaml.WithKnownFields()); err != nil {
		return core.Agent{}, fmt.Errorf("front matter: %w", err)
	}
	if h.Name == "" || h.Description == "" || len(bytes.TrimSpace(body)) == 0 {
		return core.Agent{}, fmt.Errorf("name, description and a prompt are needed")
	}
	return core.Agent{
		Name: h.Name, Description: h.Description, Prompt: strings.TrimSpace(string(body)), Tools: h.Tools, Model: h.Model,
		ReadOnly: h.ReadOnly, Background: h.Background, Aliases: h.Aliases,
	}, nil
}

// Find returns the agent of that exact name, else of that alias.
func (c *Catalog) Find(_ context.Context, _, name string) (core.Agent, error) {
	for _, a := range c.agents {
		if a.Name == name {
			return a, nil
		}
	}
	var names []string
	for _, a := range c.agents {
		if slices.Contains(a.Aliases, name) {
			return a, nil
		}
		if a.Name != Main {
			names = append(names, a.Name)
		}
	}
	return core.Agent{}, &core.Error{
		Code:    core.CodeUnknownAgent,
		Message: fmt.Sprintf("unknown agent %q", core.Short(core.CleanLine(name), 60)),
		Hint:    "there are: " + strings.Join(names, ", "),
	}
}

// List returns all agents, by name.
func (c *Catalog) List(context.Context, string) ([]core.Agent, error) {
	return slices.Clone(c.agents), nil
}
