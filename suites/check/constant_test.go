package check

import (
	"strings"
	"testing"

	"hookwatch/suites/depend/trace"
)

// TestConstants checks which parts of conditions have the same value for every input.
func TestConstants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, line, want string }{
		{"g.py", `if tool == "Write" or "Edit":`, `"Write" or "Edit" is always true`},
		{"g.py", `if (tool == "Write" or "Edit") and x:`, `"Write" or "Edit" is always true`},
		{"g.py", `if "rm" or "sudo" in cmd:`, `"rm" or "sudo" in asks only for one`},
		{"g.py", `if not ("rm" and "-rf" in cmd):`, `"rm" and "-rf" in asks only for one`},
		{"g.py", `if tool == "Write" or tool == "Edit":`, ""},
		{"g.py", `if (d.get("tool") or "Bash") == "Bash":`, ""},
		{"g.py", `name = x == "a" or "b"`, ""},
		{"g.py", `if d.get("t") != "Write" or d.get("t") != "Edit":`, `d.get("t") != "Write" or d.get("t") != "Edit" is always true`},
		{"g.py", `if tool != "Write" and tool != "Edit":`, ""},
		{"g.py", `if tool == "Write" and name == "Edit":`, ""},
		{"g.py", `if tool == WRITE and tool == EDIT:`, ""},
		{"g.py", `if not f.endswith(".py") or not f.endswith(".js"):`, `not f.endswith(".py") or not f.endswith(".js") is always true`},
		{"g.py", `if f.endswith(".js") and f.endswith(".min.js"):`, ""},
		{"g.py", `if f.startswith("src/") and f.startswith("lib/"):`, `is never true`},
		{"g.py", `if cmd.find("rm"):`, `cmd.find("rm") is -1, which is true`},
		{"g.py", `if cmd.find("rm") >= 0:`, ""},
		{"g.mjs", `  if (tool === "Write" || "Edit") {`, `"Write" || "Edit" is always true`},
		{"g.mjs", `  if (tool = "Write") {`, `tool = "Write" assigns the text`},
		{"g.py", `  if (tool = "Write") {`, ""}, // another language
		{"g.mjs", `  if (tool in ["Write", "Edit"]) {`, `tool in ["Write", "Edit"] asks for an index`},
		{"g.mjs", `  if (!(tool in ["Write", "Edit"])) return;`, `tool in ["Write", "Edit"] asks for an index`},
		{"g.mjs", `  for (i in ["Write", "Edit"]) {`, ""},
		{"g.mjs", `  for (const t of ["Write"]) if (t.indexOf("x") !== -1) {`, ""},
		{"g.mjs", `  if (cmd.indexOf("rm")) {`, `cmd.indexOf("rm") is -1`},
		{"g.mjs", `  p.some((p) => p.sub === "commit" && p.sub === "push")`, `p.sub === "commit" && p.sub === "push" is never true`},
		{"g.mjs", `  if (input.tool_name !== 'Write' || input.tool_name !== 'Edit') process.exit(0)`, "is always true: no value is both"},
		{"g.mjs", `  if (a === "x" || a === "y") {}`, ""},
		{"g.mjs", `  if (!cmd.indexOf("rm")) {`, ""}, // it begins so
		{"g.mjs", `  if (args.shift() === "git" && args.shift() === "push") {`, ""},
		{"g.sh", `if [ $tool="Write" ]; then`, `$tool="Write" is one word`},
		{"g.sh", `if [[ $tool==Write ]]; then`, `$tool==Write is one word`},
		{"g.sh", `if [ "$tool" = "Write" ]; then`, ""},
		{"g.sh", `if [ "$t" != "Write" ] || [ "$t" != "Edit" ]; then`, `"$t" != "Write" ] || [ "$t" != "Edit" is always true`},
		{"g.sh", `[[ $t != Write || $t != Edit ]] && exit 0`, "is always true"},
		{"g.sh", `[[ $t == *.py && $t == *.js ]] && exit 0`, "is never true"},
		{"g.sh", `[[ $t == *.js && $t == *.min.js ]] && exit 0`, ""},
		{"g.sh", `[[ $t == src/* && $t == *.js ]] && exit 0`, ""},
		{"g.sh", `[[ $t == "$a" && $t == "$b" ]] && exit 0`, ""},
		{"g.sh", "all=(a b)\nfor x in \"${all}\"; do :; done", "${all} is only the first word of the list all"},
		{"g.sh", "all=(a b)\nfor x in \"${all[@]}\" ${#all}; do :; done", ""},
		{"g.sh", "all=(a)\necho $all", ""},
		{"g.sh", "all=(a b)\nfor all in x; do echo $all; done", ""},
		{"g.sh", "all=(a b)\nall=x\necho $all", ""},
		{"g.sh", `# if [ $tool="Write" ]; then`, ""},
	} {
		var got []string
		for _, c := range constants(trace.LanguageOf(tt.file, nil), "x=1\n"+tt.line+"\n") {
			if c.line < 2 || c.remedy == "" {
				t.Errorf("%s: %+v", tt.line, c)
			}
			got = append(got, c.text+" "+c.what)
		}
		if all := strings.Join(got, "\n"); len(got) > 1 || (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, all, tt.want)
		}
	}
	for shell, want := range map[string]int{"zsh": 0, "bash": 1} {
		src := "#!/bin/" + shell + "\nall=(a b)\necho $all\n"
		if got := constants(trace.LanguageOf("g.sh", []byte(src)), src); len(got) != want {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}
