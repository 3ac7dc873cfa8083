package ui

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark takes time by the square of what some texts hold of delimiters,
// links or nesting: 150 KB can cost a minute. The parser is therefore built of
// guarded parts, which stop looking for markup once a text has cost too much;
// what follows is text.
const (
	maxNesting = 40        // quotes and lists in each other
	maxWork    = 2_000_000 // of inline markup in one text: some 20 ms
)

func newMarkdownParser(tables bool) parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(shallow{parser.NewListItemParser()}, 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	var inlines []util.PrioritizedValue
	add := []util.PrioritizedValue{
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
	}
	for _, v := range append(parser.DefaultInlineParsers(), add...) {
		v.Value = frugal{v.Value.(parser.InlineParser)}
		inlines = append(inlines, v)
	}
	options := []parser.Option{
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	}
	if tables {
		options = append(options,
			parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
			parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
	}
	return parser.NewParser(options...)
}

// shallow opens no container in too many others.
type shallow struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxNesting {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// frugal looks for inline markup while the text's budget lasts. What a look
// costs grows with the looks before it in its block and with what is left of that.
type frugal struct{ parser.InlineParser }

var workKey = parser.NewContextKey()

type work struct {
	left  int
	block ast.Node
	looks int
}

// Parse implements parser.InlineParser.
func (f frugal) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	w, ok := pc.ComputeIfAbsent(workKey, func() any { return &work{left: maxWork} }).(*work)
	if !ok || w.left < 0 {
		return nil
	}
	if w.block != parent {
		w.block, w.looks = parent, 0
	}
	w.looks++
	w.left -= w.looks
	if lines := parent.Lines(); lines != nil && lines.Len() > 0 {
		_, at := block.Position()
		w.left -= max(0, lines.At(lines.Len()-1).Stop-at.Start) / 8
	}
	return f.InlineParser.Parse(parent, block, pc)
}

// CloseBlock implements parser.CloseBlocker, which the parser of links is.
func (f frugal) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := f.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}
