package store

import (
	"database/sql"
	"strings"

	"drover/core"
)

const (
	indexEvents = 5_000  // events that one Index looks at
	indexText   = 32_768 // characters of a row that can be found
)

const (
	hasFTS   = "SELECT count(*) FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'"
	hasWords = "SELECT count(*) FROM sqlite_schema WHERE name = 'words'"
	// Contentless: the text is in steps already. A row that is gone from texts is found no more.
	makeWords = `CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')`

	// What of a transcript can be found: what was said, and what tools were called for.
	findable = "kind IN ('message','answer','call') AND text <> ''"

	selectHit = "SELECT s.task, k.session, k.agent, k.name, s.seq, s.turn, s.kind, s.at, s.sender, s.tool, substr(s.text, 1, ?) FROM "
	byWords   = "words CROSS JOIN texts x ON x.n = words.rowid CROSS JOIN steps s ON s.task = x.task AND s.seq = x.seq CROSS JOIN tasks k ON k.id = s.task"
	byLike    = "steps s JOIN tasks k ON k.id = s.task"
)

// yes runs a query that counts.
func (r *reader) yes(query string) (bool, error) {
	n, err := collect(r, scanAny[int], query)
	return err == nil && n[0] > 0, err
}

// Index takes the next transcript rows into the full-text index, at most max of them.
func (t *tx) Index(max int) (more bool, err error) {
	if ok, err := t.yes(hasFTS); err != nil || !ok {
		return false, err
	}
	if _, err := t.exec(makeWords); err != nil {
		return false, err
	}
	upto, err := collect(&t.reader, scanAny[int64], "SELECT coalesce(max(event), 0) FROM texts_upto")
	if err != nil {
		return false, err
	}
	const next = "FROM (SELECT seq, task FROM events WHERE seq > ? ORDER BY seq LIMIT ?)"
	last, err := collect(&t.reader, scanAny[int64], "SELECT coalesce(max(seq), 0) "+next, upto[0], indexEvents)
	if err != nil || last[0] == 0 {
		return false, err
	}
	tasks, err := collect(&t.reader, scanAny[string], "SELECT task "+next+" WHERE task <> '' GROUP BY task ORDER BY min(seq)", upto[0], indexEvents)
	if err != nil {
		return false, err
	}
	for _, id := range tasks {
		n, err := t.index(id, max)
		if err != nil {
			return false, err
		}
		if max -= n; max <= 0 {
			return true, nil
		}
	}
	_, err = t.exec("INSERT OR REPLACE INTO texts_upto(id, event) VALUES(1, ?)", last[0])
	return last[0]-upto[0] >= indexEvents, err
}

// index takes rows of one transcript into the index.
func (t *tx) index(task string, max int) (int, error) {
	before, err := collect(&t.reader, scanAny[int64], "SELECT coalesce(max(n), 0) FROM texts")
	if err != nil {
		return 0, err
	}
	result, err := t.exec(`INSERT INTO texts(task, seq) SELECT task, seq FROM steps
		WHERE task = ?1 AND seq > (SELECT coalesce(max(seq), 0) FROM texts WHERE task = ?1) AND `+findable+" ORDER BY seq LIMIT ?2", task, max)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil || n == 0 {
		return 0, err
	}
	_, err = t.exec(`INSERT INTO words(rowid, text) SELECT x.n, substr(s.text, 1, ?) FROM texts x CROSS JOIN steps s
		ON s.task = x.task AND s.seq = x.seq WHERE x.n > ?`, indexText, before[0])
	return int(n), err
}

// Search asks the index where there is one, else reads all transcripts.
func (r *reader) Search(q core.Search) (hits []core.Hit, indexed bool, err error) {
	if indexed, err = r.yes(hasFTS); err == nil && indexed {
		indexed, err = r.yes(hasWords)
	}
	if err != nil || len(q.Words) == 0 {
		return nil, indexed, err
	}
	var w where
	from, by := byWords, "x.n DESC"
	if indexed {
		w.and("words MATCH ?", match(q.Words))
	} else {
		from, by = byLike, "s.at DESC, s.seq DESC"
		w.and("s." + findable)
		for _, word := range q.Words {
			w.and(`s.text LIKE ? ESCAPE '\'`, "%"+strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(word)+"%")
		}
	}
	w.is("k.session", q.Session)
	w.is("k.agent", q.Agent)
	end, args := w.order(by, q.Limit)
	hits, err = collect(r, scanHit, selectHit+from+end, append([]any{indexText}, args...)...)
	return hits, indexed, err
}

// match is the index's query for all of the words, each a beginning of one.
func match(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"*`
	}
	return strings.Join(quoted, " ")
}

func scanHit(rows *sql.Rows, h *core.Hit) error {
	var at int64
	err := rows.Scan(&h.Task, &h.Session, &h.Agent, &h.Name, &h.Seq, &h.Turn, (*string)(&h.Kind), &at, &h.Sender, &h.Tool, &h.Text)
	h.At = fromMS(at)
	return err
}
