package state

// Contexts of the detail pane, in force while it has the focus and shows that page.
const (
	InFocus      Context = "detail pane, with the focus"
	InFound      Context = "after a search"
	InTurns      Context = "turns"
	InEvents     Context = "timeline, with the focus"
	InFiles      Context = "files"
	InDefinition Context = "definition"
	InWaterfall  Context = "waterfall"
	InSearch     Context = "search"
)

// detailContexts are those of the page that is shown.
func (s *State) detailContexts() []Context {
	var cs []Context
	if s.Pages.Find != "" && !s.View.Show.Events() && s.View.Show != ShowWaterfall {
		cs = append(cs, InFound)
	}
	switch s.View.Show {
	case ShowTurns:
		cs = append(cs, InTurns)
	case ShowTimeline, ShowCompletions, ShowTaskEvents:
		cs = append(cs, InEvents)
	case ShowFiles:
		cs = append(cs, InFiles)
	case ShowDefinition:
		cs = append(cs, InDefinition)
	case ShowWaterfall:
		return append(cs, InWaterfall)
	}
	return append(cs, InFocus)
}

func pageKeys() []Binding {
	return []Binding{
		{keys("/"), InFocus, "search", "search in what is shown; in a timeline: show only events with these words", "search", nil, (*State).startSearch},
		{keys("E"), InFocus, "error", "go to the error before; from the first to the last", "", nil, (*State).findError},
		{keys("n"), InFound, "next found", "next place", "next", nil, (*State).findNext},
		{keys("N"), InFound, "previous found", "place before", "", nil, (*State).findPrev},
		{keys("Enter"), InTurns, "unfold turn", "unfold or fold the turn; change the message that waits", "unfold", nil, picks(PickOpen)},
		{keys("w"), InTurns, "withdraw this", "take back the message that waits here", "withdraw", nil, picks(PickWithdraw)},
		{keys("W"), InTurns, "rewrite this", "change the message that waits here", "", nil, picks(PickRewrite)},
		{keys("K"), InTurns, "earlier", "let the message that waits here change places with the one before", "", nil, picks(PickEarlier)},
		{keys("J"), InTurns, "later", "let it change places with the one after", "", nil, picks(PickLater)},
		{keys("Enter"), InEvents, "jump to event", "go to that place of the transcript", "go there", nil, picks(PickOpen)},
		{keys("."), InEvents, "next kind", "only one kind of events; again: the next kind", "kind", nil, (*State).nextKind},
		{keys(","), InEvents, "previous kind", "the kind before", "", nil, (*State).prevKind},
		{keys("Enter"), InFiles, "unfold file", "unfold or fold what changed in the file", "diff", nil, picks(PickOpen)},
		{keys("e"), InFiles, "edit file", "open the file in $VISUAL or $EDITOR", "editor", nil, picks(PickEditor)},
		{keys("."), InFiles, "subtree", "with the files of the tasks under it, or without", "subtree", nil, (*State).subtree},
		{keys("e"), InDefinition, "edit definition", "open the agent's file in $VISUAL or $EDITOR", "editor", nil, picks(PickEditor)},
		{keys("j", "Down"), InWaterfall, "bar down", "next task", "", nil, chartMoves(1)},
		{keys("k", "Up"), InWaterfall, "bar up", "previous task", "", nil, chartMoves(-1)},
		{keys("g", "Home"), InWaterfall, "first bar", "first task", "", nil, chartMoves(-1 << 30)},
		{keys("G", "End"), InWaterfall, "last bar", "last task", "", nil, chartMoves(1 << 30)},
		{keys("PgDn", " "), InWaterfall, "bars down", "ten tasks down", "", nil, chartMoves(10)},
		{keys("PgUp"), InWaterfall, "bars up", "ten tasks up", "", nil, chartMoves(-10)},
		{keys("+", "="), InWaterfall, "zoom in", "zoom in", "zoom", nil, zooms(0.5)},
		{keys("-"), InWaterfall, "zoom out", "zoom out", "", nil, zooms(2)},
		{keys("h", "Left"), InWaterfall, "pan left", "earlier", "", nil, pans(-0.25)},
		{keys("l", "Right"), InWaterfall, "pan right", "later", "pan", nil, pans(0.25)},
		{keys("0"), InWaterfall, "whole", "all of it, and what comes", "all", nil, (*State).wholeChart},
		{keys("Enter"), InWaterfall, "open bar", "go to the task", "open", nil, (*State).openCharted},
		{keys("Enter"), InSearch, "search now", "search; in a timeline: keep the words", "search", nil, (*State).search},
		{keys("Esc"), InSearch, "leave search", "back", "back", nil, (*State).leaveSearch},
	}
}
