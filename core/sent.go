package core

import (
	"context"
	"encoding/json"
)

// What a person sent from a folder is kept as one fact a folder: the newest
// maxSent texts of at most maxSentBytes each.
const (
	sentKey      = "sent "
	maxSent      = 100
	maxSentBytes = 8 << 10
)

// Sent are the texts that the person has sent from the folder, the oldest first.
func (c *Client) Sent(ctx context.Context, dir string) ([]string, error) {
	return view(ctx, c.Store, func(r Reader) ([]string, error) { return sent(r, dir) })
}

// RememberSent adds a text. One that is too long for a history, or is the last one again, changes nothing.
func (c *Client) RememberSent(ctx context.Context, dir, text string) error {
	if text == "" || len(text) > maxSentBytes {
		return nil
	}
	return c.Store.Update(ctx, Progress, func(tx Tx) error {
		texts, err := sent(tx, dir)
		if err != nil {
			return err
		}
		if n := len(texts); n > 0 && texts[n-1] == text {
			return nil
		}
		texts = append(texts, text)
		if len(texts) > maxSent {
			texts = texts[len(texts)-maxSent:]
		}
		return tx.PutFact(sentKey+dir, string(jsonOf(texts)))
	})
}

func sent(r Reader, dir string) (texts []string, err error) {
	facts, err := r.Facts(sentKey + dir)
	if err != nil {
		return nil, err
	}
	if value, ok := facts[sentKey+dir]; ok && json.Unmarshal([]byte(value), &texts) != nil {
		return nil, nil // not ours: begun anew
	}
	return texts, nil
}
