package model

import (
	"testing"
	"testing/iotest"
)

func TestBody(t *testing.T) {
	for _, parts := range [][3]string{{"", "", ""}, {"a", "", ""}, {`{"a":1`, `,"tools":[]`, "}"}, {"", "bc", ""}} {
		b := Body{[3][]byte{[]byte(parts[0]), []byte(parts[1]), []byte(parts[2])}}
		whole := parts[0] + parts[1] + parts[2]
		if err := iotest.TestReader(&bodyReader{b}, []byte(whole)); err != nil || b.Len() != len(whole) {
			t.Errorf("%q: %d bytes, %v", parts, b.Len(), err)
		}
		if !b.Equal(b) || b.Equal(Body{[3][]byte{[]byte("x")}}) {
			t.Errorf("%q is not what it is", parts)
		}
	}
}
