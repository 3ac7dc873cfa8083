package tool

import (
	"slices"

	"drover/core"
)

// Builtin makes the tools that need nothing but files and processes.
func Builtin() []core.Tool {
	locks := newLocks() // of this set: a file is edited by one call at a time
	return []core.Tool{
		readFile{define("read_file", core.Reads)},
		listFiles{define("list_files", core.Reads)},
		globFiles{define("glob_files", core.Reads)},
		grepFiles{define("grep_files", core.Reads)},
		fileInfo{define("get_file_info", core.Reads)},
		writeFile{define("write_file", core.Writes), locks},
		editFile{define("edit_file", core.Writes), locks},
		deleteFile{define("delete_file", core.Writes), locks},
		moveFile{define("move_file", core.Writes), locks},
		shell{define("shell", core.Runs)},
		currentTime{define("current_time", core.Reads)},
		sleep{define("sleep", core.Reads)},
		getEnv{define("get_env", core.Reads)},
		setEnv{define("set_env", core.Runs), locks},
		jsonParse{define("json_parse", core.Reads)},
		jsonStringify{define("json_stringify", core.Reads)},
		base64Encode{define("base64_encode", core.Reads)},
		base64Decode{define("base64_decode", core.Reads)},
	}
}

// Box is a set of tools in a fixed order. It does not change once made and may
// be used by many goroutines.
type Box struct {
	names []string // hidden ones aside
	order []string // all
	tools map[string]core.Tool
	specs map[string]core.ToolSpec
}

// NewBox makes a Box; of two tools with one name the later counts.
func NewBox(tools ...core.Tool) *Box {
	b := &Box{tools: make(map[string]core.Tool, len(tools)), specs: make(map[string]core.ToolSpec, len(tools))}
	for _, t := range tools {
		spec := t.Spec()
		if _, ok := b.tools[spec.Name]; !ok {
			b.order = append(b.order, spec.Name)
			if !spec.Hidden {
				b.names = append(b.names, spec.Name)
			}
		}
		b.tools[spec.Name], b.specs[spec.Name] = t, spec
	}
	return b
}

// Get finds a tool by its name, or by another vocabulary's name for it.
func (b *Box) Get(name string) (core.Tool, bool) {
	if t, ok := b.tools[name]; ok {
		return t, true
	}
	own, _ := Canonical(name)
	t, ok := b.tools[own]
	return t, ok
}

// Names of all tools but the hidden ones, in the box's order.
func (b *Box) Names() []string { return slices.Clone(b.names) }

// Specs of the named tools in the box's order, each once; nil means those of Names. Names
// may be those of another vocabulary; unknown ones are left out.
func (b *Box) Specs(names []string) []core.ToolSpec {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		own, _ := Canonical(name)
		wanted[name], wanted[own] = true, true
	}
	var list []core.ToolSpec
	for _, name := range b.order {
		if names == nil && !b.specs[name].Hidden || wanted[name] {
			list = append(list, b.specs[name])
		}
	}
	return list
}
