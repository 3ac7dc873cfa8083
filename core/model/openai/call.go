package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"drover/core/model"
)

// call takes a piece of a tool call. Servers number them, name them, both or
// neither; all of a call may come at once, and all calls under one number.
func (d *decoder) call(c *call, first bool) {
	id, ok := model.TextOf(c.ID)
	if !ok && !model.Empty(c.ID) {
		id = string(c.ID) // a number
	}
	to := d.target(c, id, first)
	if id != "" {
		to.ID = id
	}
	switch n := c.Function.Name; {
	case strings.HasPrefix(n, to.Name): // all of it, so far as it is known
		to.Name = n
	case n != "":
		to.Name += n
	}
	if !model.Empty(c.Extra) {
		to.Extra = c.Extra
	}
	if s, ok := model.TextOf(c.Function.Arguments); ok {
		to.Args.WriteString(s)
	} else if raw := c.Function.Arguments; len(raw) > 0 && raw[0] == '{' {
		to.Args.Write(raw)
	}
}

// target finds the call that a piece belongs to, or begins one. Of several
// pieces in one event that have no number all but the first begin one.
func (d *decoder) target(c *call, id string, first bool) *model.Call {
	calls := d.a.Calls()
	name := c.Function.Name
	fresh := func() *model.Call { return d.a.Call("#" + strconv.Itoa(len(calls))) }
	var at *model.Call
	if c.Index != nil {
		prefix := strconv.Itoa(int(*c.Index))
		for _, c := range calls { // the last of that number
			if c.Key == prefix || len(c.Key) > len(prefix) && c.Key[:len(prefix)+1] == prefix+"/" {
				at = c
			}
		}
		if at == nil {
			return d.a.Call(prefix)
		}
		fresh = func() *model.Call { return d.a.Call(prefix + "/" + strconv.Itoa(len(calls))) }
	} else {
		if !first && name != "" || len(calls) == 0 {
			return fresh()
		}
		at = calls[len(calls)-1]
		for _, c := range calls { // the last of that ID
			if id != "" && c.ID == id {
				at = c
			}
		}
		if id != "" && at.ID != id {
			return fresh()
		}
	}
	done := at.Args.Len() > 0 && json.Valid([]byte(at.Args.String()))
	switch {
	case id != "" && at.ID != "" && id != at.ID:
		return fresh()
	case id == "" && name != "" && at.Name != "" && done:
		return fresh()
	case c.Index == nil && name != "" && done && !model.Empty(c.Function.Arguments): // another one under the same ID
		return fresh()
	}
	return at
}
