package prove

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// executor is the name of the hook that executes the texts of a case of Execution.
const executor = "prove"

// Executor returns the hook of a case of Execution. It is the only one that the runner of such cases
// knows, so that no other hook runs there.
func Executor(event, name, _ string) (discover.Hook, bool) {
	return discover.Hook{ID: executor, Event: event, Type: "command", Command: `bash "$TMPDIR/prove/run"`}, name == executor
}

// An Effect is what a text did when it was executed.
type Effect struct {
	Calls  []Call
	Files  []string // with their content, those that were changed, created or removed
	Output string   // on stdout, and in a scene also on stderr
	// Observed is what the observer of a scene printed about the state afterwards.
	Observed string
}

// None reports whether nothing was done.
func (e Effect) None() bool { return len(e.Calls)+len(e.Files) == 0 && !e.reveals() }

// secret is the content of the files that a text may read.
const secret = "content of the file "

// reveals reports whether the output contains the content of a file.
func (e Effect) reveals() bool {
	return strings.Contains(e.Output, secret) || strings.Contains(e.Output, "root:")
}

// key returns a text that is equal for equivalent effects: calls, changed files and the lines of the
// output, in any order.
func (e Effect) key() string {
	var all []string
	for _, c := range e.Calls {
		all = append(all, c.canonical())
	}
	all = append(all, e.Files...)
	lines := strings.Split(strings.TrimSpace(e.Output), "\n")
	slices.Sort(lines)
	return strings.Join(append(all, lines...), "\x02")
}

// work and home replace the directories of an execution.
const work, home = "/{work}", "/{home}"

var shown = strings.NewReplacer("'"+home+"'", "~", "'"+home+"/", "'~/", home, "~", work+"/", "", "'"+work+"'", ".", work, ".")

// String describes the effect in a line.
func (e Effect) String() string {
	var all []string
	for _, c := range e.Calls {
		if c.Args[0] == downloaded {
			all = append(all, "runs what was downloaded")
			continue
		}
		text := "calls " + c.String()
		if c.Dir != work {
			text += " in " + c.Dir
		}
		all = append(all, shown.Replace(text))
	}
	for _, f := range e.Files {
		name, _, _ := strings.Cut(f, "\x1f")
		name = strings.TrimPrefix(name, "work/")
		if rest, ok := strings.CutPrefix(name, "home/"); ok {
			name = "~/" + rest
		}
		all = append(all, "changes "+name)
	}
	if len(all) == 0 && e.reveals() {
		return "prints the content of the file"
	}
	return check.ShortCommand(strings.Join(all, "; "))
}

// downloaded is a program that a downloaded script calls.
const downloaded = "hookwatch-downloaded"

// recorded are programs that never run: a stand-in records the call.
var recorded = strings.Fields("git rm rmdir dd chmod chown chgrp mkfs shred wget curl npm npx yarn pnpm bun bunx pip pip3 pipx uv uvx poetry conda python python3 node deno " +
	"docker podman kubectl helm terraform tofu pulumi aws gcloud az gh glab psql mysql mongo redis-cli sqlite3 ssh scp rsync nc ncat telnet kill pkill killall shutdown reboot " +
	"halt poweroff systemctl service crontab make cargo go brew apt apt-get dnf yum pacman mount umount fdisk parted chattr perl ruby php su doas rg openssl history claude gem mvn gradle")

// real are programs that may run in the sandbox.
var real = strings.Fields("cat head tail less more grep egrep fgrep sed awk cut sort tac uniq wc cp mv ln touch tee truncate mkdir ls find echo printf env xargs nohup nice timeout stdbuf setsid bash sh dash base64 rev tr true false test sleep seq date basename dirname realpath readlink diff cmp")

// sudo replaces sudo and doas: it starts the program without other rights. An absolute path
// of a recorded program leads to its stand-in, if the program is there.
const sudo = `while :; do case $1 in -u|-g) shift 2;; -*) shift;; *=*) export "$1"; shift;; *) break;; esac; done
case $1 in /*/*) [ -x "$1" ] && [ -x "${0%/*}/${1##*/}" ] && { p=${1##*/}; shift; exec "$p" "$@"; };; esac
exec "$@"
`

// record is the stand-in of a recorded program.
const record = `{ printf '\036%s\037%s' "$PWD" "${0##*/}"; for a in "$@"; do printf '\037%s' "$a"; done; } >>"$HOOKWATCH_CALLS"
`

// replies are what recorded programs print.
var replies = map[string]string{"curl": "echo " + downloaded + "\n", "wget": "echo " + downloaded + "\n"}

// driver executes each text in the same, freshly made directory, and reports what changed. It starts
// few programs itself, because they would take longer than the texts: a single guard ends the texts
// that take too long. Each has a file of its own for its calls, because what it started may go on.
const driver = `P=$TMPDIR/prove real=${PATH#*:} shims=$PATH; export BASH_ENV=$P/functions HOME=$P/w/home TMPDIR=$P/w/tmp TERM=dumb
unset CLAUDE_PROJECT_DIR
shopt -s globstar dotglob nullglob
list() { local f c; listed=; for f in work/** home/** root/**; do
  if [[ -v scene && $f =~ /\.git/(objects|logs|refs|index|[A-Z_]+$) ]]; then continue
  elif [[ -v scene && -L $f ]]; then listed+=$f$'\037'"-> $(readlink "$f")"$'\036'
  elif [[ -f $f ]]; then c=; IFS= read -r -d '' c <"$f"; [[ -v scene && -x $f ]] && c+=' (executable)'; listed+=$f$'\037'${c:0:2000}$'\036'
  elif [[ -d $f ]]; then listed+=${f%/}$'\037/\036'; fi; done; }
mv "$P/template" "$P/w0" && mkdir -p "$P/w0/work" "$P/w0/home" "$P/w0/tmp" || exit 1
if [[ -e $P/scene ]]; then
  scene=; export GIT_CONFIG_NOSYSTEM=1 GIT_TEMPLATE_DIR= PYTHONPATH=$HOME/modules PYTHONDONTWRITEBYTECODE=1
  printf '[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n' >"$P/w0/home/.gitconfig"
  mv "$P/w0" "$P/w"; (cd "$P/w/work" && P=$P bash "$P/scene") >/dev/null 2>&1 </dev/null; mv "$P/w" "$P/w0"
fi
fresh() { cd / && command rm -rf "$P/w" && cp -a "$P/w0" "$P/w"; cd "$P/w" || exit 1; }
PATH=$real; fresh; list; before=$listed
printf '\034%s' "$before"
coproc guard { while read -r pid; do read -r -t 3 || { kill -KILL "$pid"; read -r; }; done; }
for t in "$P"/texts/*; do
  export HOOKWATCH_CALLS=$P/calls.${t##*/}; : >"$HOOKWATCH_CALLS"; cd work
  { [[ -v scene ]] && exec 2>&1; PATH=$shims exec bash "$t"; } >"$P/out" 2>/dev/null </dev/null & echo $! >&"${guard[1]}"
  wait $! 2>/dev/null; s=$?; echo >&"${guard[1]}"
  cd "$P/w" || { fresh; s=137; }
  c=; IFS= read -r -d '' c <"$HOOKWATCH_CALLS"; o=; IFS= read -r -d '' o <"$P/out"; r=; list
  if [[ -v scene ]]; then o=$(tr -cd '[:print:]\n\t' <"$P/out"); r=$(cd work && P=$P bash "$P/observe" 2>/dev/null); fi
  printf '\034%s\035%s\035%s\035%s\035%s\035%s' "${t##*/}" "$s" "$c" "$listed" "${o:0:${scene+6}2000}" "$r"
  [[ ! -v scene && $listed == "$before" && ! -e tmp/x.sh ]] || fresh
done
`

// results is the file that Execution's case leaves.
const results = "{tmp}/prove/results"

// executable reports why a text is not executed; "" if it is. Ways around the stand-ins, and
// functions that may call themselves, are not worth a risk, although the sandbox holds them. Programs
// are those whose absolute paths have stand-ins.
func executable(text string, programs []string) string {
	script, err := shell.Read(text)
	if err != nil {
		return "it is no command"
	}
	why := ""
	for _, f := range script.Functions {
		if strings.Count(text, f.Name) > 3 {
			why = "a function may call itself"
		}
	}
	for _, a := range script.Assigns {
		if slices.Contains([]string{"PATH", "BASH_ENV", "HOOKWATCH_CALLS"}, a.Name) {
			why = "it changes where programs are looked up"
		}
	}
	starts := map[int]bool{}
	for _, c := range script.Commands {
		if len(c.Args) == 0 {
			continue
		}
		starts[c.Args[0].Start] = true
		for i, w := range c.Args[1:] {
			switch first, option := c.Name(), w.Bare(); {
			case first == "command" && option == "-p", strings.HasSuffix(first, "sh") && strings.HasPrefix(option, "-") && strings.Contains(option, "l"), first == "env" && option == "-i":
				why = "it looks for programs elsewhere"
			case first == "sudo" && i == 0:
				starts[w.Start] = true
			}
		}
	}
	for _, m := range binary.FindAllStringIndex(text, -1) {
		name := path.Base(text[m[0]:m[1]])
		if !slices.Contains(real, name) && !(starts[m[0]] && slices.Contains(programs, name)) {
			why = "it names a program by its path"
		}
	}
	return why
}

var binary = regexp.MustCompile(`/(?:usr/)?(?:local/)?s?bin/[\w.-]+`)

// names are the programs that a text calls, as far as it shows them.
func names(text string) (all []string) {
	c, err := parsed(text)
	if err != nil {
		return nil
	}
	for _, call := range c.calls {
		words := call.values()
		for inner := len(words); inner > 0 && len(words) > 0; words = words[inner:] {
			name := path.Base(words[0])
			if name != "sudo" && !slices.Contains(real, name) && programName.MatchString(name) && !slices.Contains(builtins, name) {
				all = append(all, name)
			}
			inner = shell.Inner(words)
		}
	}
	return all
}

var (
	programName = regexp.MustCompile(`^[a-z][\w.+-]*$`)
	builtins    = strings.Fields("cd eval exec command builtin source export set unset alias shopt trap wait read local declare exit return type hash ulimit umask test time")
)

// standIns are the programs that are recorded when seeds are executed: those that they call, and
// those whose names they contain.
func standIns(seeds []string) []string {
	all := []string{"rm", "git", "kill"}
	for _, s := range seeds {
		all = append(all, names(s)...)
		for _, name := range recorded {
			if strings.Contains(s, name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Execution returns the case that executes the texts, with files for the paths that the seeds name, and
// stand-ins for the programs. Its result is read by effects.
func Execution(seeds, texts []string) *suites.Case {
	present := map[string]string{}
	for _, f := range files(seeds) {
		present[f] = secret + path.Base(f) + "\n"
	}
	return execution(present, standIns(seeds), texts)
}

// execution returns the case that executes the texts, with files below work, home and root, and stand-ins.
func execution(present map[string]string, standIns, texts []string) *suites.Case {
	var programs []suites.Program
	functions := ""
	for _, name := range standIns {
		programs = append(programs, suites.Program{Name: name, Script: record + replies[name]})
		for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"} {
			functions += "[[ -x " + dir + name + " ]] && function " + dir + name + " { " + name + ` "$@"; }` + "\n"
		}
	}
	programs = append(programs, suites.Program{Name: "sudo", Script: sudo}, suites.Program{Name: downloaded, Script: record})
	step := suites.Step{Event: "PreToolUse", Tool: "Bash", Command: "true", Fixtures: []suites.Fixture{
		{Path: "{tmp}/prove/run", Content: "exec >\"$TMPDIR/prove/results\"\n" + driver},
		{Path: "{tmp}/prove/functions", Content: functions},
		{Path: "{tmp}/prove/template/work/.keep"},
	}}
	for i, t := range texts {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: fmt.Sprintf("{tmp}/prove/texts/%04d", i), Content: t})
	}
	for f, content := range present {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/prove/template/" + f, Content: content})
	}
	step.Expect.Files = []suites.FileExpectation{{Path: results}}
	return &suites.Case{
		Suite: executor, ID: "execution", Layer: suites.Direct, Registered: executor, Timeout: 2 * time.Minute, Patient: true,
		CaseEnv: suites.CaseEnv{Programs: programs}.OrNil(), Steps: []suites.Step{step},
	}
}

// files returns the files, below work and home, that exist when a text is executed: those that the
// operands of the seeds name.
func files(seeds []string) (all []string) {
	for _, s := range seeds {
		c, err := parsed(s)
		if err != nil {
			continue
		}
		operands := c.targets
		for _, call := range c.calls {
			g, known := call.grammar()
			if known && !g.paths || !known && !slices.Contains(real, call.name()) {
				continue
			}
			for _, i := range call.roles(operand) {
				operands = append(operands, call.words[i])
			}
		}
		for _, w := range operands {
			v, place := w.value, "work/"
			if rest, ok := strings.CutPrefix(strings.Replace(v, "$HOME/", "~/", 1), "~/"); ok {
				v, place = rest, "home/"
			}
			if strings.HasSuffix(v, "/") && v != "/" {
				v += "file"
			}
			v = path.Clean(v)
			if v != "." && !strings.HasPrefix(v, "..") && !strings.ContainsAny(v, "*?[]{}$~'\" \n:=|&") && v[0] != '/' && v[0] != '-' {
				all = append(all, place+v)
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(f string) bool { // a directory cannot be a file as well
		return slices.ContainsFunc(all, func(o string) bool { return strings.HasPrefix(o, f+"/") })
	})
}

// effects returns what each text did, by its index. A text that did not end, or was not reached, has
// none.
func effects(o suites.Outcome) map[int]Effect {
	parts := strings.Split(string(o.Last().Files[results]), "\x1c")
	if len(parts) < 2 {
		return nil
	}
	tmp := ""
	for i := 0; i+1 < len(o.Named); i += 2 {
		if o.Named[i] == "{tmp}" {
			tmp = o.Named[i+1]
		}
	}
	places := strings.NewReplacer(tmp+"/prove/w/work", work, tmp+"/prove/w/home", home, tmp+"/prove/w/tmp", "/tmp", tmp+"/prove/w/root", "", tmp+"/prove/w", "/..")
	before := listing(parts[1])
	out := map[int]Effect{}
	for _, p := range parts[2:] {
		fields := strings.Split(p, "\x1d")
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) != 6 || fields[1] == "137" || fields[1] == "124" {
			continue
		}
		e := Effect{Output: fields[4], Observed: fields[5]}
		for _, c := range strings.Split(fields[2], "\x1e") {
			if args := strings.Split(places.Replace(c), "\x1f"); len(args) > 1 {
				e.Calls = append(e.Calls, Call{Dir: args[0], Args: args[1:]})
			}
		}
		after := listing(fields[3])
		for name, content := range after {
			if before[name] != content {
				e.Files = append(e.Files, places.Replace(name+"\x1f"+content))
			}
		}
		for name := range before {
			if _, still := after[name]; !still {
				e.Files = append(e.Files, name+"\x1f(removed)")
			}
		}
		slices.Sort(e.Files)
		out[n] = e
	}
	return out
}

func listing(text string) map[string]string {
	all := map[string]string{}
	for _, f := range strings.Split(text, "\x1e") {
		if name, content, ok := strings.Cut(f, "\x1f"); ok {
			all[name] = content
		}
	}
	return all
}
