package reference

import "embed"

// Guards is a project of small hooks, one per pattern, that keep an agent from irreversible
// actions.
var Guards = Starter{
	Name:  "guards",
	About: "small hooks to learn from: deny, rewrite, advise, escalate, ask for evidence, send back",
	files: guardsFiles,
}

//go:embed guards/.claude/hooks/advise_branch.sh
//go:embed guards/.claude/hooks/check_syntax.sh
//go:embed guards/.claude/hooks/deny_destructive.sh
//go:embed guards/.claude/hooks/gate_failing_tests.sh
//go:embed guards/.claude/hooks/lib.sh
//go:embed guards/.claude/hooks/record_tests.sh
//go:embed guards/.claude/hooks/require_tests.sh
//go:embed guards/.claude/hooks/rewrite_force_push.sh
//go:embed guards/.claude/hooks/session_start.sh
//go:embed guards/.claude/hooks/stop_untested.sh
//go:embed guards/.claude/settings.json
//go:embed guards/.claude/tests/hooks/suites/advise.yaml
//go:embed guards/.claude/tests/hooks/suites/deny.yaml
//go:embed guards/.claude/tests/hooks/suites/escalate.yaml
//go:embed guards/.claude/tests/hooks/suites/evidence.yaml
//go:embed guards/.claude/tests/hooks/suites/feedback.yaml
//go:embed guards/.claude/tests/hooks/suites/record.yaml
//go:embed guards/.claude/tests/hooks/suites/rewrite.yaml
//go:embed guards/.claude/tests/hooks/suites/session.yaml
//go:embed guards/.claude/tests/hooks/suites/stop.yaml
//go:embed guards/.claude/tests/hooks/suites/together.yaml
//go:embed guards/.gitignore
//go:embed guards/.hookwatch.yaml
//go:embed guards/README.md
//go:embed guards/docs/GUARDS.md
var guardsFiles embed.FS
