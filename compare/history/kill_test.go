package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"occudiff/internal/testenv"
)

// child runs in the process that a test starts from this test binary: it adds
// one run and dies at the n-th step, or adds runs until it is killed.
func child(job string) {
	verb, rest, _ := strings.Cut(job, " ")
	n, dsn, _ := strings.Cut(rest, " ")
	number, _ := strconv.Atoi(n)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	switch verb {
	case "die":
		left := number
		d, err := Open(bg, dsn, Options{step: func(string) {
			if left--; left < 0 {
				die()
			}
		}})
		fail(err)
		_, err = d.Add(bg, sample(1, 120))
		fail(err)
		fail(d.Close())
		fmt.Print("done")
	case "forever":
		for i := number; ; i++ {
			d, err := Open(bg, dsn, Options{}) // each add opens the history again, so opening must survive a kill, too
			fail(err)
			_, err = d.Add(bg, sample(i, 120))
			fail(err)
			fmt.Println(i)
			fail(d.Close())
		}
	case "write": // eight processes add runs at once, for minutes on a busy machine
		d, err := Open(bg, dsn, Options{Wait: 5 * time.Minute})
		fail(err)
		runs, _ := strconv.Atoi(os.Getenv("OCCUDIFF_HISTORY_RUNS"))
		for i := range runs {
			_, err = d.Add(bg, sample(number*1000+i, 5))
			fail(err)
			// Each process also adds the runs that all others add: only the
			// first add may succeed.
			_, err = d.Add(bg, sample(900000+i, 5))
			fail(err)
		}
		fail(d.Close())
	case "add":
		d, err := Open(bg, dsn, Options{Wait: 200 * time.Millisecond})
		fail(err)
		_, err = d.Add(bg, sample(number, 5))
		fail(err)
	case "list":
		d, err := Open(bg, dsn, Options{MustExist: true, ReadOnly: true})
		fail(err)
		runs, err := d.List(bg)
		fail(err)
		fmt.Print(len(runs))
	}
}

// again returns a command that starts this test binary as a child.
func again(t testing.TB, verb string, number int, dsn string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("OCCUDIFF_HISTORY_CHILD=%s %d %s", verb, number, dsn))
	return c
}

// TestKilledAtEveryStep kills a process at every step of an add, from before
// the first statement until after the commit.
func TestKilledAtEveryStep(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, sample(0, 120))
		died := 0
		for n := 0; ; n++ {
			var out, complaint bytes.Buffer
			c := again(t, "die", n, dsn)
			c.Stdout, c.Stderr = &out, &complaint
			err := c.Run()
			if err == nil && out.String() == "done" {
				break
			}
			if complaint.Len() > 0 || n > 100 {
				t.Fatalf("step %d: %v: %s", n, err, complaint.String())
			}
			died++
			whole(t, d)
			list, err := d.List(bg)
			if err != nil || len(list) > 2 {
				t.Fatalf("after dying at step %d the history holds %d runs, %v", n, len(list), err)
			}
			// The last step is after the commit, so the run is stored.
			if len(list) == 2 {
				if err := d.Remove(bg, list[1].ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if died < 8 {
			t.Errorf("the process died at %d steps only, want the begin, each insert and the commit", died)
		}
		whole(t, d)
		if list, err := d.List(bg); err != nil || len(list) != 2 {
			t.Errorf("the same add afterwards: %d runs, %v; want 2", len(list), err)
		}
		t.Logf("died at %d steps", died)
	})
}

// TestKilledAtFirst kills a process at every step while it creates the history
// and adds the first run.
func TestKilledAtFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		for n := 0; n < 40; n++ {
			out, err := again(t, "die", n, dsn).CombinedOutput()
			if err == nil && string(out) == "done" {
				if n < 11 { // begin, eight statements, before the commit, and after it
					t.Errorf("the process died at %d steps only, want each statement of the schema", n)
				}
				whole(t, open(t, dsn))
				return
			}
			if len(out) > 0 {
				t.Fatalf("step %d: %v: %s", n, err, out)
			}
		}
		t.Error("the run was never stored")
	})
}

// TestKilledAnyTime kills writers after random times, the first one while it
// creates the file.
func TestKilledAnyTime(t *testing.T) {
	kills := 40
	if testing.Short() || !testenv.All() {
		kills = 8
	}
	onBoth(t, func(t *testing.T, dsn string) {
		rng := rand.New(rand.NewPCG(5, 5))
		confirmed := map[int]bool{}
		next := 0
		for range kills {
			c := again(t, "forever", next, dsn)
			var out, complaint bytes.Buffer
			c.Stdout, c.Stderr = &out, &complaint
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.IntN(90_000)) * time.Microsecond)
			_ = c.Process.Kill()
			_ = c.Wait()
			if complaint.Len() > 0 {
				t.Fatalf("the writer failed: %s", complaint.String())
			}
			lines := strings.Split(out.String(), "\n")
			for _, line := range lines[:len(lines)-1] {
				i, err := strconv.Atoi(line)
				if err != nil {
					t.Fatalf("the writer printed %q", line)
				}
				confirmed[i] = true
				next = max(next, i+1)
			}
			next++ // the interrupted run may be stored or not
		}
		d := open(t, dsn)
		whole(t, d)
		list, err := d.List(bg)
		if err != nil {
			t.Fatal(err)
		}
		stored := map[string]int{}
		for _, r := range list {
			stored[r.Label]++
		}
		for i := range confirmed {
			if stored[fmt.Sprintf("run %d", i)] != 1 {
				t.Errorf("run %d was confirmed and is stored %d times", i, stored[fmt.Sprintf("run %d", i)])
			}
		}
		t.Logf("%d kills; %d runs confirmed, %d stored, all whole", kills, len(confirmed), len(list))
	})
}

// TestManyWriters starts eight processes that add 200 runs each, and 200 more
// runs that all of them try to add.
func TestManyWriters(t *testing.T) {
	const writers = 8
	runs := 200
	if testing.Short() || !testenv.All() {
		runs = 20
	}
	onBoth(t, func(t *testing.T, dsn string) {
		t.Setenv("OCCUDIFF_HISTORY_RUNS", strconv.Itoa(runs))
		began := time.Now()
		var group sync.WaitGroup
		for w := range writers {
			c := again(t, "write", w, dsn)
			group.Go(func() {
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("writer %d: %v: %s", w, err, out)
				}
			})
		}
		group.Wait()
		d := open(t, dsn)
		whole(t, d)
		list, err := d.List(bg)
		if err != nil {
			t.Fatal(err)
		}
		labels := map[string]int{}
		for _, r := range list {
			labels[r.Label]++
		}
		if want := (writers + 1) * runs; len(list) != want || len(labels) != want {
			t.Errorf("%d runs are stored, %d different ones; want %d", len(list), len(labels), want)
		}
		t.Logf("%d writers x %d runs: %d stored, %.1f s", writers, 2*runs, len(list), time.Since(began).Seconds())
	})
}

// TestManyGoroutines shares one DB among goroutines.
func TestManyGoroutines(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		var group sync.WaitGroup
		for w := range 8 {
			group.Go(func() {
				for i := range 5 {
					if _, err := d.Add(bg, sample(w*100+i, 3)); err != nil {
						t.Error(err)
					}
					if _, err := d.List(bg); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if n := count(t, d, "occudiff_run"); n != 40 {
			t.Errorf("%d runs, want 40", n)
		}
		whole(t, d)
	})
}
