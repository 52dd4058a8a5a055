package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
)

// A breakage is what a user does to the starter project, and what has to be on the screen then, within
// twelve rows: the cause, the consequence for the client, and the place.
type breakage struct {
	name, does string
	shows      []string
}

const (
	guardScript = ".claude/hooks/guard.sh"
	ownSettings = ".claude/settings.json"
	ownSuite    = ".claude/tests/hooks/suites/guard.yaml"
)

var breakages = []breakage{
	{"exit 1 instead of 2", "sed -i 's/exit 2$/exit 1/' " + guardScript,
		[]string{"exit 1, want 2", "it blocks nothing", guardScript + ":8"}},
	{"a syntax error", "sed -i 's/^  exit 2$/  exit 2)/' " + guardScript,
		[]string{"does not parse: line 8", "denies PreToolUse", guardScript + ":8"}},
	{"output that is no JSON", `sed -i 's/^  echo .*/  echo "{\\"hookSpecificOutput\\": {\\"permissionDecision\\": deny}}"/; s/exit 2$/exit 0/' ` + guardScript,
		[]string{"exit 0, want 2", "JSON", guardScript + ":7"}},
	{"a field in the wrong place", `sed -i 's/^  echo .*/  echo "{\\"permissionDecision\\": \\"deny\\"}"/; s/exit 2$/exit 0/' ` + guardScript,
		[]string{"exit 0, want 2", "drops it silently", guardScript + ":7"}},
	{"an endless loop", `sed -i 's/^check_push "/while :; do sleep 9; done\n&/' ` + guardScript,
		[]string{"TIMEOUT", guardScript}},
	{"a program that is not there", "sed -i 's/jq/jqq/' " + guardScript,
		[]string{"exit 2, want 0", "jq is absent", "denies PreToolUse"}},
	{"a matcher of no tool", "sed -i 's/\"matcher\": \"Bash\"/\"matcher\": \"Bsh\"/' " + ownSettings,
		[]string{"Bsh", ownSettings}},
	{"the registration is gone", "echo '{}' > " + ownSettings,
		[]string{"no settings register guard.sh", "the client never runs it"}},
	{"the script is renamed", "git mv .claude/hooks/guard.sh .claude/hooks/gard.sh",
		[]string{".claude/hooks/gard.sh", "does not exist", "exit code 127", ownSettings + ":7"}},
	{"another branch", "git checkout -q other", []string{"passed"}},
	{"settings that are no JSON", "sed -i '1s/{/{{/' " + ownSettings,
		[]string{"the client never runs it", ownSettings + ":1", "JSON"}},
	{"a suite with an unknown key", "sed -i 's/^event:/evnt:/' " + ownSuite,
		[]string{ownSuite + ":6", "did you mean event"}},
	{"many causes", `sed -i 's/^check_push "/exit 3\n&/; s/^  local everything/  exit 1\n&/' ` + guardScript,
		[]string{"exit 3", guardScript}},
}

// tookSeconds matches the time of a run after which failures may have been shown before its end.
var tookSeconds = regexp.MustCompile(` in ([3-9]|\d\d+)(\.\d+)? s`)

// TestDrawn checks the screens of a watching session on a terminal, drawn by an emulator: after each
// breakage of a project, in a directory without hooks, in a project without a suite, and after the window
// became narrow. By default it tries the smaller of two sizes, and every third breakage.
func TestDrawn(t *testing.T) {
	t.Parallel()
	for _, size := range processtest.Sample([][2]uint16{{80, 24}, {120, 40}}, 2) {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			slow := 0 // what a run of some seconds shows depends on the machine
			show := func(name, does, screen string) { fmt.Fprintf(&got, "=== %s\n$ %s\n%s\n", name, does, screen) }
			dir := dirOfOneLength(t)
			root := filepath.Join(dir, "first")
			layFirst(t, root)
			d := newDrawing(t, root, size, "--filter", "G[01][13]")
			for _, b := range processtest.Sample(breakages, 5) {
				d.begin()
				d.save(b.does)
				screen := d.screen()
				switch {
				case strings.Contains(b.shows[0], "TIMEOUT"):
				case tookSeconds.MatchString(d.text()[d.from:]):
					slow++
				default:
					show(b.name, b.does, screen)
				}
				d.within(b, screen)
				d.save("git checkout -q -f main && git reset -q --hard && git clean -qfd -e .claude/tests/hooks/results")
			}
			d.save(breakages[0].does)
			d.begin()
			d.narrow(50)
			show("a narrow window", breakages[0].does, d.screen())
			d.types("q")
			d.end()

			empty := filepath.Join(dir, "empty")
			if err := os.Mkdir(empty, 0o755); err != nil {
				t.Fatal(err)
			}
			d = newDrawing(t, empty, size)
			show("no hooks", "hookwatch", d.screen())
			d.types("q")
			d.end()

			bare := filepath.Join(dir, "bare")
			layFirst(t, bare)
			inShell(t, bare, "rm -r .hookwatch.yaml .claude/tests && "+breakages[0].does)
			d = newDrawing(t, bare, size)
			screen := d.screen()
			d.within(breakage{name: "no suite", shows: []string{"exit code 1", "the client proceeds", guardScript + ":8"}}, screen)
			show("no suite", breakages[0].does, screen)
			d.types("q")
			d.end()
			if slow > 0 {
				t.Logf("%d screens are not compared: the machine is slow", slow)
				return
			}
			d.compare(fmt.Sprintf("drawn-%dx%d", size[0], size[1]), got.String())
		})
	}
}

// dirOfOneLength returns an empty directory whose path is as long on every machine and in every run,
// because rows are broken by the length of the paths in them.
func dirOfOneLength(t *testing.T) string {
	t.Helper()
	for {
		dir := fmt.Sprintf("/tmp/hookwatch-%06d", rand.IntN(1e6))
		switch err := os.Mkdir(dir, 0o700); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			t.Fatal(err)
		default:
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
}

// layFirst writes the starter project with a short time limit to a repository with another branch.
func layFirst(t *testing.T, root string) {
	t.Helper()
	if _, err := reference.First.Extract(root); err != nil {
		t.Fatal(err)
	}
	inShell(t, root, `printf 'run: {timeout: 10s}\nverify: off\nnotify: {desktop: false}\n' >> .hookwatch.yaml
		printf '.claude/tests/hooks/results\n' > .gitignore
		git init -q -b main && git config user.email a@b && git config user.name n && git config commit.gpgsign false
		git add -A && git commit -qm first
		git checkout -q -b other && sed -i 's/no forced push/never force/' `+guardScript+` && git commit -qam other && git checkout -q main`)
}

// A drawing is a session on a terminal, drawn on a screen.
type drawing struct {
	*screens
	size [2]uint16
	from int // the beginning of the output that is drawn
}

func newDrawing(t *testing.T, root string, size [2]uint16, args ...string) *drawing {
	t.Helper()
	args = append(args, "--trace", "never", "--jobs", "1", "--no-color")
	cmd := program(t, root, args...)
	cmd.Env = append(cmd.Env, "TMPDIR="+filepath.Dir(root)) // of the sandboxes whose paths are shown
	d := &drawing{screens: &screens{pty: commandOnTerminal(t, cmd, "", size[0], size[1]), root: root}, size: size}
	d.wait(restingLine, 1)
	return d
}

// begin makes the screen empty.
func (d *drawing) begin() { d.from = len(d.text()) }

// narrow makes the window narrower, and waits until everything is drawn again.
func (d *drawing) narrow(columns uint16) {
	d.t.Helper()
	d.size[0] = columns
	d.resize(columns, d.size[1])
	d.until("the failures again", func(shown string) bool {
		_, after, again := strings.Cut(shown[d.from:], "UNPROVEN 2 cases")
		return again && strings.Contains(after, restingLine)
	})
}

// screen returns the rows of the screen.
func (d *drawing) screen() string {
	d.t.Helper()
	screen := vt.NewEmulator(int(d.size[0]), int(d.size[1]))
	if _, err := screen.Write([]byte(d.text()[d.from:])); err != nil {
		d.t.Fatal(err)
	}
	var rows strings.Builder
	for row := range strings.Lines(screen.String()) {
		rows.WriteString(strings.TrimRight(row, " \r\n") + "\n")
	}
	return strings.TrimRight(d.same(rows.String()), "\n") + "\n"
}

// within checks that the first twelve rows of the screen show everything that they have to.
func (d *drawing) within(b breakage, screen string) {
	d.t.Helper()
	const rows = 12
	lines := strings.SplitAfterN(screen, "\n", rows+1)
	first := strings.Join(lines[:min(rows, len(lines))], "")
	for _, text := range b.shows {
		if !strings.Contains(first, text) {
			d.t.Errorf("%s: the first %d rows lack %q:\n%s", b.name, rows, text, screen)
		}
	}
}
