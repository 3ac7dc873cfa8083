// Command floorscreen is the least a screen can be: what drover's screen is measured
// against. It counts the keys that are pressed; with a state directory it reads
// the titles of all sessions first and fills the terminal with them. q ends it.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gdamore/tcell/v2"
	_ "github.com/mattn/go-sqlite3"
	"github.com/rivo/tview"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	var titles []string
	if len(args) > 0 {
		if titles, err = read(filepath.Join(args[0], "drover.db")); err != nil {
			return err
		}
	}
	keys := 0
	box := tview.NewBox()
	box.SetDrawFunc(func(s tcell.Screen, x, y, w, h int) (int, int, int, int) {
		tview.PrintSimple(s, fmt.Sprint("keys: ", keys), x, y)
		for i := range min(h-2, len(titles)) {
			tview.PrintSimple(s, fmt.Sprintf("%-*s", w, titles[i]), x, y+1+i)
		}
		tview.PrintSimple(s, "q quit", x, y+h-1)
		return x, y, w, h
	})
	app := tview.NewApplication().SetRoot(box, true)
	app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		if e.Rune() == 'q' {
			app.Stop()
		}
		keys++
		return nil
	})
	return app.Run()
}

func read(path string) (titles []string, err error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query("SELECT title FROM sessions ORDER BY updated DESC")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			return nil, err
		}
		titles = append(titles, title+", which has grown long enough to fill the row of a wide terminal, as the tree's and the transcript's do together")
	}
	return titles, rows.Err()
}
