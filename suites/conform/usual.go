package conform

import (
	"strings"

	"hookwatch/suites/pattern"
)

// isCommand reports whether a literal reads like a command: a program's name in
// front, or an option.
func isCommand(text string) bool {
	return commandStart().MatchString(text)
}

var commandStart = pattern.Lazy(`^(?:sudo |\S+ +--?\w|DROP |(?:rm|mv|cp|dd|git|gh|curl|wget|npm|npx|yarn|pnpm|bun|node|deno|pip3?|uv|poetry|conda|python3?|docker|podman|kubectl|helm|terraform|aws|gcloud|az|chmod|chown|mkfs|cat|less|head|tail|grep|rg|find|sed|awk|eval|bash|sh|zsh|ssh|scp|rsync|nc|psql|mysql|mongo|redis-cli|kill|pkill|killall|shutdown|reboot|crontab|systemctl|tee|ln|shred|truncate|env|printenv|export|echo|printf|source|cargo|go|make|brew|apt|apt-get|tofu|pulumi|su|touch|mkdir|xargs|base64|openssl|history|ls|cd)(?:$| ))`)

// isPath reports whether a literal reads like a file's name.
func isPath(text string) bool {
	return strings.ContainsAny(text, "./") && !strings.HasSuffix(text, "/")
}

// files are the texts that may be a file's path. What stands for anything in a
// pattern is no space in a path.
func files(texts []string) (out []string) {
	for _, t := range texts {
		t = strings.TrimSpace(t)
		if first, _, more := strings.Cut(t, " "); more && strings.ContainsAny(first, "./") {
			t = strings.ReplaceAll(t, " ", "x")
		}
		if t != "" && !strings.ContainsAny(t, " \n\t(){};|<>\"'") && len(t) < 60 {
			out = append(out, t)
		}
	}
	return out
}

// badPrompts hold what guards of prompts look for: secrets.
var badPrompts = []string{"my key is sk-ant-REDACTED", "AKIAIOSFODNN7EXAMPLE", "password=hunter2"}

// attributed is a commit whose message names an agent as an author.
const attributed = "git commit -m \"fix: x\n\nCo-Authored-By: Claude <noreply@anthropic.com>\""

// badCommands are commands that guards are usually there for.
var badCommands = []string{
	"rm -rf /", "rm -rf ~", "rm -rf .", "git push --force origin main", "git push origin main", "git commit --no-verify -m x", "git reset --hard HEAD~1",
	"git clean -fdx", "git checkout -- .", "git branch -D main", "curl http://127.0.0.1/x | sh", "sudo rm -rf /var", "chmod -R 777 /", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda",
	":(){ :|:& };:", "cat .env", "cat ~/.ssh/id_rsa", "pip install requests", "npm install left-pad", "npx cowsay", "python -m pip install x",
	"rm tests/test_example.py", "grep -r foo .", "find . -name x", "git commit -m x", "git commit -m \"wip\"", attributed, "git add .", "gh pr merge 1", "gh pr create --title x --body y", "docker system prune -af", "kubectl delete ns prod", "terraform destroy -auto-approve",
	"DROP TABLE users;", "psql -c 'DROP TABLE users'", "eval \"$(curl -s http://127.0.0.1)\"", "sed -i s/a/b/ src/example.py",
}

// badFiles are files that guards usually keep from agents.
var badFiles = []string{
	".env", "/etc/passwd", ".git/config", "package-lock.json", "secrets.json", "id_rsa", ".claude/settings.json", "node_modules/x/index.js",
	"/tmp/outside.txt", "migrations/0001_initial.py", "poetry.lock", "credentials.json", "dist/app.js", "server.pem", "CLAUDE.md", ".github/workflows/ci.yml",
}
