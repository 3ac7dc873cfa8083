package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// KeymapFile is the name of the keymap beside the settings file.
const KeymapFile = "keys.toml"

// maxKeymap bounds what is read of a keymap, in bytes.
const maxKeymap = 1 << 20

// A KeyRow gives a command of the screen its keys, in the words of the file.
type KeyRow struct {
	Command string
	Keys    []string // none: the command has no key
	Line    int
}

// LoadKeymap reads keys.toml: COMMAND = "KEY" or COMMAND = ["KEY", …], in the
// order of the file. It returns the file's name, and no rows where there is
// none. Which commands and keys there are is for the screen to judge. The error
// is an *Error.
func LoadKeymap(getenv func(string) string) (file string, rows []KeyRow, err error) {
	dir, err := Dir(getenv)
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(dir, KeymapFile)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxKeymap) {
		return file, nil, &Error{File: file, Problem: "is no keymap", Hint: "a regular file of at most 1 MB"}
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return file, nil, &Error{File: file, Problem: "cannot be read: " + cause(err), Hint: "make it readable, or take it away"}
	}
	rows, err = parseKeymap(file, string(text))
	return file, rows, err
}

func parseKeymap(file, text string) ([]KeyRow, error) {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntaxError(file, err, `a line is: message = "m", or copy = ["y", "c"]`)
	}
	if inner, ok := values["keys"].(map[string]any); ok && len(values) == 1 { // under a heading [keys] it is the same
		values = inner
	}
	rows := make([]KeyRow, 0, len(values))
	for name, v := range values {
		r := KeyRow{Command: name, Line: lineOf(text, name)}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, k := range list {
			key, ok := k.(string)
			if !ok {
				return nil, &Error{File: file, Line: r.Line, Key: name, Problem: fmt.Sprintf("a key must be a text, is %s", kind(k)), Hint: name + ` = "x", or ` + name + ` = ["x", "Ctrl-X"]`}
			}
			r.Keys = append(r.Keys, key)
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b KeyRow) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Command, b.Command)
	})
	return rows, nil
}
