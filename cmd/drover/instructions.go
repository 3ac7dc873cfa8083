package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drover/core"
)

// mostInstructions is how many bytes of one file of instructions an agent reads.
const mostInstructions = 32 << 10

// instructions are what a person (in the directory of the settings) and the
// project (from the root of its repository down to dir, the nearest last) want
// of the main agent, in files of these names. They are cleaned, cut where they
// are too long, and left out where another file says the very same.
func instructions(config, dir string, names []string) (string, error) {
	var b strings.Builder
	said := map[string]bool{}
	var files []string
	for _, d := range append([]string{config}, upToRoot(dir)...) {
		for _, n := range names {
			files = append(files, filepath.Join(d, filepath.FromSlash(n)))
		}
	}
	for _, file := range files {
		text, err := readInstructions(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", &core.Error{Code: core.CodeInvalidInput, Message: "the instructions cannot be read: " + core.CleanLine(err.Error()), Hint: "make " + core.CleanLine(file) + " a readable file of text"}
		}
		if text = strings.TrimSpace(core.Clean(text)); text != "" && !said[text] {
			said[text] = true
			fmt.Fprintf(&b, "\n\n## Instructions from %s\n\n%s", core.CleanLine(file), text)
		}
	}
	return b.String(), nil
}

func readInstructions(file string) (text string, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would never end
		return "", fmt.Errorf("%s is no regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(f, mostInstructions+1))
	if len(raw) > mostInstructions {
		return strings.ToValidUTF8(string(raw[:mostInstructions]), "") + fmt.Sprintf("\n\n[cut: only the first %d KiB of this file are read]", mostInstructions>>10), err
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), err
}

// upToRoot is dir and what is above it up to the repository's root, that one
// first; dir alone where it is in no repository.
func upToRoot(dir string) []string {
	var dirs []string
	for d := dir; ; d = filepath.Dir(d) {
		dirs = append(dirs, d)
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			slices.Reverse(dirs)
			return dirs
		}
		if d == filepath.Dir(d) {
			return []string{dir}
		}
	}
}
