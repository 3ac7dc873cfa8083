package hook

import (
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

// answer is what one hook has said.
type answer struct {
	context string
	block   bool
	reason  string
	problem string
}

// ended is how its command ended.
type ended struct {
	code        int
	out, err    []byte
	outCut      bool // there was more
	answersText bool // plain text is an answer: additional context
	mayBlock    bool // the point is one where an agent would stop
}

// said reads a hook's answer: exit code 2 blocks, with the reason on standard
// error; after 0 the output is a JSON object, or plain text. Any other code is a fault.
func said(e ended) answer {
	out, fault := strings.TrimSpace(string(e.out)), strings.TrimSpace(string(e.err))
	switch {
	case e.code == 2:
		return blocked(e, fault)
	case e.code == 126 || e.code == 127:
		return answer{problem: fmt.Sprintf("its command was not found or cannot be run: %s", first(fault, out, fmt.Sprintf("exit code %d", e.code)))}
	case e.code != 0:
		return answer{problem: strings.TrimSuffix(fmt.Sprintf("it ended with exit code %d: %s", e.code, first(fault, out)), ": ")}
	case strings.HasPrefix(out, "{"):
		return object(e, out)
	case e.answersText:
		if e.outCut {
			out += "\n[the rest was cut: a hook may say 64 KiB]"
		}
		return answer{context: out}
	}
	return answer{}
}

// object reads an answer in JSON.
func object(e ended, out string) answer {
	if e.outCut {
		return answer{problem: "its answer is longer than 64 KiB"}
	}
	var o struct {
		Decision          string `json:"decision"`
		Reason            string `json:"reason"`
		AdditionalContext string `json:"additionalContext"`
		Continue          *bool  `json:"continue"`
		StopReason        string `json:"stopReason"`
		Specific          struct {
			AdditionalContext string `json:"additionalContext"`
			Decision          string `json:"decision"`
			Reason            string `json:"reason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		return answer{problem: "its answer cannot be used: " + readable(err, []byte(out))}
	}
	a := answer{}
	if e.answersText {
		a.context = join(o.AdditionalContext, o.Specific.AdditionalContext)
	}
	decision := first(o.Decision, o.Specific.Decision)
	halt := o.Continue != nil && !*o.Continue
	switch {
	case halt && !e.mayBlock: // it wants the agent not to go on: nothing here can do that
		a.problem = "it wants to stop the agent (continue: false), which this point cannot do: " + first(o.StopReason, o.Reason, "no reason given")
	case halt: // the agent is about to stop, and shall
	case decision == "block" || decision == "deny":
		b := blocked(e, first(o.Reason, o.Specific.Reason))
		a.block, a.reason, a.problem = b.block, b.reason, b.problem
	case decision != "" && decision != "approve" && decision != "allow":
		a.problem = fmt.Sprintf("its decision %q is neither block nor allow", core.Short(decision, 40))
	}
	return a
}

// blocked is a veto. One that gives no reason has nothing to tell the agent, and does not count.
func blocked(e ended, reason string) answer {
	reason = strings.TrimSpace(reason)
	switch {
	case !e.mayBlock:
		return answer{problem: "it blocks, which this point cannot do: " + first(reason, "no reason given")}
	case reason == "":
		return answer{problem: "it blocks and gives no reason"}
	}
	return answer{block: true, reason: reason}
}

// first is the first text that is not empty, or "".
func first(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// join puts texts one after another, apart.
func join(a, b string) string {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
