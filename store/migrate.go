package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"drover/core"
)

// applicationID marks the file as drover's ("drov").
const applicationID = 0x64726f76

// walKept is how many bytes of an emptied WAL stay on the disk.
const walKept = 64 << 20

//go:embed migrations/*.sql
var migrationFiles embed.FS

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
func prepare(ctx context.Context, c *sql.Conn, path string, scripts []string) error {
	version, err := identify(ctx, c, path, len(scripts))
	if err != nil {
		return err
	}
	pragmas := fmt.Sprintf("PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=%d; PRAGMA busy_timeout=%d", walKept, busyStep)
	if _, err := c.ExecContext(ctx, pragmas); err != nil {
		return storage(path, "preparing the database", err)
	}
	if version == len(scripts) {
		return nil
	}
	if err := begin(ctx, c, path); err != nil {
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

func migrate(ctx context.Context, c *sql.Conn, path string, scripts []string) error {
	version, err := identify(ctx, c, path, len(scripts)) // another process may have been first
	if err != nil || version == len(scripts) {
		return err
	}
	for n := version; n < len(scripts); n++ {
		if _, err := c.ExecContext(ctx, scripts[n]); err != nil {
			return storage(path, fmt.Sprintf("migrating the database to version %d", n+1), err)
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
