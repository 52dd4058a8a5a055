package corpus

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/jsontree"
	"hookwatch/suites/pattern"
)

// A kind is a form in which secrets and personal names occur in text. The forms are those of
// gitleaks, whose library brings 371 packages and compiles 200 expressions at every start.
type kind struct {
	name string
	// starts are how a match begins, in lower case. The expression is tried only there, because it
	// is a hundred times slower than the search for them. Without any it is tried everywhere.
	starts []string
	// expr matches a secret. Only its groups are replaced, so that what is left shows the kind.
	expr func() *regexp.Regexp
	// is reports whether a match is a secret, given the text before the first group and that group;
	// nil if all are.
	is func(before, secret string) bool
}

// kinds are in order of priority: a match that begins in one of an earlier kind is none.
var kinds = []kind{
	{"private key", []string{"-----begin"}, pattern.Lazy(`^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----([\s\S]*?)(?:-----END|$)`), nil},
	{"JSON web token", []string{"eyj"}, pattern.Lazy(`^eyJ([\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)`), nil},
	{"AWS access key ID", []string{"akia", "asia", "abia", "acca", "aroa", "aida"}, pattern.Lazy(`^[A-Z]{4}([A-Z0-9]{16})`), nil},
	{"AWS secret access key", nil, pattern.Lazy(`([A-Za-z0-9/+]{40,})`), isAWSSecret},
	{"GitHub token", []string{"gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern.Lazy(`^(?:gh[opusr]_([A-Za-z0-9]{20,})|github_pat_(\w{22,}))`), nil},
	{"GitLab token", []string{"gl"}, pattern.Lazy(`^gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas|ffct)-([\w.-]{20,})`), nil},
	{"Slack token", []string{"xox", "xapp-", "hooks.slack.com"}, pattern.Lazy(`^(?:xox[a-z](?:\.xox[a-z])?-|xapp-|hooks\.slack\.com/[a-z]+/)([\w/+-]{10,})`), nil},
	{"Stripe key", []string{"sk_", "rk_", "pk_", "whsec_"}, pattern.Lazy(`^(?:[rsp]k_(?:live|test|prod)|whsec)_([A-Za-z0-9]{10,})`), nil},
	{"Google key", []string{"aiza", "ya29.", "gocspx-"}, pattern.Lazy(`^(?:AIza|ya29\.|GOCSPX-)([\w-]{20,})`), nil},
	{"OpenAI or Anthropic key", []string{"sk-"}, pattern.Lazy(`^sk-(?:(?:ant-(?:[a-z]+\d+-)?|(?:proj|svcacct|admin|or)-)([\w-]{20,})|([A-Za-z0-9]{20,}))`), nil},
	{"npm token", []string{"npm_"}, pattern.Lazy(`^npm_([A-Za-z0-9]{30,})`), nil},
	{"token of another service", []string{"sg.", "pypi-", "hf_", "dop_v1_", "shpat_", "age-secret-key-"}, pattern.Lazy(`^(?:SG\.|pypi-|hf_|dop_v1_|shpat_|AGE-SECRET-KEY-)([\w.-]{20,})`), nil},
	{"password in a URL", []string{"://"}, pattern.Lazy(`^://(?:([^\s/:@"'<>]{16,})|[^\s/:@"'<>]*)(?::([^\s/"'<>]+))?@`), nil},
	{"HTTP authentication", []string{"basic", "bearer", "authorization"}, pattern.Lazy(`^(?i)(?:(?:basic|bearer)\s+([\w.~+/=-]{12,})|authorization\\?["']?\s*[:=]\s*\\?["']?(?:[a-z]+\s+)?([^\s"'\\,]{6,}))`), nil},
	{"password of curl", []string{"-u", "--user", "--proxy-user"}, pattern.Lazy(`^(?:-u|--user|--proxy-user)[ =]+["']?[^\s:"']+:([^\s"']+)`), isNoID},
	{"secret option", []string{"--"}, pattern.Lazy(`^(?i)--[\w-]{0,40}?(?:password|passphrase|secret|token|api-?key)[\w-]{0,40}\s+["']?([^\s"'-][^\s"']{3,})`), isSecretFor},
	{"assigned secret", []string{"passw", "pwd", "passphrase", "secret", "token", "api", "access", "auth", "private", "signing", "encryption", "credential", "session_token"}, pattern.Lazy(
		"^(?i)(?:" + secretNames + "[\\w.-]{0,40}\\\\?[\"'`\\]]*\\s*(?::=|=>|==?|:)\\s*|(?:secret_access_key|session_token)\\s+)" +
			"(?:\\\\?\"([^\"\\\\\\n]{4,})\\\\?\"|'([^'\\n]{4,})'|\\\\?[\"'`]?([^\\s\"'`,;<>&|)}\\]\\\\]{4,}))"), isSecretFor},
	{"mail address", nil, pattern.Lazy(`([A-Za-z0-9._%+-]+)@((?:[A-Za-z0-9-]+\.)+)[A-Za-z]{2,}`), isMail},
	{"home directory", []string{"/home/", "/users/"}, pattern.Lazy(`^/(?:home|Users)/([^/\\\s"':;,<>|*?$(){}&]+)`), nil},
	{"home directory of Windows", []string{":\\users\\", ":\\\\users\\", ":/users/"}, pattern.Lazy(`^:[\\/]{1,2}[Uu]sers[\\/]{1,2}([^/\\\s"':;,<>|*?$(){}&]+)`), nil},
	{"home directory in a name", []string{"-home-", "-users-"}, pattern.Lazy(`^-(?:home|Users)-([^-/\\\s"':]+)-`), nil},
}

// find returns the matches in a text, each as FindStringSubmatchIndex does. lower is the text with
// lower case letters of ASCII.
func (k kind) find(text string, lower []byte) (all [][]int) {
	if k.starts == nil {
		return k.expr().FindAllStringSubmatchIndex(text, -1)
	}
	for _, start := range k.starts {
		for at := 0; ; at++ {
			i := bytes.Index(lower[at:], []byte(start))
			if i < 0 {
				break
			}
			at += i
			if start[0] == '/' && at > 0 && isName(text[at-1]) {
				continue // the middle of a path, such as src/home/index.js
			}
			if m := k.expr().FindStringSubmatchIndex(text[at:]); m != nil {
				for j := range m {
					if m[j] >= 0 {
						m[j] += at
					}
				}
				all = append(all, m)
				at = m[1] - 1
			}
		}
	}
	return all
}

func isName(c byte) bool {
	return c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("_.-", c) >= 0)
}

// secretNames matches a part of the names of settings with secrets.
const secretNames = `(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_.-]?key|(?:access|auth|private|signing|encryption)[_.-]?key|credential)`

var secretName = pattern.Lazy(`(?i)` + secretNames)

// isAWSSecret reports whether a run of letters and digits has the form of a secret key: 40 of them,
// of every class, unlike digests and paths.
func isAWSSecret(_, secret string) bool {
	mixed := strings.ToLower(secret) != secret && strings.ToUpper(secret) != secret
	return mixed && len(secret) == 40 && strings.ContainsAny(secret, "0123456789")
}

// references matches values that stand for a secret and are none.
var references = pattern.Lazy(`^(?:\$\{?\w+\}?|\$\(.*|\$?\{\{.*|%\w+%|process\.env.*|os\.environ.*|.*\(.*)$`)

// isSecretFor reports whether a value is a secret by the name to which it is assigned.
func isSecretFor(name, value string) bool {
	if references().MatchString(value) {
		return false
	}
	mixed := strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLower(r) && !strings.ContainsRune("_-.", r) })
	name = strings.ToLower(name)
	if slices.ContainsFunc([]string{"pass", "pwd", "secret"}, func(part string) bool { return strings.Contains(name, part) }) {
		return mixed || len(value) >= 8
	}
	return mixed && len(value) >= 8 && entropy(value) >= 2.5
}

// isNoID excludes a user and a group.
func isNoID(_, secret string) bool { return strings.Trim(secret, "0123456789") != "" }

// entropy returns the bits for each character of a text.
func entropy(text string) (bits float64) {
	count, n := map[rune]int{}, 0
	for _, r := range text {
		count[r]++
		n++
	}
	for _, times := range count {
		p := float64(times) / float64(n)
		bits -= p * math.Log2(p)
	}
	return bits
}

// isMail excludes addresses that are no one's: the user of git servers, and authors that clients
// name in commits.
func isMail(_, local string) bool { return local != "git" && local != "noreply" }

// Project is the text in place of the path of the project: a template of cases.
const Project = "{project}"

// A Redactor replaces secrets, mail addresses and the names of home directories by text of the same
// length and classes of characters. The same secret has the same replacement under the same key, so
// that equal texts stay equal. It is safe for concurrent use.
type Redactor struct {
	key   []byte
	roots []string // paths of the project
	home  string   // the user's home directory; "" if its name identifies no user
}

// NewRedactor returns the redactor for payloads of a project.
func NewRedactor(key []byte, root, home string) *Redactor {
	r := &Redactor{key: key, home: home}
	for _, path := range []string{root, realPath(root)} {
		if len(path) > 1 && !slices.Contains(r.roots, path) {
			r.roots = append(r.roots, path)
		}
	}
	if len(home) < 2 || home == "/root" {
		r.home = ""
	}
	return r
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// A mask marks the bytes of a text.
type mask []byte

const (
	free  = iota
	taken // part of a match
	first // the beginning of a part to replace
	more  // its continuation
)

// mark marks a match, in which groups are the parts to replace, without the bytes of earlier
// matches.
func (m mask) mark(start, end int, groups ...int) {
	for g := 0; g < len(groups); g += 2 {
		for i := max(groups[g], 0); i < groups[g+1]; i++ {
			if m[i] == free {
				m[i] = first
				if i > groups[g] && m[i-1] >= first {
					m[i] = more
				}
			}
		}
	}
	for i := start; i < end; i++ {
		m[i] = max(m[i], taken)
	}
}

// Text returns a text without secrets.
func (r *Redactor) Text(text string) string { return r.text(text, false) }

// text replaces the secrets in a text; all marks the text itself as one.
func (r *Redactor) text(text string, all bool) string {
	for _, root := range r.roots {
		text = replacePath(text, root)
	}
	m := make(mask, len(text))
	for at := 0; r.home != ""; {
		i := strings.Index(text[at:], r.home)
		if i < 0 {
			break
		}
		at += i + len(r.home)
		m.mark(at-len(r.home), at, at-len(filepath.Base(r.home)), at)
	}
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	for _, k := range kinds {
		for _, at := range k.find(text, lower) {
			groups := at[2:]
			for len(groups) > 0 && groups[0] < 0 {
				groups = groups[2:]
			}
			if len(groups) == 0 || m[groups[0]] != free {
				continue
			}
			if k.is == nil || k.is(text[at[0]:groups[0]], text[groups[0]:groups[1]]) {
				m.mark(at[0], at[1], groups...)
			}
		}
	}
	if all && bytes.Count(m, []byte{free}) > len(text)/2 { // otherwise its kind is known
		m.mark(0, len(text), 0, len(text))
	}
	return r.replace(text, m)
}

func (r *Redactor) replace(text string, m mask) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		if m[i] < first {
			for end < len(text) && m[end] < first {
				end++
			}
			b.WriteString(text[i:end])
		} else {
			for end < len(text) && m[end] == more {
				end++
			}
			b.WriteString(r.replacement(text[i:end]))
		}
		i = end
	}
	return b.String()
}

// replacePath replaces a path, alone or at the beginning of a longer one.
func replacePath(text, path string) string {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-", r) }
	var b strings.Builder
	for {
		i := strings.Index(text, path)
		if i < 0 {
			return b.String() + text
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(path):])
		b.WriteString(text[:i])
		if part(before) || part(after) { // another path
			b.WriteString(path)
		} else {
			b.WriteString(Project)
		}
		text = text[i+len(path):]
	}
}

// replacement returns the text in place of a secret, which differs from it.
func (r *Redactor) replacement(secret string) string {
	for n := uint32(0); ; n++ {
		var b strings.Builder
		digest := hmac.New(sha256.New, r.key)
		digest.Write(binary.BigEndian.AppendUint32([]byte(secret), n))
		next, block := digest.Sum(nil), 0
		last := rune(0)
		for _, c := range secret {
			if block == len(next) {
				digest.Write(next)
				next, block = digest.Sum(nil), 0
			}
			drawn := rune(next[block])
			block++
			switch {
			case last == '\\': // an escape, such as \n
			case 'a' <= c && c <= 'z':
				c = 'a' + drawn%26
			case 'A' <= c && c <= 'Z':
				c = 'A' + drawn%26
			case '0' <= c && c <= '9':
				c = '0' + drawn%10
			case unicode.IsLetter(c) || unicode.IsDigit(c) || n > 0 && c > ' ':
				c = 'x'
			}
			last = c
			b.WriteRune(c)
		}
		if b.String() != secret || n > 3 {
			return b.String()
		}
	}
}

// value writes a JSON value without secrets, on one line. A string is a secret as a whole if the name
// of its member matches secretNames.
func (r *Redactor) value(b *bytes.Buffer, name string, v jsontree.Value) {
	text, isText := v.Scalar.(string)
	switch {
	case isText:
		quote(b, r.text(text, secretName().MatchString(name) && isSecretFor(name, text)))
	case v.Kind == 0:
		b.Write(v.Canonical(nil))
	default:
		b.WriteByte(byte(v.Kind))
		for i, m := range v.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.Kind == '{' {
				name = m.Key
				quote(b, r.Text(m.Key))
				b.WriteByte(':')
			}
			r.value(b, name, m.Value)
		}
		b.WriteByte(byte(v.Kind) + 2)
	}
}

// quote writes a JSON string as the client does, without escaping characters for HTML.
func quote(b *bytes.Buffer, text string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // strings always encode
	b.Truncate(b.Len() - 1)
}
