//go:build !amd64 && !arm64

package sandbox

const machine = 0

var oldAttributes []uint32
