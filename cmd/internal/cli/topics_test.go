package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hookwatch/config"
	"hookwatch/suites/catalog"
)

// top is the project's directory, relative to this package's.
const top = "../../.."

// readmeLines is the maximum length of a README that is read in five minutes.
const readmeLines = 160

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// topicText returns the text of a topic.
func topicText(t *testing.T, name string) string {
	t.Helper()
	for _, topic := range allTopics() {
		if topic.Name == name {
			return topic.text()
		}
	}
	t.Fatalf("no topic %s", name)
	return ""
}

// documents returns the texts for users, by path in the project's directory.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("topics/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no topics", err)
	}
	all := []string{"README.md", ".ci/README.md"}
	for _, f := range files {
		all = append(all, "cmd/internal/cli/"+filepath.ToSlash(f))
	}
	return all
}

// TestTopics checks that each topic is listed by help, printed unchanged, and linked by the
// README; and that every file is a topic.
func TestTopics(t *testing.T) {
	t.Parallel()
	readme := readText(t, top+"/README.md")
	_, list, _ := call(t, ".", "", "--help")
	_, same, _ := call(t, ".", "", "help")
	if list != same {
		t.Errorf("help and --help differ:\n%s\n%s", same, list)
	}
	if n := strings.Count(list, "\n"); n > 40 {
		t.Errorf("--help takes %d lines, more than a screen of 40", n)
	}
	_, flags, _ := call(t, ".", "", "help", "flags")
	if !strings.Contains(flags, "--backstop") || !strings.Contains(flags, "--once") {
		t.Errorf("help flags:\n%s", flags)
	}
	_, listed, _ := call(t, ".", "", "help", "topics")
	var files []string
	for _, topic := range allTopics() {
		files = append(files, "cmd/internal/cli/topics/"+topic.Name+".md")
		if row := fmt.Sprintf("\n  %-15s%s\n", topic.Name, topic.Short); !strings.Contains(listed+"\n", row) || !strings.Contains(list, topic.Name) {
			t.Errorf("help topics or --help does not list %s", topic.Name)
		}
		if link := "[" + topic.Name + "](cmd/internal/cli/topics/" + topic.Name + ".md)"; !strings.Contains(readme, link) {
			t.Errorf("the README has no link %s", link)
		}
		code, shown, stderr := call(t, ".", "", "help", topic.Name)
		if want := readText(t, "topics/"+topic.Name+".md"); code != 0 || strings.TrimRight(shown, "\n")+"\n" != want || stderr != "" {
			t.Errorf("help %s: exit %d, %q, %s", topic.Name, code, shown, stderr)
		}
		if slices.Contains(commandNames(), topic.Name) {
			t.Errorf("%s is a command as well", topic.Name)
		}
	}
	slices.Sort(files)
	if there := documents(t)[2:]; !slices.Equal(there, files) {
		t.Errorf("files are %q, topics %q", there, files)
	}
}

// commandNames returns the commands that run something.
func commandNames() []string {
	var names []string
	for _, c := range newRoot(newApp(Streams{Out: io.Discard, Err: io.Discard})).Commands() {
		if c.Runnable() {
			names = append(names, c.Name())
		}
	}
	return names
}

// TestTopicUnknown checks that an unknown topic is a usage error, and that the error lists the
// topics.
func TestTopicUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		hint string
	}{
		{[]string{"isolaton"}, "did you mean hookwatch help isolation?"},
		{[]string{"exit-code"}, "did you mean hookwatch help exit-codes?"},
		{[]string{"verifi"}, "did you mean hookwatch help verify?"},
		{[]string{"something"}, "see hookwatch --help"},
		{[]string{"isolation", "nothing"}, "see hookwatch --help"},
	} {
		code, out, stderr := call(t, ".", "", append([]string{"help"}, tt.args...)...)
		want := "hookwatch: no command and no topic \"" + tt.args[len(tt.args)-1] + "\" (" + tt.hint + ")\n" +
			"topics: " + strings.Join(topicNames(), ", ") + "\n"
		if code != Usage || out != "" || stderr != want {
			t.Errorf("help %v: exit %d, %q, %q, want %q", tt.args, code, out, stderr, want)
		}
	}
	if code, out, _ := call(t, ".", "", "help", "run"); code != 0 || !strings.Contains(out, "hookwatch run ID... [flags]") {
		t.Errorf("help of a command: exit %d, %s", code, out)
	}
}

// TestTopicLength checks that a newcomer can read the README at once, and that a topic fits a
// terminal of a hundred columns.
func TestTopicLength(t *testing.T) {
	t.Parallel()
	if n := strings.Count(readText(t, top+"/README.md"), "\n"); n >= readmeLines {
		t.Errorf("the README has %d lines, want less than %d", n, readmeLines)
	}
	for _, topic := range allTopics() {
		for i, line := range strings.Split(topic.text(), "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("topics/%s.md:%d has %d columns", topic.Name, i+1, n)
			}
		}
	}
}

var (
	fences     = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpans  = regexp.MustCompile("`[^`\n]*`")
	links      = regexp.MustCompile(`\[[^\]\n]*\]\(([^)\s]+)\)`)
	headings   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInSlugs = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the link targets for the headings of a text.
func anchors(text string) []string {
	var all []string
	for _, h := range headings.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		slug := notInSlugs.ReplaceAllString(strings.ToLower(h[1]), "")
		all = append(all, strings.ReplaceAll(slug, " ", "-"))
	}
	return all
}

// TestReadmeLinks checks that each relative link of the documents leads to a file, and to a
// heading if it names one.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	for _, name := range documents(t) {
		text := codeSpans.ReplaceAllString(fences.ReplaceAllString(readText(t, top+"/"+name), ""), "")
		for _, l := range links.FindAllStringSubmatch(text, -1) {
			if why := follow(name, l[1]); why != "" {
				t.Errorf("%s: %s: %s", name, l[1], why)
			}
		}
	}
}

// follow returns why a link of a document is broken, or "".
func follow(from, link string) string {
	to, err := url.Parse(link)
	switch {
	case err != nil:
		return err.Error()
	case to.IsAbs():
		return "" // other sites are not queried
	}
	path := from
	if to.Path != "" {
		path = filepath.Join(filepath.Dir(from), filepath.FromSlash(to.Path))
	}
	info, err := os.Stat(filepath.Join(top, path))
	if err != nil || to.Fragment == "" {
		return cmp.Or(errorText(err), "")
	}
	text, err := os.ReadFile(filepath.Join(top, path))
	if err != nil || info.IsDir() {
		return "it has no headings"
	}
	if !slices.Contains(anchors(string(text)), to.Fragment) {
		return "no such heading"
	}
	return ""
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// blocks returns the contents of a text's fences of one language.
func blocks(text, language string) []string {
	var all []string
	for _, f := range fences.FindAllString(text, -1) {
		if body, ok := strings.CutPrefix(f, "```"+language+"\n"); ok {
			all = append(all, strings.TrimSuffix(body, "```"))
		}
	}
	return all
}

// TestTopicYAML checks that every sample of a suite or of the configuration is valid.
func TestTopicYAML(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range documents(t) {
		for _, sample := range blocks(readText(t, top+"/"+name), "yaml") {
			if strings.HasPrefix(sample, "jobs:") { // a workflow
				continue
			}
			seen++
			if strings.HasPrefix(sample, "suite: ") {
				if _, problems := catalog.Load(name, []byte(sample)); len(problems) > 0 {
					t.Errorf("%v", problems)
				}
				continue
			}
			root := newProject(t, map[string]string{config.FileName: sample})
			if _, err := config.Load(config.LoadOptions{Dir: root, State: t.TempDir()}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if seen < 3 {
		t.Errorf("%d samples: they are not found", seen)
	}
}

// TestTopicExitCodes checks that the table has exactly the existing codes.
func TestTopicExitCodes(t *testing.T) {
	t.Parallel()
	var codes []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(topicText(t, "exit-codes"), -1) {
		codes = append(codes, m[1])
	}
	var want []string
	for _, code := range []int{Passed, Failed, Usage, Aborted, Interrupted} {
		want = append(want, fmt.Sprint(code))
	}
	if !slices.Equal(codes, want) {
		t.Errorf("the topic has %v, the program %v", codes, want)
	}
}
