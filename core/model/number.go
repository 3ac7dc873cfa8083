package model

import (
	"math"
	"strconv"
	"strings"
)

// Number is a count as servers write it: 12, 12.0 or "12". What is no count is
// 0: that a server counts oddly is no reason to lose its answer.
type Number int64

// UnmarshalJSON never fails.
func (n *Number) UnmarshalJSON(raw []byte) error {
	*n = Number(Amount(raw))
	return nil
}

// Amount is a JSON number, or one within a text; 0 for anything else, and for
// what is negative.
func Amount(raw []byte) float64 {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1<<53 {
		return 0
	}
	return v
}
