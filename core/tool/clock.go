package tool

import (
	"context"
	"encoding/json"
	"time"

	"drover/core"
)

type currentTime struct{ def }

func (t currentTime) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "timezone")), subjectBytes)
}

func (t currentTime) Run(ctx context.Context, _ core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Timezone string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	now := time.Now()
	if a.Timezone != "" {
		zone, err := time.LoadLocation(a.Timezone)
		if err != nil {
			return failed("there is no timezone %q; names are like Europe/Berlin or UTC", cut(a.Timezone, 60)), nil
		}
		now = now.In(zone)
	}
	return done(now.Format("Monday, 2006-01-02T15:04:05Z07:00 (MST)")), ctx.Err()
}

type sleep struct{ def }

func (t sleep) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "reason")), subjectBytes)
}

// Run waits without a slot; the activity says until when.
func (t sleep) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Seconds float64
		Reason  string
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	d := time.Duration(a.Seconds * float64(time.Second))
	resume := func() error { return nil }
	if env.Waiting != nil {
		var err error
		if resume, err = env.Waiting(core.ActTool, "asleep until "+time.Now().Add(d).Format(time.TimeOnly)); err != nil {
			return core.ToolResult{}, err
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return core.ToolResult{}, ctx.Err()
	case <-timer.C:
	}
	if err := resume(); err != nil {
		return core.ToolResult{}, err
	}
	return done("slept " + d.String()), nil
}
