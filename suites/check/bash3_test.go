package check

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestBash3 checks which scripts are said to need a bash that macOS does not have.
func TestBash3(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script string
		use    string // "" for none
	}{
		{"#!/usr/bin/env bash\nmapfile -t lines < <(cat)\n", "mapfile"},
		{"#!/bin/bash\nwhile :; do readarray -t x; done", "readarray"},
		{"#!/bin/bash\ndeclare -A seen\n", "declare -A"},
		{"#!/bin/bash\nf() { local -n to=$1; }\n", "local -n"},
		{"#!/bin/bash\n[[ \"${1,,}\" == *force* ]]\n", "${1,,}"},
		{"#!/bin/bash\necho \"${x[@]^}\"\n", "${x^}"},
		{"#!/bin/bash\necho \"${x@Q}\"\n", "${x@}"},
		{"#!/bin/bash\ncase $1 in a) echo;& b) exit 2 ;; esac\n", ";&"},
		{"#!/bin/bash\nls |& grep x\n", "|&"},
		{"#!/bin/bash\nls &>>log\n", "&>>"},
		{"#!/bin/bash\n[[ -v NAME ]] && exit 2\n", "[[ -v ]]"},
		{"#!/bin/bash\nsleep 1 & wait -n\n", "wait -n"},
		{"declare -A without_a_first_line\n", "declare -A"},
		{"#!/bin/bash\ndeclare -a list; local -r x=1; export -n y; readonly -A z\n", "readonly -A"},
		{"#!/bin/bash\ndeclare -a list; typeset -i n=1; export -n y; echo \"${x%,}\" ${x/,/} '${x,,}' # mapfile\n", ""},
		{"#!/bin/bash\nmapfile -t x 2>/dev/null || while read -r l; do x+=(\"$l\"); done\n", ""},
		{"#!/bin/bash\n((BASH_VERSINFO[0] < 4)) && exit 2\ndeclare -A x\n", ""},
		{"#!/bin/zsh\ndeclare -A x\n", ""},
		{"#!/bin/bash\nif; declare -A x\n", ""},
	} {
		all := judgeBash(site{script: "guard.sh", code: tt.script})
		switch {
		case tt.use == "" && len(all) > 0:
			t.Errorf("%q: %s", tt.script, all[0].What)
		case tt.use != "" && (len(all) != 1 || (all[0].Severity == suites.Warning) != strings.HasPrefix(tt.script, "#!/bin/bash") || !strings.Contains(all[0].What, " uses "+tt.use+",")):
			t.Errorf("%q: %+v, want %s", tt.script, all, tt.use)
		}
	}
}
