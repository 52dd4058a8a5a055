package cli

import (
	_ "embed" // the topics are part of the program
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/spelling"
)

// Strings, and not a file system, since what is embedded in a string is never
// copied to memory that a watching session then holds.
var (
	//go:embed topics/suites.md
	suitesTopic string
	//go:embed topics/verdicts.md
	verdictsTopic string
	//go:embed topics/selection.md
	selectionTopic string
	//go:embed topics/watching.md
	watchingTopic string
	//go:embed topics/isolation.md
	isolationTopic string
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
type topic struct{ name, short, text string }

// topics are listed in the order in which a newcomer needs them. None has the
// name of a command: help would show one of the two only.
func topics() []topic {
	return []topic{
		{"suites", "Suites, cases, and how a script is run", suitesTopic},
		{"verdicts", "The five verdicts, why a case failed, preflight", verdictsTopic},
		{"selection", "Which cases a change affects, and how that is known", selectionTopic},
		{"watching", "Keys, what a save shows, notifications", watchingTopic},
		{"isolation", "What keeps a case from your files", isolationTopic},
		{"markers", "[verify: ...]: what a claim depends on", markersTopic},
		{"configuration", ".hookwatch.yaml, variables and flags", configurationTopic},
		{"consent", "What in a clone's configuration needs your agreement", consentTopic},
		{"records", "What is kept of runs, and how to ask it", recordsTopic},
		{"json", "Every document and event for programs", jsonTopic},
		{"exit-codes", "What the exit codes mean", exitCodesTopic},
		{"limits", "Bounds of what is read, and systems", limitsTopic},
	}
}

// addTopics makes each topic a command without anything to run, of which help
// shows the text. They are hidden from cobra's own list, which would call them
// hookwatch NAME, and listed in a group of their own instead.
func addTopics(root *cobra.Command) {
	for _, t := range topics() {
		root.AddCommand(&cobra.Command{Use: t.name, Short: t.short, Long: t.text, Hidden: true})
	}
	root.SetHelpCommand(helpCommand())
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		err := usage(cmd)
		if err == nil && cmd == root {
			listTopics(cmd)
		}
		return err
	})
}

func listTopics(root *cobra.Command) {
	out := root.OutOrStderr()
	writef(out, "\nTopics, each shown by hookwatch help TOPIC:\n")
	for _, t := range topics() {
		writef(out, "  %s%s\n", output(fmt.Sprintf("%-15s", t.name)), t.short)
	}
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
	return append(names, topicNames()...)
}

func topicNames() []string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// unknownTopic is an error with what was most likely meant, and all topics.
func unknownTopic(root *cobra.Command, name string) error {
	hint := "see hookwatch --help"
	if near := spelling.Nearest(name, helpNames(root)); near != "" {
		hint = "did you mean hookwatch help " + near + "?"
	}
	return problemsError{
		suites.Problem{What: fmt.Sprintf("no command and no topic %q", name), Hint: hint},
		suites.Problem{What: "topics: " + strings.Join(topicNames(), ", ")},
	}
}
