package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"occudiff/ingest"
)

// commit gives the commit of the repository that holds the working folder, else what a CI system says, else nothing.
// git comes first: a CI system names the commit that it was started for, while a job may check out another one.
// The variables are those of GitHub, GitLab, Jenkins, Azure Pipelines, Bitbucket, CircleCI, Buildkite, Travis CI,
// Drone, AWS CodeBuild, TeamCity, Semaphore and AppVeyor, in this order.
func (t *tracking) commit(ctx context.Context) string {
	return cmp.Or(gitCommit(ctx, "HEAD"), t.firstOf("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION",
		"BITBUCKET_COMMIT", "CIRCLE_SHA1", "BUILDKITE_COMMIT", "TRAVIS_COMMIT", "DRONE_COMMIT_SHA",
		"CODEBUILD_RESOLVED_SOURCE_VERSION", "BUILD_VCS_NUMBER", "SEMAPHORE_GIT_SHA", "APPVEYOR_REPO_COMMIT"))
}

// branch gives the branch that a CI system builds, else nothing. A merge or pull request has the name of its reference:
// the branch of a fork may be called main.
// A pull request that passed for a run of the base branch would move the baseline that it is judged by.
func (t *tracking) branch() string {
	name := t.firstOf("GITHUB_REF", "CI_MERGE_REQUEST_REF_PATH", "CI_COMMIT_BRANCH", "BUILD_SOURCEBRANCH",
		"BRANCH_NAME", "GIT_BRANCH", "BITBUCKET_BRANCH", "CIRCLE_BRANCH", "BUILDKITE_BRANCH", "DRONE_SOURCE_BRANCH",
		"SEMAPHORE_GIT_REF", "TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH")
	if strings.HasPrefix(name, "refs/tags/") {
		return "" // of a release
	}
	// refs/pull/12/merge becomes pull/12/merge, which no branch is called.
	for _, prefix := range []string{"refs/heads/", "refs/", "origin/"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return rest
		}
	}
	return name
}

// gitCommit asks git for a commit; nothing where there is none.
// --end-of-options keeps a name that begins with - from being one.
func gitCommit(ctx context.Context, name string) string {
	return git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
}

// git gives what git answers; nothing where it cannot.
func git(ctx context.Context, args ...string) string {
	// A repository on a file system that hangs must not hang a check: without an answer runs keep the order in which
	// they came.
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// firstOf gives the first variable of the environment that says something.
func (t *tracking) firstOf(names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(t.getenv(name)); v != "" {
			return v
		}
	}
	return ""
}

// whereRun completes what the inputs say of job and host. Inside a job the machine that adds is the one that
// measured; else nobody knows, and the name of some login node would be a wrong answer.
func (t *tracking) whereRun(run *ingest.Run) (host, job string) {
	host, job = run.Platform.Host, run.Platform.JobID
	if job != "" {
		return host, job
	}
	// The variables are those of Slurm, PBS, LSF, Flux, GitHub, GitLab and Jenkins.
	job = t.firstOf("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "GITHUB_RUN_ID", "CI_JOB_ID", "BUILD_TAG")
	if job != "" && host == "" {
		host, _ = os.Hostname() // empty where the system does not say
	}
	return host, job
}

// whenRun gives the time of a run and, when the inputs do not say it, what it was taken from.
// A given time is the user's word and needs no source. Standard input and folders have no date of a run.
func whenRun(run *ingest.Run, given time.Time) (t time.Time, from string) {
	if !given.IsZero() {
		return given, ""
	}
	if t := run.Platform.Collected; !t.IsZero() {
		return t, ""
	}
	// The newest of the files: exports are written after the run, and copying some keeps or renews their dates.
	for _, in := range run.Inputs {
		if info, err := os.Stat(in.Path); err == nil && info.Mode().IsRegular() && info.ModTime().After(t) {
			t = info.ModTime()
		}
	}
	if t.IsZero() {
		return time.Now(), "now, as no input says when; --time sets it"
	}
	return t, "the date of the file; for the exact time pass --time or add a summary"
}
