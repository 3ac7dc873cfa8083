//go:build !race

package ui

// slow is set where the race detector makes everything several times slower.
const slow = false
