package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// thousand makes a tree of 1,000 files of 8 kB.
func thousand(b *testing.B) string {
	files := map[string]string{}
	text := strings.Repeat("func compute(order Order) (Total, error) { return order.Sum(), nil }\n", 120)
	for i := range 1000 {
		files[fmt.Sprintf("d%d/f%d.go", i%40, i)] = text + fmt.Sprintf("// Needle%d\n", i)
	}
	return home(b, files)
}

func BenchmarkGrep(b *testing.B) {
	dir := thousand(b)
	tool, _ := NewBox(Builtin()...).Get("grep_files")
	for name, args := range map[string]string{
		"literal": `{"pattern":"Needle77\\b"}`, "fold": `{"pattern":"needle77\\b","ignore_case":true}`, "every line": `{"pattern":"compute"}`, "no literal": `{"pattern":"[Nn]eedle\\d+"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if r, err := tool.Run(b.Context(), env(dir), json.RawMessage(args)); err != nil || r.Failed {
					b.Fatal(err, r.Text)
				}
			}
		})
	}
	b.Run("floor: read the files", func(b *testing.B) {
		for b.Loop() {
			names, err := walk(b.Context(), dir)
			if err != nil {
				b.Fatal(err)
			}
			for _, name := range names {
				if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
