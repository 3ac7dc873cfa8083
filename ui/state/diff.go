package state

import "strings"

// DiffLine is one line of a change.
type DiffLine struct {
	Mark byte // '+' added, '-' removed, ' ' kept, '@' where lines are left out
	Text string
}

const (
	maxDiffLines = 4000    // of both sides together; more is shown as all removed, all added
	maxDiffWork  = 1 << 22 // cells of the comparison
	diffContext  = 3       // kept lines shown around a change
)

// Diff compares two texts line by line and keeps a little of what is the same around each change.
func Diff(before, after string) []DiffLine {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var all []DiffLine
	for _, l := range a[:head] {
		all = append(all, DiffLine{' ', l})
	}
	all = append(all, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		all = append(all, DiffLine{' ', l})
	}
	return near(all)
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// middle compares what is left between equal ends by the longest common subsequence.
func middle(a, b []string) []DiffLine {
	var out []DiffLine
	n, m := len(a), len(b)
	if n == 0 || m == 0 || n+m > maxDiffLines || n*m > maxDiffWork {
		for _, l := range a {
			out = append(out, DiffLine{'-', l})
		}
		for _, l := range b {
			out = append(out, DiffLine{'+', l})
		}
		return out
	}
	common := make([][]uint16, n+1) // of a[i:], b[j:]
	for i := range common {
		common[i] = make([]uint16, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && a[i] == b[j]:
			out = append(out, DiffLine{' ', a[i]})
			i, j = i+1, j+1
		case i < n && (j == m || common[i+1][j] >= common[i][j+1]):
			out = append(out, DiffLine{'-', a[i]})
			i++
		default:
			out = append(out, DiffLine{'+', b[j]})
			j++
		}
	}
	return out
}

// near leaves out kept lines that are far from every change.
func near(all []DiffLine) []DiffLine {
	last := -1 << 30
	after := make([]int, len(all)) // distance to the change before
	for i, l := range all {
		if l.Mark != ' ' {
			last = i
		}
		after[i] = i - last
	}
	next := 1 << 30
	keep := make([]bool, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Mark != ' ' {
			next = i
		}
		keep[i] = after[i] <= diffContext || next-i <= diffContext
	}
	var out []DiffLine
	for i, l := range all {
		switch {
		case keep[i]:
			out = append(out, l)
		case i > 0 && keep[i-1]:
			out = append(out, DiffLine{Mark: '@'})
		}
	}
	for len(out) > 0 && out[len(out)-1].Mark == '@' {
		out = out[:len(out)-1]
	}
	return out
}

// DiffCount is how many lines were added and removed.
func DiffCount(d []DiffLine) (added, removed int) {
	for _, l := range d {
		switch l.Mark {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
