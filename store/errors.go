package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"drover/core"
)

// storage turns a failure of the database or its files into one a person can act on.
func storage(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	message, hint := explain(err)
	if message != "" {
		message += ", "
	}
	return &core.Error{Code: core.CodeStorage, Message: fmt.Sprintf("%s%s %s", message, doing, path), Hint: hint, Err: err}
}

const elsewhere = "or name another directory in DROVER_STATE"

func explain(err error) (message, hint string) {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		return explainSQLite(e)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskFull()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "no permission", "make the directory writable, " + elsewhere
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return "there is a file where a directory is needed", "move it away, " + elsewhere
	case errors.Is(err, fs.ErrNotExist):
		return "the directory cannot be made", "create it yourself, " + elsewhere
	}
	return "", "name another directory in DROVER_STATE"
}

func explainSQLite(e sqlite3.Error) (message, hint string) {
	switch e.Code {
	case sqlite3.ErrFull:
		return diskFull()
	case sqlite3.ErrIoErr:
		if e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT || e.SystemErrno == syscall.EFBIG {
			return diskFull()
		}
		return "the disk fails", "look at the disk; nothing acknowledged was lost"
	case sqlite3.ErrNotADB:
		return "this is not a database of drover", "move the file away, " + elsewhere
	case sqlite3.ErrCorrupt:
		return "the database is damaged", "move the file away and begin anew, or put a copy of it back"
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return "the database cannot be written", "make the file and its directory writable, " + elsewhere
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "another process has the database for too long", "try again; end the process that holds it if it hangs"
	}
	return "", "drover doctor says more"
}

func diskFull() (message, hint string) {
	return "the disk is full", "free some space; nothing acknowledged was lost"
}

func notFound(what, id string) error {
	return core.Errorf(core.CodeNotFound, "no %s %q", what, core.CleanLine(id))
}

func conflict(what, id string) error {
	return core.Errorf(core.CodeConflict, "%s %s has changed meanwhile", what, core.CleanLine(id))
}

// busy reports whether the lock of another process was in the way.
func busy(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// duplicate reports whether a row of that key was there already.
func duplicate(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}
