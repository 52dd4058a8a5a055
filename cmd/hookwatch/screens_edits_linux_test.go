package main

const (
	guard   = ".claude/hooks/enforce_package_managers.sh"
	protect = ".claude/hooks/protect_linter_configs.sh"
	own     = ".claude/tests/hooks/suites/own.yaml"
)

// starterEdits are done to the starter project.
var starterEdits = []edit{
	{"a comment is edited", `sed -i 's/^# --- decisions ---/# --- what is decided ---/' ` + protect, false},
	{"a syntax error", `sed -i '0,/^  exit 0$/s//  exit 0)/' ` + protect, false},
	{"a syntax error in a hook of many cases", `sed -i 's/^read_command() {/read_command() {{ (/' ` + guard, false},
	{"a hook is deleted", `rm ` + protect, false},
	{"a hook is not executable", `chmod -x ` + protect, false},
	{"an interpreter that is not there", `sed -i '1s|.*|#!/usr/bin/env bash5|' ` + protect, false},
	{"a hook is renamed", `mv ` + protect + ` .claude/hooks/protect.sh`, true},
	{"a variable that is not set", `sed -i 's|^JSON_TOOL=.*|&; set -u; echo "$PROJECT_ROOT" >/dev/null|' ` + protect, false},
	{"a command that is not there", `sed -i 's/^approve() {/&\n  jqq . || exit 3/' ` + protect, false},
	{"exit 1 in the place of 2", `sed -i 's/^  "\$JSON_TOOL" -cn .*/  echo "no: $1" >\&2; exit 1/' ` + protect, false},
	{"a stray line before the JSON", `sed -i '2i echo checking' ` + protect, false},
	{"JSON that is none", `sed -i "s/{\"decision\":\"approve\"}/{\"decision\":\"approve\"/" ` + protect, false},
	{"another decision", `sed -i 's/"decision":"approve"/"decision":"deny"/' ` + protect, false},
	{"a hook that hangs", `sed -i 's/timeout: .*}/timeout: 1s}/' .hookwatch.yaml; sed -i '2i sleep 600' ` + protect, true},
	{"a hook that floods", `sed -i '2i yes flood | head -c 3000000' ` + protect, false},
	{"Windows line ends", `sed -i 's/$/\r/' ` + protect, false},
	{"config.json is deleted", `rm .claude/hooks/config.json`, false},
	{"config.json is no JSON", `sed -i '2s/,$//' .claude/hooks/config.json`, false},
	{"a key of config.json", `sed -i 's/"python": "uv"/"python": "pip"/' .claude/hooks/config.json`, false},
	{"a key that no hook reads", `sed -i 's/"max_turns": 10/"max_turns": 11/' .claude/hooks/config.json`, false},
	{"a registration is dropped", `python3 - <<'PY'
import json
s = json.load(open(".claude/settings.json"))
s["hooks"]["PreToolUse"].pop(0)
json.dump(s, open(".claude/settings.json", "w"), indent=2)
PY`, false},
	{"settings.json is no JSON", `sed -i 's/"matcher": "Bash",/"matcher": "Bash"/' .claude/settings.json`, false},
	{"an event that is none", `sed -i 's/"PreToolUse"/"PreToolUSe"/' .claude/settings.json`, false},
	{"a case is deleted", `sed -i '/id: A02/,$d' ` + own, false},
	{"a suite is deleted", `rm ` + own, false},
	{"a suite that is no YAML", `sed -i 's/name: source_approved/name: "source_approved/' ` + own, false},
	{"a suite with a slip", `sed -i 's/file_path/filepath/' ` + own, false},
	{"a suite with an unknown event", `sed -i 's/event: PreToolUse/event: BeforeToolUse/' ` + own, false},
	{"a control that is no violation", `sed -i 's/expect: {exit: 0, decision: block.*/expect: {exit: 0, decision: approve}/' ` + own, false},
	{"a case expects something else", `sed -i 's/contains: .*/contains: ["taplo.toml"]}}/' ` + own, false},
	{"the section that a marker names", `sed -i '/^## Decision/,/^## /s/^\([A-Z]\)/Now: \1/' docs/specs/adr-config-protection.md`, false},
	{"a section that no marker names", `printf '\n## More\n\nMore.\n' >> docs/specs/adr-config-protection.md`, false},
	{"run.jobs and run.timeout", `sed -i 's/run: .*/run: {timeout: 20s, jobs: 1}/' .hookwatch.yaml`, false},
	{"a key of the configuration that is none", `echo 'suits: []' >> .hookwatch.yaml`, false},
	{"the configuration is deleted", `rm .hookwatch.yaml`, false},
	{"another branch", `git checkout -q -b other
		sed -i 's/"decision":"approve"/"decision":"deny"/' ` + protect + `
		sed -i 's/"python": "uv"/"python": "pip"/' .claude/hooks/config.json
		git commit -qam other`, true},
}

// secondEdits are done to a project of hooks in Python, JavaScript and a settings
// file, with a library.
var secondEdits = []edit{
	{"a Python exception", `sed -i 's/payload\["tool_input"\]\["command"\]/payload["tool_input"]["comand"]/' .claude/hooks/guard.py`, false},
	{"a Python syntax error", `sed -i 's/^if why:/if why/' .claude/hooks/guard.py`, false},
	{"a Python module that is not there", `sed -i 's/^import sys/import sys, yamlx/' .claude/hooks/guard.py`, false},
	{"a Python comment", `sed -i 's/^"""Refuses/"""It refuses/' .claude/hooks/guard.py`, false},
	{"exit 1 in Python", `sed -i 's/sys.exit(2)/sys.exit(1)/' .claude/hooks/guard.py`, false},
	{"a Python hook is deleted", `rm .claude/hooks/guard.py`, false},
	{"a node exception", `sed -i 's/payload.tool_input.file_path/payload.toolInput.file_path/' .claude/hooks/paths.mjs`, false},
	{"a node syntax error", `sed -i 's/^}$/})/' .claude/hooks/paths.mjs`, false},
	{"a line on stdout from node", `sed -i 's/^const payload/console.log("paths.mjs");\n&/' .claude/hooks/paths.mjs`, false},
	{"a top-level additionalContext", `sed -i 's/{"hookSpecificOutput".*}}/{"additionalContext": "%s"}/' .claude/hooks/lib/say.sh`, false},
	{"a library with a syntax error", `sed -i 's/^}$/)/' .claude/hooks/lib/say.sh`, false},
	{"a library is deleted", `rm .claude/hooks/lib/say.sh`, false},
	{"a function that is not there", `sed -i 's/^say()/tell()/' .claude/hooks/lib/say.sh`, false},
	{"a broken inline hook", `sed -i 's/ ;; esac"/ ;;"/' .claude/settings.json`, false},
	{"an inline hook lets through", `sed -i 's/exit 2/exit 1/' .claude/settings.json`, false},
	{"a launcher that is not there", `sed -i 's/python3 /uvx9 /' .claude/settings.json`, false},
	{"a matcher that matches nothing", `sed -i 's/"Bash"/"bash"/' .claude/settings.json`, false},
	{"settings.json is deleted", `rm .claude/settings.json`, false},
	{"a suite of its own", `cp ` + own + ` .claude/tests/hooks/suites/two.yaml`, false},
	{"a timeout of the run", `sed -i 's/timeout: 30s/timeout: 20s/' .hookwatch.yaml`, false},
}
