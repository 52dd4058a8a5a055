package revision

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/sandbox"
)

// A Revision is a project as it was at a commit, in a directory of its own. The user's repository
// and work tree are not written to.
type Revision struct {
	Commit string
	Root   string // of the project, in that directory
	Top    string // of the user's work tree
	Tree   string // the directory, which has the files of Top

	git  *isolatedGit
	base string // the project's own root
	done func()
}

const (
	largestList     = 64 << 20 // bytes that git prints
	largestRevision = 2 << 30  // bytes of all files
	mostFiles       = 200_000
)

// CheckOut writes the files of the repository around a project, as they were at a commit, to a
// temporary directory. The caller must close the revision.
func CheckOut(ctx context.Context, project, name string) (*Revision, error) {
	return checkOut(ctx, project, "revision "+name, func(g *isolatedGit, dir, common, head string) (string, error) {
		if head == "" {
			return "", fmt.Errorf("%s has no commit that HEAD points to, or keeps its branches in another form than files", common)
		}
		return g.resolve(ctx, name, dir, common)
	})
}

// checkOut writes the files of the tree that resolve names, with the repository of its own that it has
// for that. what names the revision in errors.
func checkOut(ctx context.Context, project, what string, resolve func(g *isolatedGit, dir, common, head string) (tree string, err error)) (*Revision, error) {
	project = disk.Real(project)
	top := disk.Real(sandbox.GitTop(project))
	dir, common, err := sandbox.Repository(top)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	within, err := filepath.Rel(top, project)
	if err != nil {
		return nil, err
	}
	place, err := sandbox.PlaceOf(project).Open()
	if err != nil {
		return nil, err
	}
	own, tree := filepath.Join(place.Dir, "git"), filepath.Join(place.Dir, "tree")
	r := &Revision{Root: filepath.Join(tree, within), Top: top, Tree: tree, base: project, done: place.Close}
	if err = errors.Join(os.Mkdir(own, 0o700), os.Mkdir(tree, 0o700)); err == nil {
		var head string
		if r.git, head, err = newIsolatedGit(top, own, dir, common); err == nil {
			err = r.git.exclude(common)
		}
		if err == nil {
			r.Commit, err = resolve(r.git, dir, common, head)
		}
	}
	if err == nil {
		err = r.git.write(ctx, r.Commit, tree)
	}
	if err == nil && !disk.IsDir(r.Root) {
		err = fmt.Errorf("there is no directory %s", filepath.ToSlash(within))
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return r, nil
}

// CheckOutIndex writes the files of the index, which the next commit will have, to a temporary directory.
// Like git, it reads the index that GIT_INDEX_FILE names, which "git commit -a" sets for its hooks.
// The caller must close the revision.
func CheckOutIndex(ctx context.Context, project string) (*Revision, error) {
	return checkOut(ctx, project, "the index", func(g *isolatedGit, dir, common, _ string) (string, error) {
		file := filepath.Join(dir, "index")
		if named := os.Getenv("GIT_INDEX_FILE"); named != "" {
			file = named
		}
		index, err := disk.Reader{}.ReadFile(file, largestList)
		if err != nil {
			return "", fmt.Errorf("%w (git add puts files into it)", err)
		}
		objects := filepath.Join(g.own, "objects")
		files := map[string][]byte{"index": index, "config": configOf(hashLengthOf(index)), "objects/info/alternates": []byte(g.objects + "\n")}
		parts, _ := os.ReadDir(filepath.Dir(file))
		for _, part := range parts { // of a split index
			if strings.HasPrefix(part.Name(), "sharedindex.") {
				files[part.Name()], err = disk.Reader{}.ReadFile(filepath.Join(filepath.Dir(file), part.Name()), largestList)
			}
		}
		for name, content := range files {
			err = errors.Join(err, g.put(name, content))
		}
		if err != nil {
			return "", err
		}
		g.objects = objects // the trees of the index are written there
		out, err := g.run(ctx, g.own, nil, "write-tree")
		return hash(out), errors.Join(err, os.Remove(filepath.Join(g.own, "index"))) // it may leave out files
	})
}

// hashLengthOf returns the length of the hashes of a repository, which may have no commit yet: its index
// ends with its own hash by the same algorithm.
func hashLengthOf(index []byte) int {
	if end := len(index) - sha256.Size; end > 0 && sha256.Sum256(index[:end]) == [sha256.Size]byte(index[end:]) {
		return sha256Length
	}
	return 0
}

// In returns the path of a file of the user's work tree in the revision. A path outside is returned as it is.
func (r *Revision) In(path string) string {
	if within, err := filepath.Rel(r.Top, disk.Real(path)); err == nil && filepath.IsLocal(within) {
		return filepath.Join(r.Tree, within)
	}
	return path
}

// Close removes the files of the revision.
func (r *Revision) Close() { r.done() }

// AddedFiles lists the files of the project's work tree that the revision does not have, as slash paths
// from the project's root, without those that git ignores.
func (r *Revision) AddedFiles(ctx context.Context) (files []string, err error) {
	out, err := r.git.run(ctx, r.base, []string{"GIT_WORK_TREE=" + r.Top}, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	for name := range strings.SplitSeq(string(out), "\x00") {
		if filepath.IsLocal(filepath.FromSlash(name)) {
			files = append(files, name)
		}
	}
	return files, err
}

// write writes the files of a commit to an empty directory, and keeps their list in the index.
func (g *isolatedGit) write(ctx context.Context, commit, tree string) error {
	list, err := g.run(ctx, g.own, nil, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	size, count := int64(0), 0
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		if fields := bytes.Fields(entry); len(fields) > 4 { // mode, type, hash, size, name
			n, _ := strconv.ParseInt(string(fields[3]), 10, 64) // a submodule has none
			size, count = size+n, count+1
		}
	}
	if size > largestRevision || count > mostFiles || len(list) >= largestList {
		return fmt.Errorf("it has %d files of %d MB: more than hookwatch copies", count, size>>20)
	}
	_, err = g.run(ctx, tree, []string{"GIT_WORK_TREE=" + tree}, "read-tree", "--reset", "-u", commit)
	return err
}

// resolve returns the hash of the commit that a revision names. Only the refs that it can mean are
// copied, because git must not read those of a stranger's repository by itself.
func (g *isolatedGit) resolve(ctx context.Context, name, dir, common string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "@{") {
		return "", errors.New("name a commit, a branch or a tag, such as HEAD~1 (reflogs are not read)")
	}
	ref := name
	if i := strings.IndexAny(name, "^~:"); i >= 0 {
		ref = name[:i]
	}
	for _, file := range []struct{ from, name string }{{dir, "HEAD"}, {common, "packed-refs"}} {
		if content, err := (disk.Reader{Root: file.from}).ReadFile(filepath.Join(file.from, file.name), largestRefs); err == nil {
			if err := g.put(file.name, content); err != nil {
				return "", err
			}
			g.follow(common, content, 1)
		}
	}
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		g.copyRef(common, fmt.Sprintf(form, ref), 0)
	}
	out, err := g.run(ctx, g.own, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if commit := hash(out); err == nil && commit != "" {
		return commit, nil
	}
	if obstacle := (*obstacleError)(nil); errors.As(err, &obstacle) {
		return "", err
	}
	return "", errors.Join(ctx.Err(), errors.New("the repository has no such commit, branch or tag"))
}

// exclude copies the list of ignored files that is not part of the tree.
func (g *isolatedGit) exclude(common string) error {
	content, err := disk.Reader{Root: common}.ReadFile(filepath.Join(common, "info", "exclude"), largestRefs)
	if err != nil {
		return nil // there is none, or it leads elsewhere
	}
	return g.put("info/exclude", content)
}

// copyRef copies a ref and those that it leads to. Git reports one that is missing.
func (g *isolatedGit) copyRef(common, name string, depth int) {
	const most = 5
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) || depth > most {
		return
	}
	content, err := disk.Reader{Root: common}.ReadFile(filepath.Join(common, filepath.FromSlash(name)), largestRef)
	if err == nil && g.put(name, content) == nil {
		g.follow(common, content, depth+1)
	}
}

func (g *isolatedGit) follow(common string, content []byte, depth int) {
	if to, symbolic := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); symbolic {
		g.copyRef(common, to, depth)
	}
}

// put writes a file of the repository.
func (g *isolatedGit) put(name string, content []byte) error {
	file := filepath.Join(g.own, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// Names returns HEAD, branches and tags of the repository around a project, if there is one. It only reads files.
func Names(project string) []string {
	dir, common, err := sandbox.Repository(disk.Real(sandbox.GitTop(disk.Real(project))))
	if err != nil || headCommit(dir, common) == "" {
		return nil
	}
	packed, _ := (disk.Reader{Root: common}).ReadFile(filepath.Join(common, "packed-refs"), largestRefs)
	refs := strings.Fields(string(packed)) // hashes and names
	_ = filepath.WalkDir(filepath.Join(common, "refs"), func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(common, path); err == nil && d.Type().IsRegular() {
			refs = append(refs, filepath.ToSlash(rel))
		}
		return nil
	})
	names, kinds := []string{"HEAD"}, []string{"heads", "tags", "remotes"}
	for _, ref := range refs {
		if kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "refs/"), "/"); slices.Contains(kinds, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
