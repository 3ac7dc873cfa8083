package agents

import "strings"

// A dialect is how one program's users write an agent down.
type dialect struct {
	name     string // its key in the table
	title    string // as people call the program
	fields   string // its fields: "key" or "key=meaning"; keys without - and _, in lower case
	kept     string // fields it has and drover does nothing with
	nameless bool   // the file name names the agent where no field does
	needText bool   // a description is needed
	needBody bool   // a prompt is needed
	bare     bool   // a file without front matter is an agent
	strict   bool   // fields that no dialect has are refused, and so are types that are wrong
	typed    bool   // the name must be text, not a number
}

var dialects = map[string]*dialect{
	"drover": {
		title: "drover", needText: true, needBody: true,
		fields: `name displayname description tools disallowedtools rules=rules model models=model effort readonly=readonly background spawns
			outputschema=output output=output mcpservers=mcp maxturns timeoutminutes=timeout temperature aliases promptmode hidden=notoffered
			mode disabled=disable enabled permission`,
	},
	"claude": {
		title: "Claude Code", needText: true,
		fields: `name description prompt tools disallowedtools model permissionmode maxturns mcpservers=mcp background effort`,
		kept:   `skills hooks memory isolation initialprompt color`,
	},
	"copilot": {
		title: "Copilot", nameless: true, bare: true,
		fields: `name displayname description tools model models=model reasoningeffort=effort disablemodelinvocation=notoffered
			userinvocable=userinvocable userinvokable=userinvocable infer agents=spawns mcpservers=mcp hidden=notoffered`,
		kept: `modelpolicy target metadata skills includecustominstructions deferredtoolloading sidekick argumenthint handoffs hooks mode instructions`,
	},
	"gemini": {
		title: "Gemini CLI", needText: true, strict: true, typed: true,
		fields: `kind name description displayname tools mcpservers=mcp model temperature maxturns timeoutmins=timeout systemprompt=prompt
			agentcardurl=cardurl agentcardjson=cardjson auth`,
	},
	"codex": {
		title: "Codex", needText: true,
		fields: `name description developerinstructions=prompt model modelreasoningeffort=effort sandboxmode=sandbox mcpservers=mcp tools disallowedtools`,
		kept: `nicknamecandidates skills features approvalpolicy modelreasoningsummary modelverbosity modelprovider profile sandboxworkspacewrite websearch
			personality shellenvironmentpolicy projectdocmaxbytes servicetier modelcontextwindow color`,
	},
	"opencode": {
		title: "opencode", nameless: true, bare: true,
		fields: `name description mode model prompt temperature steps=maxturns maxsteps=maxturns tools=toggles permission disable hidden=notoffered disallowedtools reasoningeffort=effort`,
		kept:   `topp color variant options textverbosity`,
	},
	"pi": {
		title: "pi", nameless: true,
		fields: `name displayname description tools disallowedtools thinking=effort model models=model fallbackmodels=model maxturns promptmode systempromptmode=promptmode
			enabled readonly=strictreadonly runinbackground=background aliases`,
		kept: `extensions excludeextensions skills skill memory isolation isolated inheritcontext inheritskills inheritprojectcontext defaultcontext defaultreads
			defaultprogress output acceptancerole tasktype completionguard maxsubagentdepth interactive package tags routinghints permissions disabled`,
	},
	"xcsh": {
		title: "xcsh or oh-my-pi", needText: true, typed: true,
		fields: `name description tools spawns model thinkinglevel=effort thinking=oldeffort output blocking`,
		kept:   `autoloadskills readsummarize prewalk advisor hide`,
	},
	"subagent": {
		title: "SUBAGENT.md", nameless: true, bare: true,
		fields: `name description tools model`,
	},
	"cursor": {
		title: "Cursor", nameless: true,
		fields: `name description model readonly isbackground=background tools`,
		kept:   `globs alwaysapply color`,
	},
	"factory": {
		title: "Factory", needBody: true,
		fields: `name description model reasoningeffort=effort tools mcpservers=mcp`,
		kept:   `createdat updatedat`,
	},
	"kiro": {
		title: "Kiro", nameless: true,
		fields: `name description model tools disallowedtools mcpservers=mcp prompt`,
		kept:   `includemcpjson includepowers resources hooks toolaliases toolssettings allowedtools`,
	},
	"kilo": {
		title: "Kilo", nameless: true,
		fields: `name description model tools disallowedtools mode temperature steps=maxturns permission disable hidden=notoffered`,
		kept:   `color topp`,
	},
	"junie": {
		title: "Junie", nameless: true,
		fields: `name description model tools disallowedtools`,
	},
}

// common are fields that mean the same wherever they stand: an author who
// wrote one for a program that does not know it meant it all the same.
const common = `name displayname description tools disallowedtools model temperature maxturns timeoutmins=timeout timeoutminutes=timeout readonly
	background mcpservers=mcp effort outputschema=output`

// meanings maps the fields of a dialect, and the common ones, to what they set.
type meanings struct {
	own, common map[string]string
	kept        map[string]bool
}

// table of all dialects, made once for a catalogue.
func table() map[string]meanings {
	shared := fieldMap(common)
	all := make(map[string]meanings, len(dialects))
	for name, d := range dialects {
		m := meanings{own: fieldMap(d.fields), common: shared, kept: map[string]bool{}}
		for _, k := range strings.Fields(d.kept) {
			m.kept[k] = true
		}
		all[name] = m
	}
	return all
}

func fieldMap(text string) map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(text) {
		key, meaning, ok := strings.Cut(f, "=")
		if !ok {
			meaning = key
		}
		m[key] = meaning
	}
	return m
}

// plainKey is a field's name without the differences of max_turns, maxTurns and max-turns.
func plainKey(key string) string {
	if strings.IndexFunc(key, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) >= 0 {
		key = strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r == ' ' {
				return -1
			}
			return r
		}, key)
	}
	return strings.ToLower(key)
}

// anywhere reports whether some dialect has the field.
func anywhere(t map[string]meanings, key string) bool {
	for _, m := range t {
		if m.own[key] != "" || m.kept[key] {
			return true
		}
	}
	return false
}
