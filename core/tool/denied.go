package tool

import (
	"encoding/json"
	"path"
	"strings"

	"drover/core"
)

// Denied reports whether the author of an agent denies it this call. Of a
// command every part counts that could run by itself; it is a text that is
// compared, so a denial guards against mistakes, and a read-only agent or the
// kernel's wall against the rest.
func Denied(all []core.Permission, t core.Tool, args json.RawMessage, dir string) bool {
	if len(all) == 0 {
		return false
	}
	name := t.Spec().Name
	subjects := []string{Exact(t, args, dir), t.Subject(args)}
	if isCommand(name) {
		subjects = append(subjects, parts(subjects[0])...)
	} else {
		subjects = append(subjects, path.Clean(subjects[1]))
	}
	for _, s := range subjects {
		if core.Decide(all, name, s) == "deny" {
			return true
		}
	}
	return false
}

// parts are the commands of a command line, each without what is set before it.
func parts(line string) (out []string) {
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(";&|\n`(){}", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "$" || words[0] == "sudo" || words[0] == "exec" || words[0] == "command") {
			words = words[1:]
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}
