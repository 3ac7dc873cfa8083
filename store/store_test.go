package store_test

import (
	"testing"

	"drover/core"
	"drover/core/coretest"
	"drover/store"
)

func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	coretest.TestStore(t, func(t *testing.T) core.Store { return open(t, t.TempDir()) })
}
