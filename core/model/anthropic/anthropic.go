package anthropic

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"drover/core"
	"drover/core/model"
)

// New makes a model provider of the options.
func New(o model.Options) core.Model {
	return &provider{c: model.NewClient(o, model.WireAnthropic, "messages")}
}

type provider struct {
	c       *model.Client
	learned model.Learned
	tools   model.ToolSets
}

// Things a model may turn out not to take.
const (
	noThinking = "thinking"
	noEffort   = "effort"
	noForce    = "tool_choice"
	noHeat     = "temperature"
	mostOutput = "max_tokens"
	noCache    = "cache_control"
	noList     = "system"   // as a list of blocks
	noFailed   = "is_error" // in the result of a call
	ownIDs     = "ids"      // of calls, as another server gave them
	fullSchema = "schema"   // more of JSON Schema than its plainest part
)

// Stream implements core.Model.
func (p *provider) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	set := p.tools.Of(req.Tools)
	names := set.Names
	limit := 0 // of this one answer
	var r *request
	return model.Learning(on,
		func() (model.Body, error) {
			r = p.request(req, names)
			if limit > 0 {
				r.MaxTokens = min(r.MaxTokens, limit)
				r.fitThinking()
			}
			mark, plain := p.mark(req.Model), p.learned.Get(req.Model, fullSchema) > 0
			return set.Encode(r, fmt.Sprint(mark != nil, plain), func(specs []core.ToolSpec) any { return tools(specs, names, mark, plain) })
		},
		func(body model.Body, on func(core.Delta)) (core.ModelReply, error) {
			s, err := p.c.Post(ctx, body)
			if err != nil {
				return core.ModelReply{}, err
			}
			return p.answer(s, req, body.Len(), names, on)
		},
		func(err error) bool {
			again := p.learn(req.Model, r, err)
			if room := roomLeft(err); !again && limit == 0 && room > 0 {
				again, limit = true, room
			}
			return again
		})
}

// learn reports whether the request was refused for something that it can do without.
func (p *provider) learn(name string, r *request, err error) bool {
	switch {
	case model.Refused(err, "max_tokens"):
		n := allowed(err.Error(), r.MaxTokens)
		return n > 0 && p.learned.Set(name, mostOutput, n)
	case model.Refused(err, "cache_control"):
		return p.learned.Set(name, noCache, 1)
	case r.Choice != nil && model.Refused(err, "tool_choice"):
		return p.learned.Set(name, noForce, 1)
	case r.Heat != nil && model.Refused(err, "temperature"):
		return p.learned.Set(name, noHeat, 1)
	case r.Output != nil && model.Refused(err, "output_config", "effort"):
		return p.learned.Set(name, noEffort, 1)
	case model.Refused(err, "thinking", "signature"):
		return p.learned.Set(name, noThinking, 1)
	case model.Refused(err, "tool_use.id", "tool_use_id"):
		return p.learned.Set(name, ownIDs, 1)
	case model.Refused(err, "is_error"):
		return p.learned.Set(name, noFailed, 1)
	case model.Refused(err, "system:", "'system'", `"system"`, "system prompt", "system must"):
		return p.learned.Set(name, noList, 1)
	case model.Refused(err, model.SchemaWords...):
		return p.learned.Set(name, fullSchema, 1)
	}
	return false
}

var number = regexp.MustCompile(`\d+`)

// allowed finds, in the words of a refusal, the largest number below what was asked for.
func allowed(said string, asked int) int {
	best := 0
	for _, s := range number.FindAllString(said, -1) {
		if n, err := strconv.Atoi(s); err == nil && n < asked && n > best && n >= 256 && n != 400 {
			best = n
		}
	}
	return best
}

var tooMuch = regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`)

// leastRoom is the shortest limit of an answer that is worth asking for.
const leastRoom = 2048

// roomLeft is how long an answer may be where prompt and answer together were
// refused as too long, and 0 where that does not help.
func roomLeft(err error) int {
	f, ok := model.FaultOf(err)
	if !ok || f.Class != model.ClassContextTooLong {
		return 0
	}
	m := tooMuch.FindStringSubmatch(f.Err.Message)
	if m == nil {
		return 0
	}
	in, err1 := strconv.Atoi(m[1])
	most, err2 := strconv.Atoi(m[3])
	if room := most - in - 16; err1 == nil && err2 == nil && room >= leastRoom {
		return room
	}
	return 0
}

var versioned = regexp.MustCompile(`^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:$|[-@:])`)

// generation is the version of a Claude model, 406 for 4.6; 0 for any other model.
func generation(name string) int {
	name = name[strings.LastIndexByte(name, '/')+1:]
	m := versioned.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	minor, err := strconv.Atoi(m[2])
	if err != nil {
		minor = 0
	}
	return major*100 + minor
}
