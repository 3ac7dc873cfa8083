package offline

import (
	"os"
	"strings"
	"testing"

	"drover/core/tool"
)

// What the real tools print is understood: paths with odd names, sizes,
// numbered lines, hits, and the notes about what was left out.
func TestWithRealTools(t *testing.T) {
	files := map[string]string{}
	for k, v := range shop {
		files[k] = v
	}
	files["store/odd\nname.go"] = "package store // coupon\n"
	files["store/a:1: b.go"] = "package store\n"
	files["cart/empty.go"] = ""
	w := newWorld(t, files)
	w.real = tool.NewBox(tool.Builtin()...).Get
	w.send("user", "Add coupon support to the cart")
	report := w.deliver()
	for _, want := range []string{
		"12 files", "| Go | 7 |", "### cart", "### store", "- largest: `store/store.go` 70 B, `store/schema.sql` 34 B, `\"store/odd\\nname.go\"`", "`cart/total.go:3` `// Total adds", "`cmd/shop/main.go:4`",
		"- 1 test file: `cart/total_test.go`", "entry point `cmd/shop/main.go:3`", "`README.md`, 3 lines: `Shop`", "was cut short; what",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(report)
	}
	for say, want := range map[string]string{
		"read cart/total.go 3-3": "takes the coupon off",
		"list store":             "schema.sql  34 B",
		"find **/*.sql":          "store/schema.sql",
		"grep coupons *":         "did not work",
		"where is Store opened":  "best match is `store/store.go:",
	} {
		if text := w.send("user", say); !strings.Contains(text, want) {
			t.Errorf("%q lacks %q:\n%s", say, want, text)
		}
	}
}

// More files than one list holds are still counted.
func TestManyFiles(t *testing.T) {
	files := map[string]string{"README.md": "# Many\n"}
	for i := range 1300 {
		dir := []string{"api", "web", "core", "web/pages"}[i%4]
		files[dir+"/f"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26)+".go"] = "package p // TODO later\n"
	}
	w := newWorld(t, files)
	w.real = tool.NewBox(tool.Builtin()...).Get
	w.send("user", "add paging")
	report := w.deliver()
	if want := "1301 files"; !strings.Contains(report, want) {
		t.Errorf("the report lacks %q:\n%s", want, report)
	}
	if !strings.Contains(report, "search for TODO was cut short") {
		t.Errorf("the report does not say what was cut short:\n%s", report)
	}
}

// SURVEY_DIR names a directory to look at by hand.
func TestSurveyOf(t *testing.T) {
	dir := os.Getenv("SURVEY_DIR")
	if dir == "" {
		t.Skip("SURVEY_DIR is not set")
	}
	w := newWorld(t, nil)
	w.main().info.Dir, w.dir = dir, dir
	w.real = tool.NewBox(tool.Builtin()...).Get
	w.send("user", "find where timeouts are handled")
	t.Log(w.deliver())
}
