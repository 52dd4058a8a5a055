package cli

import (
	_ "embed" // the topics are part of the program
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/exit"
	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/cli/topics"
	"hookwatch/suites"
	"hookwatch/suites/spelling"
)

// addTopics makes each topic a command without anything to run, of which help
// shows the text. They are hidden from cobra's own list, which would call them
// hookwatch NAME, and listed in a group of their own instead.
func addTopics(root *cobra.Command) {
	for _, t := range topics.All() {
		root.AddCommand(&cobra.Command{Use: t.Name, Short: t.Short, Long: t.Text, Hidden: true})
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
	page.Writef(out, "\nTopics, each shown by hookwatch help TOPIC:\n")
	for _, t := range topics.All() {
		page.Writef(out, "  %s%s\n", page.Output(fmt.Sprintf("%-15s", t.Name)), t.Short)
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
	return append(names, topics.Names()...)
}

// unknownTopic is an error with what was most likely meant, and all topics.
func unknownTopic(root *cobra.Command, name string) error {
	hint := "see hookwatch --help"
	if near := spelling.Nearest(name, helpNames(root)); near != "" {
		hint = "did you mean hookwatch help " + near + "?"
	}
	return exit.ProblemsError{
		suites.Problem{What: fmt.Sprintf("no command and no topic %q", name), Hint: hint},
		suites.Problem{What: "topics: " + strings.Join(topics.Names(), ", ")},
	}
}
