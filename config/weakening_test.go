package config

import (
	"path/filepath"
	"time"
)

// weakening are the values of a file that need consent. In them OUT is a directory outside
// of the project.
var weakening = map[string]struct {
	file    string
	changed string // the same key, another value
	get     func(*Config) any
	safe    any // the value until then
	asked   any // the value after that
	env     string
	flag    string
	set     string // by variable or flag
	chosen  any    // the resulting value
}{
	"isolation none": {
		file: "run: {isolation: none}", changed: "run: {isolation: copy}",
		get: func(c *Config) any { return c.Run.Isolation }, safe: "auto", asked: "none",
		env: "ISOLATION", flag: "isolation", set: "none", chosen: "none",
	},
	"isolation copy": {
		file: "run: {isolation: copy}", changed: "run: {isolation: none}",
		get: func(c *Config) any { return c.Run.Isolation }, safe: "auto", asked: "copy",
		env: "ISOLATION", flag: "isolation", set: "copy", chosen: "copy",
	},
	"pass_env": {
		file: "run: {pass_env: [API_KEY]}", changed: "run: {pass_env: [OTHER_KEY]}",
		get: func(c *Config) any { return c.Run.PassEnv }, safe: []string{}, asked: []string{"API_KEY"},
		env: "PASS_ENV", flag: "pass-env", set: "API_KEY", chosen: []string{"API_KEY"},
	},
	"many jobs": {
		file: "run: {jobs: 900000}", changed: "run: {jobs: 900001}",
		get: func(c *Config) any { return c.Run.Jobs }, safe: 0, asked: 900000, env: "JOBS", flag: "jobs", set: "900000", chosen: 900000,
	},
	"a few jobs more": {
		file: "run: {jobs: 1025}", changed: "run: {jobs: 1026}",
		get: func(c *Config) any { return c.Run.Jobs }, safe: 0, asked: 1025, env: "JOBS", flag: "jobs", set: "1025", chosen: 1025,
	},
	"time-out": {
		file: "run: {timeout: 9999h}", changed: "run: {timeout: 31s}",
		get: func(c *Config) any { return c.Run.Timeout }, safe: 30 * time.Second, asked: 9999 * time.Hour, env: "TIMEOUT", flag: "timeout", set: "1h", chosen: time.Hour,
	},
	"backstop": {
		file: "run: {backstop: 9999h}", changed: "run: {backstop: 16m}",
		get: func(c *Config) any { return c.Run.Backstop }, safe: 15 * time.Minute, asked: 9999 * time.Hour, env: "BACKSTOP", flag: "backstop", set: "1h", chosen: time.Hour,
	},
	"time-out of the client": {
		file: "live: {timeout: 9999h}", changed: "live: {timeout: 3m}",
		get: func(c *Config) any { return c.Live.Timeout }, safe: 2 * time.Minute, asked: 9999 * time.Hour, env: "LIVE_TIMEOUT", set: "1h", chosen: time.Hour,
	},
	"sandboxes that stay": {
		file: "sandbox: {keep: 100000}", changed: "sandbox: {keep: 21}",
		get: func(c *Config) any { return c.Sandbox.Keep }, safe: 20, asked: 100000, env: "SANDBOX_KEEP", set: "30", chosen: 30,
	},
	"all runs": {
		file: "results: {keep_runs: 0}", changed: "results: {keep_runs: 51}",
		get: func(c *Config) any { return c.Results.KeepRuns }, safe: 50, asked: 0, env: "KEEP_RUNS", set: "0", chosen: 0,
	},
	"runs for good": {
		file: "results: {keep_days: 0}", changed: "results: {keep_days: 91}",
		get: func(c *Config) any { return c.Results.KeepDays }, safe: 90, asked: 0, env: "KEEP_DAYS", set: "0", chosen: 0,
	},
	"rolling logs": {
		file: "results: {rolling_size: 1GB}", changed: "results: {rolling_size: 11MB}",
		get: func(c *Config) any { return c.Results.RollingSize }, safe: 10 * MB, asked: GB, env: "ROLLING_SIZE", set: "1GB", chosen: GB,
	},
	"unmask": {
		file: "sandbox: {unmask: [.ssh]}", changed: "sandbox: {unmask: [.netrc]}",
		get: func(c *Config) any { return c.Sandbox.Unmask }, safe: []string{}, asked: []string{".ssh"},
	},
	"size": {
		file: "sandbox: {size: 257MB}", changed: "sandbox: {size: 258MB}",
		get: func(c *Config) any { return c.Sandbox.Size }, safe: 256 * MB, asked: 257 * MB, env: "SANDBOX_SIZE", set: "257MB", chosen: 257 * MB,
	},
	"processes": {
		file: "sandbox: {processes: 1001}", changed: "sandbox: {processes: 1002}",
		get: func(c *Config) any { return c.Sandbox.Processes }, safe: 1000, asked: 1001, env: "SANDBOX_PROCESSES", set: "1001", chosen: 1001,
	},
	"memory": {
		file: "sandbox: {memory: 3GiB}", changed: "sandbox: {memory: 2049MiB}",
		get: func(c *Config) any { return c.Sandbox.Memory }, safe: 2 * GiB, asked: 3 * GiB, env: "SANDBOX_MEMORY", set: "64GB", chosen: 64 * GB,
	},
	"kept sandboxes": {
		file: "sandbox: {keep_size: 501MB}", changed: "sandbox: {keep_size: 1000GB}",
		get: func(c *Config) any { return c.Sandbox.KeepSize }, safe: 500 * MB, asked: 501 * MB, env: "SANDBOX_KEEP_SIZE", set: "501MB", chosen: 501 * MB,
	},
	"client": {
		file: "live: {client: ./claude}", changed: "live: {client: ./other}",
		get: func(c *Config) any { return c.Live.Client }, safe: "", asked: "./claude", env: "CLIENT", set: "./claude", chosen: "./claude",
	},
	"hooks above": {
		file: "hooks: [mine, ../out]", changed: "hooks: [mine, ../out/more]",
		get: func(c *Config) any { return c.Hooks }, safe: []string{"mine"}, asked: []string{"mine", "../out"},
	},
	"settings elsewhere": {
		file: "settings: [OUT/s.json, mine.json]", changed: "settings: [OUT/t.json, mine.json]",
		get: func(c *Config) any { return len(c.Settings) }, safe: 1, asked: 2,
	},
	"settings by a link": {
		file: "settings: [link/s.json]", changed: "settings: [link/t.json]",
		get: func(c *Config) any { return c.Settings }, safe: []string{}, asked: []string{"link/s.json"},
	},
	"suites by a link": {
		file: "suites: [builtin, 'link/*.yaml']", changed: "suites: [builtin, 'link/**/*.yaml']",
		get: func(c *Config) any { return c.Suites }, safe: []string{Builtin}, asked: []string{Builtin, "link/*.yaml"},
	},
	"documents of the machine": {
		file: "specs: ['/**/*.md', docs/*.md]", changed: "specs: ['/etc/**/*.md', docs/*.md]",
		get: func(c *Config) any { return c.Specs }, safe: []string{"docs/*.md"}, asked: []string{"/**/*.md", "docs/*.md"},
	},
	"documents of HOME": {
		file: "specs: [~/notes/*.md]", changed: "specs: [~/other/*.md]",
		get: func(c *Config) any { return len(c.Specs) }, safe: 0, asked: 1,
	},
	"project above": {
		file: "project: ../out", changed: "project: ..",
		get: func(c *Config) any { return filepath.Base(c.Root) }, safe: "clone", asked: "out",
	},
	"records elsewhere": {
		file: "results: {dir: OUT/victim}", changed: "results: {dir: OUT/other}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "victim",
		env: "RESULTS_DIR", flag: "results-dir", set: "../out/mine", chosen: "mine",
	},
	"records above": {
		file: "results: {dir: ../victim}", changed: "results: {dir: ../victim2}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "victim",
	},
	"records in HOME": {
		file: "results: {dir: ~/.config/x-of-hookwatch-test}", changed: "results: {dir: ~/.config/y-of-hookwatch-test}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "x-of-hookwatch-test",
	},
	"records by a link": {
		file: "results: {dir: link/victim}", changed: "results: {dir: link/other}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "victim",
	},
	"records by a link inside": {
		file: "results: {dir: inside/x}", changed: "results: {dir: inside/y}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "x",
	},
	"records in git's directory": {
		file: "results: {dir: .GIT/x}", changed: "results: {dir: .git/hooks}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "x",
	},
	"records among hooks": {
		file: "results: {dir: .claude/hooks/r}", changed: "results: {dir: .claude/hooks/s}",
		get: func(c *Config) any { return filepath.Base(c.ResultsDir) }, safe: "results", asked: "r",
	},
}
