package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/ui/state"
)

// pictured is the golden screen that the README shows.
const pictured = "../../ui/testdata/screen/approval-120x40.txt"

// TestREADME holds the generated parts of the README against what they are
// generated from; with -update it writes them.
func TestREADME(t *testing.T) {
	path := filepath.Join(root, "README.md")
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(have)
	for name, text := range map[string]string{
		"picture": picture(t), "keys": state.KeysMarkdown(), "commands": commandsMarkdown(), "settings": settingsMarkdown(),
	} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		i, j := strings.Index(want, begin), strings.Index(want, end)
		if i < 0 || j < i {
			t.Fatalf("README.md has no %s … %s", strings.TrimSpace(begin), end)
		}
		want = want[:i+len(begin)] + "\n" + strings.TrimSpace(text) + "\n\n" + want[j:]
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(have) {
		t.Error("the generated parts of README.md are not true any more: make golden")
	}
}

// picture is a golden screen as text, runs of empty rows made one.
func picture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(pictured)
	if err != nil {
		t.Fatal(err)
	}
	empty := regexp.MustCompile(`^[ │]*$`)
	var rows []string
	for line := range strings.Lines(string(bytes.TrimRight(text, "\n"))) {
		line = strings.TrimRight(line, " \n")
		if len(rows) > 0 && empty.MatchString(line) && line == rows[len(rows)-1] {
			continue
		}
		rows = append(rows, line)
	}
	return "```\n" + strings.Join(rows, "\n") + "\n```"
}

func commandsMarkdown() string {
	var b strings.Builder
	b.WriteString("| command | does |\n| --- | --- |\n| `drover [PROMPT]` | The screen; with a prompt, a new session in this directory |\n")
	for _, c := range newRoot(&app{}).Commands() {
		if !c.Hidden && c.Name() != "help" {
			fmt.Fprintf(&b, "| `drover %s%s` | %s |\n", strings.ReplaceAll(c.Use, "|", "\\|"), flagsOf(c), c.Short)
		}
	}
	return b.String()
}

// flagsOf lists a command's own flags with their arguments.
func flagsOf(c *cobra.Command) string {
	var b strings.Builder
	for _, m := range regexp.MustCompile(`(?m)--(\S+)( [A-Za-z]+)?(  |$)`).FindAllStringSubmatch(c.NonInheritedFlags().FlagUsages(), -1) {
		if m[1] == "help" {
			continue
		}
		b.WriteString(" --" + m[1])
		if m[2] != "" {
			b.WriteString(strings.ToUpper(m[2]))
		}
	}
	return b.String()
}

func settingsMarkdown() string {
	var b strings.Builder
	b.WriteString("| setting | default | variable | what |\n| --- | --- | --- | --- |\n")
	for _, k := range config.Keys {
		env := ""
		if k.Env != "" {
			env = "`" + k.Env + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", k.Name, k.Default, env, k.Doc)
	}
	return b.String()
}

// TestREADMEKnowsEveryField: a field of the JSON is documented, or it is not there.
func TestREADMEKnowsEveryField(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{core.TaskView{}, detailJSON{}, requestJSON{}, approvalJSON{}, turnJSON{}, entryJSON{}, eventJSON{}, reviewJSON{}, core.FileChange{}, resultLine{}, finding{}, hookJSON{}, core.Receipt{}, core.Stopped{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" && name != "type" && !bytes.Contains(text, []byte("`"+name+"`")) {
				t.Errorf("README.md does not know the field %q of %s", name, typ.Name())
			}
		}
	}
}
