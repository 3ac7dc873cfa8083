package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drover/core"
)

// Snapshot is the catalogue at one moment, seen from one directory.
type Snapshot struct {
	Definitions []Definition // in the order that counts, whatever their state
}

// resolve gives each definition its state: first come, first named. What is
// untrusted or faulty takes no name from another; what its own file disables does.
func (c *Catalog) resolve(defs []Definition) Snapshot {
	taken := make(map[string]int, len(defs))
	for i := range defs {
		d := &defs[i]
		if d.State == Faulty {
			continue
		}
		c.override(d)
		switch {
		case d.Scope == ScopeProject && !c.trusted(d):
			d.State = Untrusted
			d.Reason = "it is of the folder " + core.CleanLine(d.Root) + ", which is not trusted"
			continue
		case slices.Contains(c.o.Disabled, d.Name) || c.o.Overrides[d.Name].Disabled:
			d.State = Disabled
			d.Reason = fmt.Sprintf("%q is disabled in the settings", d.Name)
			continue
		}
		if w, ok := taken[d.Name]; ok {
			d.State, d.ShadowedBy = Shadowed, defs[w].Path
			d.Reason = "shadowed by " + core.CleanLine(defs[w].Path)
			continue
		}
		taken[d.Name] = i
		switch {
		case d.off != "":
			d.State, d.Reason = Disabled, d.off
		case d.Remote != nil && !c.o.Remote:
			d.State, d.Reason = Disabled, "it runs on another server (A2A), which is not set up"
		}
	}
	return Snapshot{Definitions: defs}
}

func (c *Catalog) trusted(d *Definition) bool {
	return c.o.Trusted != nil && c.o.Trusted(d.Root, d.Hash)
}

// override applies the settings' changes to a copy of the agent.
func (c *Catalog) override(d *Definition) {
	o, ok := c.o.Overrides[d.Name]
	if !ok {
		return
	}
	if o.Model != "" {
		d.Declared.Models = []string{o.Model}
		d.Model = o.Model
		if t, ok := Tier(o.Model); ok {
			d.Model = t
		}
	}
	if o.Temperature != nil {
		d.Limits.Temperature = o.Temperature
	}
	if o.MaxTurns > 0 {
		d.Limits.MaxTurns = o.MaxTurns
	}
	if o.Timeout > 0 {
		d.Limits.Timeout = o.Timeout
	}
	if o.Tools != nil {
		d.Tools = []string{}
		for _, t := range o.Tools {
			if c.o.Canonical != nil {
				t, _ = c.o.Canonical(t)
			}
			d.Tools = append(d.Tools, t)
		}
	}
	if len(o.MCPServers) == 0 {
		return
	}
	servers := map[string]json.RawMessage{}
	if d.MCPServers == nil || json.Unmarshal(d.MCPServers, &servers) == nil {
		maps.Copy(servers, o.MCPServers)
		if raw, err := json.Marshal(servers); err == nil {
			d.MCPServers = raw
		}
	}
}

// Find returns the available definition of that name, else of that alias. The
// error says why there is none; see Catalog.Find.
func (s Snapshot) Find(name string) (Definition, error) {
	var why *Definition
	for i := range s.Definitions {
		d := &s.Definitions[i]
		if d.Name != name {
			continue
		}
		if d.State == Available {
			return *d, nil
		}
		if why == nil || why.State == Shadowed {
			why = d
		}
	}
	if why != nil {
		return *why, why.unavailable()
	}
	var names []string
	for _, d := range s.Definitions {
		if d.State != Available {
			continue
		}
		if d.hasAlias(name) {
			return d, nil
		}
		if d.Name != Main && !d.NotOffered && !d.LeadOnly {
			names = append(names, d.Name)
		}
	}
	return Definition{}, &core.Error{
		Code:    core.CodeUnknownAgent,
		Message: fmt.Sprintf("unknown agent %q", core.Short(core.CleanLine(name), 60)),
		Hint:    "there are: " + some(names),
	}
}

// some joins names, and counts those that would be too many to read.
func some(names []string) string {
	slices.Sort(names)
	const most = 100
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func (d *Definition) unavailable() error {
	e := &core.Error{Code: core.CodeSubagentDisabled, Message: fmt.Sprintf("the agent %q cannot be used: %s", core.Short(d.Name, 60), d.Reason)}
	switch d.State {
	case Untrusted:
		e.Hint = "look at " + core.CleanLine(d.Path) + ", then: drover trust " + core.CleanLine(d.Root)
	case Faulty:
		e.Message += " (" + core.CleanLine(d.Path) + ")"
		e.Hint = "drover agents check " + core.CleanLine(d.Path)
	}
	return e
}

// Names are those of the available agents that a model may be offered, sorted.
func (s Snapshot) Names() []string {
	var names []string
	for _, d := range s.Offered() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return names
}

// Offered are the agents that a model may choose: those available that neither
// lead sessions only nor are kept from models by their author.
func (s Snapshot) Offered() []Definition {
	var all []Definition
	for _, d := range s.Definitions {
		if d.State == Available && !d.NotOffered && !d.LeadOnly && d.Name != Main {
			all = append(all, d)
		}
	}
	return all
}

// Rev tells one content of the catalogue from another: where it is equal,
// nothing that a screen shows has changed.
func (s Snapshot) Rev() string {
	h := sha256.New()
	for _, d := range s.Definitions {
		fmt.Fprintln(h, d.Path, d.Name, d.State, d.Hash, d.Reason)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Changes says how a catalogue differs from an older one: the names that are
// new, those whose definition is another, and those that are gone, sorted.
func (s Snapshot) Changes(old Snapshot) (added, updated, removed []string) {
	was, is := old.hashes(), s.hashes()
	for name, hash := range is {
		if before, ok := was[name]; !ok {
			added = append(added, name)
		} else if before != hash {
			updated = append(updated, name)
		}
	}
	for name := range was {
		if _, ok := is[name]; !ok {
			removed = append(removed, name)
		}
	}
	slices.Sort(added)
	slices.Sort(updated)
	slices.Sort(removed)
	return added, updated, removed
}

func (s Snapshot) hashes() map[string]string {
	m := map[string]string{}
	for _, d := range s.Definitions {
		if d.State == Available {
			m[d.Name] = d.Path + " " + d.Hash
		}
	}
	return m
}
