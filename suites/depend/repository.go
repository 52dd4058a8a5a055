package depend

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// git is the program whose answers depend on the files of a repository.
const git = "git"

// states are the files of a repository, from its own directory, by which git answers which branch is
// checked out, what is staged and what is under way. Those of refs come in addition.
var states = []string{
	"HEAD", "index", "config", "config.worktree", "packed-refs", "info/exclude", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply",
}

// answering are the subcommands of git that look at the repository alone, not at the files of the work
// tree.
var answering = script.Words("branch cat-file config for-each-ref log ls-tree merge-base name-rev remote rev-list rev-parse shortlog show show-ref symbolic-ref tag var version worktree --version")

// looksAround reports whether the words of a git command may be one that looks at files of the work tree.
func looksAround(words []string) bool {
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C" || w == "-c":
			i++ // its value
		case strings.HasPrefix(w, "-") && w != "--version":
		case w == "diff" || w == "diff-index":
			return !slices.Contains(words, "--cached") && !slices.Contains(words, "--staged")
		default:
			return !answering[w]
		}
	}
	return true
}

// mostRefs bounds the refs that are inputs. Repositories with more have most of them in packed-refs.
const mostRefs = 200

// repository returns the inputs of a hook with a text that runs git, as long as the files that git reads
// for it were not observed. Every checkout writes the reflog, so it counts only if the text asks for it.
func (g *Graph) repository(text, because string) (all []suites.Input) {
	dir, common := g.files.repository()
	if dir == "" {
		return nil
	}
	add := func(abs string) {
		p := g.files.slash(strings.TrimSuffix(abs, "/"))
		if strings.HasSuffix(abs, "/") {
			p += "/"
		}
		all = append(all, suites.Input{Path: p, Digest: g.files.stateOf(p), Because: because, By: suites.Needed})
	}
	for _, name := range []string{"~/.gitconfig", "~/.config/git/config", ".mailmap"} {
		add(g.files.abs(g.home(name)))
	}
	if branch := g.files.pointer(filepath.Join(dir, "HEAD"), "ref: "); branch != "" { // before others use up the bound
		add(filepath.Join(common, strings.TrimPrefix(branch, dir)))
	}
	for _, name := range states {
		add(filepath.Join(dir, filepath.FromSlash(name)))
		if common != dir {
			add(filepath.Join(common, filepath.FromSlash(name)))
		}
	}
	if strings.Contains(text, "reflog") || strings.Contains(text, "@{") {
		add(filepath.Join(dir, "logs", "HEAD"))
	}
	refs := 0
	_ = filepath.WalkDir(filepath.Join(common, "refs"), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || refs > mostRefs:
			return fs.SkipAll
		case d.IsDir():
			p += "/"
		}
		add(p)
		refs++
		return nil
	})
	return all
}

// repository returns the directory of the repository of the project's work tree, and that with its refs,
// which differ if the work tree is a linked one; "" if there is none. A repository elsewhere counts only
// if it names the work tree in turn, because the file .git of a clone may name any directory.
func (x *index) repository() (dir, common string) {
	for at := x.root; ; at = filepath.Dir(at) {
		dir = filepath.Join(at, ".git")
		fi, err := os.Stat(dir)
		switch {
		case err == nil && !fi.IsDir():
			link := dir
			dir = x.pointer(link, "gitdir: ")
			if dir == "" || disk.Real(x.pointer(filepath.Join(dir, "gitdir"), "")) != disk.Real(link) && disk.Real(x.worktree(dir)) != disk.Real(at) {
				return "", ""
			}
		case err != nil && filepath.Dir(at) != at:
			continue
		case err != nil:
			return "", ""
		}
		if common = x.pointer(filepath.Join(dir, "commondir"), ""); common == "" || filepath.Dir(filepath.Clean(dir)) != filepath.Join(common, "worktrees") {
			common = dir
		}
		return dir, common
	}
}

// worktree returns the work tree that the configuration of a repository names, as that of a submodule
// does; "" if it names none.
func (x *index) worktree(dir string) string {
	const most = 64 << 10
	text, err := x.reader.Anywhere().ReadFile(filepath.Join(dir, "config"), most)
	m := worktrees().FindSubmatch(text)
	if err != nil || m == nil {
		return ""
	}
	if p := filepath.FromSlash(string(m[1])); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, filepath.FromSlash(string(m[1])))
}

var (
	worktrees   = pattern.Lazy(`(?m)^\s*worktree\s*=\s*(\S.*?)\s*$`)
	mentionsGit = pattern.Lazy(`\bgit\b`)
)

// pointer returns the path that a small file of git contains after a prefix, "" if there is none.
func (x *index) pointer(file, prefix string) string {
	const most = 4096
	text, err := x.reader.Anywhere().ReadFile(file, most)
	p, found := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	if err != nil || !found || p == "" {
		return ""
	}
	if p = filepath.FromSlash(p); !filepath.IsAbs(p) {
		p = filepath.Join(filepath.Dir(file), p)
	}
	return p
}

// isIndex reports whether a slash path is that of the index of a repository.
func isIndex(p string) bool {
	dir := path.Dir(p)
	return path.Base(p) == "index" && (path.Base(dir) == ".git" || path.Base(path.Dir(dir)) == "worktrees" && path.Base(path.Dir(path.Dir(dir))) == ".git")
}

// staged returns what an index says about the staged files, without the times, sizes and inodes by
// which git finds out which files of the work tree it need not read: every command like git status
// renews these. It returns an error for another format than git's versions 2 to 4.
func staged(index []byte) ([]byte, error) {
	const header, sums, checksum = 12, 40, 20 // bytes; those of an entry before its object ID
	if len(index) < header+checksum || !bytes.HasPrefix(index, []byte("DIRC")) {
		return nil, fmt.Errorf("no index of git")
	}
	version, entries := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("an index of version %d", version)
	}
	// A repository with SHA-256 has longer object IDs. Its index ends with the digest of the rest.
	id := sha256.Size
	if sum := sha256.Sum256(index[:len(index)-min(id, len(index))]); !bytes.HasSuffix(index, sum[:]) {
		id = checksum
	}
	var out, name []byte
	rest := index[header : len(index)-id]
	for range entries {
		if len(rest) < sums+id+2 {
			return nil, fmt.Errorf("an index that is cut off")
		}
		mode, object, flags := rest[24:28], rest[sums:sums+id], binary.BigEndian.Uint16(rest[sums+id:])
		length := sums + id + 2
		extended := uint16(0)
		if flags&0x4000 != 0 && version >= 3 {
			if len(rest) < length+2 {
				return nil, fmt.Errorf("an index that is cut off")
			}
			extended = binary.BigEndian.Uint16(rest[length:])
			length += 2
		}
		if version == 4 {
			drop, n := offset(rest[length:])
			if n == 0 || drop > len(name) {
				return nil, fmt.Errorf("an index with a broken name")
			}
			length += n
			name = name[:len(name)-drop]
		} else {
			name = name[:0]
		}
		end := bytes.IndexByte(rest[length:], 0)
		if end < 0 {
			return nil, fmt.Errorf("an index that is cut off")
		}
		if name = append(name, rest[length:length+end]...); len(name) > 4096 || len(out) > mostStaged {
			return nil, fmt.Errorf("an index with too long names")
		}
		length += end + 1
		if version < 4 {
			length = (length + 7) &^ 7 // entries are filled up with zeros
		}
		if length > len(rest) {
			return nil, fmt.Errorf("an index that is cut off")
		}
		rest = rest[length:]
		const stages, assumed = 0x3000, 0x8000 // of the flags; the rest is the length of the name
		out = fmt.Appendf(out, "%x %x %x %x %q\n", mode, object, flags&(stages|assumed), extended, name)
	}
	for len(rest) >= 8 { // extensions
		if bytes.HasPrefix(rest, []byte("link")) {
			return nil, fmt.Errorf("an index that is split: the rest is in another file")
		}
		rest = rest[min(8+int(binary.BigEndian.Uint32(rest[4:])), len(rest)):]
	}
	return out, nil
}

// mostStaged bounds what is kept of an index while it is compared, in bytes.
const mostStaged = 64 << 20

// offset decodes a number of variable length as in pack files, and returns its size in bytes, 0 if it
// is cut off.
func offset(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
