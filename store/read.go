package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"drover/core"
)

// View implements core.Store. ctx bounds the wait for one of the connections.
func (s *Store) View(ctx context.Context, fn func(core.Reader) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	c, err := s.readDB.Conn(ctx)
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	if err != nil {
		return storage(s.path, "reading", err)
	}
	defer c.Close()
	if _, err := c.ExecContext(context.Background(), "BEGIN"); err != nil {
		return storage(s.path, "reading", err)
	}
	r := &reader{c: c, path: s.path}
	defer func() {
		r.broken = errOver
		err = rollback(c, err)
	}()
	return fn(r)
}

// reader implements core.Reader on one pinned connection with a transaction.
type reader struct {
	c      *sql.Conn
	path   string
	broken error // what every further statement gets
}

// fail remembers a failure of the database: SQLite may have rolled back by
// itself, and what followed would stand alone.
func (r *reader) fail(doing string, err error) error {
	r.broken = storage(r.path, doing, err)
	return r.broken
}

// collect runs a query and scans each row.
func collect[T any](r *reader, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	if r.broken != nil {
		return nil, r.broken
	}
	rows, err := r.c.QueryContext(context.Background(), query, clean(args)...)
	if err != nil {
		return nil, r.fail("reading", err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var zero T
		list = append(list, zero)
		if err := scan(rows, &list[len(list)-1]); err != nil {
			return nil, r.fail("reading a row of", err)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, r.fail("reading", err)
	}
	return list, nil
}

// one is collect for a row that must be there.
func one[T any](r *reader, what, id string, scan func(*sql.Rows, *T) error, query string) (T, error) {
	list, err := collect(r, scan, query, id)
	if err == nil && len(list) == 0 {
		err = notFound(what, id)
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// scanAny scans a row of one column.
func scanAny[T any](rows *sql.Rows, v *T) error { return rows.Scan(v) }

// where builds the end of a query. Lists are one JSON parameter, so that the
// number of different statements stays small.
type where struct {
	text strings.Builder
	args []any
}

func (w *where) and(condition string, args ...any) {
	if w.text.Len() == 0 {
		w.text.WriteString(" WHERE ")
	} else {
		w.text.WriteString(" AND ")
	}
	w.text.WriteString(condition)
	w.args = append(w.args, args...)
}

// is demands a value where there is one.
func (w *where) is(column, value string) {
	if value != "" {
		w.and(column+" = ?", value)
	}
}

// in demands one of the list; a nil list demands nothing, an empty one cannot be met.
func in[T any](w *where, column string, list []T) {
	if list != nil {
		w.and(column+" IN (SELECT value FROM json_each(?))", jsonText(list))
	}
}

// order ends the query.
func (w *where) order(by string, limit int) (string, []any) {
	if limit > 0 {
		return w.text.String() + " ORDER BY " + by + " LIMIT ?", append(w.args, limit)
	}
	return w.text.String() + " ORDER BY " + by, w.args
}

// clean makes every text storable: without NUL, which ends a text for half of
// SQLite's functions, and valid.
func clean(args []any) []any {
	for i, arg := range args {
		if s, ok := arg.(string); ok && !storable(s) { // else it would be put into an interface again: most of a statement's garbage
			args[i] = text(s)
		}
	}
	return args
}

func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func text(s string) string {
	if storable(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// ms is the stored form of a time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMS(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}

// jsonText is the JSON of lists and plain structs, which cannot fail.
func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// list is the stored form of a list of texts: NULL for nil.
func list(v []string) any {
	if v == nil {
		return nil
	}
	out := make([]string, len(v))
	for i, s := range v {
		out[i] = text(s)
	}
	return jsonText(out)
}

// jsonColumn scans the stored form of a list; NULL leaves it nil.
type jsonColumn struct{ to any }

func (j jsonColumn) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(v), j.to)
	case []byte:
		return json.Unmarshal(v, j.to)
	}
	return fmt.Errorf("a list is kept as %T", v)
}
