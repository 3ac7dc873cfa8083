package main

import (
	"path/filepath"
	"slices"

	"drover/core"
	"drover/core/tool"
)

// builtin are the tools that need no registry. One set serves a session: it
// keeps two edits of a file apart.
func (e *engine) builtin() []core.Tool {
	net := tool.NetOptions{SearchURL: e.settings.SearchURL, Getenv: e.getenv, Private: e.settings.PrivateHosts}
	return slices.Concat(tool.Builtin(), tool.Network(net), tool.Memory(filepath.Join(e.dir, "memory")))
}

// toolNames are those of every tool there is.
func toolNames() []string {
	return tool.NewBox(slices.Concat((&engine{}).builtin(), tool.Delegation(nil, nil, tool.Policy{}), tool.Record(nil))...).Names()
}
