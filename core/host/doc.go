// Package host owns a session: it holds the session's kernel lock, takes
// requests out of its inbox, runs a runner for each task that has a turn, lets
// autopilot go on, and leaves when the session has been idle for a while.
//
// It promises that at most one process hosts a session; that a request
// committed before or after it leaves is seen by it or by the host that the
// submitter starts; that it stops everything it started before it returns;
// and that what it could not finish stays in the registry as interrupted.
//
// It never talks to a screen or a command line: they write rows and read rows.
package host
