package main

import "testing"

func TestLightAnswer(t *testing.T) {
	for answer, want := range map[string][2]bool{
		"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c": {true, true},
		"\x1b]11;rgb:1414/1717/1d1d\a\x1b[?1;2c":    {false, true},
		"\x1b]11;rgb:f/f/e\a":                       {true, true},
		"\x1b]11;rgba:fd/f6/e3/ff\x1b\\":            {true, true},
		"typed\x1b]11;rgb:00/00/00\x1b\\":           {false, true},
		"\x1b[?62c":                                 {false, false},
		"\x1b]11;rgb:zz/00/00\a":                    {false, false},
		"\x1b]11;rgb:00000/00/00\a":                 {false, false},
		"\x1b]11;rgb:":                              {false, false},
		"":                                          {false, false},
	} {
		if is, known := lightAnswer(answer); [2]bool{is, known} != want {
			t.Errorf("%q: light %v, known %v, want %v", answer, is, known, want)
		}
	}
}
