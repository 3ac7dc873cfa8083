package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drover/core"
	"drover/core/sandbox"
)

func TestShellOfReadOnlyAgent(t *testing.T) {
	if r, err := sandbox.Means(t.Context()); err != nil || r.Best == "" || r.Best == sandbox.Landlock {
		t.Skipf("NO SECOND WALL on this kernel: %+v %v", r, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	tool, _ := NewBox(Builtin()...).Get("shell")
	env := core.ToolEnv{TaskInfo: core.TaskInfo{Dir: dir, Task: "t1", Agent: "explore", Kind: core.KindAgent, ReadOnly: true}, Scratch: t.TempDir()}
	res, err := tool.Run(context.Background(), env, json.RawMessage(`{"command":"cat kept; echo new > kept; touch made; echo scratch > $TMPDIR/x && cat $TMPDIR/x"}`))
	if err != nil || !strings.Contains(res.Text, "old") || !strings.Contains(res.Text, "Read-only") || !strings.Contains(res.Text, "scratch") {
		t.Errorf("%+v %v", res, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "kept")); err != nil || string(text) != "old" {
		t.Errorf("it was written: %q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("it was made")
	}
}
