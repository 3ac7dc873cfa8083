package tool

import (
	"regexp"
	"sync"
)

// pattern compiles expr when it is first used: every start of the program
// would pay for all of them.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
