package tool

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"drover/core"
	"drover/core/mask"
)

// TestSpilledSecretsAreMasked: what is too long for the model goes to a file, and no secret with it.
func TestSpilledSecretsAreMasked(t *testing.T) {
	const secret = "tok-3f9a8c7d6e5b4a"
	m := mask.New([]string{"SERVICE_TOKEN=" + secret}, "")
	env := core.ToolEnv{CallID: "c1", Scratch: t.TempDir(), Masked: func(w io.Writer) io.WriteCloser { return m.NewWriter(w) }}
	env.Dir = t.TempDir()
	b := NewBox(Builtin()...)
	sh, _ := b.Get("shell")
	args, err := json.Marshal(map[string]any{"command": "for i in $(seq 3000); do echo line $i " + secret + "; done"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := sh.Run(t.Context(), env, args)
	if err != nil || res.Full == "" {
		t.Fatalf("%+v, %v", core.Short(res.Text, 200), err)
	}
	whole, err := os.ReadFile(res.Full)
	if err != nil || strings.Contains(string(whole), secret) || !strings.Contains(string(whole), "line 3000 ") {
		t.Errorf("%d bytes are kept, with the secret: %v, %v", len(whole), strings.Contains(string(whole), secret), err)
	}
}
