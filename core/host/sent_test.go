package host_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"drover/core"
)

// What was sent from a folder is kept, as much of it as a history needs.
func TestSentIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(context.Context, core.ModelRequest) (core.ModelReply, error) { return text("x") })
		defer w.close()
		send := func(dir, text string) {
			t.Helper()
			if err := w.client.RememberSent(w.ctx, dir, text); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 120 {
			send("/shop", fmt.Sprint(i))
			send("/shop", fmt.Sprint(i)) // again: once is enough
		}
		send("/shop", strings.Repeat("x", 9000))
		send("/shop", "")
		send("/shop/api", "of another folder")
		got, err := w.client.Sent(w.ctx, "/shop")
		if err != nil || len(got) != 100 || got[0] != "20" || got[99] != "119" {
			t.Errorf("%d texts, %v", len(got), err)
		}
		if got, err = w.client.Sent(w.ctx, "/shop/api"); err != nil || !slices.Equal(got, []string{"of another folder"}) {
			t.Errorf("%q, %v", got, err)
		}
		if got, err = w.client.Sent(w.ctx, "/sh"); err != nil || len(got) != 0 {
			t.Errorf("a beginning of the folder has %q, %v", got, err)
		}
	})
}
