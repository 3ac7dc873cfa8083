package model

import (
	"context"
	"strings"
)

// commandSuffix makes the name of a key's variable into that of the command which prints it.
const commandSuffix = "_COMMAND"

// saidOnce is the key that a command prints in its first line. The command runs
// when the key is needed first, and again only where it has failed.
func saidOnce(command string, say func(ctx context.Context, command string) (string, error)) func(context.Context) (string, error) {
	turn := make(chan string, 1) // holds the key; who has taken it out may ask
	turn <- ""
	return func(ctx context.Context) (string, error) {
		var key string
		select {
		case key = <-turn:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		defer func() { turn <- key }()
		if key != "" {
			return key, nil
		}
		out, err := say(ctx, command)
		if err != nil {
			return "", err
		}
		line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
		key = strings.TrimSpace(line)
		return key, nil
	}
}
