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
