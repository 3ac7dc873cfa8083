package core

import (
	"context"
	"time"
)

// Hosts knows which sessions a living process owns, and starts one where none does.
type Hosts interface {
	// Held reports whether a living process owns the session.
	Held(session string) bool
	// Ensure starts a host for the session where none lives. It does not wait for it.
	Ensure(ctx context.Context, session string) error
}

// Client is a person's side of the registry: screen and command line alike.
// It writes requests and reads rows; it never changes a task.
type Client struct {
	Store Store
	Hosts Hosts
	Now   func() time.Time // nil: time.Now
}

// NewSession describes a session to be.
type NewSession struct {
	Dir          string
	Prompt       string
	Agent        string // "": the main agent
	Model        string
	Autopilot    bool
	AllowAll     bool
	Rules        []string
	MaxContinues int
	Pace         bool
}
