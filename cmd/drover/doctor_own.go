package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drover/core"
	"drover/core/config"
	"drover/themes"
	"drover/ui/state"
)

// checkOwn looks at the files that a person has beside the settings: keys, themes and prices.
func (a *app) checkOwn(s config.Settings, read bool) []finding {
	all := a.checkKeys()
	all = append(all, a.checkThemes(s, read)...)
	return append(all, a.checkPrices())
}

// checkKeys finds every fault of the keymap, not the first alone.
func (a *app) checkKeys() []finding {
	const check = "keys"
	file, rows, err := config.LoadKeymap(a.getenv)
	switch {
	case err != nil:
		_, message, hint := a.describe(err)
		return []finding{{check, fail, message, hint}}
	case len(rows) == 0:
		return []finding{{check, fine, "the usual keys", ""}}
	}
	var all []finding
	left := each(rows, func(r config.KeyRow) state.Rebind {
		return state.Rebind{Command: r.Command, Keys: r.Keys, Where: fmt.Sprintf("%s:%d", file, r.Line)}
	})
	for {
		_, err := state.Keymap(left)
		if err == nil {
			break
		}
		all = append(all, finding{check, fail, err.Error(), core.HintOf(err)})
		n := len(left)
		for i, r := range left { // without it the next fault can be seen
			if strings.HasPrefix(err.Error(), r.Where+": ") {
				left = append(left[:i:i], left[i+1:]...)
				break
			}
		}
		if len(left) == n {
			break
		}
	}
	if len(all) == 0 {
		all = append(all, finding{check, fine, fmt.Sprintf("%s: %d keys of your own", file, len(rows)), ""})
	}
	return all
}

// checkThemes looks at each theme file, and whether the theme that is set is there.
func (a *app) checkThemes(s config.Settings, read bool) []finding {
	const check = "themes"
	dir, err := themeDir(a.getenv)
	if err != nil {
		_, message, hint := a.describe(err)
		return []finding{{check, fail, message, hint}}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []finding{{check, fail, err.Error(), "make it readable, or take it away"}}
	}
	var all []finding
	good := 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !themes.IsFile(e.Name()) {
			all = append(all, finding{check, warn, path + " is no theme: its name has another ending", "a theme is NAME.toml; a base16 scheme may be NAME.yaml"})
			continue
		}
		f := checkTheme(check, path)
		if f.State == fine && f.Text == "" {
			good++
			continue
		}
		all = append(all, f)
	}
	if name := s.Theme; read && name != "" && name != "auto" {
		if _, err := themes.Load(name, dir); err != nil && !inFile(err, dir) {
			all = append(all, themeFault(check, err))
		}
	}
	switch {
	case good > 0:
		all = append(all, finding{check, fine, fmt.Sprintf("%d of your own in %s", good, dir), ""})
	case len(all) == 0:
		all = append(all, finding{check, fine, "those that are built in", ""})
	}
	return all
}

// checkTheme is what is wrong with a theme file; no text where nothing is.
func checkTheme(check, path string) finding {
	c, err := themes.Check(path)
	if err != nil {
		return themeFault(check, err)
	}
	if n := len(c.Missing); n > 0 {
		some := c.Missing[:min(6, n)]
		text := fmt.Sprintf("%s gives no colours to %s", path, strings.Join(some, ", "))
		if n > len(some) {
			text += fmt.Sprintf(" and %d more", n-len(some))
		}
		return finding{check, warn, text + "; they have those of " + c.From, "give them a line under [styles], such as: " + some[0] + ` = { fg = "#9ecbff" }`}
	}
	return finding{check, fine, "", ""}
}

// inFile reports whether the fault is of a file there, which has been told already.
func inFile(err error, dir string) bool {
	f, ok := errors.AsType[*themes.Fault](err)
	return ok && strings.HasPrefix(f.File, dir)
}

func themeFault(check string, err error) finding {
	f, ok := errors.AsType[*themes.Fault](err)
	if !ok {
		return finding{check, fail, err.Error(), "make it readable, or take it away"}
	}
	text := *f
	text.Hint = "" // it is the remedy
	return finding{check, fail, text.Error(), f.Hint}
}

func (a *app) checkPrices() finding {
	const check = "prices"
	prices, err := config.LoadPrices(a.getenv)
	switch {
	case err != nil:
		_, message, hint := a.describe(err)
		return finding{check, fail, message, hint}
	case len(prices) == 0:
		return finding{check, fine, "those that are built in", ""}
	}
	return finding{check, fine, fmt.Sprintf("%d of your own", len(prices)), ""}
}
