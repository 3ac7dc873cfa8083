package store

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write schema.sql from the migrations")

// A registry of any version becomes what a new one is, and schema.sql is what
// the migrations come to.
func TestMigrations(t *testing.T) {
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for from := 1; from <= len(scripts); from++ { // an old registry, then this drover
		c, path := blank(t)
		for _, script := range scripts[:from] {
			exec(t, c, script)
		}
		exec(t, c, "PRAGMA application_id=1685221238; PRAGMA user_version="+strconv.Itoa(from))
		if err := prepare(t.Context(), c, path, scripts); err != nil {
			t.Fatal(err)
		}
		got := schemaOf(t, c)
		if want == "" {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("from version %d another schema than from version 1:\n%s", from, d)
		}
	}
	if *update {
		text := "-- What all the migrations come to. Written by go test ./store -update; a change belongs in a migration.\n" + want
		if err := os.WriteFile("schema.sql", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		whole = text
	}
	c, path := blank(t)
	if err := prepare(t.Context(), c, path, scripts); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, schemaOf(t, c)); d != "" {
		t.Errorf("schema.sql is not what the migrations come to (go test ./store -update writes it):\n%s", d)
	}
	var version, rows int
	if err := c.QueryRowContext(t.Context(), "SELECT user_version, (SELECT count(*) FROM usage) FROM pragma_user_version").Scan(&version, &rows); err != nil || version != len(scripts) || rows != 0 {
		t.Errorf("a new registry has version %d and %d rows of usage (%v), not %d and none", version, rows, err, len(scripts))
	}
}

func blank(t *testing.T) (*sql.Conn, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), fileName)
	db, err := openDB(path, "_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, path
}

func exec(t *testing.T, c *sql.Conn, script string) {
	t.Helper()
	if _, err := c.ExecContext(context.Background(), script); err != nil {
		t.Fatalf("%v\n%s", err, script)
	}
}

// schemaOf is all that makes tables and indexes, in the order of making.
func schemaOf(t *testing.T, c *sql.Conn) string {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		b.WriteString(s + ";\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
