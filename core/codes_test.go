package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEveryCodeIsDescribed holds errors.go and the table together: the set is closed.
func TestEveryCodeIsDescribed(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		v, ok := node.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		lit, ok := v.Values[0].(*ast.BasicLit)
		if id, typed := v.Type.(*ast.Ident); !ok || !typed || id.Name != "Code" {
			return true
		}
		code, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if cause, remedy, _ := Describe(Code(code)); cause == "" || remedy == "" {
			t.Errorf("%s (%s) has no cause or no remedy in codes.go", v.Names[0].Name, code)
		}
		return true
	})
	if n < 20 {
		t.Errorf("only %d codes were found in errors.go", n)
	}
	seen := map[Code]bool{}
	for _, d := range Codes() {
		if seen[d.Code] {
			t.Errorf("%s is described twice", d.Code)
		}
		seen[d.Code] = true
	}
	if cause, remedy, again := Describe("nonsense"); cause != "" || remedy != "" || again {
		t.Error("a code that there is not is described")
	}
}
