package store

import (
	"database/sql"
	"time"

	"drover/core"
)

const (
	addUsage = "INSERT INTO usage(task,day,model,tokens_in,tokens_out,tokens_cached,cost,unknown) VALUES(?,?,?,?,?,?,?,?)" +
		" ON CONFLICT(task,day,model) DO UPDATE SET tokens_in=tokens_in+excluded.tokens_in, tokens_out=tokens_out+excluded.tokens_out," +
		" tokens_cached=tokens_cached+excluded.tokens_cached, cost=cost+excluded.cost, unknown=unknown+excluded.unknown"
	sumUsage = ", count(DISTINCT u.task), sum(u.tokens_in), sum(u.tokens_out), sum(u.tokens_cached), sum(u.cost), sum(u.unknown)=0 FROM usage u"
	dearest  = " ORDER BY sum(u.cost) DESC, sum(u.tokens_in+u.tokens_out) DESC, 1"
)

// usageBy is the query of each way to group.
var usageBy = map[string]string{
	"":                  "SELECT '', ''" + sumUsage + " HAVING count(*) > 0",
	core.UsageByAgent:   "SELECT t.agent, ''" + sumUsage + " JOIN tasks t ON t.id = u.task GROUP BY t.agent" + dearest,
	core.UsageByModel:   "SELECT u.model, ''" + sumUsage + " GROUP BY u.model" + dearest,
	core.UsageByDay:     "SELECT date(u.day * 86400, 'unixepoch'), ''" + sumUsage + " GROUP BY u.day ORDER BY u.day DESC",
	core.UsageBySession: "SELECT t.session, coalesce(s.title, '')" + sumUsage + " JOIN tasks t ON t.id = u.task LEFT JOIN sessions s ON s.id = t.session GROUP BY t.session ORDER BY max(s.n) DESC",
}

// msADay is a day in milliseconds.
const msADay = 24 * 60 * 60 * 1000

func (t *tx) AddUsage(task, model string, at time.Time, k core.Tokens) error {
	_, err := t.exec(addUsage, task, ms(at)/msADay, model, k.In, k.Out, k.Cached, number(k.Cost), !k.CostKnown)
	return err
}

func (r *reader) Usage(by string) ([]core.UsageSum, error) {
	return collect(r, scanUsage, usageBy[by])
}

func scanUsage(rows *sql.Rows, u *core.UsageSum) error {
	return rows.Scan(&u.Key, &u.Title, &u.Tasks, &u.In, &u.Out, &u.Cached, &u.Cost, &u.CostKnown)
}
