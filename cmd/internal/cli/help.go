package cli

import (
	_ "embed" // the topics are part of the program
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// The texts are strings rather than a file system, because a string is never copied
// to memory that a watching session then holds.
var (
	//go:embed topics/hooks.md
	hooksTopic string
	//go:embed topics/cases.md
	casesTopic string
	//go:embed topics/verdicts.md
	verdictsTopic string
	//go:embed topics/selection.md
	selectionTopic string
	//go:embed topics/watching.md
	watchingTopic string
	//go:embed topics/isolation.md
	isolationTopic string
	//go:embed topics/client.md
	clientTopic string
	//go:embed topics/markers.md
	markersTopic string
	//go:embed topics/configuration.md
	configurationTopic string
	//go:embed topics/consent.md
	consentTopic string
	//go:embed topics/records.md
	recordsTopic string
	//go:embed topics/json.md
	jsonTopic string
	//go:embed topics/exit-codes.md
	exitCodesTopic string
	//go:embed topics/limits.md
	limitsTopic string
)

// A topic is a page of reference text. Its Markdown is shown as it is, so that it
// reads the same in the repository.
type topic struct{ Name, Short, Text string }

// allTopics lists the topics in the order in which a newcomer needs them. None has the
// name of a command: help would show one of the two only.
func allTopics() []topic {
	return []topic{
		{"hooks", "Hooks of any project: check, and where they are found", hooksTopic},
		{"cases", "Suites, cases, and how a script is run", casesTopic},
		{"verdicts", "The five verdicts, why a case failed, preflight", verdictsTopic},
		{"selection", "Which cases a change affects, and how that is known", selectionTopic},
		{"watching", "Keys, what a save shows, notifications", watchingTopic},
		{"isolation", "What keeps a case from your files", isolationTopic},
		{"client", "The real client fires the hook: --live and layer 2", clientTopic},
		{"markers", "[verify: ...]: what a claim depends on", markersTopic},
		{"configuration", ".hookwatch.yaml, variables and flags", configurationTopic},
		{"consent", "What in a clone's configuration needs your agreement", consentTopic},
		{"records", "What is kept of runs, and how to ask it", recordsTopic},
		{"json", "Every document and event for programs", jsonTopic},
		{"exit-codes", "What the exit codes mean", exitCodesTopic},
		{"limits", "Bounds of what is read, and systems", limitsTopic},
	}
}

// topicNames lists their names.
func topicNames() []string {
	var names []string
	for _, t := range allTopics() {
		names = append(names, t.Name)
	}
	return names
}

// addTopics makes each topic a command without anything to run, of which help
// shows the text. They are hidden from cobra's own list, which would call them
// hookwatch NAME, and listed in a group of their own instead.
func addTopics(root *cobra.Command) {
	for _, t := range allTopics() {
		root.AddCommand(&cobra.Command{Use: t.Name, Short: t.Short, Long: t.Text, Hidden: true})
	}
	root.AddCommand(&cobra.Command{
		Use: flagsTopic, Short: "All flags", Hidden: true, Long: "Flags that commands share, and those of hookwatch itself:\n\n" + root.Flags().FlagUsages() + root.PersistentFlags().FlagUsages() + "\n" + formatHelp(),
	})
	root.AddCommand(&cobra.Command{Use: topicsTopic, Short: "All topics", Hidden: true, Long: topicList()})
	root.SetHelpCommand(helpCommand())
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		if cmd == root {
			overview(cmd)
			return nil
		}
		return usage(cmd)
	})
}

// Topics that are made of what the program knows, and not written.
const (
	flagsTopic  = "flags"
	topicsTopic = "topics"
)

func topicList() string {
	var b strings.Builder
	b.WriteString("Topics, each shown by hookwatch help TOPIC:\n")
	for _, t := range allTopics() {
		fmt.Fprintf(&b, "\n  %-15s%s", t.Name, t.Short)
	}
	return b.String()
}

// overview prints the usage of hookwatch itself on one screen of 40 lines: the commands,
// the flags that most users need, and the names of the topics.
func overview(root *cobra.Command) {
	out := root.OutOrStderr()
	writef(out, "Usage: hookwatch [COMMAND] [FLAGS]\n\nCommands (hookwatch COMMAND --help describes one):\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			writef(out, "  %-10s%s\n", output(c.Name()), c.Short)
		}
	}
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range mainFlags {
		some.AddFlag(root.Flag(name))
	}
	writef(out, "\nFlags (hookwatch help %s lists all):\n", flagsTopic)
	for l := range strings.Lines(some.FlagUsages()) {
		writef(out, "%s\n", output(strings.TrimSuffix(l, "\n")))
	}
	names := topicNames()
	half := len(names)/2 + 1
	writef(out, "\nTopics (hookwatch help %s lists them):\n  %s,\n  %s\n", topicsTopic, output(strings.Join(names[:half], ", ")), output(strings.Join(names[half:], ", ")))
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Show what a command does, or a topic",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return helpNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, unknown, err := cmd.Root().Find(args)
			if err != nil || len(unknown) > 0 {
				return unknownTopic(cmd.Root(), strings.Join(unknown, " "))
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// helpNames are the words that help knows: commands first.
func helpNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return append(append(names, topicNames()...), flagsTopic, topicsTopic)
}

// unknownTopic is an error with what was most likely meant, and all topics.
func unknownTopic(root *cobra.Command, name string) error {
	hint := "see hookwatch --help"
	if near := pattern.Nearest(name, helpNames(root)); near != "" {
		hint = "did you mean hookwatch help " + near + "?"
	}
	return ProblemsError{
		suites.Problem{What: fmt.Sprintf("no command and no topic %q", name), Hint: hint},
		suites.Problem{What: "topics: " + strings.Join(topicNames(), ", ")},
	}
}
