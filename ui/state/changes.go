package state

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"drover/core"
)

// Edit is one tool call that changed a file.
type Edit struct {
	Task string
	Seq  int64 // of its result, in the task's transcript
	At   time.Time
	Verb string // edited, wrote, deleted, moved from, moved to
	Path string // as the agent wrote it, made plain
	Diff []DiffLine
	Note string // where there is no diff: from where it was moved, how often it was replaced
}

// changing are the tools whose calls change files.
var changing = []string{"edit_file", "write_file", "delete_file", "move_file"}

// Changes finds the calls that changed files among a task's entries, oldest
// first. Calls that failed changed nothing. It keeps what has begun and has no
// result yet in open, for the entries that follow.
func Changes(entries []core.Entry, open map[string]core.ToolCall) []Edit {
	var out []Edit
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case core.EntryAnswer:
			for _, c := range e.Calls {
				if slices.Contains(changing, c.Name) {
					open[callKey(e, c.ID)] = c
				}
			}
		case core.EntryResult:
			key := callKey(e, e.CallID)
			c, ok := open[key]
			delete(open, key)
			if ok && !e.Failed {
				for _, x := range EditOf(c) {
					x.Task, x.Seq, x.At = e.Task, e.Seq, e.At
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// callKey finds a call again; some providers count calls anew in each step.
func callKey(e *core.Entry, id string) string {
	return strings.Join([]string{e.Task, strconv.Itoa(e.Turn), strconv.Itoa(e.Step), id}, "\x00")
}

// maxEditArgs bounds what is parsed of a call's arguments.
const maxEditArgs = 8 << 20

// EditOf is what a call would change; nothing where it changes no file or its arguments are none.
func EditOf(c core.ToolCall) []Edit {
	var a struct {
		Path, Content string
		FilePath      string `json:"file_path"`
		Old           string `json:"old_string"`
		New           string `json:"new_string"`
		All           bool   `json:"replace_all"`
		Source        string
		Destination   string
	}
	if !slices.Contains(changing, c.Name) || len(c.Args) > maxEditArgs || json.Unmarshal(c.Args, &a) != nil {
		return nil
	}
	if a.Path == "" {
		a.Path = a.FilePath
	}
	if a.Source == "" {
		a.Source = a.Path
	}
	switch c.Name {
	case "edit_file":
		e := Edit{Verb: "edited", Path: plainPath(a.Path), Diff: Diff(a.Old, a.New)}
		if a.All {
			e.Note = "wherever it stood"
		}
		return []Edit{e}
	case "write_file":
		return []Edit{{Verb: "wrote", Path: plainPath(a.Path), Diff: Diff("", a.Content)}}
	case "delete_file":
		return []Edit{{Verb: "deleted", Path: plainPath(a.Path)}}
	}
	from, to := plainPath(a.Source), plainPath(a.Destination)
	return []Edit{{Verb: "moved away", Path: from, Note: "to " + to}, {Verb: "moved here", Path: to, Note: "from " + from}}
}

func plainPath(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

// FileChange is one file with all that was done to it, oldest first.
type FileChange struct {
	Path           string
	Edits          []Edit
	Added, Removed int
}

// Tasks are those that changed the file, the first one first.
func (f *FileChange) Tasks() []string {
	var l []string
	for i := range f.Edits {
		if !slices.Contains(l, f.Edits[i].Task) {
			l = append(l, f.Edits[i].Task)
		}
	}
	return l
}

// ByFile groups edits by file, in the order of the last change, newest first.
func ByFile(edits []Edit) []FileChange {
	at := map[string]int{}
	var out []FileChange
	for _, e := range edits {
		i, ok := at[e.Path]
		if !ok {
			i = len(out)
			at[e.Path] = i
			out = append(out, FileChange{Path: e.Path})
		}
		f := &out[i]
		f.Edits = append(f.Edits, e)
		a, r := DiffCount(e.Diff)
		f.Added, f.Removed = f.Added+a, f.Removed+r
	}
	slices.SortStableFunc(out, func(a, b FileChange) int {
		return b.Edits[len(b.Edits)-1].At.Compare(a.Edits[len(a.Edits)-1].At)
	})
	return out
}
