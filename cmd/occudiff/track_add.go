package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict/batch"
	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/trackdoc"
)

// addFlags are the flags of track add.
type addFlags struct {
	Time    string `flag:"time" arg:"TIME" help:"time of the collection: RFC 3339, for example 2026-03-01T02:00:00Z, or Unix seconds (default: from the inputs, otherwise the file's date)"`
	Program string `flag:"program" expert:"true" arg:"NAME" help:"program that ran (default: the name in the summary's command line)"`
	Commit  string `flag:"commit" arg:"ID" help:"commit that ran (default: of the repository in the working folder)"`
	Branch  string `flag:"branch" expert:"true" arg:"NAME" help:"branch that ran (default: from the CI system); a run without a branch belongs to the base branch"`
	Kernel  string `flag:"kernel" arg:"REGEXP" help:"store only kernels whose name matches, for example the suspects of track check --suspects"`
	Host    string `flag:"host" expert:"true" arg:"NAME" help:"machine that ran (default: from the inputs, or this machine inside a job)"`
}

// addCommand returns the command that stores runs.
func (t *tracking) addCommand() *cobra.Command {
	f := &addFlags{}
	return t.command(command{text: "track-add", flags: []any{f}, share: "local simd force-device" + deviceFlags +
		"sampling-interval driver label progress format quiet allow-unreadable",
		args: cli.Args(1, cli.Unlimited, "nothing to add: give an export, or a folder of a run's files"),
		run: func(ctx context.Context, paths []string) (*report.Output, error) {
			return nil, t.add(ctx, paths, f)
		}})
}

// add stores the runs of the paths, each in a separate transaction. After an
// error, the runs that are already stored stay in the history, and the message
// contains their number.
func (t *tracking) add(ctx context.Context, paths []string, f *addFlags) error {
	given, err := parseTime(f.Time)
	if err != nil {
		return err
	}
	// All binaries on one command line are one compilation and therefore one
	// run. Exports are one run per folder.
	only, err := regexp.Compile(f.Kernel)
	if err != nil {
		return cli.Errorf("--kernel %q: %v", f.Kernel, err)
	}
	runs, binaries := [][]string{paths}, !slices.ContainsFunc(paths,
		func(p string) bool { return !batch.ContainsKernels(p) })
	if !binaries {
		runs = ingest.Runs(paths, formats.All())
	}
	if len(runs) > 1 && !given.IsZero() {
		return cli.Errorf("--time is for one run, but %d were given; add them one by one", len(runs))
	}
	commit := cmp.Or(f.Commit, t.commit(ctx))
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // collect often: stored values stay in memory until the end
	var db *history.DB
	var done []track.Added
	add := func(p []string) error {
		read := t.readAdded
		if binaries {
			read = t.readCompiled
		}
		one, notes, err := read(ctx, p, given)
		if err == nil {
			err = t.allowUnreadable(&notes)
		}
		if err != nil {
			return err
		}
		one.Rows = slices.DeleteFunc(one.Rows, func(r history.Row) bool {
			return !only.MatchString(r.Task) && !only.MatchString(r.Name())
		})
		if f.Kernel != "" && len(one.Rows) == 0 {
			return cli.Errorf("--kernel %q: no kernel of %s has such a name", f.Kernel, strings.Join(p, ", "))
		}
		one.Commit, one.Branch, one.TimeGiven = commit, cmp.Or(f.Branch, t.branch()), one.TimeFrom == ""
		one.Host, one.Program = cmp.Or(f.Host, one.Host), cmp.Or(f.Program, one.Program)
		if db == nil { // opened after reading a run, so that a mistyped path leaves no empty history
			if db, err = history.Open(ctx, t.DB, history.Options{}); err != nil {
				return err
			}
		}
		if err := t.addRun(ctx, db, one); err != nil {
			return err
		}
		done = append(done, *one)
		t.printWarnings(notes)
		if t.Format == "json" {
			return nil
		}
		return t.printResult("%s", trackdoc.AddedText(one)) // printed at once, because adding many runs takes long
	}
	for _, p := range runs {
		if err = add(p); err != nil {
			break
		}
	}
	if db != nil {
		defer db.Close()
	}
	// The error message contains the number of runs that were stored before the
	// error.
	before := unit.FormatCount(len(done), "run before this one is", "runs before this one are") + " in the history"
	switch {
	case err != nil && len(done) == 0:
		return err
	case errors.Is(err, context.Canceled): // not wrapped, because some runs were written
		return fmt.Errorf("interrupted; %s, the same command adds the rest", before)
	case err != nil:
		return fmt.Errorf("%w\n%s", err, before)
	case t.Format == "json":
		return machine.JSON(t.output("json"), trackdoc.NewAddValue(done))
	}
	return nil
}

// readAdded reads the files of a run and compares the run with its prediction.
// It adds facts that the inputs may lack, such as the host and the job. It also
// computes digests of the rows, so that a compressed copy, or a copy with other
// line ends, counts as the same run.
func (t *tracking) readAdded(ctx context.Context, paths []string, given time.Time) (
	*track.Added, []note.Note, error) {
	run, err := t.readRun(ctx, paths, ingest.Options{Content: true})
	if err != nil {
		return nil, nil, err
	}
	r, err := t.compareRun(run, compare.RejectRun)
	if err != nil {
		return nil, nil, err
	}
	one := &track.Added{Run: track.FromResult(r)}
	one.Label = t.Label
	one.Time, one.TimeFrom = whenRun(run, given)
	one.Host, one.JobID = t.whereRun(run)
	notes := r.Notes
	if r.Fit.Contradiction != "" {
		notes = append(slices.Clip(notes), note.Warningf("device-contradicted", note.Pos{},
			"check --device; 'occudiff track remove' removes the run", "%s", r.Fit.Against()))
	}
	return one, notes, nil
}

// readCompiled reads kernel binaries, or compiles sources, to store the spills
// and the predicted peaks of their kernels. These values are not measured and
// therefore have no noise.
func (t *tracking) readCompiled(ctx context.Context, paths []string, given time.Time) (
	*track.Added, []note.Note, error) {
	devices, err := t.namedDevice()
	if err != nil {
		return nil, nil, err
	}
	kernels, notes, err := batch.Read(ctx, paths, t.devices, batch.Options{Devices: devices})
	if err != nil {
		return nil, nil, err
	}
	one := &track.Added{Run: track.FromBinaries(kernels)}
	one.Label, one.Driver = t.Label, t.Driver
	one.Time, one.TimeFrom = whenRun(&ingest.Run{}, given)
	for _, p := range paths {
		in := history.Input{Path: p, Kind: "binary"}
		// A source gets no digest, because it does not identify the content:
		// another compiler makes another binary from it.
		if b, err := os.ReadFile(p); err == nil && !zebin.IsSource(p) {
			in.Digest, in.Contains = fmt.Sprintf("sha256:%x", sha256.Sum256(b)), true
		}
		one.Inputs = append(one.Inputs, in)
	}
	// A compilation has no host, because the result does not depend on it.
	_, one.JobID = t.whereRun(&ingest.Run{})
	return one, notes, nil
}

// addRun stores a run and prints the result. If the complete run is already
// stored, this is not an error, because CI repeats jobs. If only a part of the
// run is stored, this is an error, because some kernels would count twice. A
// run with a wrong date is stored with a warning.
func (t *tracking) addRun(ctx context.Context, db *history.DB, run *track.Added) error {
	var err error
	if run.Done, err = db.Add(ctx, run.Run); err != nil {
		return err
	}
	run.ID, run.Kernels = run.Done.ID, len(run.Rows)
	switch {
	case run.Done.Stored:
		return run.CheckClock(ctx, db, time.Now())
	case run.Done.Whole:
		return nil
	}
	known := strings.Join(report.ListOf(run.Done.Known, func(in history.Input) string { return in.Path }), ", ")
	return cli.Errorf("%s is part of run %d already, but other files given with it are not; nothing was changed: add "+
		"the other files alone, or first 'occudiff track remove %d'", known, run.ID, run.ID)
}

// parseTime returns the time in the text of --time, or the zero time if the
// text is empty.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.Year() >= 1900 {
		return t, nil
	}
	// 1e11 s is in the year 5138, so larger values must be milliseconds.
	if s, err := strconv.ParseInt(text, 10, 64); err == nil && s > 0 && s < 1e11 {
		return time.Unix(s, 0).UTC(), nil
	}
	return time.Time{}, cli.Errorf(
		"--time %q: expected RFC 3339 as in 2026-03-01T12:00:00Z, not before 1900, or Unix seconds", text)
}

// commit returns the current commit of the repository in the working folder. If
// there is none, it returns the commit that a CI system provides, or "". git
// comes first, because a CI system provides the commit that started the job,
// but the job may have checked out another commit. The variables belong to
// GitHub, GitLab, Jenkins, Azure Pipelines, Bitbucket, CircleCI, Buildkite,
// Travis CI, Drone, AWS CodeBuild, TeamCity, Semaphore, and AppVeyor, in this
// order.
func (t *tracking) commit(ctx context.Context) string {
	return cmp.Or(gitCommit(ctx, "HEAD"), t.firstOf("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION",
		"BITBUCKET_COMMIT", "CIRCLE_SHA1", "BUILDKITE_COMMIT", "TRAVIS_COMMIT", "DRONE_COMMIT_SHA",
		"CODEBUILD_RESOLVED_SOURCE_VERSION", "BUILD_VCS_NUMBER", "SEMAPHORE_GIT_SHA", "APPVEYOR_REPO_COMMIT"))
}

// branch returns the branch that a CI system builds, or "" if it is unknown.
// For a merge request or pull request, it returns the name of its git
// reference, because the branch of a fork may be called main. If a pull request
// counted as a run of the base branch, it would change the baseline with which
// it is compared.
func (t *tracking) branch() string {
	name := t.firstOf("GITHUB_REF", "CI_MERGE_REQUEST_REF_PATH", "CI_COMMIT_BRANCH", "BUILD_SOURCEBRANCH",
		"BRANCH_NAME", "GIT_BRANCH", "BITBUCKET_BRANCH", "CIRCLE_BRANCH", "BUILDKITE_BRANCH", "DRONE_SOURCE_BRANCH",
		"SEMAPHORE_GIT_REF", "TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH")
	if strings.HasPrefix(name, "refs/tags/") {
		return "" // the tag of a release is not a branch
	}
	// refs/pull/12/merge becomes pull/12/merge, which is not the name of a
	// branch.
	for _, prefix := range []string{"refs/heads/", "refs/", "origin/"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return rest
		}
	}
	return name
}

// gitCommit returns the hash of the commit with the given name, or "" if there
// is none. --end-of-options prevents git from reading a name that begins with -
// as an option.
func gitCommit(ctx context.Context, name string) string {
	return git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
}

// git returns the output of a git command, or "" after an error.
func git(ctx context.Context, args ...string) string {
	// The timeout prevents a hanging file system from blocking a check. If git
	// does not respond, runs have the order in which they were added.
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// firstOf returns the first environment variable that is not empty.
func (t *tracking) firstOf(names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(t.getenv(name)); v != "" {
			return v
		}
	}
	return ""
}

// whereRun returns the host and the job of a run. If the inputs do not contain
// the host and the command runs inside a job, the host is this machine. Outside
// of a job, the host stays unknown, because this machine may be a login node on
// which the run was not measured.
func (t *tracking) whereRun(run *ingest.Run) (host, job string) {
	host, job = run.Platform.Host, run.Platform.JobID
	if job != "" {
		return host, job
	}
	// The variables belong to Slurm, PBS, LSF, Flux, GitHub, GitLab, and
	// Jenkins.
	job = t.firstOf("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "GITHUB_RUN_ID", "CI_JOB_ID", "BUILD_TAG")
	if job != "" && host == "" {
		host, _ = os.Hostname() // empty if the system does not return a name
	}
	return host, job
}

// whenRun returns the time of a run. If the inputs do not contain the time, it
// also returns the source of the time. A time that the user gave needs no
// source. Standard input and folders do not have the date of a run.
func whenRun(run *ingest.Run, given time.Time) (t time.Time, from string) {
	if !given.IsZero() {
		return given, ""
	}
	if t := run.Platform.Collected; !t.IsZero() {
		return t, ""
	}
	// Use the date of the newest file, because exports are written soon after
	// the run, and copies may keep the dates of files.
	for _, in := range run.Inputs {
		if info, err := os.Stat(in.Path); err == nil && info.Mode().IsRegular() && info.ModTime().After(t) {
			t = info.ModTime()
		}
	}
	if t.IsZero() {
		return time.Now(), "now, because the inputs have no time; --time sets it"
	}
	return t, "the date of the file; for the exact time pass --time or add a summary"
}
