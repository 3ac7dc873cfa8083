package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"drover/core"
)

// applicationID marks the file as drover's ("drov").
const applicationID = 0x64726f76

// walKept is how many bytes of an emptied WAL stay on the disk.
const walKept = 64 << 20

//go:embed migrations/*.sql
var migrationFiles embed.FS

// whole is what all the migrations come to, for a registry that is new: half the
// time. A test keeps it so (go test ./store -update writes it).
//
//go:embed schema.sql
var whole string

// migrations returns the scripts in order; the n-th makes version n.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	scripts := make([]string, 0, len(names))
	for _, name := range names {
		script, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, string(script))
	}
	return scripts, nil
}

// prepare brings the database to the version of scripts. Of several processes
// that come at once one does it; a database of somebody else stays untouched.
// The end of ctx ends its waiting.
func prepare(wait context.Context, c *sql.Conn, path string, scripts []string) error {
	ctx := context.WithoutCancel(wait) // or the driver starts a goroutine a statement
	version, err := identify(ctx, c, path, len(scripts))
	if err != nil {
		return err
	}
	if err := setPragmas(wait, c); err != nil {
		return storage(path, "preparing the database", err)
	}
	if version == len(scripts) {
		return nil
	}
	if err := begin(wait, c, path); err != nil {
		return err
	}
	err = migrate(ctx, c, path, scripts)
	if err != nil {
		return rollback(c, err)
	}
	if _, err := c.ExecContext(ctx, "COMMIT"); err != nil {
		return rollback(c, storage(path, "preparing the database", err))
	}
	return nil
}

// setPragmas tries again by itself: of two processes that turn a new database
// to WAL, SQLite refuses one at once, whatever its timeout.
func setPragmas(ctx context.Context, c *sql.Conn) error {
	pragmas := fmt.Sprintf("PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=%d; PRAGMA busy_timeout=%d", walKept, busyStep)
	var err error
	for n := range 100 {
		if _, err = c.ExecContext(context.WithoutCancel(ctx), pragmas); !busy(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(n+1) * time.Millisecond): // five seconds in all
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func migrate(ctx context.Context, c *sql.Conn, path string, scripts []string) error {
	version, err := identify(ctx, c, path, len(scripts)) // another process may have been first
	if err != nil || version == len(scripts) {
		return err
	}
	missing := scripts[version:]
	if version == 0 {
		missing = []string{whole}
	}
	for _, script := range missing {
		if _, err := c.ExecContext(ctx, script); err != nil {
			return storage(path, fmt.Sprintf("bringing the database from version %d to %d", version, len(scripts)), err)
		}
	}
	marks := fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(scripts))
	if _, err := c.ExecContext(ctx, marks); err != nil {
		return storage(path, "marking the database", err)
	}
	return nil
}

// identify reads the version of the database; 0 is an empty one.
func identify(ctx context.Context, c *sql.Conn, path string, known int) (int, error) {
	var version, app, tables int
	err := c.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &app, &tables)
	switch {
	case err != nil:
		return 0, storage(path, "reading the database", err)
	case app != applicationID && (app != 0 || version != 0 || tables != 0):
		return 0, &core.Error{
			Code:    core.CodeStorage,
			Message: path + " belongs to another program",
			Hint:    "move the file away, or name another directory in DROVER_STATE",
		}
	case version > known:
		return 0, &core.Error{
			Code:    core.CodeNewer,
			Message: fmt.Sprintf("%s was written by a newer drover: it has version %d, this drover knows version %d", path, version, known),
			Hint:    "update drover, or name another directory in DROVER_STATE",
		}
	}
	return version, nil
}
