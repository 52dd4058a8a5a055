package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hookwatch/suites/jsontree"
)

// seeds are secrets of each kind, in the form in which a session has them. %s is the part that must
// not be kept. They are made of parts, because scanners of repositories look for them, too.
var seeds = []struct{ kind, text, secret string }{
	{"AWS access key ID", "aws configure set aws_access_key_id AKIA%s", "Q3EGRIZX7ZQPLM2N"},
	{"AWS secret access key", "export AWS_SECRET_ACCESS_KEY=%s", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQQ1aKEYs"},
	{"AWS secret access key", "the other one is %s.", "aJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQQ1aKEYt"},
	{"GitHub token", "gh login ghp_%s", "16C7e42F292c6912E7710c838347Ae178B4a"},
	{"GitHub token", "printf 'github_pat_%s'", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123"},
	{"GitLab token", "glab login glpat-%s", "x9Yz8Wv7Ut6Sr5Qp4On3"},
	{"Slack token", "SLACK=xoxb-%s", "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"},
	{"Slack token", "https://hooks.slack.com/services/%s", "T1A2B3C4D/B5E6F7G8H/aZbYcXdWeVfUgThSiRjQkPlO"},
	{"Stripe key", "stripe listen sk_live_%s", "4eC39HqLyjWDarjtT1zdp7dc"},
	{"Google key", "?key=AIza%s", "SyDaGmWKa4JsXZHjGw7ISLn3namBGewQe"},
	{"OpenAI or Anthropic key", `printf "KEY\nsk-ant-api03-%s"`, "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF-gH3jKAA"},
	{"OpenAI or Anthropic key", "OPENAI=sk-%s", "T3BlbkFJabcdefGHIJKL0123456789mnopqrSTUVwxyz"},
	{"npm token", "npx npm-login npm_%s", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
	{"JSON web token", "jwt decode eyJ%s", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"},
	{"private key", "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----\n", "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyf8dQw9Zp0Qq1"},
	{"private key", `"-----BEGIN OPENSSH PRIVATE KEY-----\n%s`, "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"},
	{"password in a URL", "psql postgres://app:%s@db.internal:5432/app", "s3cr3tPazz!"},
	{"password in a URL", "git push https://%s@git.internal/x", "Zm9vYmFyYmF6cXV4MTIzNDU2"},
	{"HTTP authentication", "curl -H 'Authorization: Basic %s'", "YWxhZGRpbjpvcGVuc2VzYW1l"},
	{"password of curl", "curl -u admin:%s http://127.0.0.1", "hunter2hunter2"},
	{"assigned secret", `{\"db_password\": \"%s\"}`, "correct horse battery"},
	{"secret option", "mysql --password %s", "Tr0ub4dor&3"},
	{"assigned secret", "api_key: '%s'", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"},
	{"assigned secret", "const clientSecret = \"%s\";", "b7Qx_22-pLm"},
	{"mail address", "git config user.email %s", "jane.doe@corp.internal"},
	{"home directory", "cat /home/%s/.ssh/config", "janedoe"},
	{"home directory of Windows", `type C:\Users\%s\x.txt`, "janedoe"},
	{"home directory in a name", "ls ~/.claude/projects/-home-%s-project", "janedoe"},
	{"token of another service", "echo hf_%s", "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"},
	{"home directory", "cat /Users/%s/x", "jane-doe"},
}

var testKey = []byte("a key of tests")

// TestRedactKinds checks that a secret of each kind is replaced by text of its length and its
// classes, that the text around it stays, and that another place of it has the same replacement.
func TestRedactKinds(t *testing.T) {
	t.Parallel()
	r := NewRedactor(testKey, "/home/janedoe/project", "/home/janedoe")
	for _, seed := range seeds {
		text := fmt.Sprintf(seed.text, seed.secret)
		got := r.Text(text)
		before, after, _ := strings.Cut(seed.text, "%s")
		if strings.Contains(got, seed.secret) || utf8.RuneCountInString(got) != utf8.RuneCountInString(text) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%s: %q became %q", seed.kind, text, got)
		}
		for i, c := range text {
			if class(c) != class(rune(got[i])) {
				t.Errorf("%s: %q became %q, which has other characters at %d", seed.kind, text, got, i)
				break
			}
		}
		if again := r.Text("echo " + text); again != "echo "+got {
			t.Errorf("%s: %q, then %q", seed.kind, got, again)
		}
		other := NewRedactor([]byte("another"), "", "").Text(text)
		if other == got && len(seed.secret) > 8 {
			t.Errorf("%s: %q is the same with another key", seed.kind, got)
		}
	}
}

// TestRedactNeedsEachKind checks that without a kind one of its secrets is kept.
func TestRedactNeedsEachKind(t *testing.T) { //nolint:paralleltest // changes the table
	all := kinds
	defer func() { kinds = all }()
	for i, k := range all {
		kinds = slices.Delete(slices.Clone(all), i, i+1)
		if !slices.ContainsFunc(seeds, func(seed struct{ kind, text, secret string }) bool {
			return seed.kind == k.name && strings.Contains(NewRedactor(testKey, "", "").Text(fmt.Sprintf(seed.text, seed.secret)), seed.secret)
		}) {
			t.Errorf("no secret needs the kind %q", k.name)
		}
	}
}

func class(c rune) int {
	switch {
	case 'a' <= c && c <= 'z':
		return 0
	case 'A' <= c && c <= 'Z':
		return 1
	case '0' <= c && c <= '9':
		return 2
	}
	return int(c)
}

// TestRedactKeeps checks texts that hold no secret.
func TestRedactKeeps(t *testing.T) {
	t.Parallel()
	r := NewRedactor(testKey, "/work/project", "/work/jane")
	for _, text := range []string{
		"git commit -m 'x\n\nCo-Authored-By: Claude <noreply@anthropic.com>'", "git clone git@github.com:o/r.git", "npm install react@18.2.0 @types/node",
		"git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "password=$PASSWORD", "token = next_token(stream)", "TOKEN=${{ secrets.TOKEN }}",
		"cat src/home/index.js", "task-force-with-a-very-long-name", "max_tokens: 4096", "http://127.0.0.1:8080/a?b=c", "/work/project2/x", "rm -rf /home",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"cat /work/project/a.go":   "cat {project}/a.go",
		"cd /work/project && make": "cd {project} && make",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := r.Text("ls /work/jane/x"); strings.Contains(got, "jane") || !strings.HasPrefix(got, "ls /work/") || !strings.HasSuffix(got, "/x") {
		t.Errorf("%q", got)
	}
}

// TestRedactJSON checks that members are secrets by their names, whatever they hold, and that the
// order and the other values stay.
func TestRedactJSON(t *testing.T) {
	t.Parallel()
	r := NewRedactor(testKey, "", "")
	got, err := r.JSON([]byte(`{"b": 1e400, "password": "correct horse", "api_key": "abcDEF123456", "a": [null, true, "<&>"], "max_tokens": 7, "GH_TOKEN":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`))
	if err != nil || !json.Valid(got) {
		t.Fatal(err, string(got))
	}
	for _, secret := range []string{"correct", "horse", "abcDEF123456", "16C7e42F"} {
		if strings.Contains(string(got), secret) {
			t.Errorf("%s has %s", got, secret)
		}
	}
	for _, kept := range []string{`{"b":1e400,"password":"`, `"a":[null,true,"<&>"],"max_tokens":7,"GH_TOKEN":"ghp_`} {
		if !strings.Contains(string(got), kept) {
			t.Errorf("%s lacks %s", got, kept)
		}
	}
}

// FuzzRedact checks that any JSON stays JSON of the same length of strings, and that a token in it
// is not kept.
func FuzzRedact(f *testing.F) {
	for _, seed := range seeds {
		f.Add(fmt.Sprintf(seed.text, seed.secret), "password")
	}
	f.Add("\\\x00{project}\xff", "key")
	f.Fuzz(func(t *testing.T, text, name string) {
		r := NewRedactor(testKey, "/p", "/home/me")
		const token = "16C7e42F292c6912E7710c838347Ae178B4a"
		in, err := json.Marshal(map[string]any{name: text, "x": []any{text + " ghp_" + token + " " + text}})
		if err != nil {
			t.Skip()
		}
		out, err := r.JSON(in)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%q: %v, %q", in, err, out)
		}
		if strings.Contains(string(out), token) {
			t.Errorf("%q became %q", in, out)
		}
		got := r.Text(text)
		if want := strings.Count(text, "/p"); want == 0 && utf8.ValidString(text) && utf8.RuneCountInString(got) != utf8.RuneCountInString(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// JSON returns a JSON value without secrets.
func (r *Redactor) JSON(text []byte) ([]byte, error) {
	v, err := jsontree.Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	r.value(&b, "", v)
	return b.Bytes(), nil
}
