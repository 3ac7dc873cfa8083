package store

import (
	"strconv"
	"time"

	"drover/core"
)

// pruned is the fact that says how far the last Prune has looked.
const pruned = "pruned"

// Prune goes round the events, span of them at a time. What the full-text
// index has not seen yet stays: it finds transcripts by their events.
func (t *tx) Prune(before time.Time, span int) (int, error) {
	facts, err := t.Facts(pruned)
	if err != nil {
		return 0, err
	}
	from, err := strconv.ParseInt(facts[pruned], 10, 64)
	if err != nil {
		from = 0
	}
	last, err := t.LastSeq()
	if err != nil {
		return 0, err
	}
	if indexes, err := t.yes(hasFTS); err != nil {
		return 0, err
	} else if indexes {
		upto, err := collect(&t.reader, scanAny[int64], "SELECT coalesce(max(event), 0) FROM texts_upto")
		if err != nil {
			return 0, err
		}
		last = min(last, upto[0])
	}
	to := min(from+int64(span), last)
	result, err := t.exec(`DELETE FROM events WHERE seq > ?1 AND seq <= ?2 AND notable = 0 AND at < ?3 AND kind IN (?4, ?5, ?6)
		AND session IN (SELECT id FROM sessions WHERE updated < ?3)
		AND NOT EXISTS (SELECT 1 FROM tasks k WHERE k.session = events.session AND k.status = 'running')`,
		from, to, ms(before), string(core.EvActivity), string(core.EvStep), string(core.EvIntent))
	if err != nil {
		return 0, err
	}
	if to >= last {
		to = 0
	}
	if err := t.PutFact(pruned, strconv.FormatInt(to, 10)); err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}
